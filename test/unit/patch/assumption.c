/* SPDX-License-Identifier: Apache-2.0
 *
 * Assumptions over code that the test makes. What would go wrong: an invalidation leaves a site, or stops several
 * times; a site that comes during or after an invalidation keeps its old code; a failed invalidation has patched or has
 * invalidated; sites of code that is gone are patched or kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <cairn/assumption.h>
#include "patch/batch.h"
#include "unit/patch/module.h"

bool __wrap_cn_native_stop_begin(void);
#include "unit/patch/counted_stops.h"

/* The operands of the calls lie in two words, and the targets differ in several bytes, so that each change needs
 * SPLIT_CALL_STOPS stops. */
enum { SITES = 40, SITE_BYTES = 16, SITE_OFFSET = 6 / CODE_UNIT * CODE_UNIT, TARGETS = 1000 };

/* A module with SITES sites that call a function, which returns 1 at `one`, 2 at `two`, 3 at `three`. */
struct code {
  struct module module;
  uintptr_t one, two, three;
};

static void code_load(struct code *code)
{
  module_begin(&code->module, 4096);
  for (uint32_t i = 0; i < SITES; i++) {
    module_site(&code->module, SITE_BYTES * i + SITE_OFFSET, CALL_BYTES);
    module_point(&code->module, SITE_BYTES * i + SITE_OFFSET, CALL_BYTES, i, CN_POINT_PATCHPOINT);
  }
  code->one = module_return(&code->module, TARGETS, 1);
  code->two = module_return(&code->module, 2 * TARGETS, 2);
  code->three = module_return(&code->module, 3 * TARGETS, 3);
  module_load(&code->module);
}

static struct cairn_patch *begin_calls(struct code *code, uint32_t first, uint32_t count, uintptr_t target)
{
  struct cairn_patch *patch = cairn_patch_begin();

  for (uint32_t i = first; i < first + count; i++) {
    struct cairn_point point = module_point_at(&code->module, SITE_BYTES * i + SITE_OFFSET);
    assert_int_equal(cairn_patch_call(patch, &point, target), CAIRN_OK);
  }
  return patch;
}

static void set_calls(struct code *code, uint32_t first, uint32_t count, uintptr_t target)
{
  assert_int_equal(module_commit(begin_calls(code, first, count, target)), CAIRN_OK);
}

static void depend(struct cairn_assumption *assumption, struct code *code, uint32_t first, uint32_t count,
                   uintptr_t target)
{
  struct cairn_patch_failure failure;

  assert_int_equal(cairn_assumption_depend(assumption, begin_calls(code, first, count, target), &failure), CAIRN_OK);
  assert_int_equal(failure.status, CAIRN_OK);
}

static void check_sites(const struct code *code, uint32_t first, uint32_t count, int result)
{
  for (uint32_t i = first; i < first + count; i++)
    assert_int_equal(module_run(&code->module, SITE_BYTES * i + SITE_OFFSET), result);
}

static void invalidate(struct cairn_assumption *assumption)
{
  struct cairn_patch_failure failure;

  assert_int_equal(cairn_assumption_invalidate(&assumption, 1, &failure), CAIRN_OK);
  assert_int_equal(failure.status, CAIRN_OK);
  assert_false(cairn_assumption_holds(assumption));
}

/* Sites of several registrations, one stop; nothing before, and the same at once afterwards. */
static void one_assumption(void **state)
{
  struct code code;
  struct cairn_assumption *assumption = cairn_assumption_new();

  (void)state;
  code_load(&code);
  set_calls(&code, 0, SITES, code.one);
  depend(assumption, &code, 0, 10, code.two);
  depend(assumption, &code, 10, 20, code.two);
  assert_true(cairn_assumption_holds(assumption));
  assert_int_equal(cairn_assumption_sites(assumption), 30);
  check_sites(&code, 0, SITES, 1);
  stops = 0;
  invalidate(assumption);
  assert_int_equal(stops, SPLIT_CALL_STOPS);
  assert_int_equal(cairn_assumption_sites(assumption), 0);
  check_sites(&code, 0, 30, 2);
  check_sites(&code, 30, 10, 1);
  stops = 0;
  invalidate(assumption); /* again */
  assert_int_equal(stops, 0);
  depend(assumption, &code, 30, 5, code.two);
  check_sites(&code, 30, 5, 2);
  check_sites(&code, 35, 5, 1);
  assert_int_equal(cairn_assumption_sites(assumption), 0);
  cairn_assumption_free(assumption);
  check_sites(&code, 0, 35, 2);
  module_unload(&code.module);
}

