/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts tables in place, during a collection or in a signal handler. Any thread; without locks, state or allocation.
 */
#include "base/sorted.h"

#include "base/check.h"

/* Heap sort, in place and iterative, in O(n log n). */
static void sift_down(char *items, size_t root, size_t count, size_t size)
{
  char moving[CN_MAX_SORTED_ITEM_BYTES];

  CN_ASSERT(root < count);
  memcpy(moving, items + root * size, size);
  for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && cn_sorted_key_at(items, child, size) < cn_sorted_key_at(items, child + 1, size))
      child++;
    if (cn_sorted_key_at(moving, 0, size) >= cn_sorted_key_at(items, child, size))
      break;
    memcpy(items + root * size, items + child * size, size);
    root = child;
  }
  memcpy(items + root * size, moving, size);
}

static void swap_items(char *one, char *other, size_t size)
{
  char was[CN_MAX_SORTED_ITEM_BYTES];

  memcpy(was, one, size);
  memcpy(one, other, size);
  memcpy(other, was, size);
}

void cn_sort_by_address(void *items, size_t count, size_t size)
{
  CN_CHECK(size >= sizeof(uint64_t) && size <= CN_MAX_SORTED_ITEM_BYTES);
  if (cn_sorted_order_wrong(items, count, size) == NULL)
    return; /* linkers usually keep functions in the order of their code */
  for (size_t i = count / 2; i-- > 0;)
    sift_down(items, i, count, size);
  for (size_t last = count; last-- > 1;) {
    swap_items(items, (char *)items + last * size, size);
    sift_down(items, 0, last, size);
  }
  CN_ASSERT_VALID(cn_sorted_order_wrong(items, count, size));
}

const char *cn_sorted_order_wrong(const void *keys, size_t count, size_t stride)
{
  for (size_t i = 1; i < count; i++)
    if (cn_sorted_key_at(keys, i - 1, stride) > cn_sorted_key_at(keys, i, stride))
      return "sorted array: two items are not in order";
  return NULL;
}
