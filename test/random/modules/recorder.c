/* SPDX-License-Identifier: Apache-2.0
 *
 * Records the values of the points of random modules that are run: native code, compiled by clang alone. If the
 * environment has RANDOM_RECORDS, all points call a stub, and its handler prints a line with the point and its values;
 * in modules for reference, random_record() prints the same line. References are printed as the contents of their
 * objects, and as the number of an earlier equal one.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/patch.h>
#include <cairn/patch_stub.h>
#include "records.h"

enum { POINTS = 4096, ANY_REGISTER = 13 };

#ifdef __aarch64__
enum { CALL_BYTES = 4 };
static const unsigned char argument_registers[] = {0, 1, 2, 3, 4, 5, 6, 7};
#else
enum { CALL_BYTES = 5 };
static const unsigned char argument_registers[] = {5, 4, 1, 2, 8, 9}; /* rdi, rsi, rdx, rcx, r8, r9 */
#endif

static uint64_t visits, in_registers, in_memory, in_constants, in_addresses, moved_arguments;
static struct cairn_point points[POINTS];

static bool is_wanted(void)
{
  return getenv("RANDOM_RECORDS") != NULL;
}

static void check(bool good, const char *what)
{
  if (good)
    return;
  fflush(stdout);
  fprintf(stderr, "recorder: %s\n", what);
  abort();
}

/* ---- lines ---- */

static unsigned code_of(const uint64_t *description, unsigned index)
{
  if (index >= CN_RECORD_VALUES)
    return 0;
  return description[index / CN_RECORD_WORD_CODES] >> 8 * (index % CN_RECORD_WORD_CODES) & 0xff;
}

static unsigned arguments_of(const uint64_t *description)
{
  return (unsigned)(description[0] >> CN_RECORD_ARGUMENTS_SHIFT);
}

static unsigned count_values(const uint64_t *description)
{
  unsigned count = 0;

  while (code_of(description, count))
    count++;
  return count;
}

static void print_pointer(unsigned code, const uint64_t *words, unsigned index)
{
  const uint64_t *object = (const uint64_t *)words[index];
  unsigned equal = 0;

  while (words[equal] != words[index])
    equal++;
  if (!object)
    printf(" null");
  else if (code == CN_RECORD_NUMBER)
    printf(" [%" PRIx64 "]", *object);
  else if (!*object)
    printf(" [null]");
  else
    printf(" [[%" PRIx64 "]]", *(const uint64_t *)*object);
  if (object && equal < index)
    printf("=%u", equal);
}

static void print_line(uint64_t id, const uint64_t *description, const uint64_t *words)
{
  printf("%" PRIu64 ".%u:", id >> CN_RECORD_SEED_SHIFT, (unsigned)(id & 0xffff));
  for (unsigned i = 0; i < count_values(description); i++) {
    unsigned code = code_of(description, i);
    if (code & CN_RECORD_UNDEFINED)
      printf(" ?");
    else if (code <= CN_RECORD_FLOAT)
      printf(" %" PRIx64, words[i]);
    else
      print_pointer(code, words, i);
  }
  printf("\n");
}

/* The values of the next point of a module for reference. */
static uint64_t pushed[CN_RECORD_VALUES];
static unsigned pushed_count;

void random_push(uint64_t word)
{
  check(pushed_count < CN_RECORD_VALUES, "more values than a point has");
  pushed[pushed_count++] = word;
}

void random_push_reference(const void *reference)
{
  random_push((uintptr_t)reference);
}

void random_push_local(const void *local)
{
  random_push((uintptr_t)local);
}

void random_record(uint64_t id, uint64_t first, uint64_t second)
{
  uint64_t description[CN_RECORD_WORDS] = {first, second};

  check(pushed_count == count_values(description), "another number of values than the point has");
  pushed_count = 0;
  if (is_wanted())
    print_line(id, description, pushed);
}

/* ---- records ---- */

static uint64_t read_value(struct cairn_point_state *state, const struct cairn_point *point, uint32_t index,
                           struct cairn_point_value *value)
{
  uint64_t word;

  check(cairn_point_read_value(point, index, value) == CAIRN_OK, "a point lacks a value");
  check(cairn_point_state_read(state, value, &word) == CAIRN_OK, "the place of a value is unknown");
  return word;
}

static void count_place(enum cairn_point_place place)
{
  uint64_t *const counts[] = {[CAIRN_POINT_CONSTANT] = &in_constants,
                              [CAIRN_POINT_REGISTER] = &in_registers,
                              [CAIRN_POINT_MEMORY] = &in_memory,
                              [CAIRN_POINT_ADDRESS] = &in_addresses};

  ++*counts[place];
}

/* True if the class and width of the value belong to the code. An undefined reference is null. */
static bool has_code(const struct cairn_point_value *value, unsigned code, uint64_t word)
{
  if (code & CN_RECORD_UNDEFINED)
    return value->value_class == CAIRN_POINT_UNDEFINED || (value->value_class == CAIRN_POINT_REFERENCE && !word);
  switch (code) {
  case CN_RECORD_DOUBLE:
  case CN_RECORD_FLOAT:
    return value->value_class == CAIRN_POINT_FLOAT && value->bits == (code == CN_RECORD_FLOAT ? 32 : 64);
  case CN_RECORD_NUMBER:
  case CN_RECORD_REFERENCE:
    return value->value_class == CAIRN_POINT_REFERENCE;
  case CN_RECORD_LOCAL_REFERENCE:
    return value->value_class == CAIRN_POINT_LOCAL || value->value_class == CAIRN_POINT_POINTER;
  default:
    return value->value_class == CAIRN_POINT_INTEGER && value->bits == code;
  }
}

