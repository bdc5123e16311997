/* SPDX-License-Identifier: Apache-2.0
 *
 * The validators of the runtime's structures: an error is planted in each place that one looks at.
 * A validator that finds nothing proves nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "aborts.h"
#include "unit/plant.h"
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "collectors/semispace.h"
#include "runtime/core/anchors.h"
#include "runtime/core/defer.h"
#include "runtime/core/image.h"
#include "runtime/core/lock.h"
#include "runtime/core/mutator.h"
#include "runtime/heap/buffer.h"
#include "runtime/walk/coroutine_stacks.h"
#include "runtime/walk/decode.h"
#include "runtime/walk/regions_table.h"
#include "runtime/walk/return_barriers.h"

/* ---- mutator and allocation buffer ---- */

static void mutators(void **state)
{
  struct cairn_mutator *mutator = cn_mutator_of_main_thread();
  static _Alignas(8) char block[64];
  const char *outside = "mutator: the next block is not in the allocation buffer";
  const char *anchors = "anchors: the next one is not in a chunk of its stack";

  (void)state;
  cairn_buffer_give(mutator, (uintptr_t)block, (uintptr_t)(block + sizeof block));
  PLANT(mutator->alloc, mutator->buffer_start - 8, cn_buffer_wrong(mutator), outside);
  PLANT(mutator->alloc, mutator->buffer_end + 8, cn_buffer_wrong(mutator), outside);
  PLANT(mutator->buffer_end, mutator->buffer_end + 4, cn_buffer_wrong(mutator),
        "mutator: the allocation buffer is not aligned");
  PLANT(mutator->limit, mutator->buffer_end - 8, cn_buffer_wrong(mutator),
        "mutator: the limit is not the end of the allocation buffer");
  PLANT(mutator->anchor, mutator->anchors - 1, cn_mutator_wrong(mutator), anchors);
  PLANT(mutator->anchor, mutator->anchors + CN_ANCHORS_PER_CHUNK + 1, cn_mutator_wrong(mutator), anchors);
  PLANT(mutator->anchor, (struct cn_anchor *)((char *)mutator->anchors + 8), cn_mutator_wrong(mutator), anchors);
  PLANT(cn_anchors_chunk_of(mutator->anchor)->number, 1, cn_mutator_wrong(mutator),
        "anchors: a stack's chunks are not in order");
  PLANT(mutator->busy, 3, cn_mutator_wrong(mutator), "mutator: a flag is neither 0 nor 1");
  PLANT(mutator->attached, 0, cn_mutator_wrong(mutator),
        "mutator: no thread is attached, and it has anchors or a buffer");
  PLANT(mutator->stack_end, mutator->stack_end + 4, cn_mutator_wrong(mutator),
        "mutator: the stack has no end, or it is not aligned");
  PLANT(mutator->stack_bottom, mutator->stack_floor + 8, cn_mutator_wrong(mutator),
        "mutator: managed code may use more of the stack than there is");
  PLANT(mutator->stack_limit, 8, cn_mutator_wrong(mutator), "mutator: the stack limit is not what the poll word says");
  mutator->buffer_start = mutator->alloc = mutator->alloc + 8;
  found(cn_buffer_wrong(mutator), "allocation buffer: blocks were looked at that are not in it");
  mutator->buffer_start = mutator->alloc = mutator->alloc - 8;
  cairn_buffer_take(mutator, NULL);
}

static void twice(void)
{
  cn_undefer_signals();
}

static void not_held(void)
{
  cn_lock_release(CN_LOCK_IMAGES);
}

static void locks(void **state)
{
  (void)state;
  aborts(twice, "deferred_signals.depth != 0");
  aborts(not_held, "lock < CN_LOCK_COUNT && is_held_by_thread(lock)");
  assert_true(cn_lock_take(CN_LOCK_IMAGES));
  assert_false(cn_lock_take(CN_LOCK_IMAGES));
  unsigned held = cn_locks_held_by_thread();
  assert_true(cn_lock_take(CN_LOCK_FRAMES));
  cn_locks_release_others(held);
  assert_int_equal(cn_locks_held_by_thread(), held);
  assert_null(cn_images_wrong());
  cn_lock_release(CN_LOCK_IMAGES);
}

/* ---- index of return addresses ---- */

