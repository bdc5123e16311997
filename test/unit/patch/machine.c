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
#include "unit/patch/module.h"

#if defined(__aarch64__)
#include "unit/patch/port/machine_aarch64.h"
#else
#include "unit/patch/port/machine_x86_64.h"
#endif

static void nops(void **state)
{
  unsigned char bytes[40];

  (void)state;
  for (size_t length = 0; length < sizeof bytes; length++) {
    enum cairn_status status = cn_machine_fill_nops(bytes, length);
    assert_int_equal(status, length % CODE_UNIT == 0 ? CAIRN_OK : CAIRN_E_ROOM);
    if (status == CAIRN_OK) {
      assert_true(cn_machine_is_nops(bytes, length));
      assert_true(cn_machine_fits_statepoint(bytes, length));
    }
  }
}

/* Run the code of a cache with a key in a register. */
static uint64_t find_by_code(unsigned char *page, const struct cn_cache_entries *entries,
                             const struct cairn_point_value *place, unsigned result, uint64_t key)
{
  enum { REGION = 144, FUNCTION = 256 };
  struct cairn_assembler code;
  unsigned char region[REGION];

  assert_int_equal(cn_machine_fill_cache(region, sizeof region, entries, place, result), CAIRN_OK);
  assert_int_equal(mprotect(page, 4096, PROT_READ | PROT_WRITE), 0);
  cairn_assembler_begin(&code, page, FUNCTION, (uintptr_t)page);
  cairn_assemble_constant(&code, place->reg, key, 8);
  memcpy(page + code.length, region, sizeof region);
  code.length += sizeof region;
  cairn_assemble_move(&code, RESULT, result);
  cairn_assemble_return(&code);
  assert_int_equal(cairn_assembler_end(&code), CAIRN_OK);
  __builtin___clear_cache((char *)page, (char *)page + FUNCTION);
  assert_int_equal(mprotect(page, 4096, PROT_READ | PROT_EXEC), 0);
  return ((uint64_t (*)(void))(uintptr_t)page)();
}

static void check_registers(unsigned char *page, const struct cn_cache_entries *entries, unsigned key_reg,
                            unsigned result)
{
  static const uint64_t others[] = {1, 0x7fffffff, 0x80000000, 0x123456789abcdeef, UINT64_MAX - 1};

  const struct cairn_point_value place = {.place = CAIRN_POINT_REGISTER, .reg = (unsigned char)key_reg};
  for (unsigned i = 0; i < CAIRN_INLINE_CACHE_ENTRIES; i++)
    assert_true(find_by_code(page, entries, &place, result, entries->entry[i].key) ==
                (i < entries->count ? entries->entry[i].word[0] : 0));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_true(find_by_code(page, entries, &place, result, others[i]) == 0);
}

/* Each number of entries, with short and long keys and values, in all pairs of registers that a call may change. */
static void caches(void **state)
{
  enum { COUNT = sizeof cache_registers / sizeof *cache_registers };
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
        check_registers(page, &entries, cache_registers[i], cache_registers[j]);
  struct cairn_point_value constant = {.place = CAIRN_POINT_CONSTANT, .constant = 5};
  entries.count = 2;
  assert_true(find_by_code(page, &entries, &constant, 1, 0) == entries.entry[1].word[0]);
  constant.constant = 6;
  assert_true(find_by_code(page, &entries, &constant, 1, 0) == 0);
  munmap(page, 4096);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stores),
      cmocka_unit_test(statepoint_code),
      cmocka_unit_test(nops),
      cmocka_unit_test(caches),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
