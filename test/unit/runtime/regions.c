/* SPDX-License-Identifier: Apache-2.0
 *
 * Code regions. What would go wrong: a return address after a region's last call belongs to nobody
 * or to the neighbour, two regions own the same code, a walk looks at a table that another thread
 * has freed, a manager's data is freed while its callback runs, a callback waits for itself, the
 * child of a fork() for a thread that it has not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "aborts.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>
#include <stdio.h>
#include "mock_frames.h"
#include "runtime/arch/arch.h"
#include "runtime/walk/code_regions.h"
#include "runtime/walk/walk.h"

static void nowhere(struct cairn_stack_iterator *iterator, void *data)
{
  (void)data;
  cairn_stack_set(iterator, &(struct cairn_stack_state){.pc = NULL});
}

static const struct cairn_code_manager manager = {.name = "test", .previous = nowhere};

static enum cairn_status add(uintptr_t start, uintptr_t end)
{
  return cairn_code_region_add(&manager, start, end, (void *)start);
}

static void bounds(void **state)
{
  struct cn_code_region region;

  (void)state;
  assert_false(cn_code_regions_find(0x1000, &region));
  assert_int_equal(add(0x1000, 0x1000), CAIRN_E_BOUNDS);
  assert_int_equal(add(0x1000, 0xfff), CAIRN_E_BOUNDS);
  assert_int_equal(cairn_code_region_add(&(struct cairn_code_manager){.name = "none"}, 1, 2, NULL), CAIRN_E_BOUNDS);
  assert_int_equal(add(0x1000, 0x2000), CAIRN_OK);
  assert_int_equal(add(0x2000, 0x3000), CAIRN_OK);
  assert_int_equal(add(0x800, 0x1000), CAIRN_OK);
  assert_false(cn_code_regions_find(0x800, &region)); /* a call before it returns there */
  assert_true(cn_code_regions_find(0x801, &region));
  assert_int_equal(region.start, 0x800);
  assert_true(cn_code_regions_find(0x1000, &region));
  assert_int_equal(region.start, 0x800);
  assert_true(cn_code_regions_find(0x2000, &region));
  assert_int_equal(region.start, 0x1000);
  assert_ptr_equal(region.data, (void *)0x1000);
  assert_true(cn_code_regions_find(0x3000, &region));
  assert_false(cn_code_regions_find(0x3001, &region));
  assert_int_equal(cairn_code_region_remove(0x1800), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_code_region_remove(0x1000), CAIRN_OK);
  assert_int_equal(cairn_code_region_remove(0x1000), CAIRN_E_UNKNOWN);
  assert_false(cn_code_regions_find(0x2000, &region));
  assert_true(cn_code_regions_find(0x2001, &region));
  assert_int_equal(cairn_code_region_remove(0x800), CAIRN_OK);
  assert_int_equal(cairn_code_region_remove(0x2000), CAIRN_OK);
  assert_false(cn_code_regions_find(0x2001, &region));
}

static void overlaps(void **state)
{
  uintptr_t stubs_end, stubs = cn_arch_stubs_range(&stubs_end);
  struct mock_function functions[] = {{0x50000, 0x100, 0, NULL}, {0x40000, 0x100, 0, NULL}};
  static struct cairn_image image;

  (void)state;
  mock_image(&image, functions, 2);
  assert_int_equal(add(0x10000, 0x20000), CAIRN_OK);
  assert_int_equal(add(0x10000, 0x20000), CAIRN_E_OVERLAP);
  assert_int_equal(add(0x1ffff, 0x20001), CAIRN_E_OVERLAP);
  assert_int_equal(add(0xffff, 0x10001), CAIRN_E_OVERLAP);
  assert_int_equal(add(0x12000, 0x13000), CAIRN_E_OVERLAP);
  assert_int_equal(add(0x8000, 0x30000), CAIRN_E_OVERLAP);
  assert_int_equal(add(0, UINTPTR_MAX), CAIRN_E_OVERLAP);
  assert_int_equal(add(0x40080, 0x40090), CAIRN_E_OVERLAP); /* code with frame maps */
  assert_int_equal(add(0x4f000, 0x50001), CAIRN_E_OVERLAP);
  assert_int_equal(add(0x40100, 0x50000), CAIRN_OK);
  assert_int_equal(add(stubs_end - 1, stubs_end + 1), CAIRN_E_OVERLAP);
  assert_int_equal(add(stubs - 1, stubs + 1), CAIRN_E_OVERLAP);
  assert_int_equal(cairn_code_region_remove(0x10000), CAIRN_OK);
  assert_int_equal(cairn_code_region_remove(0x40100), CAIRN_OK);
  cairn_image_unregister(&image);
}

