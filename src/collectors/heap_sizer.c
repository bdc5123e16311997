/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the capacity of heaps after a collection, the thresholds of full collections, the sizes of allocation
 * buffers, and bounds for copies. The file has no state. The collecting thread calls the functions in phase STOP, and
 * the set-up of a heap calls them in phase INIT. A mutator computes the size of its buffer in phase MUTATE, under the
 * collector's lock.
 */
#include "collectors/heap_sizer.h"

#include <cairn/collector.h>
#include "base/check.h"

enum {
  COPIED_GROWTH_FACTOR = 3,      /* a heap that copies all objects grows by this multiple of their growth */
  SMALL_HEAP_GROWTH_FACTOR = 15, /* a small heap that copies all objects grows by this multiple */
  SMALL_HEAP_SHARE = 16,         /* a heap is small up to one part in this many of the initial capacity */
  SMALL_HEAP_BYTES = 512 << 10,
  SOFT_LIMIT_SURVIVOR_PART = 8,
  MIN_BUFFER_BYTES = 16 << 10, /* minimum bytes of a buffer if there are several mutators */
  BUFFERS_FREE_SHARE = 4       /* the buffers of several mutators take one part in this many of the free bytes */
};

static size_t smaller_of(size_t a, size_t b)
{
  return a < b ? a : b;
}

static size_t larger_of(size_t a, size_t b)
{
  return a > b ? a : b;
}

static size_t sum_of(size_t a, size_t b)
{
  return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

size_t cn_heap_sizer_growth_bytes(size_t bytes)
{
  size_t percent = cairn_heap_growth(), whole, rest = bytes % 100 * percent / 100;

  CN_ASSERT(percent != 0 && percent <= SIZE_MAX / 100);
  return __builtin_mul_overflow(bytes / 100, percent, &whole) ? SIZE_MAX : sum_of(whole, rest);
}

static size_t small_heap_capacity(const struct cn_heap_sizer_input *left)
{
  size_t part = larger_of(left->copied + left->large, left->needed);

  part = smaller_of(part, left->initial / SMALL_HEAP_SHARE);
  size_t wanted = sum_of(part, cn_heap_sizer_growth_bytes(SMALL_HEAP_GROWTH_FACTOR * part));
  return smaller_of(left->initial, larger_of(wanted, cairn_mutator_count() * (size_t)SMALL_HEAP_BYTES)) & ~(size_t)7;
}

size_t cn_heap_sizer_soft_threshold(size_t soft, size_t kept, size_t wanted)
{
  CN_ASSERT(kept <= SIZE_MAX / 2);
  return soft == 0 ? wanted : smaller_of(wanted, larger_of(soft, kept + kept / SOFT_LIMIT_SURVIVOR_PART) & ~(size_t)7);
}

size_t cn_heap_sizer_capacity(const struct cn_heap_sizer_input *left)
{
  size_t kept = left->copied + left->large + smaller_of(left->needed, left->maximum), wanted;

  CN_ASSERT(left->copied <= left->maximum && left->large <= left->maximum);
  CN_ASSERT(left->initial <= left->maximum);
  if (__builtin_mul_overflow(left->copied, (size_t)COPIED_GROWTH_FACTOR, &wanted))
    return left->maximum;
  wanted = sum_of(cn_heap_sizer_growth_bytes(sum_of(wanted, left->large / 2)), left->copied + left->large);
  wanted = sum_of(wanted, left->needed) & ~(size_t)7;
  wanted = smaller_of(larger_of(wanted, small_heap_capacity(left)), left->maximum);
  return cn_heap_sizer_soft_threshold(cairn_soft_limit(), kept, wanted);
}

size_t cn_heap_sizer_buffer_bytes(struct cairn_mutator *mutator, size_t room, size_t bytes)
{
  size_t count = cairn_mutator_count();
  uintptr_t *next = cairn_mutator_word(mutator);

  if (count <= 1)
    return room;
  size_t size = smaller_of(*next, (room / BUFFERS_FREE_SHARE / count) & ~(size_t)7);
  size = larger_of(size, MIN_BUFFER_BYTES);
  *next = 2 * size;
  return smaller_of(larger_of(size, bytes), room);
}

size_t cn_heap_sizer_max_copy_bytes(size_t bytes)
{
  uint64_t asked = cairn_identity_asked();

  CN_CHECK(bytes <= SIZE_MAX / 2);
  return bytes + (asked < bytes / 8 ? asked * 8 : bytes);
}
