/* SPDX-License-Identifier: Apache-2.0
 *
 * The objects of interior pointers, in a run of blocks of which some were noted. What would go
 * wrong: one is looked for in the part after its own, of which it reaches to the end; from a place
 * that was forgotten, where more were noted than are kept; or each look walks through all of the
 * heap. No memory is read: the blocks are numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "collectors/crossing_map.h"

enum { MOST = 200000, SEEDS = 20, LOOKS = 2000, HEADER = 8 };
#define BASE ((uintptr_t)1 << 32)

static uintptr_t blocks[MOST + 1]; /* the last is the end */
static size_t count, steps;
static uint64_t seed;

static uint64_t draw(uint64_t below)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (seed >> 33) % below;
}

/* The number of the last block at or below `address`. */
static size_t block_at(uintptr_t address)
{
  size_t low = 0, high = count;

  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (blocks[middle] <= address)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static uintptr_t step(uintptr_t block, uintptr_t *payload)
{
  size_t at = block_at(block);

  steps++;
  assert_int_equal(blocks[at], block);
  *payload = block + HEADER;
  return blocks[at + 1];
}

static void note(size_t number)
{
  cn_crossing_note_block_start(blocks[number]);
}

static void make_from(size_t from, size_t most, unsigned noted)
{
  for (size_t i = from; i < count; i++) {
    blocks[i + 1] = blocks[i] + HEADER + 8 * draw(most / 8);
    if (draw(noted) == 0)
      note(i);
  }
}

/* Blocks of up to `most` bytes; of some it is noted that they start. */
static void make(size_t blocks_wanted, size_t most, unsigned noted)
{
  count = blocks_wanted;
  blocks[0] = BASE;
  cn_crossing_set_heap_start(BASE, CN_CROSSING_APART);
  make_from(0, most, noted);
}

/* What reaches to the address, payload to end; 0: a header is there. */
static uintptr_t expected(uintptr_t address)
{
  uintptr_t block = blocks[block_at(address - 1)];

  return address >= block + HEADER ? block + HEADER : 0;
}

static void look(void)
{
  assert_true(cn_crossing_begin_map(blocks[count], step));
  for (int i = 0; i < LOOKS; i++) {
    uintptr_t address = BASE + 1 + draw(blocks[count] - BASE);
    assert_int_equal(cn_crossing_find_object(address), expected(address));
  }
  for (int i = 0; i < LOOKS; i++) {
    uintptr_t end = blocks[1 + draw(count)];
    assert_int_equal(cn_crossing_find_object(end), expected(end));
  }
  assert_int_equal(cn_crossing_find_object(BASE), 0);
  assert_int_equal(cn_crossing_find_object(blocks[count] + 1), 0);
  cn_crossing_drop_map();
}

static void finds_all(void **state)
{
  static const size_t sizes[] = {16, 64, 4096, 1 << 20, 16 << 20};

  (void)state;
  for (uint64_t first = 1; first <= SEEDS; first++) {
    seed = first;
    make(1 + draw(MOST / 10), sizes[first % (sizeof sizes / sizeof *sizes)], 1 + (unsigned)draw(20));
    look();
  }
}

/* Blocks from some place on are given back, and others made there. */
static void given_back(void **state)
{
  (void)state;
  for (uint64_t first = 1; first <= SEEDS; first++) {
    seed = first;
    make(2 + draw(MOST / 10), 1 << 16, 1);
    size_t from = draw(count);
    cn_crossing_forget_starts_after(blocks[from]);
    make_from(from, 1 << 14, 2);
    look();
  }
}

/* More places than are kept: they are farther apart then. */
static void many_notes(void **state)
{
  (void)state;
  seed = 3;
  make(MOST, 2 * CN_CROSSING_APART, 1);
  look();
}

/* A lookup walks over what lies between two noted places, wherever these are dense or not. */
static void walk_parts(size_t apart)
{
  enum { BLOCK = 64 };

  cn_crossing_set_heap_start(BASE, apart);
  count = MOST;
  blocks[0] = BASE;
  for (size_t i = 0; i < count; i++) {
    note(i);
    blocks[i + 1] = blocks[i] + BLOCK;
  }
  assert_true(cn_crossing_begin_map(blocks[count], step));
  for (int i = 0; i < 10; i++) {
    steps = 0;
    assert_true(cn_crossing_find_object(BASE + BLOCK + draw(BLOCK * (count - 1))) != 0 || steps != 0);
    assert_in_range(steps, 0, 2 * apart / BLOCK);
  }
  cn_crossing_drop_map();
}

static void walks_a_part(void **state)
{
  (void)state;
  walk_parts(CN_CROSSING_APART);
  walk_parts(CN_CROSSING_NEAR);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_all),
      cmocka_unit_test(given_back),
      cmocka_unit_test(many_notes),
      cmocka_unit_test(walks_a_part),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
