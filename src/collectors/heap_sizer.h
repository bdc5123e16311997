/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of heaps, of allocation buffers, and of copies.
 */
#ifndef CN_COLLECTORS_HEAP_SIZER_H
#define CN_COLLECTORS_HEAP_SIZER_H

#include <stddef.h>

struct cairn_mutator;

/* Bytes that a collection left, and the bounds of the heap. */
struct cn_heap_sizer_input {
  size_t copied, large; /* large objects stay, at next to no cost */
  size_t needed;        /* a block of this size must fit */
  size_t initial, maximum;
};

/* Phase STOP. The capacity: four times the copied bytes, one and a half times the large objects, and the needed block.
 * If that is below the initial capacity, the heap gets more, up to the initial one: sixteen times the bytes that there
 * are or that are needed, so that copying takes a small part of the time, and at least 512 KB for each mutator. Small
 * heaps stay at that, so that two spaces fit into the processor's cache. The maximum bounds the result, and so does a
 * soft limit, as below. */
size_t cn_heap_sizer_capacity(const struct cn_heap_sizer_input *left);

/* The bytes at which the next full collection is due: `wanted`, and at most the larger of the soft limit and of the
 * `kept` bytes and an eighth. `soft` 0: there is no limit. */
size_t cn_heap_sizer_soft_threshold(size_t soft, size_t kept, size_t wanted);

/* The bytes of a buffer that must serve `bytes` at first, out of `room` free bytes: all of them for a single mutator.
 * Each of several gets twice as much as last time, which is in its word (cairn_mutator_word()), and together they take
 * a quarter. Under the collector's lock. */
size_t cn_heap_sizer_buffer_bytes(struct cairn_mutator *mutator, size_t room, size_t bytes);

/* STOP. An upper bound for the copies of objects of `bytes`: copies of objects that were asked for an identity hash are
 * larger. */
size_t cn_heap_sizer_max_copy_bytes(size_t bytes);

#endif
