/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that is given back and comes again. What would go wrong: the system refuses to take it,
 * and what was there is taken for fresh zeros.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include "runtime/os/os.h"

static void comes_back_empty(bool locked)
{
  size_t page = cn_os_page_bytes(), bytes = 4 * page;
  uintptr_t memory = cn_os_reserve_addresses(bytes);
  unsigned char *at = (unsigned char *)memory, byte;

  assert_int_not_equal(memory, 0);
  assert_true(cn_os_commit_memory(memory, bytes));
  memset(at, 0x5a, bytes);
  if (locked) {
    assert_int_equal(mlock(at + page, 2 * page), 0);
    assert_int_not_equal(madvise(at + page, 2 * page, MADV_DONTNEED), 0);
  }
  cn_os_release_memory(memory + page, 2 * page);
  assert_false(cn_os_read_memory(memory + page, &byte, 1)); /* it faults */
  assert_true(cn_os_commit_memory(memory + page, 2 * page));
  for (size_t i = 0; i < bytes; i++)
    assert_int_equal(at[i], i / page == 1 || i / page == 2 ? 0 : 0x5a);
  cn_os_free_mapping(at, bytes);
}

static void released(void **state)
{
  (void)state;
  comes_back_empty(false);
}

/* The advice that gives memory back is refused for such pages. */
static void released_locked(void **state)
{
  (void)state;
  comes_back_empty(true);
}

/* Tables are read everywhere, and written where they were committed. */
static void read_before(void **state)
{
  size_t page = cn_os_page_bytes(), bytes = 4 * page;
  uintptr_t memory = cn_os_reserve_addresses(bytes);
  const unsigned char *at = (const unsigned char *)memory;

  (void)state;
  assert_true(cn_os_make_readable(memory, bytes));
  assert_true(cn_os_commit_memory(memory + page, page));
  memset((void *)(memory + page), 0x5a, page);
  for (size_t i = 0; i < bytes; i++)
    assert_int_equal(at[i], i / page == 1 ? 0x5a : 0);
  assert_true(cn_os_commit_memory(memory, 2 * page));
  assert_int_equal(at[page], 0x5a);
  cn_os_free_mapping((void *)memory, bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(released), cmocka_unit_test(released_locked),
                                     cmocka_unit_test(read_before)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
