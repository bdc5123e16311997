/* SPDX-License-Identifier: Apache-2.0
 *
 * The stubs, the unwinder and the runtime's own work, with a signal between any two instructions
 * (stubs_signals/stepping.h), whose handler calls native and managed code, or leaves by a jump. The
 * file of the port has the machine code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unwind.h>
#include <cairn/abi.h>
#include <cairn/stack.h>
#include "aborts.h"
#include "managed_code.h"
#include "runtime/arch/arch.h"
#include "runtime/core/image.h"
#include "runtime/core/lock.h"
#include "runtime/core/mutator.h"
#include "runtime/safepoints/safepoint.h"
#include "runtime/walk/code_regions.h"
#include "runtime/walk/index.h"
#include "runtime/walk/return_barriers.h"
#include "stubs_signals/stepping.h"
#include "unit/sample.h"

/* ---- signals between any two instructions ---- */

uint64_t adds(long a, long b, long c, long d, long e, long f, long g, long h, double x)
    __attribute__((visibility("hidden")));
uint64_t adds(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  return (uint64_t)(a + b + c + d + e + f + g + h + (long)(2 * x)); /* 37 */
}

/* Native code calls managed code by a jump, which calls native code by one: no second anchor. */
ASSEMBLED uint64_t jumps(long, long, long, long, long, long, long, long, double);

/* Native code that collects, for a handler that looks in between. */
static uint64_t collects_quietly(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)x;
  cairn_collect();
  return 2000;
}

/* catching(f, x): calls f through cairn_call_any with x, x + 1 and x + 2 in registers that the callee saves. Its
 * landing pad, catching_landing, returns their sum. */
ASSEMBLED uint64_t catching(uint64_t (*f)(void), uint64_t x);
ASSEMBLED char catching_landing[];

/* A function that replaces its own return address by a barrier (set_barrier()), and leaves all registers as they
 * are. */
ASSEMBLED char through_barrier[];

static uint8_t stepped[1 << 16]; /* by distance from the start of the stubs */
static unsigned wrong;
static long leave_at; /* the handler's last act, after so many steps in stubs */
static sigjmp_buf leave_to;

static void interrupt(uintptr_t pc);
static unsigned count_steps(const void *stub, size_t size);

/* The file of the port defines jumps(), catching() and through_barrier, and
 *   CALLS ways to call native code, call_adds(way), whose result is 42, and wrong_calls(), which tries other ways
 *   catchers[], functions like catching(), with their landing pads and their results for 100
 *   the bytes of stubs, and the least number of their instructions that a test steps over
 *   STEPS_EVERYWHERE, 1 if steps come outside of the stubs, too
 *   PORT_TESTS, more tests */
#ifdef __aarch64__
#include "stubs_signals/port_aarch64.h"
#else
#include "stubs_signals/port_x86_64.h"
#endif

/* What a handler may do: call native and managed functions, through pointers too. */
static void interrupt(uintptr_t pc)
{
  uintptr_t end, start = cn_arch_stubs_range(&end);

  if (pc < start || pc >= end)
    return;
  stepped[pc - start] = 1;
  size_t count = cn_anchors_count(cairn_mutator.anchor);
  wrong += crossing(adds, 5) != 42 || crossing(managed_target, 1) != 11 || crossing(jumps, 2) != 39;
  wrong += wrong_calls();
  wrong += cn_anchors_count(cairn_mutator.anchor) > count; /* dead ones may have gone */
  if (leave_at != 0 && --leave_at == 0)
    siglongjmp(leave_to, 1);
}

/* How many instructions of the stub were stepped over. */
static unsigned count_steps(const void *stub, size_t size)
{
  uintptr_t end, start = cn_arch_stubs_range(&end);
  unsigned count = 0;

  for (size_t i = 0; i < size; i++)
    count += stepped[(uintptr_t)stub - start + i];
  return count;
}

