/* SPDX-License-Identifier: Apache-2.0
 *
 * The stack map decoder on maps written by hand: versions 1 to 3, every truncation, every bit
 * flipped.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include "fuzz/exercise.h"

struct writer {
  unsigned char bytes[1024];
  size_t count;
};

static void put(struct writer *w, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    w->bytes[w->count++] = (unsigned char)(value >> 8 * i);
}

static void put_header(struct writer *w, unsigned version, unsigned functions, unsigned constants, unsigned records)
{
  put(w, version, 4);
  put(w, functions, 4);
  put(w, constants, 4);
  put(w, records, 4);
}

static void put_location(struct writer *w, unsigned version, unsigned kind, unsigned size, unsigned reg, int32_t offset)
{
  put(w, kind, version == 3 ? 2 : 1);
  put(w, size, version == 3 ? 2 : 1);
  put(w, reg, version == 3 ? 4 : 2);
  put(w, (uint32_t)offset, 4);
}

static void put_function(struct writer *w, unsigned version, uint64_t address, uint64_t size, uint64_t records)
{
  put(w, address, 8);
  put(w, size, 8);
  if (version > 1)
    put(w, records, 8);
}

static void pad(struct writer *w)
{
  while (w->count % 8)
    put(w, 0, 1);
}

/* Two functions with one and two records; the second record is a statepoint with two deopt
 * locations, a base, a derived reference and an alloca, and it has a live-out. */
static struct writer make(unsigned version)
{
  struct writer w = {.count = 0};

  put_header(&w, version, 2, 1, 3);
  put_function(&w, version, 0x1000, 24, 1);
  put_function(&w, version, 0x2000, UINT64_MAX, 2);
  put(&w, 0x123456789abcdef0, 8);
  for (unsigned i = 0; i < 3; i++) {
    put(&w, 100 + i, 8);
    put(&w, 16 + i, 4);
    put(&w, 0, 2);
    put(&w, i == 1 ? 8 : 1, 2);
    if (i == 1) {
      put_location(&w, version, 4, 8, 0, 15);
      put_location(&w, version, 4, 8, 0, 0);
      put_location(&w, version, 4, 8, 0, 2);
      put_location(&w, version, 5, 8, 0, 0);
      put_location(&w, version, 4, 8, 0, -7);
      put_location(&w, version, 1, 8, 14, 0);
      put_location(&w, version, 3, 8, 7, 40);
      put_location(&w, version, 2, 8, 6, -16);
    } else {
      put_location(&w, version, 3, 8, 7, 8);
    }
    pad(&w);
    put(&w, 0, 2);
    put(&w, i == 1, 2);
    if (i == 1)
      put(&w, 0x08000003, 4);
    pad(&w);
  }
  return w;
}

static void check_version(unsigned version)
{
  struct writer w = make(version);
  struct cairn_stackmap map;
  struct cairn_stackmap_cursor cursor = {0};
  struct cairn_stackmap_record r[3];
  struct cairn_stackmap_statepoint s;

  assert_int_equal(cairn_stackmap_open(w.bytes, w.count, &map, NULL), 0);
  assert_int_equal(map.version, version);
  assert_int_equal(map.length, w.count);
  assert_int_equal(cairn_stackmap_function(&map, 1).address, 0x2000);
  assert_true(cairn_stackmap_function(&map, 1).stack_size == CAIRN_STACKMAP_UNKNOWN_SIZE);
  for (unsigned i = 0; i < 3; i++) {
    assert_true(cairn_stackmap_next(&map, &cursor, &r[i]));
    assert_int_equal(r[i].id, 100 + i);
    assert_int_equal(r[i].instruction_offset, 16 + i);
    assert_int_equal(r[i].function, version == 1 ? CAIRN_STACKMAP_UNKNOWN_FUNCTION : i > 0);
  }
  assert_false(cairn_stackmap_next(&map, &cursor, &r[0]));
  assert_int_equal(cairn_stackmap_statepoint(&map, &r[1], &s, NULL), 0);
  assert_int_equal(s.calling_convention, 15);
  assert_int_equal(s.deopt_count, 2);
  assert_int_equal(s.pairs, 1);
  assert_int_equal(s.allocas, 1);
  assert_int_equal(cairn_stackmap_location(&map, &r[1], 3).value, 0x123456789abcdef0);
  assert_true(cairn_stackmap_location(&map, &r[1], 4).value == (uint64_t)-7);
  struct cairn_stackmap_location l = cairn_stackmap_location(&map, &r[1], s.pairs_first + 1);
  assert_int_equal(l.kind, CAIRN_STACKMAP_INDIRECT);
  assert_int_equal(l.reg, 7);
  assert_int_equal(l.offset, 40);
  assert_int_equal(l.size, 8);
  assert_int_equal(cairn_stackmap_live_out(&map, &r[1], 0).reg, 3);
  assert_int_equal(cairn_stackmap_live_out(&map, &r[1], 0).size, 8);
  assert_int_equal(cairn_stackmap_statepoint(&map, &r[2], &s, NULL), CAIRN_E_NOT_STATEPOINT);
}

