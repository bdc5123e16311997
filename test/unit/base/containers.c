/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps, vectors and bit sets, each beside the plainest thing that answers the same questions.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "base/bitset.h"
#include "base/ptrmap.h"
#include "base/vector.h"

enum { KEYS = 3000, BITS = 1000 };

static uint64_t seed = 88172645463325252u;

/* xorshift64 */
static uint32_t any(uint32_t below)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)(seed >> 11) % below;
}

/* Keys that lie close together and such that do not: the hash has to tell both apart. */
static const void *key_of(uint32_t i)
{
  static char bytes[KEYS];

  return i % 2 ? (const void *)&bytes[i] : (const void *)((uintptr_t)(i + 1) << 32);
}

static void maps_remember(void **state)
{
  struct cn_ptrmap map = {0};
  static uint64_t expected[KEYS];
  static bool there[KEYS];
  size_t count = 0;
  bool added;

  (void)state;
  assert_null(cn_ptrmap_find(&map, key_of(0)));
  for (int i = 0; i < 4 * KEYS; i++) {
    uint32_t k = any(KEYS);
    uint64_t *value = cn_ptrmap_add(&map, key_of(k), &added);
    assert_int_equal(added, !there[k]);
    assert_int_equal(*value, expected[k]);
    count += added;
    there[k] = true;
    *value = expected[k] = (uint64_t)i + 1;
  }
  assert_int_equal(map.count, count);
  for (uint32_t k = 0; k < KEYS; k++) {
    uint64_t *value = cn_ptrmap_find(&map, key_of(k));
    assert_int_equal(value != NULL, there[k]);
    assert_true(!value || *value == expected[k]);
  }
  cn_ptrmap_free(&map);
  assert_null(cn_ptrmap_find(&map, key_of(0)));
  assert_int_equal(*cn_ptrmap_add(&map, key_of(1), NULL), 0);
  cn_ptrmap_free(&map);
}

static void maps_find_nothing_where_they_collide(void **state)
{
  struct cn_ptrmap map = {0};

  (void)state;
  for (uintptr_t i = 1; i <= 16; i++) /* as full as it gets before it grows */
    *cn_ptrmap_add(&map, (const void *)i, NULL) = i;
  assert_int_equal(map.room, 32);
  for (uintptr_t i = 17; i < 100000; i++)
    assert_null(cn_ptrmap_find(&map, (const void *)i));
  cn_ptrmap_free(&map);
}

struct pair {
  uint32_t a, b;
};

static void vectors_keep_what_is_pushed(void **state)
{
  CN_VECTOR(struct pair) pairs = {0};

  (void)state;
  for (uint32_t i = 0; i < 1000; i++) {
    cn_push(&pairs, (struct pair){i, 3 * i});
    assert_int_equal(pairs.count, i + 1);
    assert_true(pairs.room >= pairs.count);
  }
  for (uint32_t i = 0; i < 1000; i++)
    assert_true(pairs.at[i].a == i && pairs.at[i].b == 3 * i);
  cn_free(&pairs);
  assert_true(pairs.at == NULL && pairs.count == 0 && pairs.room == 0);
  cn_push(&pairs, (struct pair){1, 2});
  assert_int_equal(pairs.at[0].b, 2);
  cn_free(&pairs);
}

static void bits_do_not_touch_their_neighbours(void **state)
{
  uint64_t *set = cn_alloc(CN_BITSET_WORDS(BITS) * sizeof *set);
  bool expected[BITS] = {false};

  (void)state;
  assert_int_equal(CN_BITSET_WORDS(0), 0);
  assert_int_equal(CN_BITSET_WORDS(64), 1);
  assert_int_equal(CN_BITSET_WORDS(65), 2);
  for (int n = 0; n < BITS / 2; n++) {
    uint32_t i = any(BITS);
    cn_bitset_add(set, i);
    expected[i] = true;
  }
  for (uint32_t i = 0; i < BITS; i++)
    assert_int_equal(cn_bitset_contains(set, i), expected[i]);
  free(set);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maps_remember),
      cmocka_unit_test(maps_find_nothing_where_they_collide),
      cmocka_unit_test(vectors_keep_what_is_pushed),
      cmocka_unit_test(bits_do_not_touch_their_neighbours),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
