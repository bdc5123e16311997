/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of random modules with deopt operands (random_deopt.py). The module passes the operands of a call to
 * expect...() before the call. look() moves all objects, then compares the operands of all activations with them: value
 * by value, and objects field by field, whether they are in the heap or only in records. note_field() keeps the
 * contents of objects. Options of the environment variable OBSERVER: "unknown": classes are not recorded.
 */
#include <cairn/cairn.h>
#include <cairn/collector.h>
#include <cairn/deopt.h>
#include <cairn/heap_object.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 4, MOST_OPERANDS = 512, MOST_FRAMES = 64, MOST_OBJECTS = 1 << 16, DEPTH = 3 };

enum kind { SCALAR, ADDRESS, UNDEFINED, OBJECT };
struct expected {
  enum kind kind;
  unsigned value_class, bits;
  uint64_t word[2]; /* ADDRESS: number and offset; OBJECT: number, and the operand of the first field in its record */
};
struct expected_frame {
  struct expected operand[MOST_OPERANDS];
  uint32_t count;
};

void expect(unsigned value_class, unsigned bits, uint64_t low, uint64_t high);
void expect_reference(uint64_t number, uint64_t offset);
void expect_undefined(void);
void expect_object(uint64_t number, uint64_t first);
void push_frame(void);
void pop_frame(void);
uint64_t fresh_number(void);
void note_field(uint64_t number, uint64_t offset, uint64_t bits);
void remember(uintptr_t object);
void look(void);
void begin(uint64_t number);
void finish(void);

static struct expected_frame frames[MOST_FRAMES]; /* frames[depth] is being made */
static uint32_t depth;
static uint64_t fields[MOST_OBJECTS][FIELDS], objects;
static const struct cairn_layout *layout;
static unsigned long module, looks, operands, removed, lost, joined;
static bool unknown;

static void fail(const char *what, uint64_t a, uint64_t b)
{
  printf("wrong: %s: %lx, expected %lx\n", what, (unsigned long)a, (unsigned long)b);
  exit(1);
}

/* ---- expectations ---- */

static struct expected *add(enum kind kind)
{
  struct expected_frame *f = &frames[depth];

  if (f->count == MOST_OPERANDS)
    fail("too many operands", f->count, 0);
  f->operand[f->count] = (struct expected){.kind = kind};
  return &f->operand[f->count++];
}

void expect(unsigned value_class, unsigned bits, uint64_t low, uint64_t high)
{
  *add(SCALAR) = (struct expected){SCALAR, value_class, bits, {low, high}};
}

void expect_reference(uint64_t number, uint64_t offset)
{
  *add(ADDRESS) = (struct expected){ADDRESS, CAIRN_DEOPT_REFERENCE, 64, {number, offset}};
}

void expect_undefined(void)
{
  add(UNDEFINED);
}

void expect_object(uint64_t number, uint64_t first)
{
  *add(OBJECT) = (struct expected){OBJECT, CAIRN_DEOPT_OBJECT, 24, {number, first}};
}

void push_frame(void)
{
  if (++depth == MOST_FRAMES)
    fail("too many frames", depth, 0);
  frames[depth].count = 0;
}

void pop_frame(void)
{
  frames[--depth].count = 0;
}

uint64_t fresh_number(void)
{
  if (++objects == MOST_OBJECTS)
    fail("too many objects", objects, 0);
  return objects;
}

void note_field(uint64_t number, uint64_t offset, uint64_t bits)
{
  if (number == 0 || number > objects || offset / 8 >= FIELDS)
    fail("a field of no object", number, offset);
  fields[number][offset / 8] = bits;
}

void remember(uintptr_t object)
{
  static struct cairn_deopt_language language = {.name = "random"};
  extern const struct cairn_layout *observer_layout(uint64_t);
  extern const void *observer_continuation(uint64_t, uint64_t);

  layout = cairn_object_layout(object);
  language.layout = observer_layout;
  language.continuation = observer_continuation;
  cairn_deopt_add_language(3, &language);
  unknown = getenv("OBSERVER") && strcmp(getenv("OBSERVER"), "unknown") == 0;
}

const struct cairn_layout *observer_layout(uint64_t number);
const struct cairn_layout *observer_layout(uint64_t number)
{
  return number == 5 ? layout : NULL;
}

const void *observer_continuation(uint64_t function, uint64_t index);
const void *observer_continuation(uint64_t function, uint64_t index)
{
  return function + index ? NULL : (const void *)look;
}

/* ---- comparison ---- */

/* An object in the heap has the noted fields, and so have those that it leads to. */
static void compare_object(uintptr_t at, uint64_t number, unsigned deep)
{
  for (unsigned i = 0; i < FIELDS - 1; i++)
    if (((const uint64_t *)at)[i] != fields[number][i])
      fail("a field of an object", ((const uint64_t *)at)[i], fields[number][i]);
  uintptr_t next = ((const uintptr_t *)at)[FIELDS - 1];
  if (!next != !fields[number][FIELDS - 1])
    fail("the next object", next, fields[number][FIELDS - 1]);
  if (next && deep < DEPTH)
    compare_object(next, fields[number][FIELDS - 1], deep + 1);
}

static void compare_reference(const struct cairn_stack_iterator *it, const struct cairn_deopt_value *v, uint64_t number,
                              uint64_t offset, unsigned deep);

