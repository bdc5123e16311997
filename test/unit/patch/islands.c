/* SPDX-License-Identifier: Apache-2.0
 *
 * Islands: branches of regions to targets at both sides of their reach. What would go wrong: a branch goes elsewhere;
 * an island is made for a near target, or twice; a region changes although its target gets no island; a child changes
 * its parent's islands.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "patch/stub.h"
#include "unit/patch/module.h"

bool __wrap_cn_native_stop_begin(void);
#include "unit/patch/counted_stops.h"

static bool deny_code;
typedef void *pointer;
pointer __real_cn_map_code_near(uintptr_t near, uintptr_t reach, size_t bytes, uintptr_t *code);
pointer __wrap_cn_map_code_near(uintptr_t near, uintptr_t reach, size_t bytes, uintptr_t *code);
pointer __wrap_cn_map_code_near(uintptr_t near, uintptr_t reach, size_t bytes, uintptr_t *code)
{
  return deny_code ? NULL : __real_cn_map_code_near(near, reach, bytes, code);
}

/* Regions of a module, each as long as a near call. */
enum { CALLED = 8, JUMPED = 0x20, SHADOW = 0x40, FIRST = 0, SECOND = 1 };
static const uintptr_t base = 0x180000000000; /* of the module */

static void begin_module(struct module *m, uintptr_t address)
{
  module_begin_at(m, 4096, address);
  module_site(m, CALLED, CALL_BYTES);
  module_site(m, JUMPED, CALL_BYTES);
  module_site(m, SHADOW, CALL_BYTES);
  module_point(m, CALLED, CALL_BYTES, 1, CN_POINT_PATCHPOINT);
  module_point(m, JUMPED, CALL_BYTES, 2, CN_POINT_PATCHPOINT);
  module_point(m, SHADOW, CALL_BYTES, 3, CN_POINT_SHADOW);
  module_load(m);
}

/* A function at `address` that returns the number. */
static uintptr_t map_function(uintptr_t address, unsigned char number)
{
  struct module m = {.code = mmap((void *)address, 4096, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)};

  assert_ptr_equal(m.code, address);
  module_return(&m, 0, number);
  assert_int_equal(mprotect(m.code, 4096, PROT_READ | PROT_EXEC), 0);
  return address;
}

static enum cairn_status jump(const struct module *m, size_t offset, uintptr_t target)
{
  struct cairn_point point = module_point_at(m, offset);
  struct cairn_patch *patch = cairn_patch_begin();

  cairn_patch_jump(patch, &point, target);
  return module_commit(patch);
}

static bool is_near(uintptr_t address, uintptr_t near)
{
  return address - near + cn_machine_reach_bytes < 2 * cn_machine_reach_bytes;
}

/* Run all regions with branches to `target`. Returns the target of the branches, or of their island. */
static uintptr_t branch_to(const struct module *m, uintptr_t target, int number)
{
  uintptr_t code = (uintptr_t)m->code;

  assert_int_equal(module_call(m, CALLED, target), CAIRN_OK);
  assert_int_equal(jump(m, JUMPED, target), CAIRN_OK);
  assert_int_equal(module_call(m, SHADOW, target), CAIRN_OK);
  assert_int_equal(module_run(m, CALLED), number);
  assert_int_equal(module_run(m, JUMPED), number);
  assert_int_equal(module_run(m, SHADOW), number);
  uintptr_t at = branch_target(code + CALLED + CALL_BYTES);
  assert_true(branch_target(code + JUMPED + CALL_BYTES) == at);
  assert_true(branch_target(code + SHADOW + CALL_BYTES) == at);
  assert_true(is_near(at, code));
  return at;
}

