/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting without memory, and searching what is sorted. What would go wrong: an item is lost, or
 * two are out of order; a search stops beside the first of equal keys.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/sorted.h"

enum { MOST = 200 };

struct item {
  uint64_t key;
  uint32_t twice; /* of the key: both travel together */
};

static size_t count_below(const struct item *items, size_t count, uint64_t key)
{
  size_t below = 0;

  for (size_t i = 0; i < count; i++)
    below += items[i].key < key;
  return below;
}

/* Of each size, with many equal keys and with few. */
static void random_arrays(void **state)
{
  struct item items[MOST];

  (void)state;
  srand(7);
  for (size_t count = 0; count < MOST; count++) {
    uint64_t sum = 0, range = count % 2 ? 10 : 1000000;
    for (size_t i = 0; i < count; i++) {
      items[i].key = (uint64_t)rand() % range;
      items[i].twice = (uint32_t)(2 * items[i].key);
      sum += items[i].key;
    }
    cn_sort_by_address(items, count, sizeof *items);
    assert_null(cn_sorted_order_wrong(items, count, sizeof *items));
    for (size_t i = 0; i < count; i++) {
      assert_int_equal(items[i].twice, 2 * items[i].key);
      for (int off = -1; off <= 1; off++) {
        uint64_t key = items[i].key + (uint64_t)off;
        assert_int_equal(cn_sorted_count_below(items, count, sizeof *items, key), count_below(items, count, key));
      }
      sum -= items[i].key;
    }
    assert_int_equal(sum, 0);
  }
}

/* A key inside the item, at the ends of what there is. */
static void keys_inside(void **state)
{
  struct {
    char before[16];
    uint64_t key;
  } items[] = {{"", 0}, {"", 7}, {"", UINT64_MAX}};

  (void)state;
  assert_int_equal(cn_sorted_count_below(&items->key, 3, sizeof *items, 0), 0);
  assert_int_equal(cn_sorted_count_below(&items->key, 3, sizeof *items, 8), 2);
  assert_int_equal(cn_sorted_count_below(&items->key, 3, sizeof *items, UINT64_MAX), 2);
  assert_null(cn_sorted_order_wrong(&items->key, 3, sizeof *items));
  items[1].key = UINT64_MAX;
  items[2].key = 7;
  assert_string_equal(cn_sorted_order_wrong(&items->key, 3, sizeof *items), "sorted array: two items are not in order");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_arrays),
      cmocka_unit_test(keys_inside),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
