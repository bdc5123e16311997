/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the patch room, straight from the system: tables change during stops, when malloc() might wait for a
 * stopped thread.
 */
#ifndef CN_PATCH_MEMORY_H
#define CN_PATCH_MEMORY_H

#include <stddef.h>

/* Allocate zeroed memory, a multiple of 16; null if memory is exhausted. Free memory of `bytes` bytes, or null. The
 * caller holds CN_LOCK_PATCH. */
void *cn_patch_allocate(size_t bytes);
void cn_patch_free(void *memory, size_t bytes);

#endif