/* Several assumptions at once: shared sites get the first patch; an assumption may be there twice, or invalid. */
static void several(void **state)
{
  struct code code;
  struct cairn_assumption *a = cairn_assumption_new(), *b = cairn_assumption_new(), *c = cairn_assumption_new();
  struct cairn_assumption *all[] = {b, a, b, c, a};

  (void)state;
  code_load(&code);
  set_calls(&code, 0, SITES, code.one);
  invalidate(c);
  depend(a, &code, 0, 20, code.two);
  depend(b, &code, 10, 20, code.three);
  depend(b, &code, 10, 1, code.two); /* the first of this site counts */
  stops = 0;
  assert_int_equal(cairn_assumption_invalidate(all, 5, NULL), CAIRN_OK);
  assert_int_equal(stops, SPLIT_CALL_STOPS);
  check_sites(&code, 0, 10, 2);
  check_sites(&code, 10, 20, 3);
  check_sites(&code, 30, 10, 1);
  assert_false(cairn_assumption_holds(a) || cairn_assumption_holds(b));
  assert_int_equal(cairn_assumption_invalidate(all, 0, NULL), CAIRN_OK);
  cairn_assumption_free(a);
  cairn_assumption_free(b);
  cairn_assumption_free(c);
  module_unload(&code.module);
}

/* One after another: each invalidation makes its patches. */
static void in_turn(void **state)
{
  struct code code;
  struct cairn_assumption *a = cairn_assumption_new(), *b = cairn_assumption_new();

  (void)state;
  code_load(&code);
  depend(a, &code, 0, 2, code.two);
  depend(b, &code, 1, 2, code.three);
  invalidate(a);
  check_sites(&code, 0, 2, 2);
  invalidate(b);
  check_sites(&code, 0, 1, 2);
  check_sites(&code, 1, 2, 3);
  cairn_assumption_free(a);
  cairn_assumption_free(b);
  module_unload(&code.module);
}

/* Each failure of cairn_assumption_depend() leaves the assumption without the batch. */
static void bad_batches(void **state)
{
  struct code code, gone;
  struct cairn_patch_failure failure;
  struct cairn_assumption *assumption = cairn_assumption_new();

  (void)state;
  code_load(&code);
  code_load(&gone);
  struct cairn_point first = module_point_at(&code.module, SITE_OFFSET),
                     second = module_point_at(&code.module, SITE_BYTES + SITE_OFFSET);
  struct cairn_point lost = module_point_at(&gone.module, SITE_OFFSET);
  module_unload(&gone.module);
  for (int kind = 0; kind < 5; kind++) {
    static const enum cairn_status expected[] = {CAIRN_E_LENGTH, CAIRN_E_TWICE, CAIRN_E_GONE, CAIRN_E_MEMORY,
                                                 CAIRN_E_MEMORY};
    struct cairn_patch *patch = kind == 3 ? NULL : cairn_patch_begin();
    cairn_patch_call(patch, &second, code.one);
    cairn_patch_call(patch, &first, code.one);
    if (kind == 0)
      cairn_patch_add(patch, &second, "", 1);
    else if (kind == 1)
      cairn_patch_nops(patch, &first);
    else if (kind == 2)
      cairn_patch_nops(patch, &lost);
    assert_int_equal(cairn_assumption_depend(kind == 4 ? NULL : assumption, patch, &failure), expected[kind]);
    assert_int_equal(failure.status, expected[kind]);
    assert_true(failure.text[0] != 0);
    assert_int_equal(cairn_assumption_sites(assumption), 0);
  }
  struct cairn_assumption *with_null[] = {assumption, NULL};
  assert_int_equal(cairn_assumption_invalidate(with_null, 2, &failure), CAIRN_E_MEMORY);
  assert_true(cairn_assumption_holds(assumption) && !cairn_assumption_holds(NULL));
  assert_int_equal(cairn_assumption_sites(NULL), 0);
  cairn_assumption_free(NULL);
  cairn_assumption_free(assumption);
  module_unload(&code.module);
}

