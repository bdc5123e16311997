/* SPDX-License-Identifier: Apache-2.0
 *
 * Frees arrays that compiled code frees explicitly, and reuses their memory. If the array is the last block of the
 * allocation buffer, the allocation pointer returns to the array's start. An older array of the buffer waits
 * (`waiting_arrays`) until all blocks after it are free. A large array's block is kept (`kept_blocks`) for the next
 * array of about its size, until a collection frees the unreachable block and the thread's lists become empty. Both
 * lists are thread-local: each thread uses its copies in phase MUTATE, without locks. A handler that interrupts managed
 * code frees nothing.
 */
#include "runtime/heap/managed_heap.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/counts.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/core/thread_storage.h"
#include "runtime/heap/buffer.h"

enum { MAX_KEPT_BLOCKS = CN_THREAD_TABLE_ENTRIES(16, 4), MAX_WAITING_ARRAYS = 4 };

/* Blocks of large arrays that the thread has freed since the last collection. */
static _Thread_local struct {
  uint64_t collections; /* number of collections at the last use of the list */
  unsigned count;
  unsigned taken;                    /* index of the block that was reused last */
  unsigned next;                     /* index of the block to replace if all MAX_KEPT_BLOCKS entries are in use */
  const struct cairn_layout *layout; /* layout of the array that was freed last */
  uintptr_t block[MAX_KEPT_BLOCKS];
  size_t bytes[MAX_KEPT_BLOCKS]; /* the greatest size that the block has had */
  size_t room[MAX_KEPT_BLOCKS];  /* size of the free block; 0 while the block is in use */
} kept_blocks;

/* Blocks and ends of freed arrays in the thread's buffer that other blocks follow. */
static _Thread_local struct {
  uint64_t collections; /* number of collections when the arrays were noted */
  unsigned next;
  uintptr_t block[MAX_WAITING_ARRAYS];
  uintptr_t end[MAX_WAITING_ARRAYS]; /* 0: the entry is free */
} waiting_arrays;

static void forget_old_blocks(void)
{
  uint64_t now = __atomic_load_n(&cn_stats.collections, __ATOMIC_RELAXED);

  if (kept_blocks.collections != now)
    kept_blocks.count = 0;
  if (kept_blocks.count == 0) {
    kept_blocks.taken = kept_blocks.next = 0;
    kept_blocks.layout = NULL;
  }
  kept_blocks.collections = now;
}

/* The smallest kept block of at least `bytes` and less than twice `bytes`; MAX_KEPT_BLOCKS: there is no such block. */
static unsigned find_smallest_kept_block(size_t bytes)
{
  unsigned best = MAX_KEPT_BLOCKS;
  size_t rest = bytes;

  forget_old_blocks();
  for (unsigned i = 0; i < kept_blocks.count; i++)
    if (kept_blocks.room[i] - bytes < rest) {
      rest = kept_blocks.room[i] - bytes;
      best = i;
    }
  return best;
}

/* A filler takes the rest of the block, because collectors may walk over it. */
static void *take_kept_block(unsigned which, size_t bytes)
{
  uintptr_t block = kept_blocks.block[which];

  CN_ASSERT(bytes <= kept_blocks.room[which]);
  cairn_fill(block + bytes, block + kept_blocks.room[which]);
  kept_blocks.room[which] = 0;
  kept_blocks.taken = which;
  return (void *)block;
}

void *cn_freed_reuse_block(size_t bytes)
{
  unsigned which = find_smallest_kept_block(bytes);

  return which == MAX_KEPT_BLOCKS ? NULL : take_kept_block(which, bytes);
}

/* If a handler jumps out here, the block holds an object of the same type with the old count or the new count. */
void *cn_freed_reuse_array(const struct cairn_layout *layout, int64_t count)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  uint64_t payload;

  if (layout != kept_blocks.layout || count < 0 || mutator->limit == 0 ||
      cairn_layout_payload(layout, (uint64_t)count, &payload) != CAIRN_OK)
    return NULL;
  size_t bytes = payload + CAIRN_ABI_INDEXED_HEADER_SIZE;
  unsigned which = find_smallest_kept_block(bytes);
  if (which == MAX_KEPT_BLOCKS || cairn_header_layout(((uintptr_t *)kept_blocks.block[which])[1]) != layout)
    return NULL;
  uintptr_t *block = take_kept_block(which, bytes);
  block[1] = (uintptr_t)layout;
  block[0] = (uintptr_t)count << 1 | 1;
  cn_heap_order_new_object();
  mutator->allocated += bytes;
  mutator->safepoints++;
  mutator->uncleared = 1;
  return (void *)((uintptr_t)(block + 2) + cairn_words.reference);
}

