/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of blocks that is found beside the program, and holes that are looked for while blocks are
 * swept there. What would go wrong: there is no thread that would find memory, as when the system
 * has no more, and what was set aside for it is never used; a pause sweeps all blocks, since none
 * has a hole; or it sweeps few, and has no room though there is some; a short pause waits for large
 * pages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "collectors/generational/space/blocks.h"
#include "collectors/generational/space/tables.h"
#include "runtime/core/options.h"
#include "runtime/threads/workers.h"

enum { HEAP = 16 << 20, TRACERS = 1 };

/* As many bytes of copies as all blocks have room for, about. */
static size_t nearly_all(void)
{
  return cn_tables.blocks / 8 * 5 * CN_BLOCK_BYTES;
}

static void set_aside_in_vain(void **state)
{
  (void)state;
  assert_true(cn_tables_init(HEAP));
  cn_blocks_init();
  cn_background_hold_steps();
  cn_blocks_start_precommit(nearly_all(), TRACERS); /* nobody comes: the thread was not started */
  assert_int_equal(cn_tables.states[0], CN_BLOCK_IN_PRECOMMIT);
  cn_blocks_take_precommitted();
  assert_int_equal(cn_tables.states[0], CN_BLOCK_IN_PRECOMMIT);
  assert_true(cn_blocks_ensure_free(nearly_all(), TRACERS));
  assert_false(cn_blocks_ensure_free(2 * nearly_all(), TRACERS));
  for (size_t block = 0; block < cn_tables.blocks; block++)
    assert_int_not_equal(cn_tables.states[block], CN_BLOCK_IN_PRECOMMIT);
  cn_background_release_steps();
}

/* ---- holes: of so many blocks all but the last one are full ---- */

enum { FULL = 99, FEW = 8 };

static size_t unswept(void)
{
  size_t count = 0;

  for (size_t block = 0; block < cn_tables.blocks; block++)
    count += cn_tables.states[block] == CN_BLOCK_UNSWEPT;
  return count;
}

/* A block for each copy, until the turn. Returns where the hole is then. */
static uintptr_t make_full_blocks(void)
{
  struct cn_copy_cursor cursor = {0, 0};

  for (int i = 0; i <= FULL; i++) {
    assert_true(cn_blocks_next_hole(&cursor, true));
    memset(&cn_tables.reached[(cursor.free - cn_tables.old) / CN_LINE_BYTES], 1,
           i < FULL ? CN_LINES_PER_BLOCK : CN_LINES_PER_BLOCK / 2);
  }
  return cursor.free + CN_BLOCK_BYTES / 2;
}

static void few_are_swept_in_a_pause(void **state)
{
  uintptr_t hole = make_full_blocks();
  struct cn_copy_cursor cursor = {0, 0};
  size_t before, calls = 0;

  (void)state;
  cn_blocks_swap_marks(false);
  for (before = unswept(); cursor.free != hole; before = unswept(), calls++) {
    assert_true(cn_blocks_next_hole(&cursor, false));
    assert_in_range(before - unswept(), 0, FEW);
  }
  assert_int_equal(before, 0);
  assert_in_range(calls, FULL / FEW, FULL);
  while (cn_blocks_sweep_some(SIZE_MAX))
    ;
}

static void all_are_swept_where_no_block_is_free(void **state)
{
  uintptr_t hole = make_full_blocks();
  struct cn_copy_cursor cursor = {0, 0};

  (void)state;
  while (cn_blocks_next_hole(&cursor, true))
    ;
  cursor = (struct cn_copy_cursor){0, 0};
  cn_blocks_swap_marks(false);
  for (size_t block = 0; block < cn_tables.blocks; block++) /* free is none of those not marked */
    if (cn_tables.states[block] == CN_BLOCK_UNSWEPT && cn_tables.lines[block * CN_LINES_PER_BLOCK] == 0)
      cn_tables.states[block] = CN_BLOCK_USED;
  assert_true(cn_blocks_next_hole(&cursor, false));
  assert_int_equal(cursor.free, hole);
}