static void return_addresses(void **state)
{
  static struct {
    struct cn_index index;
    struct cn_index_entry at[4];
  } table = {.index = {.shift = 57, .mask = 3, .used = 1}};
  static struct cn_frame_map map = {.cfa_reg = CN_DWARF_SP, .cfa_offset = 32, .pushed = true};
  struct cn_index *index = &table.index;
  uintptr_t pc = 0x401136;

  (void)state;
  struct cn_index_entry *entry = (struct cn_index_entry *)(uintptr_t)cn_index_first_probe(index, pc);
  entry->key = cn_maps_entry_key(&map, pc);
  entry->value = cn_maps_entry_value(&map);
  PLANT(index->used, 2, cn_index_wrong(index),
        "index of return addresses: too many entries are used, or not as many as it says");
  PLANT(index->shift, 56, cn_index_wrong(index), "index of return addresses: its size is no power of two");
  PLANT(map.cfa_offset, 40, cn_index_wrong(index),
        "index of return addresses: an entry does not say what its map does");
  uint64_t value = entry->value;
  entry->value = 0;
  found(cn_index_wrong(index), "index of return addresses: an entry without a map has a size");
  entry->value = value;
  struct cn_index_entry *other = &index->at[(entry - index->at + 1) & 3];
  other->value = value;
  found(cn_index_wrong(index), "index of return addresses: a value without a key");
  other->key = entry->key;
  entry->key = 0;
  entry->value = 0;
  found(cn_index_wrong(index), "index of return addresses: a search does not end at its entry");
}

/* ---- code regions ---- */

static void insert(struct cn_region_table **table, uintptr_t start, uintptr_t end)
{
  static const struct cairn_code_manager manager;
  struct cn_region_waste waste;

  CN_CHECK(cn_region_table_insert(table, &(struct cn_code_region){start, end, &manager, NULL}, &waste));
  CN_CHECK(cn_check_valid(cn_region_table_wrong(*table), "validators.c", __LINE__));
}

static void overlapping(void)
{
  struct cn_region_table *table = NULL;

  insert(&table, 0x1000, 0x3000);
  insert(&table, 0x5000, 0x6000);
  insert(&table, 0x2000, 0x4000);
}

static void empty(void)
{
  struct cn_region_table *table = NULL;

  insert(&table, 0x1000, 0x1000);
}

static void code_regions(void **state)
{
  (void)state;
  aborts(overlapping, "two overlap");
  aborts(empty, "one is empty");
  aborts(cn_code_regions_leave_region, "depth != 0");
}

/* ---- return barriers ---- */

static struct cn_return_slot place_of(uintptr_t *word)
{
  return (struct cn_return_slot){word, (uintptr_t)(word + 1), 0};
}

static void return_barriers(void **state)
{
  static uintptr_t words[8] = {1, 1, 1, 1, 1, 1, 1, 1};

  (void)state;
  struct cn_return_barriers *set = cn_return_barriers_borrow_set(), *other;
  cn_return_barrier_set(set, place_of(&words[6]), 1);
  struct cn_return_barrier *older = cn_return_barrier_youngest(set);
  cn_return_barrier_add_stop(set, place_of(&words[7]));
  cn_return_barrier_add_stop(set, place_of(&words[6]));
  cn_return_barrier_set(set, place_of(&words[2]), 2);
  struct cn_return_barrier *younger = cn_return_barrier_youngest(set);
  PLANT(younger->sp, older->sp, cn_return_barriers_wrong(set), "return barriers: they do not go down the stack");
  PLANT(younger->cell, older->cell, cn_return_barriers_wrong(set), "return barriers: two have one cell");
  PLANT(younger->cell, 9, cn_return_barriers_wrong(set), "return barriers: a cell has no return address");
  cn_return_barrier_cells[9] = 1;
  PLANT(younger->cell, 9, cn_return_barriers_wrong(set), "return barriers: a cell is another stack's");
  PLANT(younger->cell, 9, cn_return_barriers_pool_wrong(),
        "return barriers: one is in a set that it does not belong to");
  other = cn_return_barriers_borrow_set();
  cn_return_barrier_set(other, place_of(&words[4]), 1);
  uint8_t cell = cn_return_barrier_youngest(other)->cell;
  PLANT(younger->cell, cell, cn_return_barriers_wrong(set), "return barriers: a cell is another stack's");
  assert_null(cn_return_barriers_pool_wrong());
  cn_return_barriers_return_set(other);
  assert_null(cn_return_barriers_pool_wrong());
  cn_return_barrier_add_stop(set, place_of(&words[7]));
  found(cn_return_barriers_wrong(set), "return barriers: the stops go up");
}

/* ---- coroutine stacks ---- */

