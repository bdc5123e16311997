/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of stubs: near their callers, used again after a stop, copied by fork(); and points that call stubs. What
 * would go wrong: a stub out of reach, a place that is used again while a thread may be there, a child that changes its
 * parent's stubs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "patch/machine.h"
#include "patch/stub.h"
#include "runtime/core/lock.h"
#include "runtime/os/os.h"
#include "unit/patch/call_stub.h"
#include "unit/patch/module.h"

/* ---- places ---- */

enum { MANY = 3000 };
static struct cairn_patch_stub *many[MANY];
static int calls[MANY];

static void reuse_freed(void)
{
  assert_true(cn_lock_take(CN_LOCK_PATCH));
  cn_stubs_reuse_freed();
  cn_lock_release(CN_LOCK_PATCH);
}

static bool is_near(uintptr_t address, uintptr_t near)
{
  return address - near + cn_machine_reach_bytes < 2 * cn_machine_reach_bytes;
}

static void many_stubs(void **state)
{
  (void)state;
  for (int i = 0; i < MANY; i++) {
    many[i] = new_stub(count_calls, &calls[i]);
    assert_true(is_near(cairn_patch_stub_address(many[i]), (uintptr_t)call_stub));
  }
  for (int i = 0; i < MANY; i++)
    for (int j = 0; j < i % 3; j++)
      call(many[i]);
  for (int i = 0; i < MANY; i++)
    assert_int_equal(calls[i], i % 3);
}

/* A freed stub still works until a stop; then its place is used again. */
static void freed_stubs(void **state)
{
  uintptr_t place = cairn_patch_stub_address(many[7]);
  int count = 0;

  (void)state;
  reuse_freed();
  cairn_patch_stub_free(many[7]);
  many[7] = new_stub(count_calls, &count);
  assert_int_not_equal(cairn_patch_stub_address(many[7]), place);
  calls[7] = 0;
  before.call = place;
  call_registers();
  assert_int_equal(calls[7], 1);
  reuse_freed();
  struct cairn_patch_stub *again = new_stub(count_calls, &count);
  for (int i = 0; i < MANY && cairn_patch_stub_address(again) != place; i++)
    again = new_stub(count_calls, &count);
  assert_int_equal(cairn_patch_stub_address(again), place);
  call(again);
  assert_int_equal(count, 1);
  assert_int_equal(calls[7], 1);
}

/* Code elsewhere gets stubs near to it. */
static void near_each(void **state)
{
  static const uintptr_t bases[] = {0x400000, 0x10000000000, 0x7f0000000000};
  uintptr_t near[] = {bases[0], bases[1], bases[2], (uintptr_t)malloc, (uintptr_t)call_stub};

  (void)state;
  for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
    struct cairn_patch_stub *stub;
    assert_int_equal(cairn_patch_stub_new(count_calls, calls, near[i], &stub), CAIRN_OK);
    assert_true(is_near(cairn_patch_stub_address(stub), near[i]));
    int count = calls[0];
    call(stub);
    assert_int_equal(calls[0], count + 1);
    cairn_patch_stub_free(stub);
  }
}

/* ---- patched code ---- */

enum { SITES = 40, SITE_BYTES = 64 };
static int visits[SITES];

/* A module with sites of one to eight instructions, or of 5 to 12 bytes, at several alignments. */
static void make_sites(struct module *m)
{
  module_begin(m, SITES * SITE_BYTES);
  for (unsigned i = 0; i < SITES; i++) {
    unsigned start = i * SITE_BYTES + i % 16 / CODE_UNIT * CODE_UNIT;
    unsigned length = (unsigned)cn_machine_branch_bytes + i % 8 * CODE_UNIT;
    module_site(m, start, length);
    module_point(m, start, length, i, CN_POINT_SHADOW);
  }
  module_load(m);
}

/* Run the site by the code that loads and stores all registers. */
static void run_point(const struct cairn_point *point)
{
  before.call = point->address;
  fill_registers(&before);
  call_registers();
}

static struct cairn_point site(uint64_t id)
{
  struct cairn_point point;

  assert_int_equal(cairn_points_with_id(id, &point, 1), 1);
  return point;
}

/* One stub for all sites tells them apart by the address after the call. */
static uintptr_t visit_site(struct cairn_point_state *state)
{
  struct cairn_point point;

  if (cairn_point_at(state->resume - 1, &point) == CAIRN_OK && point.address + point.length == state->resume)
    visits[point.id]++;
  dirty_everything();
  return state->resume;
}

static void patch_sites(struct cairn_patch_stub *stub)
{
  struct cairn_patch *patch = cairn_patch_begin();

  for (unsigned i = 0; i < SITES; i++) {
    struct cairn_point point = site(i);
    enum cairn_status status = stub != NULL ? cairn_patch_call(patch, &point, cairn_patch_stub_address(stub))
                                            : cairn_patch_restore(patch, &point);
    assert_int_equal(status, CAIRN_OK);
  }
  assert_int_equal(cairn_patch_commit(patch, NULL), CAIRN_OK);
}

