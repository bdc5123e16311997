/* SPDX-License-Identifier: Apache-2.0
 *
 * Inline caches: their stages, clears, and threads that look up while others fill and clear. What would go wrong: an
 * answer that is half of one fill and half of another, or an entry that leads to memory that has gone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cairn/collector.h>
#include <cairn/inline_cache.h>
#include <pthread.h>
#include <stdatomic.h>
#include "patch/inline_cache.h"
#include "runtime/core/lock.h"

enum { CACHES = 3, KEYS = 10000 };
static struct cairn_inline_cache caches[CACHES];
static struct cairn_inline_cache_group group = {caches, CACHES, NULL, NULL};

/* ---- fills ---- */

static enum cairn_status fill(int cache, uintptr_t key, uintptr_t word)
{
  return cairn_inline_cache_fill(&caches[cache], key, (struct cairn_inline_cache_values){{word, ~word}});
}

static void assert_found(int cache, uintptr_t key, uintptr_t word)
{
  struct cairn_inline_cache_values values;

  assert_true(cairn_inline_cache_find(&caches[cache], key, &values));
  assert_int_equal(values.word[0], word);
  assert_int_equal(values.word[1], ~word);
}

static void assert_missing(int cache, uintptr_t key)
{
  struct cairn_inline_cache_values values;

  assert_false(cairn_inline_cache_find(&caches[cache], key, &values));
}

static int begin(void **state)
{
  (void)state;
  for (int i = 0; i < CACHES; i++)
    caches[i].name = 0x1000 + (uintptr_t)i;
  return (int)cairn_inline_caches_add(&group);
}

static int end(void **state)
{
  (void)state;
  return (int)cairn_inline_caches_remove(&group);
}

static void stages(void **state)
{
  static const enum cairn_inline_cache_stage expected[] = {
      CAIRN_INLINE_CACHE_MONOMORPHIC, CAIRN_INLINE_CACHE_POLYMORPHIC, CAIRN_INLINE_CACHE_POLYMORPHIC,
      CAIRN_INLINE_CACHE_POLYMORPHIC, CAIRN_INLINE_CACHE_MEGAMORPHIC, CAIRN_INLINE_CACHE_MEGAMORPHIC};

  (void)state;
  assert_int_equal(cairn_inline_cache_stage(&caches[0]), CAIRN_INLINE_CACHE_EMPTY);
  assert_missing(0, 1);
  for (uintptr_t key = 1; key <= 6; key++) {
    assert_int_equal(fill(0, key, key * 100), CAIRN_OK);
    assert_int_equal(cairn_inline_cache_stage(&caches[0]), expected[key - 1]);
    for (uintptr_t other = 1; other <= 6; other++)
      if (other <= key)
        assert_found(0, other, other * 100);
      else
        assert_missing(0, other);
  }
  assert_missing(1, 1);
}

/* New values take the place of old ones, in the cache and in the table. */
static void refills(void **state)
{
  (void)state;
  for (uintptr_t round = 1; round < 4; round++)
    for (uintptr_t key = 1; key <= 6; key++) {
      assert_int_equal(fill(0, key, key + round), CAIRN_OK);
      assert_found(0, key, key + round);
    }
}

static void names(void **state)
{
  (void)state;
  caches[1].name = caches[0].name;
  for (uintptr_t key = 1; key <= 6; key++)
    fill(0, key, key);
  for (uintptr_t key = 11; key <= 15; key++)
    fill(1, key, key);
  assert_found(1, 6, 6); /* of the other cache with this name */
  for (uintptr_t key = 1; key <= 6; key++)
    fill(2, key, key + 50);
  assert_found(2, 6, 56);
  assert_found(0, 6, 6);
}

/* The table holds only some of many keys, with their own values. */
static void many_keys(void **state)
{
  struct cairn_inline_cache_values values;
  int found = 0;

  (void)state;
  for (uintptr_t key = 1; key <= KEYS; key++)
    assert_int_equal(fill(0, key << 4, key), CAIRN_OK);
  for (uintptr_t key = 1; key <= KEYS; key++)
    if (cairn_inline_cache_find(&caches[0], key << 4, &values)) {
      assert_int_equal(values.word[0], key);
      assert_int_equal(values.word[1], ~key);
      found++;
    }
  assert_in_range(found, 2500, 4100);
}

