/* SPDX-License-Identifier: Apache-2.0
 *
 * Points patched in code that the test makes. What would go wrong: the code is another; a batch that fails has written;
 * a retarget stops the world, or other code does not; a thread that runs through a site meets neither target.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include "runtime/threads/stop.h"
#include "unit/patch/module.h"

static unsigned stops;

bool __real_cn_native_stop_begin(void);
bool __wrap_cn_native_stop_begin(void);
bool __wrap_cn_native_stop_begin(void)
{
  stops++;
  return __real_cn_native_stop_begin();
}

/* Calls set and changed, code restored. */
static void calls(void **state)
{
  struct module m;

  (void)state;
  module_begin(&m, 0x20000);
  module_site(&m, 3, 5);    /* the operand is in one word */
  module_site(&m, 0x25, 5); /* the operand is in two */
  module_site(&m, 0x40, 20);
  memset(m.code + 0x25, 0xf8, 5); /* each region has other code before the first patch */
  memset(m.code + 0x40, 0xf5, 20);
  module_point(&m, 3, 5, 1, CN_POINT_PATCHPOINT);
  module_point(&m, 0x25, 5, 2, CN_POINT_PATCHPOINT);
  module_point(&m, 0x40, 20, 3, CN_POINT_STATEPOINT);
  uintptr_t one = module_return(&m, 0x100, 1), two = module_return(&m, 0x10300, 2);
  module_load(&m);
  unsigned char before[0x60];
  memcpy(before, m.code, sizeof before);

  stops = 0;
  assert_int_equal(module_call(&m, 3, one), CAIRN_OK);
  assert_int_equal(module_run(&m, 3), 1);
  assert_int_equal(stops, 1);
  assert_int_equal(module_call(&m, 3, two), CAIRN_OK);
  assert_int_equal(module_run(&m, 3), 2);
  assert_int_equal(stops, 1); /* without a stop */
  assert_int_equal(module_call(&m, 3, two), CAIRN_OK);
  assert_int_equal(stops, 1);
  assert_int_equal(module_call(&m, 0x25, one), CAIRN_OK);
  assert_int_equal(module_call(&m, 0x25, two), CAIRN_OK);
  assert_int_equal(module_run(&m, 0x25), 2);
  assert_int_equal(stops, 3);
  assert_int_equal(module_call(&m, 0x40, one), CAIRN_OK);
  assert_int_equal(module_run(&m, 0x40), 1);
  assert_int_equal(m.code[0x40 + 15], 0xe8); /* ends at the region's end */

  struct cairn_patch *patch = cairn_patch_begin();
  struct cairn_point points[3];
  assert_int_equal(cairn_points_of_function((uintptr_t)m.code, points, 3), 3);
  for (int i = 0; i < 3; i++)
    assert_int_equal(cairn_patch_restore(patch, &points[i]), CAIRN_OK);
  stops = 0;
  assert_int_equal(module_commit(patch), CAIRN_OK);
  assert_int_equal(stops, 1);
  assert_memory_equal(m.code, before, sizeof before);
  module_unload(&m);
}

static int returns_five(void)
{
  return 5;
}
static int returns_six(void)
{
  return 6;
}

