/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that look up, patch, load, unload, fill caches and invalidate assumptions at the same time. Runs as it is,
 * and under ThreadSanitizer (test/run/patch/sanitize_patch.test). What would go wrong: a table is read while it
 * changes; a look-up finds half of an entry; an assumption's site keeps its code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <cairn/assumption.h>
#include <cairn/patched_cache.h>
#include "patch/dependents.h"
#include "unit/patch/module.h"

enum { SITES = 32, SITE_BYTES = 16, ROUNDS = 400, CODE_BYTES = 4096 };

#define EXPECT(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

static struct module shared;
static uintptr_t one, two;

/* Each thread loads its own modules; the ids of all modules are the same. */
static void load(struct module *module)
{
  module_begin(module, CODE_BYTES);
  for (uint32_t i = 0; i < SITES; i++) {
    module_site(module, SITE_BYTES * i, CALL_BYTES);
    module_point(module, SITE_BYTES * i, CALL_BYTES, i, CN_POINT_PATCHPOINT);
  }
  module_return(module, CODE_BYTES / 2, 1);
  module_return(module, CODE_BYTES / 2 + 1000, 2);
  module_load(module);
}

static void *load_and_unload(void *unused)
{
  for (int i = 0; i < ROUNDS / 10; i++) {
    struct module module;
    load(&module);
    struct cairn_point point = module_point_at(&module, 0);
    EXPECT(point.address == (uintptr_t)module.code);
    if (i % 2 == 0)
      EXPECT(module_call(&module, SITE_BYTES, (uintptr_t)module.code + CODE_BYTES / 2) == CAIRN_OK);
    module_unload(&module);
  }
  return unused;
}

static void *look_up(void *unused)
{
  for (uint64_t i = 0; i < ROUNDS; i++) {
    struct cairn_point points[8];
    size_t count = cairn_points_with_id(i % SITES, points, 8);
    EXPECT(count >= 1);
    for (size_t k = 0; k < count && k < 8; k++) {
      struct cairn_point_value value;
      enum cairn_status status = cairn_point_read_value(&points[k], 0, &value);
      EXPECT(points[k].id == i % SITES && (status == CAIRN_E_BOUNDS || status == CAIRN_E_GONE));
    }
  }
  return unused;
}

/* Sites from SITES / 2 on. */
static void *patch(void *unused)
{
  for (uint32_t i = 0; i < ROUNDS; i++) {
    uint32_t site = SITES / 2 + i % (SITES / 2);
    EXPECT(module_call(&shared, SITE_BYTES * site, i / SITES % 2 ? one : two) == CAIRN_OK);
    EXPECT(module_run(&shared, SITE_BYTES * site) == (i / SITES % 2 ? 1 : 2));
  }
  return unused;
}

/* Sites below SITES / 2. Two threads meet at each assumption. */
static struct cairn_assumption *assumptions[ROUNDS];
static atomic_uint depending; /* relaxed, so that no order comes from it */

static void *depend(void *unused)
{
  for (uint32_t i = 0; i < ROUNDS; i++) {
    struct cairn_point point = module_point_at(&shared, SITE_BYTES * (i % (SITES / 2)));
    struct cairn_patch *batch = cairn_patch_begin();
    EXPECT(cairn_patch_call(batch, &point, i % 2 ? one : two) == CAIRN_OK);
    atomic_store_explicit(&depending, i + 1, memory_order_relaxed);
    EXPECT(cairn_assumption_depend(assumptions[i], batch, NULL) == CAIRN_OK);
    while (cairn_assumption_holds(assumptions[i]))
      sched_yield();
    EXPECT(module_run(&shared, SITE_BYTES * (i % (SITES / 2))) == (i % 2 ? 1 : 2));
  }
  return unused;
}

static void *invalidate(void *unused)
{
  for (unsigned i = 0; i < ROUNDS; i++) {
    while (atomic_load_explicit(&depending, memory_order_relaxed) <= i)
      sched_yield();
    EXPECT(cairn_assumption_invalidate(&assumptions[i], 1, NULL) == CAIRN_OK);
    EXPECT(!cairn_assumption_holds(assumptions[i]));
  }
  return unused;
}