/* A cache that changes has no answer. */
static void changing(void **state)
{
  (void)state;
  assert_int_equal(fill(0, 1, 7), CAIRN_OK);
  cn_cache_begin_change(&caches[0].version);
  assert_missing(0, 1);
  cn_cache_end_change(&caches[0].version);
  assert_found(0, 1, 7);
}

/* ---- clears ---- */

static void fill_all(void)
{
  for (int i = 0; i < CACHES; i++)
    for (uintptr_t key = 1; key <= 6; key++)
      fill(i, key, 1000 * key);
}

static void one_cache(void **state)
{
  (void)state;
  fill_all();
  assert_int_equal(cairn_inline_cache_clear(&caches[0]), CAIRN_OK);
  assert_int_equal(cairn_inline_cache_stage(&caches[0]), CAIRN_INLINE_CACHE_EMPTY);
  for (uintptr_t key = 1; key <= 6; key++) {
    assert_missing(0, key);
    assert_found(1, key, 1000 * key);
  }
  for (uintptr_t key = 11; key <= 15; key++) /* megamorphic again: nothing comes back */
    fill(0, key, key);
  for (uintptr_t key = 1; key <= 6; key++)
    assert_missing(0, key);
}

static void a_key(void **state)
{
  (void)state;
  fill_all();
  for (uintptr_t gone = 1; gone <= 6; gone++) {
    assert_int_equal(cairn_inline_caches_clear_key(gone), CAIRN_OK);
    for (int i = 0; i < CACHES; i++)
      for (uintptr_t key = 1; key <= 6; key++)
        if (key <= gone)
          assert_missing(i, key);
        else
          assert_found(i, key, 1000 * key);
  }
}

/* By key, and by each of the two words. */
static void a_range(void **state)
{
  (void)state;
  fill_all();
  assert_int_equal(cairn_inline_caches_clear_range(2, 3), CAIRN_OK);
  assert_int_equal(cairn_inline_caches_clear_range(4999, 5001), CAIRN_OK);
  assert_int_equal(cairn_inline_caches_clear_range(~(uintptr_t)6000, ~(uintptr_t)5999), CAIRN_OK);
  assert_int_equal(cairn_inline_caches_clear_range(7, 7), CAIRN_OK);
  for (int i = 0; i < CACHES; i++) {
    assert_found(i, 1, 1000);
    assert_missing(i, 2);
    assert_found(i, 3, 3000);
    assert_found(i, 4, 4000);
    assert_missing(i, 5);
    assert_missing(i, 6);
  }
}

static void an_image(void **state)
{
  static unsigned char layouts[64];
  struct cairn_image image = {.layouts_start = layouts, .layouts_stop = layouts + sizeof layouts};

  (void)state;
  fill(0, (uintptr_t)layouts, 1);
  fill(0, (uintptr_t)layouts + 63, 2);
  fill(0, (uintptr_t)layouts + 64, 3);
  fill(0, (uintptr_t)layouts - 1, (uintptr_t)layouts + 8);
  cn_inline_caches_forget_image(&image, false);
  assert_missing(0, (uintptr_t)layouts);
  assert_missing(0, (uintptr_t)layouts + 63);
  assert_found(0, (uintptr_t)layouts + 64, 3);
  assert_missing(0, (uintptr_t)layouts - 1);
}

/* ---- errors ---- */

static void refused(void **state)
{
  static struct cairn_inline_cache other;
  struct cairn_inline_cache_group none = {&other, 0, NULL, NULL}, again = {caches, CACHES, NULL, NULL};
  struct cairn_inline_cache_group odd = {(struct cairn_inline_cache *)((uintptr_t)&other + 8), 1, NULL, NULL};

  (void)state;
  assert_int_equal(fill(0, 0, 1), CAIRN_E_BOUNDS);
  assert_int_equal(cairn_inline_cache_fill(&other, 1, (struct cairn_inline_cache_values){{1, 2}}), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_inline_caches_add(&group), CAIRN_E_OVERLAP);
  assert_int_equal(cairn_inline_caches_add(&again), CAIRN_E_OVERLAP);
  assert_int_equal(cairn_inline_caches_add(&none), CAIRN_E_BOUNDS);
  assert_int_equal(cairn_inline_caches_add(&odd), CAIRN_E_BOUNDS);
  assert_int_equal(cairn_inline_caches_remove(&again), CAIRN_E_UNKNOWN);
}

