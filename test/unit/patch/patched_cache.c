/* SPDX-License-Identifier: Apache-2.0
 *
 * Inline caches in code that the test makes. What would go wrong: a point keeps an entry that was cleared between the
 * reading of the data and the write of the code; a copy of the point, or a point that is loaded later, is left out; a
 * point of another form is patched; a failure leaves the cache registered.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <cairn/patched_cache.h>
#include "runtime/threads/stop.h"
#include "unit/patch/module.h"

enum { ID = 7, SECOND = 256 };

static unsigned stops;
static uintptr_t cleared_key; /* cleared before the next stop */

bool __real_cn_native_stop_begin(void);
bool __wrap_cn_native_stop_begin(void);
bool __wrap_cn_native_stop_begin(void)
{
  uintptr_t key = cleared_key;

  stops++;
  cleared_key = 0;
  if (key != 0)
    assert_int_equal(cairn_inline_caches_clear_key(key), CAIRN_OK);
  return __real_cn_native_stop_begin();
}

/* A point of the form of a patched cache, with the key and the result in the registers of a function in C. */
static void add_point(struct module *m, uint32_t start, uint32_t length, uint16_t arguments)
{
  const struct cn_point_value key = {.kind = CN_POINT_REGISTER, .bits = 64, .loc = {.is_register = 1, .reg = ARGUMENT}};
  const struct cn_point_value result = {
      .kind = CN_POINT_REGISTER, .bits = 64, .loc = {.is_register = 1, .reg = RESULT}};

  module_site(m, start, length);
  struct cn_map_point *point = module_point(m, start, length, ID, CN_POINT_PATCHPOINT);
  point->point.has_result = true;
  point->point.arguments = arguments;
  cn_push(&point->values, result);
  cn_push(&point->values, key);
  point->point.values = 2;
}

static void load(struct module *m)
{
  module_begin(m, 4096);
  add_point(m, 0, CAIRN_PATCHED_CACHE_BYTES, 1);
  add_point(m, SECOND, CAIRN_PATCHED_CACHE_BYTES, 1);
  module_load(m);
}

static uintptr_t find(const struct module *m, size_t at, uintptr_t key)
{
  return run_site((uintptr_t)m->code + at, key);
}

/* Each fill is one stop for both points; the code has the entries in each stage. */
static void stages(void **state)
{
  static struct cairn_patched_cache cache = {.id = ID};
  struct module m;

  (void)state;
  load(&m);
  assert_int_equal(cairn_patched_cache_add(&cache, NULL), CAIRN_OK);
  assert_int_equal(cairn_patched_cache_add(&cache, NULL), CAIRN_E_OVERLAP);
  assert_int_equal(find(&m, 0, 1), 0);
  for (uintptr_t key = 1; key <= 6; key++) {
    stops = 0;
    assert_int_equal(cairn_patched_cache_fill(&cache, key, 10 * key, NULL), CAIRN_OK);
    assert_int_equal(stops, key <= 5);
    assert_int_equal(cairn_patched_cache_fill(&cache, key, 10 * key, NULL), CAIRN_OK);
    assert_int_equal(stops, key <= 5);
    for (uintptr_t k = 1; k <= 7; k++) {
      assert_int_equal(find(&m, 0, k), key <= 4 && k <= key ? 10 * k : 0);
      assert_int_equal(find(&m, SECOND, k), key <= 4 && k <= key ? 10 * k : 0);
      assert_int_equal(cairn_patched_cache_find_data(&cache, k), k <= key ? 10 * k : 0);
    }
  }
  assert_int_equal(cairn_inline_cache_clear(&cache.data), CAIRN_OK);
  assert_int_equal(cairn_patched_cache_fill(&cache, 3, 5, NULL), CAIRN_OK);
  assert_int_equal(cairn_patched_cache_fill(&cache, 3, 6, NULL), CAIRN_OK); /* another value */
  assert_int_equal(find(&m, SECOND, 3), 6);
  assert_int_equal(cairn_patched_cache_remove(&cache), CAIRN_OK);
  assert_int_equal(cairn_patched_cache_remove(&cache), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_patched_cache_fill(&cache, 3, 6, NULL), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_patched_cache_renew(&cache, NULL), CAIRN_E_UNKNOWN);
  module_unload(&m);
}

/* A key is cleared between the reading of the data and the stop. */
static void cleared_meanwhile(void **state)
{
  static struct cairn_patched_cache cache = {.id = ID};
  struct module m;

  (void)state;
  load(&m);
  assert_int_equal(cairn_patched_cache_add(&cache, NULL), CAIRN_OK);
  assert_int_equal(cairn_patched_cache_fill(&cache, 1, 10, NULL), CAIRN_OK);
  cleared_key = 1;
  assert_int_equal(cairn_patched_cache_fill(&cache, 2, 20, NULL), CAIRN_OK);
  assert_int_equal(find(&m, 0, 1), 0);
  assert_int_equal(find(&m, 0, 2), 20);
  cleared_key = 3;
  assert_int_equal(cairn_patched_cache_fill(&cache, 3, 30, NULL), CAIRN_OK);
  assert_int_equal(find(&m, 0, 3), 0);
  assert_int_equal(cairn_patched_cache_remove(&cache), CAIRN_OK);
  module_unload(&m);
}

