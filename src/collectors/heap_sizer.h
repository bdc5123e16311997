/* SPDX-License-Identifier: Apache-2.0
 *
 * How large a heap is to be.
 */
#ifndef CN_COLLECTORS_HEAP_SIZER_H
#define CN_COLLECTORS_HEAP_SIZER_H

#include <stddef.h>

struct cairn_mutator;

/* What a collection left, in bytes, and the bounds of the heap. */
struct cn_heap_sizer {
  size_t copied, large; /* large objects were not copied, which costs next to nothing */
  size_t needed;        /* a block of so many is to have room */
  size_t initial, maximum;
};

/* The capacity: four times what was copied, one and a half times the large objects, and the block
 * that is needed. Where this is less than the initial capacity it is more, up to that: sixteen
 * times what there is or is needed, so that copying takes a small part of the time, and at least
 * 512 KB for each mutator. It is no more, so that two spaces of it stay in the processor's cache.
 * Never more than the maximum, and with a soft limit as below. Phase STOP. */
size_t cn_heap_sizer_wanted(const struct cn_heap_sizer *left);

/* The next full collection is to come at `wanted` bytes. But at the soft limit, if that is less, or
 * where the `kept` bytes that there are have grown by an eighth. 0: there is no soft limit. */
size_t cn_heap_sizer_soft(size_t soft, size_t kept, size_t wanted);

/* How many of the `room` bytes that are free a buffer gets that is to serve `bytes` at first: all
 * if there is one mutator. Of several each gets twice as much as the last time, which its word
 * (cairn_mutator_word()) tells, and together they take a quarter. Under the collector's lock. */
size_t cn_heap_sizer_of_buffer(struct cairn_mutator *mutator, size_t room, size_t bytes);

/* STOP. The most that copies of objects take which take `bytes`: those that were asked for an
 * identity hash are larger. */
size_t cn_heap_sizer_of_copies(size_t bytes);

#endif