/* A function far from all others, whose address differs in many bytes. */
static uintptr_t distant_six(void)
{
  static const unsigned char code[] = {0xb8, 6, 0, 0, 0, 0xc3};
  unsigned char *page = mmap((void *)0x200102030000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  assert_ptr_not_equal(page, MAP_FAILED);
  memcpy(page, code, sizeof code);
  assert_int_equal(mprotect(page, 4096, PROT_READ | PROT_EXEC), 0);
  return (uintptr_t)page;
}

/* Targets further than 2 GiB away; the constant in one word, and in two. */
static void far_calls(void **state)
{
  struct module m;

  (void)state;
  module_begin(&m, 4096);
  assert_true((uintptr_t)m.code - (uintptr_t)returns_five > (uintptr_t)1 << 31);
  module_site(&m, 6, 13);
  module_site(&m, 0x23, 13);
  module_site(&m, 0x40, 12);
  module_site(&m, 0x60, 13);
  module_point(&m, 6, 13, 1, CN_POINT_PATCHPOINT);
  module_point(&m, 0x23, 13, 2, CN_POINT_STATEPOINT);
  module_point(&m, 0x40, 12, 3, CN_POINT_PATCHPOINT);
  module_point(&m, 0x60, 13, 4, CN_POINT_SHADOW);
  module_load(&m);
  uintptr_t six = distant_six();
  for (size_t at = 6; at <= 0x23; at += 0x1d) {
    assert_int_equal(module_call(&m, at, (uintptr_t)returns_five), CAIRN_OK);
    assert_int_equal(module_run(&m, at), 5);
    stops = 0;
    assert_int_equal(module_call(&m, at, six), CAIRN_OK);
    assert_int_equal(module_run(&m, at), 6);
    assert_int_equal(stops, (at + 2) % 8 != 0);
  }
  assert_int_equal(module_call(&m, 0x40, (uintptr_t)returns_five), CAIRN_E_FAR);
  assert_int_equal(module_call(&m, 0x60, (uintptr_t)returns_five), CAIRN_E_FAR);
  module_unload(&m);
}

/* Each failure, and that nothing has changed after it. */
static void failures(void **state)
{
  static const unsigned char bytes[16] = {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3};
  struct module m, other;
  struct cairn_patch_failure failure;

  (void)state;
  module_begin(&m, 4096);
  module_begin(&other, 4096);
  module_site(&m, 0, 8);
  module_site(&m, 16, 4);
  module_site(&m, 32, 8);
  module_point(&m, 0, 8, 1, CN_POINT_PATCHPOINT);
  module_point(&m, 12, 0, 1, CN_POINT_SHADOW);
  module_point(&m, 16, 4, 2, CN_POINT_PATCHPOINT);
  module_point(&m, 32, 8, 3, CN_POINT_STATEPOINT);
  module_point(&m, 48, 8, 4, CN_POINT_SHADOW);
  module_point(&other, 0, 8, 9, CN_POINT_PATCHPOINT);
  uintptr_t one = module_return(&m, 0x100, 1);
  static const uint64_t mark = CAIRN_ABI_MANAGED_MARK;
  memcpy(m.code + 0x200, &mark, sizeof mark);
  module_load(&m);
  module_load(&other);
  unsigned char before[0x80];
  memcpy(before, m.code, sizeof before);
  struct cairn_point first = module_point_at(&m, 0), empty = module_point_at(&m, 12), small = module_point_at(&m, 16),
                     statepoint = module_point_at(&m, 32), shadow = module_point_at(&m, 48),
                     gone = module_point_at(&other, 0);
  const struct {
    enum cairn_status status;
    const char *text; /* null: the status's */
    const struct cairn_point *point;
    const void *bytes; /* null: a call of `target` */
    size_t length;
    uintptr_t target;
  } cases[] = {
      {CAIRN_E_LENGTH, "the new code has 7 bytes, and the region has 8", &first, bytes, 7, 0},
      {CAIRN_E_LENGTH, "the new code has 9 bytes, and the region has 8", &first, bytes, 9, 0},
      {CAIRN_E_ROOM, "the region of the point is empty", &empty, bytes, 0, 0},
      {CAIRN_E_ROOM, "a call needs 5 bytes, and the region has 4", &small, NULL, 0, one},
      {CAIRN_E_FAR, "the target is 4294967288 bytes away: a call needs 13 bytes, and the region has 8", &first, NULL, 0,
       first.address + ((uintptr_t)1 << 32)},
      {CAIRN_E_FAR, "the target is -4294967304 bytes away, and a call here reaches 2 GiB", &shadow, NULL, 0,
       shadow.address - ((uintptr_t)1 << 32)},
      {CAIRN_E_SHAPE, NULL, &statepoint, bytes + 1, 8, 0},
      {CAIRN_E_REFUSED, "only a statepoint calls a managed function, which may collect", &first, NULL, 0,
       (uintptr_t)m.code + 0x208},
      {CAIRN_E_TWICE, NULL, &first, bytes, 8, 0},
      {CAIRN_E_GONE, NULL, &gone, bytes, 8, 0},
  };
  module_unload(&other);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cairn_patch *patch = cairn_patch_begin();
    assert_int_equal(cairn_patch_call(patch, &first, one), CAIRN_OK);
    if (cases[i].bytes != NULL)
      cairn_patch_add(patch, cases[i].point, cases[i].bytes, cases[i].length);
    else
      cairn_patch_call(patch, cases[i].point, cases[i].target);
    assert_int_equal(cairn_patch_nops(patch, &statepoint), CAIRN_OK); /* later calls hide no failure */
    assert_int_equal(cairn_patch_commit(patch, &failure), cases[i].status);
    const char *text = cases[i].text != NULL ? cases[i].text : cairn_status_text(cases[i].status);
    assert_string_equal(failure.text, text);
    assert_true(failure.address == cases[i].point->address);
    assert_memory_equal(m.code, before, sizeof before);
  }
  assert_int_equal(cairn_patch_call(NULL, &first, one), CAIRN_E_MEMORY);
  assert_int_equal(cairn_patch_commit(NULL, &failure), CAIRN_E_MEMORY);
  assert_string_equal(failure.text, "there is no batch: memory was exhausted when it began");
  assert_int_equal(module_call(&m, 32, (uintptr_t)m.code + 0x208), CAIRN_OK); /* a managed function's body */
  int32_t distance;
  memcpy(&distance, m.code + 36, sizeof distance);
  assert_true((uintptr_t)m.code + 40 + (uintptr_t)(intptr_t)distance ==
              (uintptr_t)m.code + 0x208 + CAIRN_ABI_ENTRY_SIZE);
  cairn_patch_abandon(cairn_patch_begin());
  module_unload(&m);
}