static void signals_in_calls(void **state)
{
  struct cn_anchor *anchor = cairn_mutator.anchor;
  uint64_t results[4];

  (void)state;
  step_begin(interrupt);
  results[0] = crossing(adds, 5);
  results[1] = crossing(managed_target, 1);
  results[2] = crossing(jumps, 3);
  results[3] = crossing(collects_quietly, 7);
  step_end();
  assert_int_equal(results[0], 42);
  assert_int_equal(results[1], 11);
  assert_int_equal(results[2], 40);
  assert_int_equal(results[3], 2007 + MOVE);
  assert_int_equal(wrong, 0);
  assert_ptr_equal(cairn_mutator.anchor, anchor);
  assert_in_range(count_steps((const void *)cairn_call_any, CALL_ANY_BYTES), CALL_ANY_STEPS, CALL_ANY_BYTES);
  assert_in_range(count_steps((const void *)cairn_collect, COLLECT_BYTES), COLLECT_STEPS, COLLECT_BYTES);
}

/* Anchors with this SP up to a chunk's end, but for so many. */
static void fill_chunk(uintptr_t sp, size_t but)
{
  do
    cairn_mutator.anchor++->sp = sp;
  while (cn_anchors_count(cairn_mutator.anchor + but) % CN_ANCHORS_PER_CHUNK != 0);
}

/* By a handler that the runtime knows. */
static uintptr_t interrupted_at;

static void on_signal(int signal)
{
  (void)signal;
  cairn_collect();
  interrupt(interrupted_at);
}

static void interrupt_known(uintptr_t pc)
{
  interrupted_at = pc;
  if (cn_arch_is_in_stubs(pc))
    raise(SIGUSR1);
}

static void step_at_end(uintptr_t sp, size_t but, int way, void (*between)(uintptr_t pc))
{
  struct cn_anchor *anchor = cairn_mutator.anchor;
  size_t count = cn_anchors_count(anchor);

  fill_chunk(sp, but);
  size_t full = cn_anchors_count(cairn_mutator.anchor);
  signal(SIGUSR1, on_signal);
  step_begin(between);
  uint64_t result = call_adds(way);
  step_end();
  signal(SIGUSR1, SIG_DFL);
  assert_int_equal(result % MOVE, 42); /* some signals come in native code, and collect */
  assert_int_equal(wrong, 0);
  assert_int_equal(cn_anchors_count(cairn_mutator.anchor), sp == 0 ? count : full);
  cairn_mutator.anchor = anchor;
}

/* A chunk is full of some that a longjmp left: there is room again. */
static void signals_in_full_chunks(void **state)
{
  (void)state;
  for (int way = 0; way < CALLS; way++)
    step_at_end(0, 0, way, interrupt);
}

/* It is full of live ones, at each place of a call; those that a stub has reserved and not filled
 * yet are not free. */
static void signals_at_ends_of_chunks(void **state)
{
  (void)state;
  for (size_t but = 0; but < 8; but++)
    step_at_end(UINTPTR_MAX, but, (int)but % CALLS, interrupt_known);
}

static void signals_in_slow_paths(void **state)
{
  struct file before = fill(), after[3];

  (void)state;
  if (!wide())
    skip();
  step_begin(interrupt);
  preserved(&before, &after[0], cairn_poll_slow);
  before.gpr[ARGUMENT] = (uint64_t)&layouts.object;
  preserved(&before, &after[1], cairn_alloc_slow);
  before.gpr[ARGUMENT] = (uint64_t)&layouts.array;
  before.gpr[SECOND_ARGUMENT] = 7;
  preserved(&before, &after[2], cairn_alloc_indexed_slow);
  step_end();
  assert_preserved(&before, &after[2], true);
  before.gpr[ARGUMENT] = (uint64_t)&layouts.object;
  before.gpr[SECOND_ARGUMENT] = fill().gpr[SECOND_ARGUMENT];
  assert_preserved(&before, &after[1], true);
  before.gpr[ARGUMENT] = fill().gpr[ARGUMENT];
  assert_preserved(&before, &after[0], false);
  assert_int_equal(wrong, 0);
  assert_in_range(count_steps((const void *)cairn_poll_slow, POLL_BYTES), POLL_STEPS, POLL_BYTES);
}

static int step_way;

