/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of random modules with deopt operands (random_deopt.py). The module passes the operands of a call to
 * expect...() before the call. look() moves all objects, then compares the operands of all activations with them: value
 * by value, and objects field by field, whether they are in the heap or only in records. It then marks activations of
 * some modules by chance: in their places go_on() moves all objects, and compare_state() compares the state with the
 * operands. In some of these modules another version of the functions then goes on; such a module runs twice, and
 * passes the same values as without take-overs. note_field() keeps the contents of objects. Options of the environment
 * variable OBSERVER: "unknown": classes are not recorded.
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
bool leaves_now(void);
void begin(uint64_t number, bool leaves, bool goes);
void keep_trace(void);
void move(void);
void compare_state(uintptr_t at);
void go_on(void); /* of the program's main module */
void finish(void);

static struct expected_frame frames[MOST_FRAMES]; /* frames[depth] is being made */
static uint32_t depth;
static uint64_t fields[MOST_OBJECTS][FIELDS], objects;
static const struct cairn_layout *layout;
static unsigned long module, looks, operands, removed, lost, joined, left_activations;
static bool unknown, is_left, goes_on;
static uint64_t chance;
static uint64_t trace, kept_trace; /* of all values that the module has passed, in their order */

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

static void note_value(uint64_t value)
{
  trace = (trace ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  trace ^= trace >> 29;
}

void expect(unsigned value_class, unsigned bits, uint64_t low, uint64_t high)
{
  *add(SCALAR) = (struct expected){SCALAR, value_class, bits, {low, high}};
  note_value(low ^ high * 3);
}

void expect_reference(uint64_t number, uint64_t offset)
{
  *add(ADDRESS) = (struct expected){ADDRESS, CAIRN_DEOPT_REFERENCE, 64, {number, offset}};
  note_value(number + 7 * offset);
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
  (void)function;
  (void)index;
  return (const void *)go_on;
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

/* Marks one activation in four. */
static void mark_activations(void)
{
  struct cairn_stack_iterator it;
  struct cairn_deopt_failure failure;
  uint32_t count;

  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it)) {
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    if (chance >> 62 || cairn_deopt_count(&it, &count))
      continue;
    enum cairn_status status = cairn_deopt_on_return(&it, module, &failure);
    if (status && status != CAIRN_E_LOST) {
      printf("%s\n", failure.text);
      fail("a mark", (uint64_t)status, 0);
    }
  }
}

/* True at one place in four where a function may leave its activation. */
bool leaves_now(void)
{
  chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return is_left && chance >> 62 == 0;
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
  if (is_left)
    mark_activations();
}

/* ---- states ---- */

struct item {
  uintptr_t reference;
  uint64_t word, high;
  uint32_t info, more;
};
struct state {
  uint64_t reason;
  uint32_t frames, items;
  struct item item[];
};
_Static_assert(offsetof(struct item, more) == CAIRN_ABI_DEOPT_ITEM_MORE &&
                   offsetof(struct state, item) == CAIRN_ABI_DEOPT_STATE_ITEMS &&
                   sizeof(struct item) == CAIRN_ABI_DEOPT_ITEM_SIZE,
               "abi.def");

void move(void)
{
  cairn_collect();
}

static void compare_made(uintptr_t at, const struct expected_frame *f, uint64_t first, uintptr_t *made);

static void compare_word(uint64_t word, const struct expected_frame *f, const struct expected *e, uintptr_t *made)
{
  if (e->kind == OBJECT)
    compare_made(word, f, e->word[1], made);
  else if (e->kind == ADDRESS && word && e->word[0])
    compare_object(word, e->word[0], 0);
  else if (word != (e->kind == ADDRESS ? 0 : e->word[0]))
    fail("a field of a made object", word, e->word[0]);
}

/* The object that was made of the record's fields, from operand `first` on; a field that the record lacks is 0. `made`
 * has the objects seen so far, by `first`. */