/* All caches that a clear changes are patched in one stop. */
static void one_stop(void **state)
{
  static struct cairn_patched_cache caches[] = {{.id = ID}, {.id = ID + 1}, {.id = ID + 2}};
  struct module m;

  (void)state;
  load(&m);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(cairn_patched_cache_add(&caches[i], NULL), CAIRN_OK);
    assert_int_equal(cairn_patched_cache_fill(&caches[i], 1, 10, NULL), CAIRN_OK);
  }
  stops = 0;
  assert_int_equal(cairn_inline_caches_clear_key(1), CAIRN_OK);
  assert_int_equal(stops, 1);
  assert_int_equal(find(&m, 0, 1), 0);
  assert_int_equal(cairn_inline_caches_clear_range(1, 100), CAIRN_OK);
  assert_int_equal(stops, 1);
  for (int i = 0; i < 3; i++)
    assert_int_equal(cairn_patched_cache_remove(&caches[i]), CAIRN_OK);
  module_unload(&m);
}

/* Code that comes later has the entries after cairn_patched_cache_renew(); code that goes is left out. */
static void renewed(void **state)
{
  static struct cairn_patched_cache cache = {.id = ID};
  struct module m, later;

  (void)state;
  load(&m);
  assert_int_equal(cairn_patched_cache_add(&cache, NULL), CAIRN_OK);
  assert_int_equal(cairn_patched_cache_fill(&cache, 1, 10, NULL), CAIRN_OK);
  load(&later);
  assert_int_equal(cairn_patched_cache_renew(&cache, NULL), CAIRN_OK);
  assert_int_equal(find(&later, SECOND, 1), 10);
  module_unload(&m);
  assert_int_equal(cairn_patched_cache_fill(&cache, 2, 20, NULL), CAIRN_OK);
  assert_int_equal(find(&later, 0, 2), 20);
  module_unload(&later);
  assert_int_equal(cairn_patched_cache_fill(&cache, 3, 30, NULL), CAIRN_OK); /* without points */
  assert_int_equal(cairn_patched_cache_remove(&cache), CAIRN_OK);
}

/* Points of another form or length, and failures of the write. */
static void bad(void **state)
{
  static struct cairn_patched_cache cache = {.id = ID};
  struct cairn_patch_failure failure;
  struct module m;

  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    module_begin(&m, 4096);
    add_point(&m, 0, kind == 0 ? 100 : CAIRN_PATCHED_CACHE_BYTES, kind == 0 ? 1 : 0);
    module_load(&m);
    assert_int_equal(cairn_patched_cache_add(&cache, &failure), kind == 0 ? CAIRN_E_ROOM : CAIRN_E_SHAPE);
    assert_string_equal(failure.text, kind == 0 ? "a patched inline cache needs 144 bytes, and the region has 100"
                                                : "the point is no patched inline cache");
    assert_true(failure.address == (uintptr_t)m.code);
    assert_int_equal(cairn_patched_cache_remove(&cache), CAIRN_E_UNKNOWN);
    module_unload(&m);
  }
  load(&m);
  assert_int_equal(cairn_patched_cache_add(&cache, NULL), CAIRN_OK);
  cn_stop_exclude_stops();
  assert_int_equal(cairn_patched_cache_fill(&cache, 1, 10, &failure), CAIRN_E_BUSY);
  cn_stop_permit_stops();
  assert_int_equal(find(&m, 0, 1), 0);
  assert_int_equal(cairn_patched_cache_find_data(&cache, 1), 10);
  assert_int_equal(cairn_patched_cache_fill(&cache, 1, 10, &failure), CAIRN_OK); /* the code comes now */
  assert_int_equal(failure.status, CAIRN_OK);
  assert_int_equal(find(&m, 0, 1), 10);
  assert_int_equal(cairn_patched_cache_fill(&cache, 0, 10, NULL), CAIRN_E_BOUNDS);
  assert_int_equal(cairn_patched_cache_fill(&cache, 1, 0, NULL), CAIRN_E_BOUNDS);
  assert_int_equal(cairn_patched_cache_remove(&cache), CAIRN_OK);
  module_unload(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stages),   cmocka_unit_test(cleared_meanwhile),
      cmocka_unit_test(one_stop), cmocka_unit_test(renewed),
      cmocka_unit_test(bad),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