/* As in a signal handler that has interrupted a fill. */
static void busy(void **state)
{
  (void)state;
  assert_int_equal(fill(0, 1, 7), CAIRN_OK);
  assert_true(cn_lock_take(CN_LOCK_PATCH));
  assert_int_equal(fill(0, 2, 7), CAIRN_E_BUSY);
  assert_int_equal(cairn_inline_cache_clear(&caches[0]), CAIRN_E_BUSY);
  assert_int_equal(cairn_inline_caches_clear_key(1), CAIRN_E_BUSY);
  assert_int_equal(cairn_inline_caches_add(&group), CAIRN_E_BUSY);
  assert_int_equal(cairn_inline_caches_remove(&group), CAIRN_E_BUSY);
  assert_found(0, 1, 7);
  cn_lock_release(CN_LOCK_PATCH);
  assert_missing(0, 2);
}

CAIRN_INLINE_CACHE_GROUP(of_file, 2)

static void registered_by_constructor(void **state)
{
  (void)state;
  assert_int_equal(cairn_inline_cache_fill(&of_file[1], 5, (struct cairn_inline_cache_values){{1, 2}}), CAIRN_OK);
  assert_int_equal(cairn_inline_caches_clear_key(5), CAIRN_OK);
  assert_int_equal(cairn_inline_cache_stage(&of_file[1]), CAIRN_INLINE_CACHE_EMPTY);
}

/* ---- threads ---- */

enum { READERS = 2, WRITERS = 2, FILLS = 300000, HOT_KEYS = 9 };
static _Atomic int writers_left;
static _Atomic uint64_t hits, mixed;

/* The words of all fills of a key: the second is a function of the first and the key. */
static uintptr_t second_word(uintptr_t key, uintptr_t first)
{
  return (key << 40) ^ first * 0x9e3779b97f4a7c15u;
}

static void *read_all(void *unused)
{
  struct cairn_inline_cache_values values;

  while (atomic_load(&writers_left) > 0)
    for (int i = 0; i < CACHES; i++)
      for (uintptr_t key = 1; key <= HOT_KEYS; key++)
        if (cairn_inline_cache_find(&caches[i], key, &values)) {
          atomic_fetch_add_explicit(&hits, 1, memory_order_relaxed);
          if (values.word[1] != second_word(key, values.word[0]))
            atomic_fetch_add(&mixed, 1);
        }
  return unused;
}

static void *write_all(void *seed)
{
  uint64_t random = (uintptr_t)seed;

  for (int i = 0; i < FILLS; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    uintptr_t key = (random >> 33) % HOT_KEYS + 1, word = random >> 20;
    struct cairn_inline_cache *cache = &caches[(random >> 50) % CACHES];
    if (random >> 60 == 0)
      cairn_inline_cache_clear(cache);
    else if (random >> 56 == 16)
      cairn_inline_caches_clear_key(key);
    else
      cairn_inline_cache_fill(cache, key, (struct cairn_inline_cache_values){{word, second_word(key, word)}});
  }
  atomic_fetch_sub(&writers_left, 1);
  return NULL;
}

static void storm(void **state)
{
  pthread_t threads[READERS + WRITERS];

  (void)state;
  atomic_store(&writers_left, WRITERS);
  for (uintptr_t i = 0; i < READERS + WRITERS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, i < READERS ? read_all : write_all, (void *)i), 0);
  for (int i = 0; i < READERS + WRITERS; i++)
    pthread_join(threads[i], NULL);
  assert_int_equal(atomic_load(&mixed), 0);
  assert_true(atomic_load(&hits) > 0);
  for (int i = 0; i < CACHES; i++)
    assert_int_equal(caches[i].version % 2, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
  const struct CMUnitTest tests[] = {
      TEST(stages), TEST(refills), TEST(names),    TEST(many_keys), TEST(changing), TEST(one_cache),
      TEST(a_key),  TEST(a_range), TEST(an_image), TEST(refused),   TEST(busy),     TEST(registered_by_constructor),
      TEST(storm),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
