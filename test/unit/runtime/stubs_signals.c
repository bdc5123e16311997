/* SPDX-License-Identifier: Apache-2.0
 *
 * The stubs, the unwinder and the runtime's own work, with a signal between any two instructions
 * (stubs_signals/stepping.h), whose handler calls native and managed code, or leaves by a jump.
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

/* Native code calls managed code by a jump, which calls native code by one: no second anchor. */
extern uint64_t jumps(long, long, long, long, long, long, long, long, double);
__asm__("jumps:\n  lea jumping_managed(%rip), %rax\n  jmp *%rax\n" CAIRN_ENTRY_STRING(
    jumping_managed) "  lea adds(%rip), %r11\n  jmp cairn_call_any\n");

uint64_t adds(long a, long b, long c, long d, long e, long f, long g, long h, double x)
    __attribute__((visibility("hidden")));
uint64_t adds(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  return (uint64_t)(a + b + c + d + e + f + g + h + (long)(2 * x)); /* 37 */
}

uint64_t adds_six(long a, long b, long c, long d, long e, long f, double x) __attribute__((visibility("hidden")));
uint64_t adds_six(long a, long b, long c, long d, long e, long f, double x)
{
  return adds(a, b, c, d, e, f, 7, 8, x);
}

/* The same by way of the stub for few arguments. */
extern uint64_t jumps_six(long, long, long, long, long, long, double);
__asm__("jumps_six:\n  lea jumping_six(%rip), %rax\n  jmp *%rax\n" CAIRN_ENTRY_STRING(
    jumping_six) "  lea adds_six(%rip), %r11\n  jmp cairn_call_any\n");

static uint64_t collects_six(long a, long b, long c, long d, long e, long f, double x)
{
  (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)x;
  cairn_collect();
  return 2000;
}

/* Native code that collects, for a handler that looks in between. */
static uint64_t collects_quietly(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)x;
  cairn_collect();
  return 2000;
}

static uint8_t stepped[1 << 16]; /* by distance from the start of the stubs */
static unsigned wrong;
static long leave_at; /* the handler's last act, after so many steps in stubs */
static sigjmp_buf leave_to;

/* What a handler may do: call native and managed functions, through pointers too. */
static void interrupt(uintptr_t pc)
{
  uintptr_t end, start = cn_arch_stubs_range(&end);

  if (pc < start || pc >= end)
    return;
  stepped[pc - start] = 1;
  size_t count = cn_anchors_count(cairn_mutator.anchor);
  wrong += crossing(adds, 5) != 42 || crossing(managed_target, 1) != 11 || crossing(jumps, 2) != 39;
  wrong += crossing_short(adds_six, 5) != 42 || crossing_short(jumps_six, 2) != 39;
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
  assert_in_range(count_steps((const void *)cairn_call_any, 280), 35, 280);
  assert_in_range(count_steps((const void *)cairn_collect, 100), 30, 100);
}

