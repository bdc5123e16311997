/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocates and frees blocks of tables. The file has no state. Runs on the thread that holds the owner's lock, in any
 * phase, and takes no lock. Each change of a list of blocks is one store, so the list is valid in the child of a fork.
 */
#include "runtime/tables/blocks.h"

#include <stdatomic.h>
#include "base/check.h"
#include "runtime/os/os.h"

enum { FRESH_BYTES = 64 << 10, MAX_FRESH_BYTES = 1 << 20 };
_Static_assert((int)CN_BLOCKS_MAX_BYTES <= (int)FRESH_BYTES, "fresh memory has space for the largest block");

static unsigned class_of(size_t bytes)
{
  unsigned class = 0;

  CN_ASSERT(bytes <= CN_BLOCKS_MAX_BYTES);
  while ((size_t)CN_BLOCKS_MIN_BYTES << class < bytes)
    class++;
  return class;
}

static size_t mapping_bytes_of(size_t bytes)
{
  size_t page = cn_os_page_bytes();

  return (bytes + page - 1) / page * page;
}

static void push_block(struct cn_blocks *blocks, void *block, unsigned class)
{
  *(void **)block = blocks->free[class];
  atomic_signal_fence(memory_order_seq_cst);
  blocks->free[class] = block;
}

static size_t fresh_bytes_of(const struct cn_blocks *blocks)
{
  return blocks->fresh_end > blocks->fresh ? (size_t)(blocks->fresh_end - blocks->fresh) : 0;
}

static void *take_fresh(struct cn_blocks *blocks, unsigned class)
{
  void *block = blocks->fresh;

  CN_ASSERT(fresh_bytes_of(blocks) >= (size_t)CN_BLOCKS_MIN_BYTES << class);
  blocks->fresh += (size_t)CN_BLOCKS_MIN_BYTES << class;
  atomic_signal_fence(memory_order_seq_cst);
  return block;
}

/* The rest of the fresh memory becomes free blocks. */
static void spend_fresh_memory(struct cn_blocks *blocks)
{
  for (unsigned class = CN_BLOCKS_CLASSES; class-- > 0;)
    while (fresh_bytes_of(blocks) >= (size_t)CN_BLOCKS_MIN_BYTES << class)
      push_block(blocks, take_fresh(blocks, class), class);
}

/* Between the stores, the fresh memory is empty. */
static void set_fresh_memory(struct cn_blocks *blocks, unsigned char *memory, size_t bytes)
{
  blocks->fresh_end = NULL;
  atomic_signal_fence(memory_order_seq_cst);
  blocks->fresh = memory;
  atomic_signal_fence(memory_order_seq_cst);
  blocks->fresh_end = memory + bytes;
  blocks->mapped_bytes += bytes;
}

bool cn_blocks_reserve(struct cn_blocks *blocks, size_t bytes)
{
  size_t wanted = blocks->mapped_bytes < FRESH_BYTES ? FRESH_BYTES : blocks->mapped_bytes;

  if (fresh_bytes_of(blocks) >= bytes)
    return true;
  if (wanted > MAX_FRESH_BYTES)
    wanted = MAX_FRESH_BYTES;
  wanted = mapping_bytes_of(wanted < bytes ? bytes : wanted);
  unsigned char *memory = cn_os_resize_mapping(NULL, 0, wanted);
  if (memory == NULL)
    return false;
  spend_fresh_memory(blocks);
  set_fresh_memory(blocks, memory, wanted);
  return true;
}

static void *map_block(struct cn_blocks *blocks, size_t bytes)
{
  void *block = cn_os_resize_mapping(NULL, 0, mapping_bytes_of(bytes));

  if (block != NULL)
    blocks->mapped_bytes += mapping_bytes_of(bytes);
  return block;
}

void *cn_blocks_take(struct cn_blocks *blocks, size_t bytes)
{
  if (bytes > CN_BLOCKS_MAX_BYTES)
    return map_block(blocks, bytes);
  unsigned class = class_of(bytes);
  void *block = blocks->free[class];
  if (block != NULL) {
    blocks->free[class] = *(void **)block;
    return block;
  }
  return cn_blocks_reserve(blocks, (size_t)CN_BLOCKS_MIN_BYTES << class) ? take_fresh(blocks, class) : NULL;
}

void cn_blocks_give(struct cn_blocks *blocks, void *block, size_t bytes)
{
  CN_ASSERT(block != NULL);
  if (bytes <= CN_BLOCKS_MAX_BYTES) {
    push_block(blocks, block, class_of(bytes));
    return;
  }
  blocks->mapped_bytes -= mapping_bytes_of(bytes);
  cn_os_free_mapping(block, mapping_bytes_of(bytes));
}