static uint64_t steps(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  struct cn_anchor *anchor = cairn_mutator.anchor;

  if (sigsetjmp(leave_to, 1) == 0) {
    step_begin(interrupt);
    wrong += call_adds(step_way) != 42;
    step_end();
  }
  leave_at = 0;
  wrong += cairn_mutator.anchor != anchor || cairn_mutator.state != CAIRN_ABI_NATIVE;
  uint64_t frames = cn_stats.frames;
  wrong += crossing(collects_quietly, 7) != 2007 + MOVE; /* the walk is not led astray */
  wrong += cn_stats.frames != frames + 2 || cairn_mutator.anchor != anchor;
  return adds(a, b, c, d, e, f, g, h, x);
}

static void leaving_by_siglongjmp(void **state)
{
  struct cn_anchor *anchor = cairn_mutator.anchor;

  (void)state;
  for (int at = 0; at < CALLS * 45; at++) {
    step_way = at / 45;
    leave_at = at % 45 + 1;
    assert_int_equal(crossing(steps, 5), 42 + MOVE);
    assert_ptr_equal(cairn_mutator.anchor, anchor);
  }
  assert_int_equal(wrong, 0);
}

/* ---- exceptions: from the throw on, signals between any two instructions, of the unwinder too ---- */

static const char *landing;

_Unwind_Reason_Code catches(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                            struct _Unwind_Exception *thrown, struct _Unwind_Context *context)
    __attribute__((visibility("hidden")));
_Unwind_Reason_Code catches(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                            struct _Unwind_Exception *thrown, struct _Unwind_Context *context)
{
  (void)version, (void)class, (void)thrown;
  if (actions & _UA_SEARCH_PHASE)
    return _URC_HANDLER_FOUND;
  _Unwind_SetIP(context, (uintptr_t)landing);
  return _URC_INSTALL_CONTEXT;
}

static unsigned interruptions;

static void interrupt_anywhere(uintptr_t pc)
{
  (void)pc;
  interruptions++;
  wrong += crossing(adds, 5) != 42 || crossing(jumps, 2) != 39;
}

static uint64_t throws(void)
{
  static struct _Unwind_Exception exception;

  change_saved_registers();
  step_begin(interrupt_anywhere);
  _Unwind_RaiseException(&exception);
  return 0;
}

static void signals_in_exceptions(void **state)
{
  struct cn_anchor *anchor = cairn_mutator.anchor;

  (void)state;
  for (size_t i = 0; i < sizeof catchers / sizeof *catchers; i++) {
    landing = catchers[i].landing;
    uint64_t sum = catchers[i].function(throws, 100);
    step_end();
    assert_int_equal(sum, catchers[i].result);
  }
  assert_int_equal(wrong, 0);
  assert_in_range(interruptions, STEPS_EVERYWHERE ? 1000 : 10, 1000000);
  cairn_poll_slow();
  assert_ptr_equal(cairn_mutator.anchor, anchor);
}

/* ---- returns through barriers ---- */

static struct cn_return_barriers *barriers;

void set_barrier(uintptr_t *slot) __attribute__((visibility("hidden")));
void set_barrier(uintptr_t *slot)
{
  if (barriers == NULL)
    barriers = cn_return_barriers_borrow_set();
  cn_return_barrier_set(barriers, (struct cn_return_slot){slot, (uintptr_t)(slot + 1), 0}, 0);
}

static void return_barred(void)
{
  struct file before = fill(), after;
  uintptr_t entry = (uintptr_t)through_barrier;
  void (*through)(void);

  __builtin_memcpy(&through, &entry, sizeof through);
  step_begin(interrupt);
  preserved(&before, &after, through);
  step_end();
  assert_preserved(&before, &after, false);
}

static void signals_in_returns(void **state)
{
  (void)state;
  if (!wide() || !cn_arch_may_replace_returns())
    skip();
  return_barred();
  assert_int_equal(wrong, 0);
  assert_int_equal(count_steps((const void *)cn_arch_return_barrier_address(0), 32), 2);
  assert_ptr_equal(cn_return_barrier_youngest(barriers), NULL);
}

