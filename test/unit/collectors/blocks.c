/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of blocks that is found beside the program. What would go wrong: there is no thread that
 * would find it, as when the system has no more, and what was set aside for it is never used.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "collectors/generational/blocks.h"
#include "collectors/generational/tables.h"
#include "runtime/threads/background.h"

enum { HEAP = 16 << 20, TRACERS = 1 };

/* As many bytes of copies as all blocks have room for, about. */
static size_t nearly_all(void)
{
  return cn_tables.blocks / 8 * 5 * CN_BLOCK;
}

static void set_aside_in_vain(void **state)
{
  (void)state;
  assert_true(cn_tables_init(HEAP));
  cn_blocks_init();
  cn_background_hold();
  cn_blocks_supply(nearly_all(), TRACERS); /* nobody comes: the thread was not started */
  assert_int_equal(cn_tables.states[0], CN_BLOCK_ASIDE);
  cn_blocks_take_supply();
  assert_int_equal(cn_tables.states[0], CN_BLOCK_ASIDE);
  assert_true(cn_blocks_ensure(nearly_all(), TRACERS));
  assert_false(cn_blocks_ensure(2 * nearly_all(), TRACERS));
  for (size_t block = 0; block < cn_tables.blocks; block++)
    assert_int_not_equal(cn_tables.states[block], CN_BLOCK_ASIDE);
  cn_background_release();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(set_aside_in_vain),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
