/* SPDX-License-Identifier: Apache-2.0
 *
 * Explicit free of arrays (pass free-dead-arrays). The thread's next allocations reuse the memory while it is in the
 * processor's cache.
 */
#ifndef CN_RUNTIME_HEAP_FREE_OBJECT_H
#define CN_RUNTIME_HEAP_FREE_OBJECT_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>

/* An uncleared block for an object of `bytes` without references. The block was a large object that the thread has
 * freed since the last collection. Null: there is no such block. Phase MUTATE. */
void *cn_freed_reuse_block(size_t bytes);

/* An uncleared array of this layout in a block that the thread has freed; returns the address of the first element.
 * Null: there is no block of that layout, or the thread must take the slow path. Phase MUTATE. */
void *cn_freed_reuse_array(const struct cairn_layout *layout, int64_t count);

#endif
