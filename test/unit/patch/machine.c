/* SPDX-License-Identifier: Apache-2.0
 *
 * The port's code of regions. What would go wrong: a store changes an operand of an instruction that is read at once,
 * or more than the operand; a statepoint gets code without a call at its end; a cache's code finds another entry's
 * value.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <cairn/assembler.h>
#include "patch/machine.h"

/* A change is an operand's if and only if it lies in the operand of a known instruction. */
static void operands(void **state)
{
  static const unsigned char near[] = {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0,    0,    0, 0, 0, 0x0f, 0x1f,
                                       0x44, 0,    0,    0x66, 0x90, 0x90, 0xe8, 1, 2, 3, 4};
  static const unsigned char far[] = {0x90, 0x49, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8, 0x41, 0xff, 0xd3};
  static const unsigned char unknown[] = {0x48, 0x89, 0xc3, 0xe8, 1, 2, 3, 4};

  (void)state;
  for (size_t first = 0; first < sizeof near; first++)
    for (size_t last = first; last < sizeof near; last++)
      assert_int_equal(cn_machine_may_store(near, near, sizeof near, first, last), first >= 19);
  for (size_t first = 0; first < sizeof far; first++)
    for (size_t last = first; last < sizeof far; last++)
      assert_int_equal(cn_machine_may_store(far, far, sizeof far, first, last), first >= 3 && last <= 10);
  for (size_t first = 0; first < sizeof unknown; first++)
    assert_false(cn_machine_may_store(unknown, unknown, sizeof unknown, first, first));
  assert_false(cn_machine_may_store(far, far, 5, 3, 4)); /* cut off */
}

static void statepoint_code(void **state)
{
  static const struct {
    unsigned char code[16];
    size_t length;
    bool fits;
  } cases[] = {
      {{0x90, 0x66, 0x90}, 3, true},
      {{0x90, 0xe9, 1, 2, 3, 4, 0xcc}, 7, true},
      {{0xeb, 1, 0xcc}, 3, true},
      {{0x90, 0xe8, 1, 2, 3, 4}, 6, true},
      {{0xe8, 1, 2, 3, 4, 0x48, 0x89, 0xc3}, 8, false},
      {{0x49, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8, 0x41, 0xff, 0xd3}, 13, true},
      {{0x48, 0x89, 0xc3, 0xff, 0xd0}, 5, true},
      {{0x48, 0x89, 0xc3, 0xff, 0x50, 0x08}, 6, true},
      {{0xff, 0x15, 1, 2, 3, 4}, 6, true},
      {{0x48, 0x89, 0xc3, 0xff, 0xe0}, 5, false},
      {{0x48, 0x89, 0xc3}, 3, false},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(cn_machine_fits_statepoint(cases[i].code, cases[i].length), cases[i].fits);
  for (size_t length = 0; length < 40; length++) {
    unsigned char nops[40];
    assert_int_equal(cn_machine_fill_nops(nops, length), CAIRN_OK);
    assert_true(cn_machine_fits_statepoint(nops, length));
  }
}

/* Run the code of a cache with a key in a register. */
static uint64_t find_by_code(unsigned char *page, const struct cn_cache_entries *entries, unsigned key_reg,
                             unsigned result, uint64_t key)
{
  enum { REGION = 144, FUNCTION = 256, RAX = 0 };
  struct cairn_point_value place = {.place = CAIRN_POINT_REGISTER, .reg = (unsigned char)key_reg};
  struct cairn_assembler code;
  unsigned char region[REGION];

  assert_int_equal(cn_machine_fill_cache(region, sizeof region, entries, &place, result), CAIRN_OK);
  assert_int_equal(mprotect(page, 4096, PROT_READ | PROT_WRITE), 0);
  cairn_assembler_begin(&code, page, FUNCTION, (uintptr_t)page);
  cairn_assemble_constant(&code, key_reg, key, 8);
  memcpy(page + code.length, region, sizeof region);
  code.length += sizeof region;
  cairn_assemble_move(&code, RAX, result);
  cairn_assemble_return(&code);
  assert_int_equal(cairn_assembler_end(&code), CAIRN_OK);
  assert_int_equal(mprotect(page, 4096, PROT_READ | PROT_EXEC), 0);
  return ((uint64_t (*)(void))(uintptr_t)page)();
}

static void check_registers(unsigned char *page, const struct cn_cache_entries *entries, unsigned key_reg,
                            unsigned result)
{
  static const uint64_t others[] = {1, 0x7fffffff, 0x80000000, 0x123456789abcdeef, UINT64_MAX - 1};

  for (unsigned i = 0; i < CAIRN_INLINE_CACHE_ENTRIES; i++)
    assert_true(find_by_code(page, entries, key_reg, result, entries->entry[i].key) ==
                (i < entries->count ? entries->entry[i].word[0] : 0));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_true(find_by_code(page, entries, key_reg, result, others[i]) == 0);
}

/* Each number of entries, with short and long keys and values, in all pairs of registers that a call may change. */
static void caches(void **state)
{
  static const unsigned registers[] = {0, 1, 2, 4, 5, 8, 9, 10};
  enum { COUNT = sizeof registers / sizeof *registers };
  struct cn_cache_entries entries = {.entry = {{0x123456789abcdef0, {7, 0}},
                                               {5, {0xfedcba9876543210, 0}},
                                               {UINT64_MAX, {UINT32_MAX, 0}},
                                               {0x80000001, {0x100000000, 0}}}};
  unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  (void)state;
  assert_ptr_not_equal(page, MAP_FAILED);
  for (entries.count = 0; entries.count <= CAIRN_INLINE_CACHE_ENTRIES; entries.count++)
    for (unsigned i = 0; i < COUNT; i++)
      for (unsigned j = 0; j < COUNT; j++)
        check_registers(page, &entries, registers[i], registers[j]);
  struct cairn_point_value constant = {.place = CAIRN_POINT_CONSTANT, .constant = 5};
  unsigned char code[16];
  entries.count = 2;
  assert_int_equal(cn_machine_fill_cache(code, sizeof code, &entries, &constant, 0), CAIRN_OK);
  assert_memory_equal(code + 2, &entries.entry[1].word[0], 8);
  munmap(page, 4096);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operands),
      cmocka_unit_test(statepoint_code),
      cmocka_unit_test(caches),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