/* An invalidation that fails leaves assumptions and code as they are, and succeeds later. */
static void all_or_nothing(void **state)
{
  struct code code;
  struct cairn_patch_failure failure;
  struct cairn_assumption *all[] = {cairn_assumption_new(), cairn_assumption_new()};

  (void)state;
  code_load(&code);
  set_calls(&code, 0, SITES, code.one);
  depend(all[0], &code, 0, 10, code.two);
  depend(all[1], &code, 5, 10, code.three);
  cn_stop_exclude_stops();
  assert_int_equal(cairn_assumption_invalidate(all, 2, &failure), CAIRN_E_BUSY);
  cn_stop_permit_stops();
  assert_string_equal(failure.text, "the thread has stopped the others, or works for a thread that has");
  check_sites(&code, 0, SITES, 1);
  assert_true(cairn_assumption_holds(all[0]) && cairn_assumption_holds(all[1]));
  invalidate(all[1]);
  check_sites(&code, 0, 5, 1);
  check_sites(&code, 5, 10, 3);
  invalidate(all[0]);
  check_sites(&code, 0, 10, 2);
  cairn_assumption_free(all[0]);
  cairn_assumption_free(all[1]);
  module_unload(&code.module);
}

/* Code comes and goes: its sites are forgotten, those of other code stay, and the memory of the assumption is bounded.
 */
static void unloaded(void **state)
{
  enum { ROUNDS = 1000, EDITS = 1000 };
  struct code stays, goes;
  struct cairn_assumption *assumption = cairn_assumption_new();

  (void)state;
  code_load(&stays);
  depend(assumption, &stays, 0, SITES, stays.two);
  for (int i = 0; i < ROUNDS; i++) {
    code_load(&goes);
    depend(assumption, &goes, 0, SITES, goes.two);
    assert_int_equal(cairn_assumption_sites(assumption), 2 * SITES);
    module_unload(&goes.module);
    assert_int_equal(cairn_assumption_sites(assumption), SITES);
  }
  const struct cairn_patch *sites = (const struct cairn_patch *)assumption; /* its first member */
  assert_true(sites->edit_room <= EDITS * sizeof *sites->edits);
  invalidate(assumption);
  check_sites(&stays, 0, SITES, 2);
  cairn_assumption_free(assumption);
  module_unload(&stays.module);
}

/* ---- threads ---- */

enum { ASSUMPTIONS = 2000 };
static struct code shared;
static struct cairn_assumption *raced[ASSUMPTIONS];
static atomic_int at;

static void *invalidate_all(void *unused)
{
  for (int i = 0; i < ASSUMPTIONS; i++) {
    while (atomic_load(&at) < i)
      ;
    if (cairn_assumption_invalidate(&raced[i], 1, NULL) != CAIRN_OK)
      return &raced[i];
  }
  return unused;
}

/* A dependency and an invalidation at the same time: the site ends with the patch. */
static void race(void **state)
{
  pthread_t thread;
  void *failed;

  (void)state;
  code_load(&shared);
  for (int i = 0; i < ASSUMPTIONS; i++)
    raced[i] = cairn_assumption_new();
  assert_int_equal(pthread_create(&thread, NULL, invalidate_all, NULL), 0);
  for (int i = 0; i < ASSUMPTIONS; i++) {
    uint32_t site = (uint32_t)i % SITES;
    set_calls(&shared, site, 1, shared.one);
    atomic_store(&at, i);
    depend(raced[i], &shared, site, 1, shared.two);
    while (cairn_assumption_holds(raced[i]))
      ;
    check_sites(&shared, site, 1, 2);
  }
  assert_int_equal(pthread_join(thread, &failed), 0);
  assert_null(failed);
  for (int i = 0; i < ASSUMPTIONS; i++)
    cairn_assumption_free(raced[i]);
  module_unload(&shared.module);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_assumption), cmocka_unit_test(several),        cmocka_unit_test(in_turn),
      cmocka_unit_test(bad_batches),    cmocka_unit_test(all_or_nothing), cmocka_unit_test(unloaded),
      cmocka_unit_test(race),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