static void patched_sites(void **state)
{
  struct module m;

  (void)state;
  make_sites(&m);
  struct cairn_patch_stub *stub;
  assert_int_equal(cairn_patch_stub_new(visit_site, NULL, (uintptr_t)m.code, &stub), CAIRN_OK);
  for (int round = 1; round <= 3; round++) {
    patch_sites(stub);
    for (unsigned i = 0; i < SITES; i++) {
      struct cairn_point point = site(i);
      run_point(&point);
      assert_same_registers();
      assert_int_equal(visits[i], round);
    }
    patch_sites(NULL);
    for (unsigned i = 0; i < SITES; i++) {
      struct cairn_point point = site(i);
      run_point(&point);
      assert_int_equal(visits[i], round);
    }
  }
  reuse_freed(); /* other places */
  uintptr_t place = cairn_patch_stub_address(stub);
  cairn_patch_stub_free(stub);
  patch_sites(NULL); /* changes nothing, and stops nobody */
  assert_int_equal(cairn_patch_stub_new(visit_site, NULL, (uintptr_t)m.code, &stub), CAIRN_OK);
  assert_int_not_equal(cairn_patch_stub_address(stub), place);
  patch_sites(stub); /* a stop, if calls in place of no-ops need one */
  if (SPLIT_CALL_STOPS == 0)
    reuse_freed();
  struct cairn_patch_stub *again;
  assert_int_equal(cairn_patch_stub_new(visit_site, NULL, (uintptr_t)m.code, &again), CAIRN_OK);
  assert_int_equal(cairn_patch_stub_address(again), place);
  module_unload(&m);
}

/* Many freed stubs make the next commit stop the world, though its store needs no stop. */
static void many_freed_stubs(void **state)
{
  enum { FREED = 64 << 10 >> 6 };
  static struct cairn_patch_stub *freed[FREED];
  struct module m;

  (void)state;
  module_with_one_site(&m);
  assert_int_equal(module_call(&m, SITE, (uintptr_t)m.code + RETURNS_1), CAIRN_OK);
  for (int i = 0; i < FREED; i++)
    freed[i] = new_stub(count_calls, calls);
  for (int i = 0; i < FREED; i++) {
    assert_false(cn_stubs_want_stop());
    cairn_patch_stub_free(freed[i]);
  }
  assert_true(cn_stubs_want_stop());
  assert_int_equal(module_call(&m, SITE, (uintptr_t)m.code + RETURNS_2), CAIRN_OK);
  assert_false(cn_stubs_want_stop());
  assert_int_equal(module_run(&m, SITE), 2);
  module_unload(&m);
}

/* A child makes stubs in the places of its parent's, each unseen by the other. */
static void forked(void **state)
{
  int status, in_parent = 0, in_child = 0;

  (void)state;
  struct cairn_patch_stub *first = new_stub(count_calls, &in_parent), *second;
  cairn_patch_stub_free(first);
  reuse_freed();
  pid_t child = fork();
  if (child == 0) {
    second = new_stub(count_calls, &in_child);
    call(second);
    _exit(in_child == 1 && second == first ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  second = new_stub(count_calls, &in_parent);
  assert_ptr_equal(second, first);
  call(second);
  assert_int_equal(in_parent, 1);
  child = fork(); /* the child still runs its parent's stub, though the parent gives the place away */
  if (child == 0) {
    usleep(100);
    call(second);
    _exit(in_parent == 2 ? 0 : 1);
  }
  cairn_patch_stub_free(second);
  reuse_freed();
  new_stub(count_calls, &in_child);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static bool deny_copy, deny_code;
int __real_cn_os_copy_code(uintptr_t start, size_t bytes, int *error);
int __wrap_cn_os_copy_code(uintptr_t start, size_t bytes, int *error);
int __wrap_cn_os_copy_code(uintptr_t start, size_t bytes, int *error)
{
  return deny_copy ? -1 : __real_cn_os_copy_code(start, bytes, error);
}

/* A fork() that cannot copy slabs: each process leaves the common memory as it is, and makes new slabs. */
static void forked_without_copy(void **state)
{
  int status, count = 0, other = 0;

  (void)state;
  struct cairn_patch_stub *first = new_stub(count_calls, &count), *second = new_stub(count_calls, &count);
  deny_copy = true;
  pid_t child = fork();
  deny_copy = false;
  struct cairn_patch_stub *own = new_stub(count_calls, &other);
  call(own);
  call(first);
  cairn_patch_stub_free(second);
  reuse_freed();
  struct cairn_patch_stub *more = new_stub(count_calls, &other);
  bool good = count == 1 && other == 1 && own != second && more != second && more != own &&
              cairn_patch_stub_address(own) - cairn_patch_stub_address(first) > 64 << 10;
  if (child == 0)
    _exit(good ? 0 : 1);
  assert_true(good);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

typedef void *pointer;
pointer __real_cn_map_code_near(uintptr_t near, uintptr_t reach, size_t bytes, uintptr_t *code);
pointer __wrap_cn_map_code_near(uintptr_t near, uintptr_t reach, size_t bytes, uintptr_t *code);
pointer __wrap_cn_map_code_near(uintptr_t near, uintptr_t reach, size_t bytes, uintptr_t *code)
{
  return deny_code ? NULL : __real_cn_map_code_near(near, reach, bytes, code);
}

static void denied(void **state)
{
  struct cairn_patch_stub *stub = (struct cairn_patch_stub *)&calls;

  (void)state;
  deny_code = true;
  assert_int_equal(cairn_patch_stub_new(count_calls, calls, 0x200000000000, &stub), CAIRN_E_CODE);
  assert_null(stub);
  deny_code = false;
  static const uintptr_t unmappable[] = {0x900000000000, 0xffff900000000000};
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(cairn_patch_stub_new(count_calls, calls, unmappable[i], &stub), CAIRN_E_CODE);
    assert_null(stub);
  }
  cairn_patch_stub_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_stubs),          cmocka_unit_test(freed_stubs),
      cmocka_unit_test(near_each),           cmocka_unit_test(denied),
      cmocka_unit_test(patched_sites),       cmocka_unit_test(forked),
      cmocka_unit_test(forked_without_copy), cmocka_unit_test(many_freed_stubs),
  };

  find_level();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
