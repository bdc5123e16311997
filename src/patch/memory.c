/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocates memory of the patch room. Owns the room's blocks (tables/blocks.h), under CN_LOCK_PATCH. Runs on any
 * thread, in any phase.
 */
#include "patch/memory.h"

#include <stdint.h>
#include <string.h>
#include "runtime/tables/blocks.h"

static struct cn_blocks patch_blocks;

void *cn_patch_allocate(size_t bytes)
{
  void *memory = bytes > SIZE_MAX / 2 ? NULL : cn_blocks_take(&patch_blocks, bytes);

  if (memory != NULL && bytes <= CN_BLOCKS_MAX_BYTES) /* a larger block is a new mapping */
    memset(memory, 0, bytes);
  return memory;
}

void cn_patch_free(void *memory, size_t bytes)
{
  if (memory != NULL)
    cn_blocks_give(&patch_blocks, memory, bytes);
}