static void compare_made(uintptr_t at, const struct expected_frame *f, uint64_t first, uintptr_t *made)
{
  static const struct expected none = {.kind = SCALAR};
  const struct expected *of[FIELDS] = {&none, &none, &none, &none};
  uint64_t count = f->operand[first - 2].word[0] >> 32;

  if (made[first] && made[first] != at)
    fail("an object is made twice", at, made[first]);
  if (made[first])
    return;
  if (!at)
    fail("an object is not made", first, 0);
  made[first] = at;
  for (uint64_t i = 0; i < count; i++)
    of[f->operand[first + 2 * i].word[0] / 8] = &f->operand[first + 2 * i + 1];
  for (unsigned i = 0; i < FIELDS; i++)
    compare_word(((const uint64_t *)at)[i], f, of[i], made);
}

static void compare_item(const struct item *item, const struct expected_frame *f, const struct expected *e,
                         uintptr_t *made)
{
  struct cairn_deopt_value v = {.value_class = (enum cairn_deopt_class)(item->info & 255),
                                .bits = (uint16_t)(item->info >> 8)};

  if (e->kind == UNDEFINED)
    return;
  if (e->kind != SCALAR && v.value_class != CAIRN_DEOPT_REFERENCE)
    fail("the class of a reference in the state", v.value_class, CAIRN_DEOPT_REFERENCE);
  if (e->kind == OBJECT) {
    compare_made(item->reference, f, e->word[1], made);
  } else if (e->kind == ADDRESS) {
    if (item->word != e->word[1] || !item->reference != !e->word[0])
      fail("a reference in the state", item->word, e->word[1]);
    if (item->reference)
      compare_object(item->reference, e->word[0], 0);
  } else {
    uint64_t low = e->bits < 64 ? (UINT64_C(1) << e->bits) - 1 : UINT64_MAX;
    uint64_t high = e->bits > 64 ? UINT64_MAX >> (128 - e->bits) : 0;
    if (!is_same_class(&v, e))
      fail("a class and width in the state", item->info, (uint64_t)e->value_class | e->bits << 8);
    if (item->word != (e->word[0] & low) || item->high != (e->word[1] & high))
      fail("a value in the state", item->word, e->word[0]);
  }
}

static void compare_head(const struct item *head, const struct expected_frame *f)
{
  const struct expected *e = f->operand;

  if ((head[0].info & 0xffff) != (e[1].word[0] & 0xffff) || head[0].info >> 16 != e[1].word[0] >> 16)
    fail("the language and the kind of the result", head[0].info, e[1].word[0]);
  if (head[0].word != e[2].word[0] || head[0].high != e[3].word[0])
    fail("the function and the index", head[0].word, e[2].word[0]);
  if ((head[1].word | head[1].high << 32) != e[4].word[0])
    fail("the numbers of values", head[1].word, e[4].word[0]);
}

/* The activation of the youngest frames has ended: its state has all their values. */
void compare_state(uintptr_t at)
{
  const struct state *state = (const struct state *)at;
  uintptr_t made[MOST_OPERANDS];

  left_activations++;
  if (state->reason != module || state->frames > depth)
    fail("the number of frames of a state", state->frames, depth);
  for (uint32_t n = 0; n < state->frames; n++) {
    const struct expected_frame *f = &frames[depth - state->frames + n];
    const struct item *head = &state->item[CAIRN_DEOPT_STATE_HEADS + 2 * n];
    compare_head(head, f);
    memset(made, 0, sizeof made);
    for (uint64_t i = 0; i < head[1].word + head[1].high; i++)
      compare_item(&state->item[head[0].more + i], f, &f->operand[CAIRN_ABI_DEOPT_FRAME_HEAD + i], made);
  }
  for (uint32_t n = 0; n < state->frames && !goes_on; n++) /* else the rest of each function does so */
    pop_frame();
}

/* ---- programs ---- */

/* The next module of the program begins. */
void begin(uint64_t number, bool leaves, bool goes)
{
  module = chance = number;
  is_left = leaves;
  goes_on = goes;
  trace = 0;
  looks = operands = removed = lost = joined = left_activations = 0;
  memset(fields, 0, (objects + 1) * sizeof fields[0]);
  objects = 0;
  depth = 0;
}

/* The module has run without take-overs, and runs again. */
void keep_trace(void)
{
  kept_trace = trace;
}

void finish(void)
{
  if (goes_on && trace != kept_trace)
    fail("the values after take-overs", trace, kept_trace);
  printf("module %lu: %lu looks, %lu operands, %lu removed objects, %lu lost, %lu joined, %lu left\n", module, looks,
         operands, removed, lost, joined, left_activations);
  fflush(stdout);
}
