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
#include "unit/patch/module.h"

bool __wrap_cn_native_stop_begin(void);
#include "unit/patch/counted_stops.h"

#if defined(__aarch64__)
static const unsigned char other_code[] = {0xe2, 0x03, 0x03, 0xaa}; /* mov x2, x3 */
#else
static const unsigned char other_code[] = {0xf8}; /* clc */
#endif

/* Code in which no store may change an instruction while threads run it. */
static void fill_other_code(unsigned char *code, size_t length)
{
  for (size_t at = 0; at < length; at += CODE_UNIT)
    memcpy(code + at, other_code, CODE_UNIT);
}

/* Calls set and changed, code restored. */
static void calls(void **state)
{
  enum { SPLIT = 0x25 / CODE_UNIT * CODE_UNIT, LONG = 0x40, LONG_BYTES = 20 };
  struct module m;

  (void)state;
  module_begin(&m, 0x20000);
  module_site(&m, SITE, CALL_BYTES);  /* on x86-64 the operand is in one word */
  module_site(&m, SPLIT, CALL_BYTES); /* ... and in two */
  module_site(&m, LONG, LONG_BYTES);
  fill_other_code(m.code + SITE, CALL_BYTES); /* each region has other code before the first patch */
  fill_other_code(m.code + SPLIT, CALL_BYTES);
  fill_other_code(m.code + LONG, LONG_BYTES);
  module_point(&m, SITE, CALL_BYTES, 1, CN_POINT_PATCHPOINT);
  module_point(&m, SPLIT, CALL_BYTES, 2, CN_POINT_PATCHPOINT);
  module_point(&m, LONG, LONG_BYTES, 3, CN_POINT_STATEPOINT);
  uintptr_t one = module_return(&m, 0x100, 1), two = module_return(&m, 0x10300, 2);
  module_load(&m);
  unsigned char before[0x60];
  memcpy(before, m.code, sizeof before);

  stops = 0;
  assert_int_equal(module_call(&m, SITE, one), CAIRN_OK);
  assert_int_equal(module_run(&m, SITE), 1);
  assert_int_equal(stops, 1);
  assert_int_equal(module_call(&m, SITE, two), CAIRN_OK);
  assert_int_equal(module_run(&m, SITE), 2);
  assert_int_equal(stops, 1); /* without a stop */
  assert_int_equal(module_call(&m, SITE, two), CAIRN_OK);
  assert_int_equal(stops, 1);
  assert_int_equal(module_call(&m, SPLIT, one), CAIRN_OK);
  assert_int_equal(module_call(&m, SPLIT, two), CAIRN_OK);
  assert_int_equal(module_run(&m, SPLIT), 2);
  assert_int_equal(stops, 2 + SPLIT_CALL_STOPS);
  assert_int_equal(module_call(&m, LONG, one), CAIRN_OK);
  assert_int_equal(module_run(&m, LONG), 1);
  assert_true(cn_machine_is_nops(m.code + LONG, LONG_BYTES - CALL_BYTES)); /* the call ends at the region's end */
  assert_false(cn_machine_is_nops(m.code + LONG, LONG_BYTES));

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
static uintptr_t map_distant(uintptr_t near, uintptr_t at, unsigned char number)
{
  struct module m = {.code = mmap((void *)at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};

  assert_ptr_not_equal(m.code, MAP_FAILED);
  assert_true((uintptr_t)m.code - near + cn_machine_reach_bytes > 2 * cn_machine_reach_bytes);
  module_return(&m, 0, number);
  assert_int_equal(mprotect(m.code, 4096, PROT_READ | PROT_EXEC), 0);
  return (uintptr_t)m.code;
}

/* Targets out of reach; the constant in one word, and in two; by an island, if the region is too short, or all
 * registers may be in use. */
static void far_calls(void **state)
{
  static const size_t places[] = {6 / CODE_UNIT * CODE_UNIT, 0x2b / CODE_UNIT * CODE_UNIT};
  enum { SHORT = 0x50, SHADOW = 0x70 };
  struct module m;

  (void)state;
  module_begin(&m, 4096);
  for (uint32_t i = 0; i < 2; i++) {
    module_site(&m, places[i], FAR_CALL_BYTES);
    module_point(&m, (uint32_t)places[i], FAR_CALL_BYTES, i + 1, i == 0 ? CN_POINT_PATCHPOINT : CN_POINT_STATEPOINT);
  }
  module_site(&m, SHORT, FAR_CALL_BYTES - CODE_UNIT);
  module_site(&m, SHADOW, FAR_CALL_BYTES);
  module_point(&m, SHORT, FAR_CALL_BYTES - CODE_UNIT, 3, CN_POINT_PATCHPOINT);
  module_point(&m, SHADOW, FAR_CALL_BYTES, 4, CN_POINT_SHADOW);
  module_load(&m);
  uintptr_t five = map_distant((uintptr_t)m.code, 0x100401000000, 5);
  uintptr_t six = map_distant((uintptr_t)m.code, 0x200102030000, 6);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(module_call(&m, places[i], five), CAIRN_OK);
    assert_int_equal(module_run(&m, places[i]), 5);
    stops = 0;
    assert_int_equal(module_call(&m, places[i], six), CAIRN_OK);
    assert_int_equal(module_run(&m, places[i]), 6);
    assert_int_equal(stops, CODE_UNIT > 1 || (places[i] + 2) % 8 != 0);
  }
  assert_int_equal(module_call(&m, SHORT, five), CAIRN_OK);
  assert_int_equal(module_run(&m, SHORT), 5);
  assert_int_equal(module_call(&m, SHADOW, five), CAIRN_OK);
  assert_int_equal(module_run(&m, SHADOW), 5);
  module_unload(&m);
}

/* Eight bytes of code, which end with a return, and eight more of no-ops. */
static void return_after_nops(unsigned char bytes[16])
{
  struct cairn_assembler code;

  assert_int_equal(cn_machine_fill_nops(bytes, 16), CAIRN_OK);
  cairn_assembler_begin(&code, bytes + 8 - CODE_UNIT, CODE_UNIT, 0);
  assert_int_equal(cairn_assemble_return(&code), CAIRN_OK);
}

/* Each failure, and that nothing has changed after it. */
static void failures(void **state)
{
  enum { SMALL = CALL_BYTES - 1 };
  struct module m, other;
  unsigned char bytes[16];
  char too_small[80];
  struct cairn_patch_failure failure;

  (void)state;
  snprintf(too_small, sizeof too_small, "a call needs %d bytes, and the region has %d", CALL_BYTES, SMALL);
  return_after_nops(bytes);
  module_begin(&m, 4096);
  module_begin(&other, 4096);
  module_site(&m, 0, 8);
  module_site(&m, 32, 8);
  module_point(&m, 0, 8, 1, CN_POINT_PATCHPOINT);
  module_point(&m, 12, 0, 1, CN_POINT_SHADOW);
  module_point(&m, 16, SMALL, 2, CN_POINT_PATCHPOINT);
  module_point(&m, 32, 8, 3, CN_POINT_STATEPOINT);
  module_point(&other, 0, 8, 9, CN_POINT_PATCHPOINT);
  uintptr_t one = module_return(&m, 0x100, 1);
  static const uint64_t mark = CAIRN_ABI_MANAGED_MARK;
  memcpy(m.code + 0x200, &mark, sizeof mark);
  module_load(&m);
  module_load(&other);
  unsigned char before[0x80];
  memcpy(before, m.code, sizeof before);
  struct cairn_point first = module_point_at(&m, 0), empty = module_point_at(&m, 12), small = module_point_at(&m, 16),
                     statepoint = module_point_at(&m, 32), gone = module_point_at(&other, 0);
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
      {CAIRN_E_ROOM, too_small, &small, NULL, 0, one},
      {CAIRN_E_SHAPE, NULL, &statepoint, bytes, 8, 0},
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
  assert_int_equal(
      cn_machine_fill_call(bytes, 8, statepoint.address, (uintptr_t)m.code + 0x208 + CAIRN_ABI_ENTRY_SIZE, false),
      CAIRN_OK);
  assert_memory_equal(m.code + 32, bytes, 8);
  cairn_patch_abandon(cairn_patch_begin());
  module_unload(&m);
}

/* Jumps, nops and the program's own bytes. */
static void jumps_and_bytes(void **state)
{
  enum { OWN = 16, OWN_BYTES = 12 };
  unsigned char returns_three[OWN_BYTES];
  struct cairn_assembler code;
  struct module m;

  (void)state;
  module_begin(&m, 4096);
  module_site(&m, 0, 8);
  module_site(&m, OWN, OWN_BYTES);
  module_point(&m, 0, 8, 1, CN_POINT_SHADOW);
  module_point(&m, OWN, OWN_BYTES, 2, CN_POINT_SHADOW);
  cairn_assembler_begin(&code, returns_three, OWN_BYTES, 0);
  cairn_assemble_constant(&code, RESULT, 3, 4);
  cairn_assemble_return(&code);
  assert_int_equal(cairn_assembler_end(&code), CAIRN_OK);
  uintptr_t one = module_return(&m, 0x100, 1);
  module_load(&m);
  struct cairn_point first = module_point_at(&m, 0), second = module_point_at(&m, OWN);
  struct cairn_patch *patch = cairn_patch_begin();
  assert_int_equal(cairn_patch_jump(patch, &first, one), CAIRN_OK);
  assert_int_equal(cairn_patch_add(patch, &second, returns_three, sizeof returns_three), CAIRN_OK);
  assert_int_equal(module_commit(patch), CAIRN_OK);
  assert_int_equal(module_run(&m, 0), 1);
  assert_int_equal(module_run(&m, OWN), 3);
  patch = cairn_patch_begin();
  assert_int_equal(cairn_patch_nops(patch, &first), CAIRN_OK);
  assert_int_equal(cairn_patch_add(patch, &second, returns_three, 1), CAIRN_E_LENGTH);
  assert_int_equal(module_commit(patch), CAIRN_E_LENGTH);
  assert_int_equal(module_run(&m, 0), 1);
  module_unload(&m);
}

/* A batch of many sites in many modules is one stop. */
static void one_stop(void **state)
{
  enum { MODULES = 20, SITES = 200, SITE_BYTES = 32 };
  static struct module all[MODULES];
  struct cairn_patch *patch = cairn_patch_begin();

  (void)state;
  for (int i = 0; i < MODULES; i++) {
    module_begin(&all[i], SITES * SITE_BYTES);
    for (uint32_t k = 0; k < SITES; k++) {
      module_site(&all[i], SITE_BYTES * k, FAR_CALL_BYTES);
      fill_other_code(all[i].code + SITE_BYTES * k, FAR_CALL_BYTES);
      module_point(&all[i], SITE_BYTES * k, FAR_CALL_BYTES, k, CN_POINT_PATCHPOINT);
    }
    module_load(&all[i]);
  }
  for (int i = 0; i < MODULES; i++)
    for (uint32_t k = 0; k < SITES; k++) {
      struct cairn_point point = module_point_at(&all[i], SITE_BYTES * k);
      assert_int_equal(cairn_patch_call(patch, &point, k % 2 ? (uintptr_t)returns_five : (uintptr_t)returns_six),
                       CAIRN_OK);
    }
  stops = 0;
  assert_int_equal(module_commit(patch), CAIRN_OK);
  assert_int_equal(stops, 1);
  for (int i = 0; i < MODULES; i++) {
    for (uint32_t k = 0; k < SITES; k++)
      assert_int_equal(module_run(&all[i], SITE_BYTES * k), k % 2 ? 5 : 6);
    module_unload(&all[i]);
  }
}

/* ---- threads ---- */

enum { ALIGNMENTS = 128, STRIDE = 128 + CODE_UNIT, RUNNERS = 2 };
static struct module storm;
static atomic_bool storm_ends;

static void *run_sites(void *unused)
{
  unsigned long count = 0;

  (void)unused;
  while (!atomic_load_explicit(&storm_ends, memory_order_relaxed))
    for (size_t i = 0; i < ALIGNMENTS; i++, count++) {
      int result = module_run(&storm, i * STRIDE);
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
  module_begin(&storm, ALIGNMENTS * STRIDE + 256);
  for (uint32_t i = 0; i < ALIGNMENTS; i++) {
    module_site(&storm, i * STRIDE, CALL_BYTES);
    module_point(&storm, i * STRIDE, CALL_BYTES, i, CN_POINT_PATCHPOINT);
  }
  uintptr_t one = module_return(&storm, ALIGNMENTS * STRIDE, 1),
            two = module_return(&storm, ALIGNMENTS * STRIDE + 16, 2);
  module_load(&storm);
  struct cairn_patch *patch = cairn_patch_begin();
  for (size_t i = 0; i < ALIGNMENTS; i++) {
    points[i] = module_point_at(&storm, i * STRIDE);
    cairn_patch_call(patch, &points[i], one);
  }
  assert_int_equal(module_commit(patch), CAIRN_OK);
  for (int i = 0; i < RUNNERS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, run_sites, NULL), 0);
  stops = 0;
  for (unsigned i = 0; i < ROUNDS; i++) {
    const struct cairn_point *point = &points[i % ALIGNMENTS];
    if (SPLIT_CALL_STOPS != 0 && (point->address + 1) / 8 != (point->address + 4) / 8)
      continue; /* needs a stop */
    patch = cairn_patch_begin();
    cairn_patch_call(patch, point, i / ALIGNMENTS % 2 ? one : two);
    assert_int_equal(cairn_patch_commit(patch, NULL), CAIRN_OK);
    assert_int_equal(module_run(&storm, i % ALIGNMENTS * STRIDE), i / ALIGNMENTS % 2 ? 1 : 2);
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
  assert_int_equal(module_call(&m, SITE, (uintptr_t)m.code + RETURNS_1), CAIRN_OK);
  cn_stop_exclude_stops();
  assert_int_equal(module_call(&m, SITE, (uintptr_t)m.code + RETURNS_2), CAIRN_E_BUSY);
  cn_stop_permit_stops();
  assert_int_equal(module_run(&m, SITE), 1);
  module_unload(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls),    cmocka_unit_test(far_calls),
      cmocka_unit_test(failures), cmocka_unit_test(jumps_and_bytes),
      cmocka_unit_test(one_stop), cmocka_unit_test(retarget_storm),
      cmocka_unit_test(busy),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
