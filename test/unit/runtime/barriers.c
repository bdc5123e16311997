/* SPDX-License-Identifier: Apache-2.0
 *
 * Slow paths of barriers, called as compiled code calls them; logs; kinds. What would go wrong: a
 * register or a vector is lost, a store is logged nowhere, a log dies with its thread, code of one
 * kind runs with a collector of another, or takes blocks that the collector is to see.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cairn/heap_object.h>
#include <cairn/thread.h>
#include "aborts.h"
#include "managed_code.h"
#include "runtime/threads/stop.h"

extern void cairn_barrier_snapshot(void), cairn_barrier_load(void), cairn_barrier_range(void);

static uintptr_t told[4], field[2] = {0x77, 0};
static unsigned char cards[8];

static void tell(struct cairn_mutator *mutator, uintptr_t word)
{
  assert_ptr_equal(mutator, &cairn_mutator);
  told[0] = word;
  told[1]++;
  change_vectors();
}

static void log_old(struct cairn_mutator *mutator, uintptr_t old)
{
  tell(mutator, old);
}

static uintptr_t heal(struct cairn_mutator *mutator, struct cairn_slot slot, uintptr_t value)
{
  tell(mutator, (uintptr_t)slot.address);
  return value + 1;
}

static void range(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end)
{
  tell(mutator, start);
  told[2] = end;
}

static struct cairn_collector all;

static void choose(void)
{
  cairn_set_collector(&all);
}

static void call(void (*stub)(void), uint64_t first, uint64_t second, bool returns, uint64_t *result)
{
  struct file before = fill(), after;

  memset(told, 0, sizeof told);
  before.gpr[ARGUMENT] = first;
  before.gpr[SECOND_ARGUMENT] = second;
  preserved(&before, &after, stub);
  assert_preserved(&before, &after, returns);
  if (returns)
    *result = after.gpr[RESULT];
}

/* ---- slow paths ---- */

static void old_values_and_loads(void **state)
{
  uint64_t result;

  (void)state;
  if (!wide())
    skip();
  call(cairn_barrier_snapshot, (uintptr_t)&field[0], 0, false, NULL);
  assert_int_equal(told[0], 0x77);
  call(cairn_barrier_snapshot, (uintptr_t)&field[1], 0, false, NULL);
  assert_int_equal(told[1], 0); /* null */
  call(cairn_barrier_load, (uintptr_t)&field[0], 0x1000, true, &result);
  assert_int_equal(told[0], (uintptr_t)&field[0]);
  assert_int_equal(result, 0x1001);
}

static void ranges(void **state)
{
  (void)state;
  if (!wide())
    skip();
  call(cairn_barrier_range, 0x1234, 100, false, NULL);
  assert_int_equal(told[0], 0x1234);
  assert_int_equal(told[2], 0x1234 + 100);
  call(cairn_barrier_range, 0x1234, 0, false, NULL);
  assert_int_equal(told[1], 0);

  all.barriers = CAIRN_ABI_BARRIERS_CARDS;
  cairn_barrier_cards(cards, 7);
  memset(cards, 0, sizeof cards);
  call(cairn_barrier_range, 3 * 512 - 1, 2, false, NULL); /* the last byte of one, the first of another */
  for (int i = 0; i < 8; i++)
    assert_int_equal(cards[i], i == 2 || i == 3);
  call(cairn_barrier_range, 7 * 512, 512 + 1, false, NULL); /* round the end of the table */
  for (int i = 0; i < 8; i++)
    assert_int_equal(cards[i], i == 2 || i == 3 || i == 7 || i == 0);
  call(cairn_barrier_range, 7 * 512, UINT64_C(1) << 40, false, NULL);
  for (int i = 0; i < 8; i++)
    assert_int_equal(cards[i], 1);
  all.barriers = CAIRN_ABI_BARRIERS_LOADS;
}

/* ---- the words of threads ---- */

