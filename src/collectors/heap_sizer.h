/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of heaps, of allocation buffers, and of copies.
 */
#ifndef CN_COLLECTORS_HEAP_SIZER_H
#define CN_COLLECTORS_HEAP_SIZER_H

#include <stddef.h>

struct cairn_mutator;

/* The bytes after a collection, and the bounds of the heap. */
struct cn_heap_sizer_input {
  size_t copied, large; /* copied bytes, and bytes of large objects, which stay in place at little cost */
  size_t needed;        /* bytes of the block that must fit */
  size_t initial, maximum;
};

/* CAIRN_HEAP_GROWTH percent of `bytes`, or SIZE_MAX if that is less. Any thread, any phase. */
size_t cn_heap_sizer_growth_bytes(size_t bytes);

/* The heap's capacity after a collection. With a growth of 100 percent (CAIRN_HEAP_GROWTH) that is four times the
 * copied bytes, one and a half times the large objects, and the needed block. A small heap gets sixteen times the bytes
 * of its objects or of the needed block, so that copies take a small part of the time. Another growth changes the free
 * part of the capacity in proportion. The minimum is 512 KiB for each mutator, up to the initial capacity, so that two
 * small spaces fit into the processor's cache. The maximum and the soft limit bound the result. Phase STOP. */
size_t cn_heap_sizer_capacity(const struct cn_heap_sizer_input *left);

/* The bytes at which the next full collection is due: `wanted`, limited to the soft limit, or to nine eighths of the
 * `kept` bytes if these are more. If `soft` is 0, there is no limit. */
size_t cn_heap_sizer_soft_threshold(size_t soft, size_t kept, size_t wanted);

/* The size of the mutator's next buffer, out of `room` free bytes; `bytes` must fit. A single mutator gets all free
 * bytes. If there are several mutators, each gets twice the size of its last buffer, which is in its word
 * (cairn_mutator_word()), up to an equal share of a quarter of the free bytes. Under the collector's lock. */
size_t cn_heap_sizer_buffer_bytes(struct cairn_mutator *mutator, size_t room, size_t bytes);

/* STOP or INIT. An upper bound for the bytes of copies of objects of `bytes`, because copies of objects with an
 * identity hash are larger. */
size_t cn_heap_sizer_max_copy_bytes(size_t bytes);

#endif