static void signals_in_short_calls(void **state)
{
  struct cn_anchor *anchor = cairn_mutator.anchor;
  uint64_t results[3];

  (void)state;
  step_begin(interrupt);
  results[0] = crossing_short(adds_six, 5);
  results[1] = crossing_short(jumps_six, 3);
  results[2] = crossing_short(collects_six, 7);
  step_end();
  assert_int_equal(results[0], 42);
  assert_int_equal(results[1], 40);
  assert_int_equal(results[2], 2007 + MOVE);
  assert_int_equal(wrong, 0);
  assert_ptr_equal(cairn_mutator.anchor, anchor);
  assert_in_range(count_steps((const void *)cairn_call_short, 128), 18, 128);
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

static void step_at_end(uintptr_t sp, size_t but, bool is_short, void (*between)(uintptr_t pc))
{
  struct cn_anchor *anchor = cairn_mutator.anchor;
  size_t count = cn_anchors_count(anchor);

  fill_chunk(sp, but);
  size_t full = cn_anchors_count(cairn_mutator.anchor);
  signal(SIGUSR1, on_signal);
  step_begin(between);
  uint64_t result = is_short ? crossing_short(adds_six, 5) : crossing(adds, 5);
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
  step_at_end(0, 0, false, interrupt);
  step_at_end(0, 0, true, interrupt);
}

/* It is full of live ones, at each place of a call; those that a stub has reserved and not filled
 * yet are not free. */
static void signals_at_ends_of_chunks(void **state)
{
  (void)state;
  for (size_t but = 0; but < 8; but++)
    step_at_end(UINTPTR_MAX, but, but % 2 != 0, interrupt_known);
}

static void signals_in_slow_paths(void **state)
{
  struct file before = fill(), after[3];

  (void)state;
  if (!wide())
    skip();
  step_begin(interrupt);
  preserved(&before, &after[0], cairn_poll_slow);
  before.gpr[RDI] = (uint64_t)&layouts.object;
  preserved(&before, &after[1], cairn_alloc_slow);
  before.gpr[RDI] = (uint64_t)&layouts.array;
  before.gpr[4] = 7;
  preserved(&before, &after[2], cairn_alloc_indexed_slow);
  step_end();
  assert_preserved(&before, &after[2], true);
  before.gpr[RDI] = (uint64_t)&layouts.object;
  before.gpr[4] = fill().gpr[4];
  assert_preserved(&before, &after[1], true);
  before.gpr[RDI] = fill().gpr[RDI];
  assert_preserved(&before, &after[0], false);
  assert_int_equal(wrong, 0);
  assert_in_range(count_steps((const void *)cairn_poll_slow, 200), 50, 200);
}

static bool in_short_call;

static uint64_t steps(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  struct cn_anchor *anchor = cairn_mutator.anchor;

  if (sigsetjmp(leave_to, 1) == 0) {
    step_begin(interrupt);
    wrong += (in_short_call ? crossing_short(adds_six, 5) : crossing(adds, 5)) != 42;
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
  for (long at = 1; at <= 90; at++) {
    in_short_call = at > 45;
    leave_at = in_short_call ? at - 45 : at;
    assert_int_equal(crossing(steps, 5), 42 + MOVE);
    assert_ptr_equal(cairn_mutator.anchor, anchor);
  }
  assert_int_equal(wrong, 0);
}

/* ---- exceptions: from the throw on, signals between any two instructions, of the unwinder too
 * ---- catching(f, x): calls f through cairn_call_any with x, x + 1 and x + 2 in rbx, r12 and r15.
 * Its landing pad returns their sum. */
extern uint64_t catching(uint64_t (*f)(void), uint64_t x);
extern char catching_landing[];
__asm__(
    CAIRN_ENTRY_STRING(catching) "  .cfi_startproc\n  .cfi_personality 0x1b, catches\n"
                                 "  push %rbx\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %rbx, 0\n"
                                 "  push %r12\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %r12, 0\n"
                                 "  push %r15\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %r15, 0\n"
                                 "  mov %rdi, %r11\n  mov %rsi, %rbx\n  lea 1(%rsi), %r12\n  lea 2(%rsi), %r15\n"
                                 "  call cairn_call_any\n  ud2\n"
                                 "catching_landing:\n  lea (%rbx, %r12), %rax\n  add %r15, %rax\n"
                                 "  pop %r15\n  .cfi_adjust_cfa_offset -8\n  pop %r12\n  .cfi_adjust_cfa_offset -8\n"
                                 "  pop %rbx\n  .cfi_adjust_cfa_offset -8\n  ret\n  .cfi_endproc\n");

/* The same through cairn_call_short, with x in rbp and in the frame. */
extern uint64_t catching_short(uint64_t (*f)(void), uint64_t x);
extern char catching_short_landing[];
__asm__(CAIRN_ENTRY_STRING(catching_short) "  .cfi_startproc\n  .cfi_personality 0x1b, catches\n"
                                           ".irp register, rbp,rbx,r12,r13,r14,r15\n"
                                           "  push %\\register\n  .cfi_adjust_cfa_offset 8\n"
                                           "  .cfi_rel_offset %\\register, 0\n.endr\n"
                                           "  push %rsi\n  .cfi_adjust_cfa_offset 8\n"
                                           "  mov %rdi, %r12\n  mov %rsi, %rbp\n  call cairn_call_short\n  ud2\n"
                                           "catching_short_landing:\n  pop %rax\n  .cfi_adjust_cfa_offset -8\n"
                                           "  add %rbp, %rax\n"
                                           ".irp register, r15,r14,r13,r12,rbx,rbp\n"
                                           "  pop %\\register\n  .cfi_adjust_cfa_offset -8\n.endr\n"
                                           "  ret\n  .cfi_endproc\n");
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

  __asm__ volatile("xor %%ebx, %%ebx; xor %%r12d, %%r12d; xor %%r15d, %%r15d" ::: "rbx", "r12", "r15");
  step_begin(interrupt_anywhere);
  _Unwind_RaiseException(&exception);
  return 0;
}

static void signals_in_exceptions(void **state)
{
  struct cn_anchor *anchor = cairn_mutator.anchor;

  (void)state;
  landing = catching_landing;
  uint64_t sum = catching(throws, 100);
  step_end();
  assert_int_equal(sum, 303);
  landing = catching_short_landing;
  sum = catching_short(throws, 100);
  step_end();
  assert_int_equal(sum, 200);
  assert_int_equal(wrong, 0);
  assert_in_range(interruptions, 1000, 1000000);
  cairn_poll_slow();
  assert_ptr_equal(cairn_mutator.anchor, anchor);
}

/* ---- returns through barriers ----
 * barred(before, after): fills all registers, as preserved() does, and calls a function that
 * returns through a barrier and leaves all as they are. */
extern char through_barrier[];
__asm__("through_barrier:\n"
        "  push %rax\n  push %rcx\n  push %rdx\n  push %rsi\n  push %rdi\n"
        "  push %r8\n  push %r9\n  push %r10\n"
        "  lea 64(%rsp), %rdi\n"
        "  sub $520, %rsp\n  and $-16, %rsp\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "  vmovups %ymm\\n, 32*\\n(%rsp)\n"
        ".endr\n"
        "  push %rdi\n  push %rdi\n  call set_barrier\n  pop %rdi\n  pop %rdi\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "  vmovups 32*\\n(%rsp), %ymm\\n\n"
        ".endr\n"
        "  lea -64(%rdi), %rsp\n"
        "  pop %r10\n  pop %r9\n  pop %r8\n"
        "  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %rcx\n  pop %rax\n"
        "  ret\n");

static struct cn_return_barriers *barriers;

void set_barrier(uintptr_t *slot) __attribute__((visibility("hidden")));
void set_barrier(uintptr_t *slot)
{
  if (barriers == NULL)
    barriers = cn_return_barriers_borrow_set();
  cn_return_barrier_set(barriers, slot, 0);
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
      cmocka_unit_test(signals_in_calls),       cmocka_unit_test(signals_in_short_calls),
      cmocka_unit_test(signals_in_full_chunks), cmocka_unit_test(signals_at_ends_of_chunks),
      cmocka_unit_test(signals_in_slow_paths),  cmocka_unit_test(leaving_by_siglongjmp),
      cmocka_unit_test(signals_in_exceptions),  cmocka_unit_test(signals_in_returns),
      cmocka_unit_test(leaving_returns),        cmocka_unit_test(leaving_work),
  };

  cairn_set_collector(&shifting);
  map_functions();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