/* A removed object has the noted fields in its record; a field that the record lacks is 0. */
static void compare_removed(const struct cairn_stack_iterator *it, uint32_t index, uint64_t number, unsigned deep)
{
  struct cairn_deopt_object object;
  struct cairn_deopt_value offset, v;
  unsigned seen = 0;

  if (cairn_deopt_object(it, index, &object))
    fail("no object", index, number);
  if (object.layout != 5 || object.elements || object.language != 3)
    fail("the layout of an object", object.layout, 5);
  for (uint32_t i = 0; i < object.fields; i++) {
    if (cairn_deopt_read(it, object.first + 2 * i, &offset) || cairn_deopt_read(it, object.first + 2 * i + 1, &v) ||
        offset.word[0] / 8 >= FIELDS)
      fail("a field of a record", i, number);
    uint64_t want = fields[number][offset.word[0] / 8];
    seen |= 1u << offset.word[0] / 8;
    if (offset.word[0] / 8 == FIELDS - 1)
      compare_reference(it, &v, want, 0, deep + 1);
    else if (v.word[0] != want || v.bits != 64)
      fail("a field of a removed object", v.word[0], want);
  }
  for (unsigned i = 0; i < FIELDS; i++)
    if (!(seen >> i & 1) && fields[number][i])
      fail("a field is missing", i, fields[number][i]);
}

static void compare_reference(const struct cairn_stack_iterator *it, const struct cairn_deopt_value *v, uint64_t number,
                              uint64_t offset, unsigned deep)
{
  if (deep > DEPTH)
    return;
  if (v->value_class == CAIRN_DEOPT_OBJECT) {
    removed++;
    if (!number || offset)
      fail("an object in the place of", number, offset);
    compare_removed(it, (uint32_t)v->word[0], number, deep);
    return;
  }
  if (v->value_class != CAIRN_DEOPT_REFERENCE && !unknown)
    fail("the class of a reference", v->value_class, CAIRN_DEOPT_REFERENCE);
  uintptr_t base = unknown ? v->word[0] - offset : v->base;
  if (!number && v->word[0])
    fail("a null reference", v->word[0], 0);
  if (!number)
    return;
  if (v->word[0] - base != offset)
    fail("the distance of a reference", v->word[0] - base, offset);
  compare_object(base, number, deep);
}

static bool is_same_class(const struct cairn_deopt_value *v, const struct expected *e)
{
  bool address = v->value_class == CAIRN_DEOPT_LOCAL || v->value_class == CAIRN_DEOPT_POINTER;

  return (v->value_class == e->value_class && v->bits == e->bits) ||
         (address && (e->value_class == CAIRN_DEOPT_LOCAL || e->value_class == CAIRN_DEOPT_POINTER));
}

/* Compare an operand of a record that begins at operand `start`. */
static void compare_operand(const struct cairn_stack_iterator *it, uint32_t index, uint32_t start,
                            const struct expected *e)
{
  struct cairn_deopt_value v;
  struct cairn_deopt_object object;

  if (cairn_deopt_read(it, index, &v))
    fail("no operand", index, 0);
  operands++;
  lost += v.value_class == CAIRN_DEOPT_LOST;
  if (v.value_class == CAIRN_DEOPT_LOST || e->kind == UNDEFINED)
    return;
  if (e->kind == ADDRESS) {
    compare_reference(it, &v, e->word[0], e->word[1], 0);
  } else if (e->kind == OBJECT) {
    if (v.value_class != CAIRN_DEOPT_OBJECT || cairn_deopt_object(it, (uint32_t)v.word[0], &object) ||
        object.first != start + e->word[1])
      fail("an object of the record", v.word[0], e->word[0]);
  } else {
    uint64_t mask[2] = {UINT64_MAX, e->bits > 64 ? UINT64_MAX >> (128 - e->bits) : 0};
    if (e->bits < 64)
      mask[0] = (UINT64_C(1) << e->bits) - 1;
    if (!unknown && !is_same_class(&v, e))
      fail("a class and width", (uint64_t)v.value_class << 8 | v.bits, (uint64_t)e->value_class << 8 | e->bits);
    for (unsigned i = 0; i < 2; i++)
      if ((v.word[i] & (unknown ? mask[i] : UINT64_MAX)) != (e->word[i] & mask[i]))
        fail("a value", v.word[i], e->word[i] & mask[i]);
  }
}

/* The number of expected frames that the operands of an activation describe: the youngest of `left` frames. */
static uint32_t count_frames(const struct cairn_stack_iterator *it, uint32_t count, uint32_t left)
{
  uint32_t found, sum = 0;

  if (cairn_deopt_frames(it, &found) == CAIRN_OK)
    return found;
  for (found = 0; sum < count && found < left; found++)
    sum += frames[left - 1 - found].count;
  if (sum != count)
    fail("the number of plain operands", count, sum);
  return found;
}

static void compare_activation(const struct cairn_stack_iterator *it, uint32_t count, uint32_t *left)
{
  uint32_t found = count_frames(it, count, *left), at = 0;

  if (found > *left)
    fail("the number of frames", found, *left);
  joined += found > 1;
  for (uint32_t f = *left - found; f < *left; f++) {
    uint32_t start = at;
    for (uint32_t i = 0; i < frames[f].count; i++)
      compare_operand(it, at++, start, &frames[f].operand[i]);
  }
  *left -= found;
}

void look(void)
{
  struct cairn_stack_iterator it;
  uint32_t left = depth, count;

  looks++;
  cairn_collect();
  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it))
    if (cairn_deopt_count(&it, &count) == CAIRN_OK)
      compare_activation(&it, count, &left);
  if (left)
    fail("frames without an activation", left, 0);
}

/* The next module of the program begins. */
void begin(uint64_t number)
{
  module = number;
  looks = operands = removed = lost = joined = 0;
  memset(fields, 0, (objects + 1) * sizeof fields[0]);
  objects = 0;
  depth = 0;
}

void finish(void)
{
  printf("module %lu: %lu looks, %lu operands, %lu removed objects, %lu lost, %lu joined\n", module, looks, operands,
         removed, lost, joined);
  fflush(stdout);
}