/* Each way into and out of a leaf of the table: first, last, between, full, emptied. */
static void leaves(void **state)
{
  enum { COUNT = 1000 };
  struct cn_code_region region;

  (void)state;
  for (int way = 0; way < 4; way++) {
    for (uintptr_t i = 0; i < COUNT; i++) {
      uintptr_t n = 1 + (way & 1 ? COUNT - 1 - i : i);
      assert_int_equal(add(n << 12, (n + 1) << 12), CAIRN_OK);
    }
    for (uintptr_t n = 1; n <= COUNT; n++) {
      assert_int_equal(add(n << 12, (n << 12) + 1), CAIRN_E_OVERLAP);
      assert_true(cn_code_regions_find((n << 12) + 1, &region));
      assert_int_equal(region.start, n << 12);
      assert_true(cn_code_regions_find((n + 1) << 12, &region));
      assert_int_equal(region.start, n << 12);
    }
    for (uintptr_t i = 0; i < COUNT; i++) {
      uintptr_t n = 1 + (way & 2 ? COUNT - 1 - i : i);
      assert_int_equal(cairn_code_region_remove(n << 12), CAIRN_OK);
      assert_false(cn_code_regions_find((n << 12) + 1, &region));
    }
    assert_false(cn_code_regions_exist());
  }
}

/* Many, in an order that is not theirs: each is found, none is lost when others go. */
static void many(void **state)
{
  enum { COUNT = 1021, STEP = 337 };
  struct cn_code_region region;

  (void)state;
  for (uintptr_t i = 0; i < COUNT; i++) {
    uintptr_t n = 1 + i * STEP % COUNT;
    assert_int_equal(add(n << 12, (n << 12) + 0x800), CAIRN_OK);
  }
  for (uintptr_t i = 0; i < COUNT; i++) {
    uintptr_t n = 1 + i * 7 * STEP % COUNT;
    for (uintptr_t j = 1; j <= COUNT; j += 50) {
      bool there = cn_code_regions_find((j << 12) + 0x400, &region);
      assert_false(there && region.start != j << 12);
    }
    assert_true(cn_code_regions_find((n << 12) + 0x800, &region));
    assert_int_equal(cairn_code_region_remove(n << 12), CAIRN_OK);
    assert_false(cn_code_regions_find((n << 12) + 0x800, &region));
  }
}

static void within(void **state)
{
  struct cn_code_region region;

  (void)state;
  assert_int_equal(add(0x1000, 0x2000), CAIRN_OK);
  assert_true(cn_code_regions_find(0x2000, &region));
  cn_code_regions_enter_region(&region);
  cn_code_regions_enter_region(&region);
  assert_int_equal(cairn_code_region_remove(0x1000), CAIRN_E_BUSY);
  assert_int_equal(add(0x3000, 0x4000), CAIRN_E_BUSY);
  cn_code_regions_leave_region();
  assert_int_equal(cairn_code_region_remove(0x1000), CAIRN_E_BUSY);
  cn_code_regions_leave_region();
  assert_int_equal(cairn_code_region_remove(0x1000), CAIRN_OK);
}

static void enter_what_is_gone(void)
{
  cn_code_regions_enter_region(&(struct cn_code_region){0x1000, 0x2000, &manager, NULL});
}

static void load_into(void)
{
  static struct cairn_image image;
  struct mock_function functions[] = {{0x50000, 0x100, 0, NULL}};

  add(0x500ff, 0x60000);
  mock_image(&image, functions, 1);
}

static void gone(void **state)
{
  (void)state;
  aborts(load_into, "compiled code at 0x50000 is loaded into the code region [0x500ff, 0x60000)");
  aborts(enter_what_is_gone, "the region was removed");
}

/* ---- threads ---- */

enum { REGIONS = 16, READERS = 2, ROUNDS = 400 };

static struct cell {
  _Atomic int alive;  /* between add and remove */
  _Atomic int inside; /* callbacks that use it */
} cells[REGIONS];
static _Atomic bool over;
static _Atomic unsigned long seen;

static void *read_regions(void *unused)
{
  struct cn_code_region region;

  (void)unused;
  for (unsigned i = 0; !atomic_load(&over); i++) {
    uintptr_t start = (1 + i % (2 * REGIONS)) << 12;
    if (!cn_code_regions_find(start + 8, &region))
      continue;
    assert_int_equal(region.start, start);
    atomic_fetch_add(&seen, 1);
  }
  return NULL;
}