/* Reads the next argument from the registers of C, which the record leaves out. An undefined one is 0. */
static uint64_t read_argument(struct cairn_point_state *state, unsigned code, unsigned *generals, unsigned *vectors)
{
  unsigned plain = code & ~(unsigned)CN_RECORD_UNDEFINED;
  uint64_t word = 0;

  moved_arguments++;
  if (plain == CN_RECORD_DOUBLE || plain == CN_RECORD_FLOAT) {
    memcpy(&word, state->vector[(*vectors)++], plain == CN_RECORD_FLOAT ? 4 : 8);
    return code & CN_RECORD_UNDEFINED ? 0 : word;
  }
  word = state->general[argument_registers[(*generals)++]];
  if (code & CN_RECORD_UNDEFINED)
    return 0;
  return plain < CN_RECORD_INTEGER ? word & ((UINT64_C(1) << plain) - 1) : word;
}

static uintptr_t visit(struct cairn_point_state *state)
{
  struct cairn_point point;
  struct cairn_point_value value;
  uint64_t words[CN_RECORD_VALUES] = {0}, description[CN_RECORD_WORDS];
  unsigned generals = 0, vectors = 0;

  check(cairn_point_at(state->resume - 1, &point) == CAIRN_OK, "a stub is called from elsewhere");
  check(point.values >= CN_RECORD_WORDS, "a record without a description");
  for (unsigned i = 0; i < CN_RECORD_WORDS; i++)
    description[i] = read_value(state, &point, point.values - CN_RECORD_WORDS + i, &value);
  unsigned count = count_values(description), arguments = arguments_of(description);
  bool recorded = point.convention == ANY_REGISTER;
  check(point.values == count + CN_RECORD_WORDS - (recorded ? 0 : arguments), "another number of values");
  for (unsigned i = 0; i < count; i++) {
    unsigned code = code_of(description, i);
    if (i < arguments && !recorded) {
      words[i] = read_argument(state, code, &generals, &vectors);
      continue;
    }
    words[i] = read_value(state, &point, recorded ? i : i - arguments, &value);
    if (!has_code(&value, code, words[i])) {
      fprintf(stderr, "recorder: point %" PRIu64 ".%u, value %u: code %u, but class %d of %u bits\n",
              point.id >> CN_RECORD_SEED_SHIFT, (unsigned)(point.id & 0xffff), i, code, (int)value.value_class,
              value.bits);
      abort();
    }
    count_place(value.place);
    if (code & CN_RECORD_UNDEFINED)
      words[i] = 0;
  }
  visits++;
  print_line(point.id, description, words);
  return state->resume;
}

/* ---- patches ---- */

static void print_counts(void)
{
  fprintf(stderr,
          "points visited: %" PRIu64 "\nvalues in registers: %" PRIu64 "\nvalues in memory: %" PRIu64
          "\nvalues in constants: %" PRIu64 "\nvalues in addresses: %" PRIu64 "\narguments of C: %" PRIu64 "\n",
          visits, in_registers, in_memory, in_constants, in_addresses, moved_arguments);
}

/* True if the points have room for calls. LLVM may keep instructions within a shadow, up to the next point. */
static bool has_room(size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (points[i].kind == CAIRN_POINT_SHADOW && !points[i].nops)
      return false;
    check(points[i].nops && points[i].length >= CALL_BYTES, "a region without room for a call");
  }
  return true;
}

/* Add the patches of all points with the id, or print that they are skipped. The first point decides about the stub's
 * place. */
static void patch_id(struct cairn_patch *patch, uint64_t id, struct cairn_patch_stub **stub)
{
  size_t count = cairn_points_with_id(id, points, POINTS);

  check(count <= POINTS, "more copies of a point than expected");
  if (!has_room(count)) {
    fprintf(stderr, "skipped: %" PRIu64 ".%u\n", id >> CN_RECORD_SEED_SHIFT, (unsigned)(id & 0xffff));
    return;
  }
  for (size_t i = 0; i < count; i++) {
    if (!*stub)
      check(cairn_patch_stub_new(visit, NULL, points[i].address, stub) == CAIRN_OK, "no stub");
    check(cairn_patch_call(patch, &points[i], cairn_patch_stub_address(*stub)) == CAIRN_OK, "no call");
  }
}

/* Patches the points of the modules of these seeds. */
void random_patch(int64_t first, int64_t count)
{
  struct cairn_patch_failure failure;
  struct cairn_patch_stub *stub = NULL;

  if (!is_wanted())
    return;
  struct cairn_patch *patch = cairn_patch_begin();
  for (int64_t seed = first; seed < first + count; seed++)
    for (uint64_t number = 0; number < CN_RECORD_POINTS; number++)
      patch_id(patch, (uint64_t)seed << CN_RECORD_SEED_SHIFT | number, &stub);
  if (!stub) {
    cairn_patch_abandon(patch);
    return;
  }
  check(cairn_patch_commit(patch, &failure) == CAIRN_OK, failure.text);
  atexit(print_counts);
}