static void *attaches(void *unused)
{
  (void)unused;
  cairn_thread_attach();
  assert_ptr_equal(cairn_mutator.cards, cards);
  assert_int_equal(cairn_mutator.card_mask, 7);
  assert_int_equal(cairn_mutator.barrier, 5);
  for (uintptr_t i = 1; i <= 10000; i++)
    cairn_log(&cairn_mutator, i);
  return NULL;
}

static void take(void *env, uintptr_t word)
{
  uintptr_t *sums = env;

  sums[0]++;
  sums[1] += word;
}

static void other_threads(void **state)
{
  uintptr_t sums[2] = {0, 0};
  pthread_t thread;

  (void)state;
  assert_int_equal(cairn_barrier_word_handshake(5, CAIRN_ASK_FOREVER), CAIRN_OK);
  assert_int_equal(cairn_mutator.barrier, 5);
  for (int i = 0; i < 3; i++) {
    pthread_create(&thread, NULL, attaches, NULL);
    pthread_join(thread, NULL);
  }
  for (uintptr_t i = 1; i <= 5000; i++)
    cairn_log(&cairn_mutator, i);
  assert_int_equal(cairn_logs_handshake(take, sums, CAIRN_ASK_FOREVER), CAIRN_OK);
  assert_int_equal(sums[0], 35000);
  assert_int_equal(sums[1], 3 * 50005000 + 12502500);
  assert_int_equal(cairn_logs_handshake(take, sums, CAIRN_ASK_FOREVER), CAIRN_OK);
  assert_int_equal(sums[0], 35000);

  cn_stop_begin(NULL);
  cairn_barrier_word(0);
  cairn_barrier_cards(NULL, 0);
  cairn_logs_take(take, sums);
  cn_stop_end(NULL);
  assert_int_equal(cairn_mutator.barrier, 0);
  assert_int_equal(*cairn_mutator.cards, 1);
}

/* A handler that comes between any two instructions of cairn_log() logs as well. */
static void in_handler(int signal)
{
  (void)signal;
  for (uintptr_t i = 0; i < 3000; i++)
    cairn_log(&cairn_mutator, 1);
}

static void *interrupts(void *target)
{
  for (int i = 0; i < 100; i++)
    pthread_kill(*(pthread_t *)target, SIGUSR1);
  return NULL;
}

static void handlers_log(void **state)
{
  struct sigaction action = {.sa_handler = in_handler};
  uintptr_t sums[2] = {0, 0}, logged = 0;
  pthread_t self = pthread_self(), thread;

  (void)state;
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, interrupts, &self);
  for (; logged < 2000000; logged++)
    cairn_log(&cairn_mutator, 2);
  pthread_join(thread, NULL);
  assert_int_equal(cairn_logs_handshake(take, sums, CAIRN_ASK_FOREVER), CAIRN_OK);
  assert_int_equal((sums[0] - logged) % 3000, 0); /* whole handlers */
  assert_int_equal(sums[1] - 2 * logged, sums[0] - logged);
}

/* ---- kinds ---- */

static struct cairn_image other;