/* Jumps, nops and the program's own bytes. */
static void other_code(void **state)
{
  static const unsigned char returns_three[] = {0x6a, 0x03, 0x58, 0xc3, 0x90};
  struct module m;

  (void)state;
  module_begin(&m, 4096);
  module_site(&m, 0, 8);
  module_site(&m, 16, 5);
  module_point(&m, 0, 8, 1, CN_POINT_SHADOW);
  module_point(&m, 16, 5, 2, CN_POINT_SHADOW);
  uintptr_t one = module_return(&m, 0x100, 1);
  module_load(&m);
  struct cairn_point first = module_point_at(&m, 0), second = module_point_at(&m, 16);
  struct cairn_patch *patch = cairn_patch_begin();
  assert_int_equal(cairn_patch_jump(patch, &first, one), CAIRN_OK);
  assert_int_equal(cairn_patch_add(patch, &second, returns_three, sizeof returns_three), CAIRN_OK);
  assert_int_equal(module_commit(patch), CAIRN_OK);
  assert_int_equal(module_run(&m, 0), 1);
  assert_int_equal(module_run(&m, 16), 3);
  patch = cairn_patch_begin();
  assert_int_equal(cairn_patch_nops(patch, &first), CAIRN_OK);
  assert_int_equal(cairn_patch_jump(patch, &second, (uintptr_t)returns_five), CAIRN_E_FAR);
  assert_int_equal(module_commit(patch), CAIRN_E_FAR);
  assert_int_equal(module_run(&m, 0), 1);
  module_unload(&m);
}

/* A batch of many sites in many modules is one stop. */
static void one_stop(void **state)
{
  enum { MODULES = 20, SITES = 200 };
  static struct module all[MODULES];
  struct cairn_patch *patch = cairn_patch_begin();

  (void)state;
  for (int i = 0; i < MODULES; i++) {
    module_begin(&all[i], 4096);
    for (uint32_t k = 0; k < SITES; k++) {
      module_site(&all[i], 16 * k, 13);
      module_point(&all[i], 16 * k, 13, k, CN_POINT_PATCHPOINT);
    }
    module_load(&all[i]);
  }
  for (int i = 0; i < MODULES; i++)
    for (uint32_t k = 0; k < SITES; k++) {
      struct cairn_point point = module_point_at(&all[i], 16 * k);
      assert_int_equal(cairn_patch_call(patch, &point, k % 2 ? (uintptr_t)returns_five : (uintptr_t)returns_six),
                       CAIRN_OK);
    }
  stops = 0;
  assert_int_equal(module_commit(patch), CAIRN_OK);
  assert_int_equal(stops, 1);
  for (int i = 0; i < MODULES; i++) {
    for (uint32_t k = 0; k < SITES; k++)
      assert_int_equal(module_run(&all[i], 16 * k), k % 2 ? 5 : 6);
    module_unload(&all[i]);
  }
}