/* ---- the nursery moves ---- */

/* Blocks from `first` on are free, and those around them are not. */
static void set_free_row(size_t first, size_t count)
{
  memset(&cn_tables.states[first - 1], CN_BLOCK_USED, count + 2);
  memset(&cn_tables.states[first], CN_BLOCK_FREE, count);
}

static void is_moved_to(size_t wanted, size_t first, size_t count, bool memory)
{
  struct cn_extent extent;
  uintptr_t end;

  assert_true(cn_blocks_move_nursery(wanted * CN_BLOCK_BYTES, &extent, &end));
  assert_int_equal(cn_tables_block_of(extent.start), first);
  assert_int_equal((extent.end - extent.start) / CN_BLOCK_BYTES, count);
  assert_int_equal(end, memory ? extent.end : extent.start);
  cn_blocks_leave_nursery(extent, end);
}

/* A nursery of a third of the size needs three collections; and memory that is there needs no system call. */
static void nursery_takes_the_longest_row(void **state)
{
  struct cn_copy_cursor cursor = {0, 0};
  size_t low, high;

  (void)state;
  while (cn_blocks_next_hole(&cursor, true)) /* all have memory */
    ;
  cn_blocks_bounds(&low, &high);
  assert_true(high - low > 360);
  memset(&cn_tables.states[low], CN_BLOCK_USED, high - low);
  set_free_row(low + 10, 40);
  set_free_row(low + 100, 130);
  set_free_row(low + 300, 50);
  is_moved_to(200, low + 100, 130, true);
  is_moved_to(45, low + 300, 45, true); /* in turn */
  is_moved_to(33, low + 10, 33, true);
  is_moved_to(100, low + 100, 100, true);
  memset(&cn_tables.states[low], CN_BLOCK_USED, high - low);
  set_free_row(low + 10, 31); /* too short */
  memset(&cn_tables.states[high - 40], CN_BLOCK_WITHOUT_MEMORY, 40);
  is_moved_to(40, high - 40, 40, false);
}

/* ---- pages ---- */

/* Does the system say that of the memory there? */
static bool is_advised(uintptr_t at, const char *flag)
{
  char line[512];
  unsigned long start, end;
  bool there = false, said = false;
  FILE *maps = fopen("/proc/self/smaps", "r");

  assert_non_null(maps);
  while (fgets(line, sizeof line, maps) != NULL)
    if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
      there = start <= at && at < end;
    else if (there && strncmp(line, "VmFlags:", 8) == 0)
      said = strstr(line, flag) != NULL;
  fclose(maps);
  return said;
}

static size_t with_memory(void)
{
  size_t count = 0;

  for (size_t block = 0; block < cn_tables.blocks; block++)
    count += cn_tables.states[block] != CN_BLOCK_WITHOUT_MEMORY;
  return count;
}

/* Of the first block that gets new memory. */
static bool is_new_advised(bool hurry, const char *flag)
{
  struct cn_copy_cursor cursor = {0, 0};

  cn_blocks_release_free(0, SIZE_MAX);
  cn_blocks_expect_short_pause(hurry);
  size_t before = with_memory();
  while (cn_blocks_next_hole(&cursor, true) && with_memory() == before)
    ;
  assert_true(with_memory() > before);
  return is_advised(cursor.free, flag);
}

static void small_pages_in_a_hurry(void **state)
{
  (void)state;
  if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0)
    skip();
  cn_options.pause = cn_options.pause_full = 1000;
  assert_true(is_new_advised(true, " nh"));
  assert_true(is_new_advised(false, " hg"));
  assert_true(is_new_advised(true, " nh"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(set_aside_in_vain),
      cmocka_unit_test(few_are_swept_in_a_pause),
      cmocka_unit_test(small_pages_in_a_hurry),
      cmocka_unit_test(all_are_swept_where_no_block_is_free),
      cmocka_unit_test(nursery_takes_the_longest_row),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