static void all_versions(void **state)
{
  (void)state;
  for (unsigned version = 1; version <= 3; version++)
    check_version(version);
}

static void every_prefix_is_an_error(void **state)
{
  (void)state;
  for (unsigned version = 1; version <= 3; version++) {
    struct writer w = make(version);
    for (size_t size = 0; size < w.count; size++)
      assert_int_equal(exercise_exactly(exercise_stackmap, w.bytes, size), CAIRN_E_TRUNCATED);
    assert_int_equal(exercise_exactly(exercise_stackmap, w.bytes, w.count), 0);
  }
}

static void no_flipped_bit_crashes(void **state)
{
  (void)state;
  for (unsigned version = 1; version <= 3; version++) {
    struct writer w = make(version);
    for (size_t bit = 0; bit < 8 * w.count; bit++) {
      w.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
      exercise_exactly(exercise_stackmap, w.bytes, w.count);
      w.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
  }
}

static void maps_are_concatenated(void **state)
{
  struct writer w = make(3), other = make(2);
  struct cairn_stackmap map;

  (void)state;
  size_t first = w.count;
  memcpy(w.bytes + w.count, other.bytes, other.count);
  w.count += other.count;
  assert_int_equal(cairn_stackmap_open(w.bytes, w.count, &map, NULL), 0);
  assert_int_equal(map.length, first);
  assert_int_equal(cairn_stackmap_open(w.bytes + first, w.count - first, &map, NULL), 0);
  assert_int_equal(map.version, 2);
}

static void wrong_fields_are_named(void **state)
{
  static const struct {
    size_t at;
    unsigned char value;
    int status;
    size_t offset;
  } cases[] = {
      {0, 0, CAIRN_E_VERSION, 0},
      {0, 4, CAIRN_E_VERSION, 0},
      {2, 1, CAIRN_E_RESERVED, 2},
      {12, 4, CAIRN_E_COUNT, 12},
      {32, 9, CAIRN_E_COUNT, 32},
      {56, 1, CAIRN_E_COUNT, 12},
      {88, 0, CAIRN_E_KIND, 88},
      {88, 6, CAIRN_E_KIND, 88},
      {88, 5, CAIRN_E_CONSTANT, 96},
      /* Counts that lead beyond the end: of functions, constants, locations and live-outs. */
      {7, 255, CAIRN_E_TRUNCATED, 4},
      {11, 255, CAIRN_E_TRUNCATED, 8},
      {87, 255, CAIRN_E_TRUNCATED, 86},
      {107, 255, CAIRN_E_TRUNCATED, 106},
      /* Reserved bytes and padding: of a location, after the locations, before and in the
       * live-outs. */
      {89, 1, CAIRN_E_RESERVED, 89},
      {95, 1, CAIRN_E_RESERVED, 95},
      {103, 1, CAIRN_E_RESERVED, 103},
      {104, 1, CAIRN_E_RESERVED, 104},
      {110, 1, CAIRN_E_RESERVED, 110},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct writer w = make(3);
    struct cairn_stackmap map;
    struct cairn_stackmap_error error;
    w.bytes[cases[i].at] = cases[i].value;
    assert_int_equal(cairn_stackmap_open(w.bytes, w.count, &map, &error), cases[i].status);
    assert_int_equal(error.offset, cases[i].offset);
  }
}

/* A record of these locations alone, in a map of its own, taken apart as a statepoint. */
static int take_apart(const int (*locations)[2], unsigned count, struct cairn_stackmap_error *error)
{
  struct writer w = {.count = 0};
  struct cairn_stackmap map;
  struct cairn_stackmap_cursor cursor = {0};
  struct cairn_stackmap_record record;
  struct cairn_stackmap_statepoint s;

  put_header(&w, 3, 1, 0, 1);
  put_function(&w, 3, 0x1000, 24, 1);
  put(&w, 1, 8);
  put(&w, 16, 4);
  put(&w, 0, 2);
  put(&w, count, 2);
  for (unsigned i = 0; i < count; i++)
    put_location(&w, 3, (unsigned)locations[i][0], 8, 7, locations[i][1]);
  pad(&w);
  put(&w, 0, 4);
  pad(&w);
  assert_int_equal(cairn_stackmap_open(w.bytes, w.count, &map, NULL), 0);
  assert_true(cairn_stackmap_next(&map, &cursor, &record));
  return cairn_stackmap_statepoint(&map, &record, &s, error);
}

static void statepoints_that_are_none(void **state)
{
  enum { R = CAIRN_STACKMAP_REGISTER, D, I, C };
  static const struct {
    int locations[6][2];
    unsigned count;
    int status;
  } cases[] = {
      {{{C, 0}, {C, 0}, {C, 0}}, 3, CAIRN_OK},
      {{{C, 0}, {C, 0}}, 2, CAIRN_E_NOT_STATEPOINT},
      {{{C, 0}, {R, 0}, {C, 0}}, 3, CAIRN_E_NOT_STATEPOINT},
      {{{C, 1024}, {C, 0}, {C, 0}}, 3, CAIRN_E_NOT_STATEPOINT},
      {{{C, 0}, {C, 4}, {C, 0}}, 3, CAIRN_E_NOT_STATEPOINT},
      {{{C, 0}, {C, 0}, {C, 1}}, 3, CAIRN_E_DEOPT},
      {{{C, 0}, {C, 0}, {C, -1}, {R, 0}}, 4, CAIRN_E_DEOPT},
      {{{C, 0}, {C, 0}, {C, 0}, {R, 0}}, 4, CAIRN_E_PAIRS},
      {{{C, 0}, {C, 0}, {C, 0}, {R, 0}, {I, 8}, {D, 0}}, 6, CAIRN_OK},
      {{{C, 0}, {C, 0}, {C, 0}, {D, 0}, {I, 8}, {R, 0}}, 6, CAIRN_E_PAIRS},
      {{{C, 0}, {C, 0}, {C, 3}, {D, 0}, {I, 8}, {R, 0}}, 6, CAIRN_OK},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cairn_stackmap_error error = {0, NULL};
    int status = take_apart(cases[i].locations, cases[i].count, &error);
    assert_int_equal(status, cases[i].status);
    if (status < 0)
      assert_int_equal(error.offset, 40); /* the record's */
  }
}

/* As the machines' ABIs number them. */
static void registers_have_names(void **state)
{
  static const struct {
    unsigned machine, reg;
    const char *name;
  } all[] = {
      {EM_X86_64, 3, "rbx"},     {EM_X86_64, 6, "rbp"},    {EM_X86_64, 7, "rsp"},   {EM_X86_64, 12, "r12"},
      {EM_X86_64, 13, "r13"},    {EM_X86_64, 14, "r14"},   {EM_X86_64, 15, "r15"},  {EM_X86_64, 16, "rip"},
      {EM_X86_64, 17, "xmm0"},   {EM_X86_64, 32, "xmm15"}, {EM_X86_64, 33, "st0"},  {EM_X86_64, 41, "mm0"},
      {EM_X86_64, 49, "rflags"}, {EM_X86_64, 55, "gs"},    {EM_X86_64, 56, NULL},   {EM_X86_64, 64, "mxcsr"},
      {EM_X86_64, 67, "xmm16"},  {EM_X86_64, 82, "xmm31"}, {EM_X86_64, 118, "k0"},  {EM_X86_64, 145, "r31"},
      {EM_X86_64, 146, NULL},    {EM_AARCH64, 19, "x19"},  {EM_AARCH64, 30, "x30"}, {EM_AARCH64, 31, "sp"},
      {EM_AARCH64, 48, "p0"},    {EM_AARCH64, 95, "v31"},  {EM_AARCH64, 96, "z0"},  {EM_RISCV, 2, "sp"},
      {EM_RISCV, 8, "s0"},       {EM_RISCV, 18, "s2"},     {EM_RISCV, 31, "t6"},    {EM_RISCV, 40, "fs0"},
      {EM_RISCV, 63, "ft11"},    {EM_RISCV, 96, "v0"},     {EM_386, 0, NULL},
  };

  (void)state;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const char *name = cairn_stackmap_register_name(all[i].machine, all[i].reg);
    if (all[i].name)
      assert_string_equal(name, all[i].name);
    else
      assert_null(name);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_versions),           cmocka_unit_test(every_prefix_is_an_error),
      cmocka_unit_test(no_flipped_bit_crashes), cmocka_unit_test(maps_are_concatenated),
      cmocka_unit_test(wrong_fields_are_named), cmocka_unit_test(statepoints_that_are_none),
      cmocka_unit_test(registers_have_names),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