static void distances(void **state)
{
  const intptr_t reach = (intptr_t)cn_machine_reach_bytes, mebibyte = 1 << 20, far = (intptr_t)6 << 30;
  const intptr_t near_distances[] = {reach - mebibyte, mebibyte - reach};
  const intptr_t far_distances[] = {reach + mebibyte, -reach - mebibyte, far, -far, (intptr_t)0x2f0102030000};
  struct module m;
  unsigned char number = 10;

  (void)state;
  begin_module(&m, base);
  for (size_t i = 0; i < sizeof near_distances / sizeof *near_distances; i++) {
    uintptr_t target = map_function(base + (uintptr_t)near_distances[i], ++number);
    assert_true(branch_to(&m, target, number) == target);
    munmap((void *)target, 4096);
  }
  for (size_t i = 0; i < sizeof far_distances / sizeof *far_distances; i++) {
    uintptr_t target = map_function(base + (uintptr_t)far_distances[i], ++number);
    uintptr_t island = branch_to(&m, target, number);
    assert_true(island != target);
    assert_true(cn_island_near(base, target) == island); /* that of the other regions */
    munmap((void *)target, 4096);
  }
  module_unload(&m);
}

/* A change from one island to another is the change of one operand. A module elsewhere has its own island. */
static void retargets(void **state)
{
  struct module m, other;
  uintptr_t targets[] = {map_function(0x100401000000, 5), map_function(0x200102030000, 6)};

  (void)state;
  begin_module(&m, base);
  begin_module(&other, base + 3 * cn_machine_reach_bytes);
  uintptr_t first = branch_to(&m, targets[FIRST], 5);
  stops = 0;
  assert_int_equal(module_call(&m, CALLED, targets[SECOND]), CAIRN_OK);
  assert_int_equal(module_run(&m, CALLED), 6);
  assert_int_equal(stops, 0);
  assert_int_equal(module_run(&m, JUMPED), 5);
  assert_int_equal(module_call(&m, CALLED, targets[FIRST]), CAIRN_OK);
  assert_true(branch_target((uintptr_t)m.code + CALLED + CALL_BYTES) == first);
  assert_int_equal(module_run(&m, CALLED), 5);
  assert_true(branch_to(&other, targets[FIRST], 5) != first);
  module_unload(&other);
  module_unload(&m);
  munmap((void *)targets[FIRST], 4096);
  munmap((void *)targets[SECOND], 4096);
}

/* Without memory for an island nothing changes, and the failure says what is out of reach. */
static void denied(void **state)
{
  static const char *const branches[] = {"call", "jump"};
  struct module m;
  struct cairn_patch_failure failure;
  char text[CAIRN_PATCH_TEXT_BYTES];

  (void)state;
  begin_module(&m, base + 9 * cn_machine_reach_bytes);
  deny_code = true;
  for (int i = 0; i < 2; i++) {
    struct cairn_point point = module_point_at(&m, i == 0 ? CALLED : JUMPED);
    struct cairn_patch *patch = cairn_patch_begin();
    uintptr_t target = point.address + point.length + ((uintptr_t)1 << 40);
    assert_int_equal(i == 0 ? cairn_patch_call(patch, &point, target) : cairn_patch_jump(patch, &point, target),
                     CAIRN_E_FAR);
    assert_int_equal(cairn_patch_commit(patch, &failure), CAIRN_E_FAR);
    snprintf(text, sizeof text,
             "the target is 1099511627776 bytes away, a %s reaches %s, and the region's neighbourhood has no room for "
             "an island",
             branches[i], cn_machine_reach_text);
    assert_string_equal(failure.text, text);
    assert_true(module_has_nops(&m, i == 0 ? CALLED : JUMPED));
  }
  deny_code = false;
  module_unload(&m);
}

/* Parent and child make islands in equal places, each unseen by the other. */
static void forked(void **state)
{
  struct module m;
  int status;
  uintptr_t targets[] = {map_function(0x100501000000, 7), map_function(0x200202030000, 8)};

  (void)state;
  begin_module(&m, base);
  pid_t child = fork();
  int own = child == 0 ? FIRST : SECOND;
  for (int round = 0; round < 2; round++) {
    bool good = module_call(&m, CALLED, targets[own]) == CAIRN_OK && module_run(&m, CALLED) == 7 + own;
    if (!good && child == 0)
      _exit(1);
    assert_true(good);
    own = !own;
  }
  if (child == 0)
    _exit(0);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  module_unload(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances),
      cmocka_unit_test(retargets),
      cmocka_unit_test(denied),
      cmocka_unit_test(forked),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
