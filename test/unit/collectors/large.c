/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of whole pages that come, become longer, and go, beside a list of them. What would go
 * wrong: two blocks overlap; one that became longer lost what it had, or is not found at its new
 * pages; a free run stays in its list when a block has grown over it, or its memory is discarded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "collectors/large_space.h"
#include "runtime/os/os.h"

enum { MOST = 200, STEPS = 200000, PAGES = 3000, LONG = 90 };

struct block {
  uintptr_t at;
  size_t pages;
  uint64_t number;
};
static struct block blocks[MOST];
static size_t count, page, longer;
static uint64_t seed = 1, last;
static struct cn_large_discard_position idle;

static size_t draw(size_t below)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(seed >> 33) % below;
}

/* Each page says whose it is. */
static void sign(const struct block *block, size_t from)
{
  for (size_t i = from; i < block->pages; i++)
    *(uint64_t *)(block->at + i * page) = block->number;
}

static void look_at(const struct block *block)
{
  uintptr_t end;

  for (size_t i = 0; i < block->pages; i++) {
    assert_int_equal(*(uint64_t *)(block->at + i * page), block->number);
    assert_int_equal(cn_large_find_block(block->at + i * page + draw(page), &end), block->at);
    assert_int_equal(end, block->at + block->pages * page);
  }
}

static void make(void)
{
  uintptr_t zero;
  struct block block = {.pages = 1 + draw(draw(8) == 0 ? LONG : 6), .number = ++last};

  block.at = cn_large_allocate(block.pages * page - draw(page), &zero);
  if (block.at == 0)
    return;
  for (uintptr_t at = block.at; at < block.at + block.pages * page; at += page)
    assert_true(at < zero || *(uint64_t *)at == 0);
  sign(&block, 0);
  blocks[count++] = block;
}

static void lengthen(struct block *block)
{
  size_t had = block->pages, wanted = had + draw(4);

  if (!cn_large_lengthen(block->at, wanted * page - draw(page)))
    return;
  if (wanted > had)
    block->pages = wanted;
  longer += wanted > had;
  sign(block, had);
}

static void drop(size_t at)
{
  blocks[at] = blocks[--count];
}

/* Some are not reached; they are freed one by one, or by a sweep. */
static void collect(void)
{
  bool one_by_one = draw(2);
  size_t pages = 0;

  idle = (struct cn_large_discard_position){0, 0};
  cn_large_clear_marks();
  for (size_t i = count; i-- != 0;) {
    if (draw(4) != 0) {
      assert_true(cn_large_mark(blocks[i].at));
      continue;
    }
    if (one_by_one)
      cn_large_free_block(blocks[i].at);
    drop(i);
  }
  if (!one_by_one) {
    for (size_t i = 0; i < count; i++)
      pages += blocks[i].pages;
    assert_int_equal(cn_large_sweep(draw(2)), pages * page);
  }
}

static void beside_a_list(void **state)
{
  (void)state;
  page = cn_os_page_bytes();
  assert_true(cn_large_init_at(cn_os_reserve_addresses(PAGES * page), PAGES * page));
  for (size_t step = 0; step < STEPS; step++) {
    if (count < MOST && draw(3) != 0)
      make();
    else if (count != 0)
      lengthen(&blocks[draw(count)]);
    if (count != 0)
      look_at(&blocks[draw(count)]);
    if (draw(4) == 0)
      cn_large_discard_free_pages(&idle, (1 + draw(8)) * page);
    if (draw(100) == 0)
      collect();
  }
  for (size_t i = 0; i < count; i++)
    look_at(&blocks[i]);
  assert_true(longer > STEPS / 100);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(beside_a_list)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
