/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembly stubs, called by hand-written managed functions. What would go wrong: a register is
 * lost over a poll, a register that the collector updated comes back stale, an argument or result
 * is lost on the way to native code. Collections are the tests' own: the collector adds MOVE to
 * every root (managed_code.h). stubs_signals.c has the signals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cairn/abi.h>
#include <cairn/stack.h>
#include "aborts.h"
#include "managed_code.h"
#include "runtime/arch/arch.h"
#include "runtime/core/image.h"
#include "runtime/core/hooks.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/core/poll_word.h"
#include "runtime/safepoints/safepoint.h"
#include "unit/as_managed.h"

static void polls_preserve_all(void **state)
{
  struct file before = fill(), after;
  uint64_t count = cairn_mutator.safepoints;

  (void)state;
  if (!wide())
    skip();
  preserved(&before, &after, cairn_poll_slow);
  assert_preserved(&before, &after, false);
  assert_int_equal(cairn_mutator.safepoints, count + 1);
}

/* A poll that looks at the word itself goes no further while that is 0. */
static void calls_poll(void **state)
{
  struct file before = fill(), after;
  uint64_t count = cairn_mutator.safepoints;

  (void)state;
  if (!wide())
    skip();
  cn_poll_word_disarm(&cairn_mutator, CN_POLL_REASON_STRESS);
  assert_int_equal(cairn_mutator.poll, 0);
  preserved(&before, &after, cairn_poll);
  assert_preserved(&before, &after, false);
  assert_int_equal(cairn_mutator.safepoints, count);
  cn_poll_word_arm(&cairn_mutator, CN_POLL_REASON_STRESS);
  preserved(&before, &after, cairn_poll);
  assert_preserved(&before, &after, false);
  assert_int_equal(cairn_mutator.safepoints, count + 1);
  cn_poll_word_disarm(&cairn_mutator, CN_POLL_REASON_STRESS);
}

static void allocations(void **state)
{
  struct file before = fill(), after;

  (void)state;
  if (!wide())
    skip();
  before.gpr[ARGUMENT] = (uint64_t)&layouts.object;
  preserved(&before, &after, cairn_alloc_slow);
  assert_preserved(&before, &after, true);
  const uintptr_t *object = (const uintptr_t *)after.gpr[RESULT];
  assert_int_equal(object[-1], (uintptr_t)&layouts.object);
  assert_int_equal(object[0] | object[1] | object[2], 0);

  before.gpr[ARGUMENT] = (uint64_t)&layouts.array;
  before.gpr[SECOND_ARGUMENT] = 7;
  preserved(&before, &after, cairn_alloc_indexed_slow);
  assert_preserved(&before, &after, true);
  assert_ptr_equal(after.gpr[RESULT], object + 3 + 2);
  object = (const uintptr_t *)after.gpr[RESULT];
  assert_int_equal(object[-1], (uintptr_t)&layouts.array);
  assert_int_equal(object[-2], 7 << 1 | 1);

  memset((void *)(object + 3), 0x5a, 64);
  preserved(&before, &after, cairn_alloc_uninit_slow);
  assert_preserved(&before, &after, true);
  assert_ptr_equal(after.gpr[RESULT], object + 3 + 2);
  object = (const uintptr_t *)after.gpr[RESULT];
  assert_int_equal(object[-1], (uintptr_t)&layouts.array);
  assert_int_equal(object[-2], 7 << 1 | 1);
  assert_int_equal(object[0], 0x5a5a5a5a5a5a5a5a);
  assert_int_equal(object[2], 0x5a5a5a5a5a5a5a5a);
}

static uint64_t arguments(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  assert_int_equal(a * 10000000 + b * 1000000 + c * 100000 + d * 10000 + e * 1000 + f * 100 + g * 10 + h, 12345678);
  assert_true(x == 0.5);
  return 1000;
}

/* Native code uses callee-saved registers and then has the collector move what they were for its
 * caller. */
static uint64_t collects(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  arguments(a, b, c, d, e, f, g, h, x);
  change_saved_registers();
  cairn_collect();
  return 2000;
}

static uint64_t nests(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  arguments(a, b, c, d, e, f, g, h, x);
  return crossing(collects, 5) + 3000; /* 5 + MOVE + 2000 + 3000 */
}

static void transitions(void **state)
{
  uint64_t frames = cn_stats.frames;

  (void)state;
  cn_mutator_get_attached((uintptr_t)__builtin_return_address(0));
  struct cn_anchor *anchor = cairn_mutator.anchor;
  assert_int_equal(crossing(arguments, 5), 1005);
  assert_int_equal(crossing(collects, 7), 2007 + MOVE);
  assert_int_equal(cn_stats.frames, frames + 1);
  assert_int_equal(crossing(nests, 1), 5 + MOVE + 5000 + 1 + MOVE);
  assert_int_equal(cn_stats.frames, frames + 3);
  assert_ptr_equal(cairn_mutator.anchor, anchor);
}

/* A collection that leaves other values in vector registers, or null. */
static void collect_everywhere(void (*dirty)(void))
{
  dirty_vectors = dirty;
  cn_options.stress = dirty != NULL;
}

/* ---- the public iterator, from native code ---- */

static uintptr_t ips[4];
static int tags[CAIRN_ROOT_USER], derived_distance;

static void note_root(void *env, uintptr_t *slot, unsigned tag, void *base)
{
  (void)env;
  tags[tag]++;
  if (tag == CAIRN_ROOT_BASE)
    derived_distance = (int)(*slot - *(uintptr_t *)base);
}

static uint64_t iterates(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  struct cairn_stack_iterator it;
  uintptr_t sp = 0;
  int count = 0;

  arguments(a, b, c, d, e, f, g, h, x);
  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it)) {
    ips[count++] = cairn_stack_ip(&it);
    assert_true(cairn_stack_sp(&it) > sp); /* from the youngest to the oldest */
    sp = cairn_stack_sp(&it);
    cairn_stack_enumerate(&it, note_root, NULL);
  }
  assert_int_equal(cairn_stack_ip(&it), 0);
  assert_int_equal(cairn_stack_sp(&it), 0);
  return (uint64_t)count;
}

static uint64_t iterates_below(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  arguments(a, b, c, d, e, f, g, h, x);
  return crossing(iterates, 100);
}

static void iterator(void **state)
{
  struct cairn_stack_iterator it;

  (void)state;
  assert_int_equal(crossing(iterates_below, 1000), 2 + 100 + 1000);
  assert_int_equal(ips[0], (uintptr_t)crossing_return);
  assert_int_equal(ips[1], (uintptr_t)crossing_return);
  assert_int_equal(tags[CAIRN_ROOT_DEFAULT], 4);
  assert_int_equal(tags[CAIRN_ROOT_BASE], 2);
  assert_int_equal(derived_distance, 8);
  cairn_stack_youngest(&it);
  assert_true(cairn_stack_past_end(&it));
}

static void managed_callees(void **state)
{
  (void)state;
  assert_int_equal(crossing(managed_target, 1), 11);
  assert_int_equal(anchors_in_use, 1); /* that of the entry to crossing() */
}

/* The file of the port has more tests: PORT_TESTS. */
#ifdef __aarch64__
#include "stubs/port_aarch64.h"
#else
#include "stubs/port_x86_64.h"
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transitions),
      cmocka_unit_test(polls_preserve_all),
      cmocka_unit_test(calls_poll),
      cmocka_unit_test(allocations),
      cmocka_unit_test(managed_callees),
      cmocka_unit_test(iterator),
      PORT_TESTS,
  };

  cairn_set_collector(&shifting);
  map_functions();
  begin_as_managed();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