/* A dependent of an assumption: its work is done once, before the assumption is invalid, or it comes too late. */
static unsigned works_done[ROUNDS];
static struct {
  uint32_t index[4];
  size_t count;
} works;

static void begin_works(void)
{
  works.count = 0;
}

static void add_work(const void *data)
{
  EXPECT(works.count < sizeof works.index / sizeof *works.index);
  memcpy(&works.index[works.count++], data, sizeof *works.index);
}

static bool prepare_works(struct cairn_patch_failure *unused)
{
  (void)unused;
  sched_yield();
  return true;
}

static void do_works(void)
{
  for (size_t i = 0; i < works.count; i++)
    works_done[works.index[i]]++;
}

static void end_works(void)
{
}

static void *rely(void *unused)
{
  static const struct cn_dependents_work work = {begin_works, add_work, prepare_works, do_works, end_works};

  for (uint32_t i = 0; i < ROUNDS; i++) {
    bool is_invalid;
    while (atomic_load_explicit(&depending, memory_order_relaxed) <= i)
      sched_yield();
    EXPECT(cn_assumption_add_dependent(assumptions[i], &work, &i, sizeof i, &is_invalid) == CAIRN_OK);
    while (cairn_assumption_holds(assumptions[i]))
      sched_yield();
    EXPECT(works_done[i] == !is_invalid);
  }
  return unused;
}

/* ---- caches: the value of a key is the key times 3 ---- */

static struct cairn_inline_cache cache;
static struct cairn_inline_cache_group group = {.caches = &cache, .count = 1};
static struct cairn_patched_cache in_code = {.id = 12345};

static void *use_caches(void *unused)
{
  for (uintptr_t i = 1; i < 10 * ROUNDS; i++) {
    uintptr_t key = i % 7 + 1;
    struct cairn_inline_cache_values found;
    if (cairn_inline_cache_find(&cache, key, &found))
      EXPECT(found.word[0] == 3 * key && found.word[1] == 5 * key);
    else
      EXPECT(cairn_inline_cache_fill(&cache, key, (struct cairn_inline_cache_values){{3 * key, 5 * key}}) == CAIRN_OK);
    uintptr_t value = cairn_patched_cache_find_data(&in_code, key);
    EXPECT(value == 0 || value == 3 * key);
    if (value == 0)
      EXPECT(cairn_patched_cache_fill(&in_code, key, 3 * key, NULL) == CAIRN_OK);
    if (i % 50 == 0)
      EXPECT((i % 100 ? cairn_inline_caches_clear_key(key) : cairn_inline_cache_clear(&in_code.data)) == CAIRN_OK);
  }
  return unused;
}

static void all(void **state)
{
  static void *(*const work[])(void *) = {load_and_unload, load_and_unload, look_up, patch, depend, invalidate, rely,
                                          use_caches,      use_caches};
  enum { THREADS = sizeof work / sizeof *work };
  pthread_t threads[THREADS];

  (void)state;
  load(&shared);
  one = (uintptr_t)shared.code + CODE_BYTES / 2;
  two = one + 1000;
  for (int i = 0; i < ROUNDS; i++)
    assert_non_null(assumptions[i] = cairn_assumption_new());
  assert_int_equal(cairn_inline_caches_add(&group), CAIRN_OK);
  assert_int_equal(cairn_patched_cache_add(&in_code, NULL), CAIRN_OK);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, work[i], NULL), 0);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  assert_null(cn_patch_images_wrong());
  for (int i = 0; i < ROUNDS; i++)
    cairn_assumption_free(assumptions[i]);
  assert_int_equal(cairn_patched_cache_remove(&in_code), CAIRN_OK);
  assert_int_equal(cairn_inline_caches_remove(&group), CAIRN_OK);
  module_unload(&shared);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(all)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