/* The handler leaves as its last act: then a barrier may be gone with its activation. */
static bool leaves_return(long at)
{
  leave_at = at;
  if (sigsetjmp(leave_to, 1) != 0)
    return true;
  return_barred();
  leave_at = 0;
  return false;
}

static void leaving_returns(void **state)
{
  long at = 1;

  (void)state;
  if (!wide() || !cn_arch_may_replace_returns())
    skip();
  for (; leaves_return(at); at++) {
    assert_false(cairn_mutator.busy);
    cn_return_barrier_note_met(barriers, NULL); /* a scan */
    assert_ptr_equal(cn_return_barrier_youngest(barriers), NULL);
  }
  assert_in_range(at, 50, 300);
  assert_int_equal(wrong, 0);
}

/* ---- handlers that leave the runtime's own work by a jump ---- */

static long raise_at;

static void jump_back(int signal)
{
  (void)signal;
  siglongjmp(leave_to, 1);
}

static void raise_once(uintptr_t pc)
{
  (void)pc;
  if (--raise_at == 0)
    raise(SIGUSR1);
}

/* True: the signal came. */
static bool leaves(void (*work)(void), long at)
{
  raise_at = at;
  if (sigsetjmp(leave_to, 1) != 0)
    return true;
  step_begin(raise_once);
  work();
  step_end();
  return false;
}

static struct cairn_image other_image = {.version = CAIRN_ABI_IMAGE_VERSION, .size = sizeof(struct cairn_image)};
static char other_code[64];
static struct cn_code_region at_code;

static void previous(struct cairn_stack_iterator *iterator, void *data)
{
  (void)iterator, (void)data;
}

static const struct cairn_code_manager manager = {.name = "test", .previous = previous};

static void come_and_go(void)
{
  cairn_image_register(&other_image);
  cn_index_has_code_at((uintptr_t)crossing_return);
  cairn_image_unregister(&other_image);
}

static void add_and_remove(void)
{
  cairn_code_region_add(&manager, (uintptr_t)other_code, (uintptr_t)(other_code + 64), NULL);
  cn_code_regions_find((uintptr_t)other_code + 1, &at_code);
  cairn_code_region_remove((uintptr_t)other_code);
}

/* No lock is held, no signal blocked, nothing half there: all can be done again. */
static void check_whole(void)
{
  sigset_t mask;

  assert_int_equal(cn_locks_held_by_thread(), 0);
  assert_int_equal(cn_code_regions_nesting_depth(), 0);
  assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &mask), 0);
  assert_int_equal(sigismember(&mask, SIGUSR1), 0);
  assert_int_equal(sigismember(&mask, SIGTERM), 0);
  cairn_image_register(&other_image);
  assert_int_equal(cn_images_count(), 2);
  assert_int_equal(crossing(collects_quietly, 7), 2007 + MOVE);
  cairn_image_unregister(&other_image);
  assert_int_equal(cn_images_count(), 1);
  enum cairn_status status = cairn_code_region_remove((uintptr_t)other_code);
  assert_true(status == CAIRN_OK || status == CAIRN_E_UNKNOWN);
}

static void leaving_work(void **state)
{
  void (*const works[])(void) = {come_and_go, add_and_remove};

  (void)state;
  if (!STEPS_EVERYWHERE)
    skip();
  signal(SIGUSR1, jump_back);
  for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
    long at = 1;
    for (; leaves(works[i], at); at += 307 * (long)sample(3))
      check_whole();
    check_whole();
    assert_in_range(at, 200, 50000);
  }
  signal(SIGUSR1, SIG_DFL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signals_in_calls),
      PORT_TESTS cmocka_unit_test(signals_in_full_chunks),
      cmocka_unit_test(signals_at_ends_of_chunks),
      cmocka_unit_test(signals_in_slow_paths),
      cmocka_unit_test(leaving_by_siglongjmp),
      cmocka_unit_test(signals_in_exceptions),
      cmocka_unit_test(signals_in_returns),
      cmocka_unit_test(leaving_returns),
      cmocka_unit_test(leaving_work),
  };

  cairn_set_collector(&shifting);
  map_functions();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
