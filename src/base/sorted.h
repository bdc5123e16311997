/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of structures, sorted by an address that each structure contains.
 */
#ifndef CN_BASE_SORTED_H
#define CN_BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { CN_MAX_SORTED_ITEM_BYTES = 64 }; /* bytes of the largest item that can be sorted */

/* Sorts `count` items of `size` bytes by the address at their start, in place, in O(n log n). */
void cn_sort_by_address(void *items, size_t count, size_t size);

/* The first fault in the order, or null, in linear time. cn_sorted_count_below() explains `keys`. */
const char *cn_sorted_order_wrong(const void *keys, size_t count, size_t stride);

/* Raises `low` to the first index of [low, end) that fails the condition `is_before`, or to `end`. `is_before` refers
 * to the index by the name `index`, and must hold for exactly the indices before the result. */
#define CN_BISECT(low, end, index, is_before) \
  for (__typeof__(low) cn_end_ = (__typeof__(low))(end), index; (low) < cn_end_;) { \
    index = (low) + (cn_end_ - (low)) / 2; \
    if (is_before) \
      (low) = index + 1; \
    else \
      cn_end_ = index; \
  }

static inline uint64_t cn_sorted_key_at(const void *keys, size_t index, size_t stride)
{
  uint64_t key;

  memcpy(&key, (const char *)keys + index * stride, sizeof key);
  return key;
}

/* The number of items whose key is below `address`, which is the index of the first other item. `keys` is the place of
 * the first item's key, and `stride` is the number of bytes from key to key. */
static inline size_t cn_sorted_count_below(const void *keys, size_t count, size_t stride, uint64_t address)
{
  size_t low = 0;

  CN_BISECT(low, count, middle, cn_sorted_key_at(keys, middle, stride) < address);
  return low;
}

#endif
