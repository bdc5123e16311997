/* SPDX-License-Identifier: Apache-2.0
 *
 * What the slow path clears: of a block that it makes, all that may be other than zero, and nothing
 * of what the collector gave as zero. What would go wrong: an object begins with what lay there;
 * or memory fresh from the system is written twice, and pages are touched that nobody needs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <cairn/collector.h>
#include "runtime/core/mutator.h"
#include "runtime/heap/buffer.h"

enum { WORDS = 8 << 10, SIZE = WORDS * sizeof(uintptr_t), BLOCK = 640 /* words, beyond 4 KB */ };

static uintptr_t heap[WORDS];
static const uintptr_t junk = 0x5a5a5a5a5a5a5a5a;

/* Give the heap as a buffer, zero from word `zero` on by what the collector says. All of it is
 * junk: so that it shows what is cleared. */
static void give(size_t zero)
{
  for (size_t i = 0; i < WORDS; i++)
    heap[i] = junk;
  cairn_buffer_give_zeroed(&cairn_mutator, (uintptr_t)heap, (uintptr_t)heap + SIZE, (uintptr_t)&heap[zero]);
}

static void take_back(void)
{
  cairn_buffer_take(&cairn_mutator, NULL);
}

static void *make(size_t words)
{
  void *block = cn_buffer_allocate_block(&cairn_mutator, words * sizeof *heap);

  assert_non_null(block);
  cn_buffer_clear_block(&cairn_mutator, block, words * sizeof *heap);
  return block;
}

/* Exactly words [from, to) are cleared. */
static void is_cleared(size_t from, size_t to)
{
  for (size_t i = 0; i < WORDS; i++)
    assert_int_equal(heap[i], i >= from && i < to ? 0 : junk);
}

/* The first word that is zero lies before, at the start of, in, at the end of and after the block.
 */
static void up_to_what_is_zero(void **state)
{
  static const size_t zeros[] = {0, 8, 9, BLOCK, 8 + BLOCK - 1, 8 + BLOCK, 9 + BLOCK, WORDS};

  (void)state;
  for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
    size_t end = zeros[i] < 8 + BLOCK ? zeros[i] : 8 + BLOCK;
    give(zeros[i]);
    assert_ptr_equal(cn_buffer_allocate_block(&cairn_mutator, 8 * sizeof *heap), heap);
    assert_ptr_equal(make(BLOCK), &heap[8]);
    is_cleared(8, end < 8 ? 8 : end);
    heap[8 + BLOCK] = heap[0] = junk;
    take_back();
  }
}

/* A buffer of which nothing is said is cleared block by block, and none for another. */
static void all_of_it(void **state)
{
  (void)state;
  give(WORDS);
  take_back();
  memset(heap, 0x5a, sizeof heap);
  cairn_buffer_give(&cairn_mutator, (uintptr_t)heap, (uintptr_t)heap + SIZE);
  make(BLOCK);
  is_cleared(0, BLOCK);
  make(1);
  is_cleared(0, BLOCK + 1);
  take_back();
}

/* What the buffer before said of its memory says nothing of this one's. */
static void each_buffer_for_itself(void **state)
{
  (void)state;
  give(0);
  make(BLOCK);
  is_cleared(0, 0);
  take_back();
  give(WORDS);
  make(BLOCK);
  is_cleared(0, BLOCK);
  take_back();
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(up_to_what_is_zero), cmocka_unit_test(all_of_it),
                                     cmocka_unit_test(each_buffer_for_itself)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
