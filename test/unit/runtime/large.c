/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of large objects, beside a list of what should be there. What would go wrong: two blocks
 * share a page, one that is alive is freed or one that is dead stays for good, an address is taken
 * for that of another block, memory that was used before is said to be zero.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "collectors/large_space.h"

enum { PAGE = 4096, BLOCKS = 400, ROUNDS = 300, ROOM = 64 << 20 };

static struct block {
  uintptr_t at;
  size_t bytes;
  unsigned char fill;
} blocks[BLOCKS];
static size_t count;

static size_t some_bytes(void)
{
  long chance = random();

  return 1 + (size_t)(random() % (chance % 20 == 0 ? 80 * PAGE : chance % 3 ? 9 * PAGE : 2 * PAGE));
}

static void assert_filled(const struct block *block)
{
  const unsigned char *bytes = (const unsigned char *)block->at;

  for (size_t i = 0; i < block->bytes; i += i % 64 == 0 && i + 65 < block->bytes ? 64 : 1)
    assert_int_equal(bytes[i], block->fill);
}

/* Every address of a block leads to it, and to its pages' end; the words beside it do not. */
static void assert_found(const struct block *block)
{
  uintptr_t end = 0, other;

  for (size_t i = 0; i < block->bytes; i += 1 + block->bytes / 7)
    assert_int_equal(cn_large_find_block(block->at + i, &end), block->at);
  assert_int_equal(cn_large_find_block(block->at + block->bytes - 1, &end), block->at);
  assert_true(end >= block->at + block->bytes && end - block->at - block->bytes < PAGE);
  assert_int_not_equal(cn_large_find_block(block->at - 1, &other), block->at);
  assert_true(!cn_large_contains(end) || cn_large_find_block(end, &other) != block->at);
}

static void add(void)
{
  struct block *block = &blocks[count];
  uintptr_t zero = 0;

  block->bytes = some_bytes();
  block->at = cn_large_allocate(block->bytes, &zero);
  assert_true(block->at != 0 && block->at % PAGE == 0 && cn_large_contains(block->at));
  for (uintptr_t at = zero > block->at ? zero : block->at; at < block->at + block->bytes; at++)
    assert_int_equal(*(const unsigned char *)at, 0);
  block->fill = (unsigned char)(1 + random() % 255);
  memset((void *)block->at, block->fill, block->bytes);
  count++;
}

/* Keep some, by marks that are asked for twice, and remember a part of them. */
static void collect(void)
{
  size_t kept = 0, pages = 0, pushed = 0, popped = 0;

  for (size_t i = 0; i < count; i++) {
    if (random() % 3 == 0)
      continue;
    assert_true(cn_large_mark(blocks[i].at));
    assert_false(cn_large_mark(blocks[i].at));
    if (i % 2) {
      cn_large_push_gray(blocks[i].at);
      pushed++;
    }
    pages += (blocks[i].bytes + PAGE - 1) / PAGE;
    blocks[kept++] = blocks[i];
  }
  for (; cn_large_pop_gray() != 0; popped++)
    ;
  assert_int_equal(popped, pushed);
  count = kept;
  assert_int_equal(cn_large_sweep(false), pages * PAGE);
}

static size_t enumerated(void)
{
  size_t n = 0;
  uintptr_t last = 0;

  for (uintptr_t block = 0; (block = cn_large_next_block(block)) != 0; n++) {
    assert_true(block > last);
    last = block;
  }
  return n;
}

static void random_blocks(void **state)
{
  (void)state;
  srandom(3);
  for (int round = 0; round < ROUNDS; round++) {
    while (count < BLOCKS && random() % 60)
      add();
    for (size_t i = 0; i < count; i++) {
      assert_filled(&blocks[i]);
      assert_found(&blocks[i]);
    }
    collect();
    assert_int_equal(enumerated(), count);
    if (round % 50 == 49) {
      cn_large_abandon_unmarked();
      count = 0;
      assert_int_equal(enumerated(), 0);
    }
  }
}

static void no_room(void **state)
{
  uintptr_t zero;
  size_t blocks_of_a_megabyte = 0;

  (void)state;
  cn_large_abandon_unmarked();
  assert_int_equal(cn_large_allocate(SIZE_MAX / 2, &zero), 0);
  while (cn_large_allocate(1 << 20, &zero) != 0)
    blocks_of_a_megabyte++;
  assert_true(blocks_of_a_megabyte >= ROOM >> 20);
  assert_int_equal(cn_large_sweep(false), 0);
  assert_int_not_equal(cn_large_allocate(ROOM, &zero), 0);
  cn_large_abandon_unmarked();
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_blocks), cmocka_unit_test(no_room)};

  if (!cn_large_init(ROOM))
    return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
