/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocates memory of the patch room. Owns a list of free blocks for each size class and the rest of the newest chunk,
 * all under CN_LOCK_PATCH. Size classes are powers of two; larger blocks are mappings. Runs on any thread, in any
 * phase. Chunks stay mapped for later blocks.
 */
#include "patch/memory.h"

#include <stdint.h>
#include <string.h>
#include "base/check.h"
#include "runtime/os/os.h"

enum { MIN_CLASS_BITS = 6, CLASS_COUNT = 10, CHUNK_BYTES = 256 << 10 };
#define MAX_CLASS_BYTES ((size_t)1 << (MIN_CLASS_BITS + CLASS_COUNT - 1))

struct free_block {
  struct free_block *next;
};

static struct free_block *free_blocks[CLASS_COUNT];
static char *chunk_rest;
static size_t chunk_rest_bytes;

static size_t round_to_pages(size_t bytes)
{
  size_t page = cn_os_page_bytes();

  return (bytes + page - 1) / page * page;
}

static unsigned class_of(size_t bytes)
{
  unsigned class = 0;

  while ((size_t)1 << (MIN_CLASS_BITS + class) < bytes)
    class++;
  return class;
}

/* The rest of the old chunk is too small for the class, and is lost. */
static void *take_from_chunk(size_t bytes)
{
  if (chunk_rest_bytes < bytes) {
    char *chunk = cn_os_resize_mapping(NULL, 0, CHUNK_BYTES);
    if (chunk == NULL)
      return NULL;
    chunk_rest = chunk;
    chunk_rest_bytes = CHUNK_BYTES;
  }
  void *block = chunk_rest;
  chunk_rest += bytes;
  chunk_rest_bytes -= bytes;
  return block;
}

void *cn_patch_allocate(size_t bytes)
{
  if (bytes > MAX_CLASS_BYTES)
    return bytes > SIZE_MAX / 2 ? NULL : cn_os_resize_mapping(NULL, 0, round_to_pages(bytes));
  unsigned class = class_of(bytes);
  struct free_block *block = free_blocks[class];
  if (block == NULL)
    return take_from_chunk((size_t)1 << (MIN_CLASS_BITS + class));
  free_blocks[class] = block->next;
  return memset(block, 0, bytes);
}

void cn_patch_free(void *memory, size_t bytes)
{
  struct free_block *block = memory;

  if (memory == NULL)
    return;
  if (bytes > MAX_CLASS_BYTES) {
    cn_os_free_mapping(memory, round_to_pages(bytes));
    return;
  }
  CN_ASSERT(block != free_blocks[class_of(bytes)]); /* fails if the block is freed twice */
  block->next = free_blocks[class_of(bytes)];
  free_blocks[class_of(bytes)] = block;
}