/* Regions that stay can be entered while others come and go: what is read there was not freed. */
static void *call_back(void *unused)
{
  (void)unused;
  while (!atomic_load(&over))
    for (uintptr_t i = 1; i < REGIONS; i += 2) {
      struct cn_code_region region;
      assert_true(cn_code_regions_find(((1 + i) << 12) + 8, &region));
      cn_code_regions_enter_region(&region);
      struct cell *cell = region.data;
      atomic_fetch_add(&cell->inside, 1);
      assert_int_equal(atomic_load(&cell->alive), 1);
      atomic_fetch_sub(&cell->inside, 1);
      cn_code_regions_leave_region();
    }
  return NULL;
}

static void put(uintptr_t i)
{
  uintptr_t start = (1 + i) << 12;

  atomic_store(&cells[i].alive, 1);
  assert_int_equal(cairn_code_region_add(&manager, start, start + 0x100, &cells[i]), CAIRN_OK);
}

static void take(uintptr_t i)
{
  assert_int_equal(cairn_code_region_remove((1 + i) << 12), CAIRN_OK);
  assert_int_equal(atomic_load(&cells[i].inside), 0);
  atomic_store(&cells[i].alive, 0);
}

static void *change(void *first)
{
  for (int round = 0; round < ROUNDS; round++)
    for (uintptr_t i = (uintptr_t)first; i < REGIONS; i += 4) {
      put(i);
      take(i);
    }
  return NULL;
}

static void concurrently(void **state)
{
  pthread_t reader[READERS], caller[READERS], writer[2];

  (void)state;
  for (uintptr_t i = 1; i < REGIONS; i += 2)
    put(i);
  for (int i = 0; i < READERS; i++) {
    assert_int_equal(pthread_create(&reader[i], NULL, read_regions, NULL), 0);
    assert_int_equal(pthread_create(&caller[i], NULL, call_back, NULL), 0);
  }
  while (atomic_load(&seen) == 0) /* else the writers might be done before */
    sched_yield();
  for (uintptr_t i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&writer[i], NULL, change, (void *)(2 * i)), 0);
  for (int i = 0; i < 2; i++)
    pthread_join(writer[i], NULL);
  atomic_store(&over, true);
  for (int i = 0; i < READERS; i++) {
    pthread_join(reader[i], NULL);
    pthread_join(caller[i], NULL);
  }
  for (uintptr_t i = 1; i < REGIONS; i += 2)
    take(i);
}

static _Atomic int step;

static void *stay_inside(void *unused)
{
  struct cn_code_region region;

  (void)unused;
  assert_true(cn_code_regions_find(0x1008, &region));
  cn_code_regions_enter_region(&region);
  atomic_store(&step, 1);
  for (int i = 0; i < 2000; i++)
    sched_yield();
  assert_int_equal(atomic_load(&step), 1); /* the removal has not returned */
  cn_code_regions_leave_region();
  return NULL;
}

static void removal_waits(void **state)
{
  pthread_t thread;

  (void)state;
  assert_int_equal(add(0x1000, 0x2000), CAIRN_OK);
  assert_int_equal(pthread_create(&thread, NULL, stay_inside, NULL), 0);
  while (atomic_load(&step) == 0)
    sched_yield();
  assert_int_equal(cairn_code_region_remove(0x1000), CAIRN_OK);
  atomic_store(&step, 2);
  pthread_join(thread, NULL);
}

static void *stay_until_told(void *unused)
{
  struct cn_code_region region;

  (void)unused;
  assert_true(cn_code_regions_find(0x1008, &region));
  cn_code_regions_enter_region(&region);
  atomic_store(&step, 1);
  while (atomic_load(&step) == 1)
    sched_yield();
  cn_code_regions_leave_region();
  return NULL;
}

/* The child of a fork() has not the thread that is in a callback. */
static void forks(void **state)
{
  pthread_t thread;
  int status;

  (void)state;
  atomic_store(&step, 0);
  assert_int_equal(add(0x1000, 0x2000), CAIRN_OK);
  assert_int_equal(pthread_create(&thread, NULL, stay_until_told, NULL), 0);
  while (atomic_load(&step) == 0)
    sched_yield();
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(cairn_code_region_remove(0x1000) != CAIRN_OK);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  atomic_store(&step, 2);
  pthread_join(thread, NULL);
  assert_int_equal(cairn_code_region_remove(0x1000), CAIRN_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds),       cmocka_unit_test(overlaps),      cmocka_unit_test(leaves),
      cmocka_unit_test(many),         cmocka_unit_test(within),        cmocka_unit_test(gone),
      cmocka_unit_test(concurrently), cmocka_unit_test(removal_waits), cmocka_unit_test(forks),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