static void coroutine_stacks(void **state)
{
  static uintptr_t memory[3][64];
  static struct cairn_stack stacks[2];

  (void)state;
  for (int i = 0; i < 2; i++) {
    stacks[i].low = (uintptr_t)memory[i];
    stacks[i].high = (uintptr_t)memory[i + 1];
    assert_int_equal(cairn_stack_add(&stacks[i]), CAIRN_OK);
  }
  PLANT(stacks[0].high, stacks[0].high + 8, cn_coroutine_stacks_wrong(), "stacks: two overlap, or are not sorted");
  PLANT(stacks[1].high, stacks[1].high + 8, cn_coroutine_stacks_wrong(), "stacks: the bounds of one are not its own");
  PLANT(cn_mutator_of_main_thread()->stack, &(struct cairn_stack){.low = 8}, cn_coroutine_stacks_wrong(),
        "stacks: the thread is on one that was not added");
  PLANT(stacks[1].words[0], 0, cn_coroutine_stacks_wrong(), "anchors: a stack has none of its own");
  PLANT(stacks[1].words[1], 0, cn_coroutine_stacks_wrong(), "anchors: the next one is not in a chunk of its stack");
}

/* ---- semispace ---- */

/* A plain object, one of two words, one of a layout that is gone; then the buffer. */
static void semispace(void **state)
{
  static struct cairn_layout layouts[2] = {
      {.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_size = 16},
      {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 8},
  };
  static uintptr_t words[16], others[16];
  const struct cairn_image image = {.version = CAIRN_ABI_IMAGE_VERSION,
                                    .size = sizeof(struct cairn_image),
                                    .layouts_start = (const unsigned char *)layouts,
                                    .layouts_stop = (const unsigned char *)(layouts + 2)};
  struct cn_space current = {(uintptr_t)words, sizeof words, sizeof words, sizeof words};
  struct cn_space spare = {(uintptr_t)others, sizeof others, 0, 0};
  struct cn_semispace_heap_view view = {&current, &spare, sizeof words - 8, (uintptr_t)&words[9],
                                        (uintptr_t)&words[15]};
  const char *unlike = "semispace: a block has no known layout, or not one of its kind";
  const char *outside = "semispace: the allocation buffer is not within the capacity";

  (void)state;
  cairn_image_register(&image);
  words[0] = (uintptr_t)&layouts[0];
  words[3] = 2 << 1 | 1;
  words[4] = (uintptr_t)&layouts[1];
  words[7] = cairn_header_gone(8);
  PLANT(words[0], (uintptr_t)words, cn_semispace_heap_wrong(&view), unlike);
  PLANT(words[0], (uintptr_t)&layouts[1], cn_semispace_heap_wrong(&view), unlike);
  PLANT(words[4], (uintptr_t)&layouts[0], cn_semispace_heap_wrong(&view), unlike);
  PLANT(words[4], words[0] | 1, cn_semispace_heap_wrong(&view), unlike); /* a copy's address */
  PLANT(words[3], UINTPTR_MAX, cn_semispace_heap_wrong(&view), unlike);
  PLANT(words[3], 9 << 1 | 1, cn_semispace_heap_wrong(&view), "semispace: a block does not end where one can");
  PLANT(words[0], words[0] | (uintptr_t)1 << 63, cn_semispace_heap_wrong(&view), unlike);
  PLANT(words[7], words[7] | CAIRN_ABI_HEADER_STATE, cn_semispace_heap_wrong(&view), unlike);
  PLANT(words[7], cairn_header_gone(16), cn_semispace_heap_wrong(&view),
        "semispace: a block does not end where one can");
  PLANT(view.free, (uintptr_t)&words[4], cn_semispace_heap_wrong(&view),
        "semispace: a block has no room for its header");
  PLANT(view.free, current.base - 8, cn_semispace_heap_wrong(&view), outside);
  PLANT(view.free, view.end + 8, cn_semispace_heap_wrong(&view), outside);
  PLANT(view.end, view.end + 8, cn_semispace_heap_wrong(&view), outside);
  PLANT(view.end, view.end - 4, cn_semispace_heap_wrong(&view), "semispace: the allocation buffer is not aligned");
  PLANT(current.committed, view.capacity - 8, cn_semispace_heap_wrong(&view), "semispace: the capacity has no memory");
  PLANT(spare.committed, spare.room + 8, cn_semispace_heap_wrong(&view),
        "semispace: a space has more memory than addresses");
  PLANT(spare.base, spare.base + 4, cn_semispace_heap_wrong(&view), "semispace: a space is not aligned");
  PLANT(spare.base, current.base + 8, cn_semispace_heap_wrong(&view), "semispace: the two spaces overlap");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mutators),     cmocka_unit_test(locks),           cmocka_unit_test(return_addresses),
      cmocka_unit_test(code_regions), cmocka_unit_test(return_barriers), cmocka_unit_test(coroutine_stacks),
      cmocka_unit_test(semispace),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