/* The entry of the block. If there is no such entry, `*known` becomes false and the result is an entry to use. */
static unsigned find_kept_block_or_entry(uintptr_t block, bool *known)
{
  unsigned at = kept_blocks.taken;

  *known = true;
  if (at < kept_blocks.count && kept_blocks.block[at] == block)
    return at;
  for (at = 0; at < kept_blocks.count; at++)
    if (kept_blocks.block[at] == block)
      return at;
  *known = false;
  if (kept_blocks.count < MAX_KEPT_BLOCKS)
    return kept_blocks.count++;
  at = kept_blocks.next;
  kept_blocks.next = (at + 1) % MAX_KEPT_BLOCKS;
  return at;
}

static void keep_block(uintptr_t block, size_t bytes, const struct cairn_layout *layout)
{
  bool known;

  forget_old_blocks();
  kept_blocks.layout = layout;
  unsigned at = find_kept_block_or_entry(block, &known);
  kept_blocks.block[at] = block;
  if (!known || kept_blocks.bytes[at] < bytes) /* the array may have grown in place */
    kept_blocks.bytes[at] = bytes;
  kept_blocks.room[at] = kept_blocks.bytes[at];
}

static void add_waiting_block(uintptr_t block, uintptr_t end)
{
  uint64_t now = __atomic_load_n(&cn_stats.collections, __ATOMIC_RELAXED);

  if (waiting_arrays.collections != now)
    memset(&waiting_arrays, 0, sizeof waiting_arrays);
  waiting_arrays.collections = now;
  waiting_arrays.block[waiting_arrays.next] = block;
  waiting_arrays.end[waiting_arrays.next] = end;
  waiting_arrays.next = (waiting_arrays.next + 1) % MAX_WAITING_ARRAYS;
}

/* Frees waiting arrays that are the buffer's last block, after the block behind them was freed. */
static void free_waiting_arrays(struct cairn_mutator *mutator)
{
  uint64_t now = __atomic_load_n(&cn_stats.collections, __ATOMIC_RELAXED);

  for (unsigned i = 0; i < MAX_WAITING_ARRAYS && waiting_arrays.collections == now; i++)
    if (waiting_arrays.end[i] == mutator->alloc &&
        cn_buffer_free_last_block(mutator, waiting_arrays.block[i], waiting_arrays.end[i])) {
      waiting_arrays.end[i] = 0;
      i = UINT_MAX;
    }
}

/* Frees an array that is unreachable from now on; null is allowed. Compiled code calls this. Neither collects nor
 * waits. Phase MUTATE. */
#pragma GCC visibility push(default)
void cairn_give_back(void *reference);
#pragma GCC visibility pop

void cairn_give_back(void *reference)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  uintptr_t object = (uintptr_t)reference - cairn_words.reference;
  uint64_t bytes;

  CN_ASSERT(mutator->stopped == NULL);
  /* A handler must not change the lists, because it may have interrupted this function. */
  if (reference == NULL || (mutator->interruptions & 1) != 0)
    return;
  const struct cairn_layout *layout = cairn_object_layout(object);
  CN_CHECK(layout != NULL && cairn_object_payload(object, layout, &bytes) == CAIRN_OK);
  /* A barrier may have logged slots of an array with references. */
  if (cairn_layout_has_references(layout) || (layout->flags & CAIRN_ABI_LAYOUT_FINALISABLE))
    return;
  uintptr_t block = cairn_object_block(object, layout), end = object + bytes;
  if (cn_options.stress != 0)
    memset((void *)object, 0xa5, bytes); /* makes a use after the free visible */
  if (cn_buffer_free_last_block(mutator, block, end))
    free_waiting_arrays(mutator);
  else if (cn_options.stress == 0 && cn_heap_is_block_reusable(end - block))
    keep_block(block, end - block, layout);
  else
    add_waiting_block(block, end);
}
