/* SPDX-License-Identifier: Apache-2.0
 *
 * Explicit free of arrays (pass give-back): the next allocation of the thread gets their memory while it is in the
 * cache.
 */
#ifndef CN_RUNTIME_HEAP_FREE_OBJECT_H
#define CN_RUNTIME_HEAP_FREE_OBJECT_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>

/* A block for an object of `bytes` without references: that of a large object that the thread has freed since the last
 * collection. It may contain anything. Null: there is no such block. Phase MUTATE. */
void *cn_freed_reuse_block(size_t bytes);

/* An uncleared array of this layout in such a block: its first element. Null: there is no block of that layout, or the
 * slow path has other work. Phase MUTATE. */
void *cn_freed_reuse_array(const struct cairn_layout *layout, int64_t count);

#endif