static void kinds_are_refused(void **state)
{
  struct cairn_collector right = all;

  (void)state;
  all.barriers = 8;
  aborts(choose, "collector 'all' needs barriers of kind 8, which are unknown to this runtime");
  for (all.barriers = 1; all.barriers < CAIRN_ABI_BARRIERS_SNAPSHOT; all.barriers++)
    aborts(choose, "unknown to this runtime");
  all.barriers = CAIRN_ABI_BARRIERS_LOADS;
  all.heal = NULL;
  aborts(choose, "collector 'all' needs barriers of kind loads, and does not have the function heal");
  all = right;
  all.barrier_range = NULL;
  aborts(choose, "does not have the function barrier_range");
  all = right;
  all.barriers = CAIRN_ABI_BARRIERS_SNAPSHOT;
  all.log_old = NULL;
  aborts(choose, "does not have the function log_old");
  all = right;
  other = image;
  other.flags = (uint64_t)CAIRN_ABI_BARRIERS_SNAPSHOT << CAIRN_ABI_IMAGE_BARRIERS_SHIFT;
  cairn_image_register(&other);
  aborts(choose, "unit_runtime_barriers was compiled with barriers of kind snapshot, and collector "
                 "'all' needs those of kind loads: compile it with -fcairn-barriers=loads");
  cairn_image_unregister(&other);
  other.flags = (uint64_t)CAIRN_ABI_BARRIERS_CARDS_1 << CAIRN_ABI_IMAGE_BARRIERS_SHIFT;
  cairn_image_register(&other);
  aborts(choose, "was compiled with barriers of kind cards, of an earlier version, and collector "
                 "'all' needs those of kind loads: compile it with -fcairn-barriers=loads");
  cairn_image_unregister(&other);
  other.flags = UINT64_C(3) << CAIRN_ABI_IMAGE_BARRIERS_SHIFT;
  cairn_image_register(&other);
  aborts(choose, "was compiled with barriers of kind unknown, and collector 'all' needs those of kind loads");
  cairn_image_unregister(&other);
}

/* Flags of code that allocates blocks of up to so many bytes in line. */
static uint64_t in_line(uint64_t bytes)
{
  return (uint64_t)CAIRN_ABI_BARRIERS_LOADS << CAIRN_ABI_IMAGE_BARRIERS_SHIFT | (bytes | 1)
                                                                                    << CAIRN_ABI_IMAGE_INLINE_SHIFT;
}

static void sizes_are_refused(void **state)
{
  (void)state;
  other = image;
  other.flags = in_line(264);
  cairn_image_register(&other);
  aborts(choose, "unit_runtime_barriers allocates blocks of up to 264 bytes in line, and collector "
                 "'all' lets those of up to 256 bytes be allocated so: compile it with "
                 "-fcairn-inline-max=256");
  cairn_image_unregister(&other);
  /* Another image of the same code has its sections. */
  other.frames_start = other.frames_stop = NULL;
  other.roots_start = other.roots_stop = NULL;
  other.layouts_start = other.layouts_stop = NULL;
  cairn_image_register(&other);
  aborts(choose, "allocates blocks of up to 264 bytes in line, and collector 'all'");
  cairn_image_unregister(&other);
  all.largest_in_line = 7;
  aborts(choose, "up to 256 bytes in line, and collector 'all' lets those of up to 7 bytes be "
                 "allocated so: compile it with -fcairn-inline-max=0");
  all.largest_in_line = 256;
}

static uint64_t other_flags;

static void register_other(void)
{
  other = image;
  other.flags = other_flags;
  cairn_image_register(&other);
}

static void images_that_come_later(void **state)
{
  (void)state;
  choose(); /* the heap is there from now on */
  aborts(register_other, "was compiled with barriers of kind none, and collector 'all'");
  other_flags = in_line(0) & ~((uint64_t)1 << CAIRN_ABI_IMAGE_INLINE_SHIFT);
  aborts(register_other, "allocates blocks of up to 8184 bytes in line, and collector 'all'");
  other_flags = in_line(264);
  aborts(register_other, "allocates blocks of up to 264 bytes in line, and collector 'all'");
  other_flags = in_line(0);
  register_other();
  cairn_image_unregister(&other);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_are_refused),
      cmocka_unit_test(sizes_are_refused),
      cmocka_unit_test(images_that_come_later),
      cmocka_unit_test(old_values_and_loads),
      cmocka_unit_test(ranges),
      cmocka_unit_test(other_threads),
      cmocka_unit_test(handlers_log),
  };

  image.flags = in_line(256);
  map_functions();
  all = shifting;
  all.name = "all";
  all.barriers = CAIRN_ABI_BARRIERS_LOADS;
  all.largest_in_line = 256;
  all.log_old = log_old;
  all.heal = heal;
  all.barrier_range = range;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
