/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that died where they were made (pass give-back): the next allocation of the thread gets
 * their memory, while it is in the cache.
 */
#ifndef CN_RUNTIME_HEAP_FREE_OBJECT_H
#define CN_RUNTIME_HEAP_FREE_OBJECT_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>

/* The block of a large object that the thread gave back since the last collection, for an object of
 * `bytes` without references; or null. What it contains is anything. Phase MUTATE. */
void *cn_give_back_again(size_t bytes);

/* An array of this layout, which is not cleared, in such a block: its first element. Or null: there
 * is no block of that layout, or the slow path has something else to do. Phase MUTATE. */
void *cn_give_back_alloc(const struct cairn_layout *layout, int64_t count);

#endif