/* ---- threads ---- */

enum { ALIGNMENTS = 128, RUNNERS = 2 };
static struct module storm;
static atomic_bool storm_ends;

static void *run_sites(void *unused)
{
  unsigned long count = 0;

  (void)unused;
  while (!atomic_load_explicit(&storm_ends, memory_order_relaxed))
    for (size_t i = 0; i < ALIGNMENTS; i++, count++) {
      int result = module_run(&storm, i * 129);
      if (result != 1 && result != 2)
        return (void *)1;
    }
  return count > 0 ? NULL : (void *)2;
}

/* Native threads run through sites of every alignment, whose targets change without a stop. The threads are no
 * mutators, so no stop would hold them. */
static void retarget_storm(void **state)
{
  enum { ROUNDS = 20000 };
  pthread_t threads[RUNNERS];
  struct cairn_point points[ALIGNMENTS];
  unsigned retargets = 0;

  (void)state;
  module_begin(&storm, ALIGNMENTS * 129 + 256);
  for (uint32_t i = 0; i < ALIGNMENTS; i++) {
    module_site(&storm, i * 129, 5);
    module_point(&storm, i * 129, 5, i, CN_POINT_PATCHPOINT);
  }
  uintptr_t one = module_return(&storm, ALIGNMENTS * 129, 1), two = module_return(&storm, ALIGNMENTS * 129 + 16, 2);
  module_load(&storm);
  struct cairn_patch *patch = cairn_patch_begin();
  for (size_t i = 0; i < ALIGNMENTS; i++) {
    points[i] = module_point_at(&storm, i * 129);
    cairn_patch_call(patch, &points[i], one);
  }
  assert_int_equal(module_commit(patch), CAIRN_OK);
  for (int i = 0; i < RUNNERS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, run_sites, NULL), 0);
  stops = 0;
  for (unsigned i = 0; i < ROUNDS; i++) {
    const struct cairn_point *point = &points[i % ALIGNMENTS];
    if ((point->address + 1) / 8 != (point->address + 4) / 8)
      continue; /* needs a stop */
    patch = cairn_patch_begin();
    cairn_patch_call(patch, point, i / ALIGNMENTS % 2 ? one : two);
    assert_int_equal(cairn_patch_commit(patch, NULL), CAIRN_OK);
    assert_int_equal(module_run(&storm, i % ALIGNMENTS * 129), i / ALIGNMENTS % 2 ? 1 : 2);
    retargets++;
  }
  assert_int_equal(stops, 0);
  assert_true(retargets > ROUNDS / 2);
  atomic_store(&storm_ends, true);
  for (int i = 0; i < RUNNERS; i++) {
    void *result;
    assert_int_equal(pthread_join(threads[i], &result), 0);
    assert_null(result);
  }
  module_unload(&storm);
}

/* A thread that has stopped others gets a status. */
static void busy(void **state)
{
  struct module m;

  (void)state;
  module_with_one_site(&m);
  assert_int_equal(module_call(&m, 3, (uintptr_t)m.code + 0x100), CAIRN_OK);
  cn_stop_exclude_stops();
  assert_int_equal(module_call(&m, 3, (uintptr_t)m.code + 0x110), CAIRN_E_BUSY);
  cn_stop_permit_stops();
  assert_int_equal(module_run(&m, 3), 1);
  module_unload(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls),      cmocka_unit_test(far_calls), cmocka_unit_test(failures),
      cmocka_unit_test(other_code), cmocka_unit_test(one_stop),  cmocka_unit_test(retarget_storm),
      cmocka_unit_test(busy),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
