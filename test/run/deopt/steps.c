/* SPDX-License-Identifier: Apache-2.0
 *
 * A signal between any two instructions of take-overs, at once and at a mark: the handler allocates and asks for a
 * collection, or an unwinder goes from there to main(), or the handler leaves by a jump.
 */
// RUN: %cairn-cc -w -D_GNU_SOURCE -O2 -I%root/include -I%root/src -I%root/src/runtime/arch/%{machine} \
// RUN:   -I%root/test/unit/runtime/stubs_signals \
// RUN:   %s %S/Inputs/compiled.ll \
// RUN:   %root/test/unit/runtime/stubs_signals/stepping.c -o %t
// RUN: %t %if soak %{7%} %else %{101%} | FileCheck %s && env CAIRN_STRESS=50 %t 499 | FileCheck %s
// CHECK: handlers: right
// CHECK-NEXT: unwinder: right
// CHECK-NEXT: jumps: right
// CHECK-NEXT: marks: right
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include "stepping.h"

struct object {
  long value;
  struct object managed *next;
};

long leaves_nested(long n, double x, struct object managed *o);
long calls_integer(long n);
long waits(long n);

static struct object managed *seen;
static volatile long runs, apart, phase, steps, unwound;
static const void *target;

static struct object managed *make(long value, struct object managed *next)
{
  struct object managed *o = cairn_new(struct object);

  o->value = value;
  o->next = next;
  return o;
}

/* ---- the interpreter ---- */

static long continue_nested(struct cairn_deopt_state managed *state)
{
  struct object managed *o = cairn_deopt_state_reference(state, cairn_deopt_state_first(state, 0) + 2);

  return o->value + cairn_deopt_state_integer(state, cairn_deopt_state_first(state, 2));
}

static long continue_integer(struct cairn_deopt_state managed *state)
{
  return cairn_deopt_state_word(state, 0) + cairn_deopt_state_integer(state, cairn_deopt_state_first(state, 0));
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  return function == 0 ? (const void *)continue_nested : function == 4 ? (const void *)continue_integer : NULL;
}

static const struct cairn_deopt_language language = {.name = "test", .continuation = find_continuation};

cairn_unmanaged static void invalidate(void)
{
  uintptr_t address = (uintptr_t)target;

  if (cairn_deopt_invalidate(&address, 1, 5, NULL, NULL) != CAIRN_OK)
    abort();
}

long gives_integer(void)
{
  invalidate();
  return 1000;
}

__attribute__((visibility("default"))) cairn_unmanaged long gives_natively(long n)
{
  return n;
}

/* Callees of other functions. */
double gives_double(void) { return 0; }
struct object managed *gives_reference(void) { return NULL; }
long reaches_bottom(void) { return 0; }

/* ---- handlers ---- */

static void on_signal(int number)
{
  seen = make(runs++, seen);
  if (runs % 16 == 0)
    cairn_collect();
}

static sigjmp_buf back;

static void jumps(int number)
{
  on_signal(number);
  siglongjmp(back, 1);
}

cairn_unmanaged static void raise_at_some(uintptr_t pc)
{
  if (steps++ % apart == phase)
    syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1);
}

/* ---- unwinding ---- */

enum { MOST = 64, SAVED = 6, OVERHEAD = 2 /* of looking: this file's function, and the stub that calls it */ };

struct activation {
  uintptr_t pc, end, saved[SAVED];
};
struct activations {
  long count;
  struct activation at[MOST];
};
static struct activations expected;
static volatile long from_main, wrong;
static volatile bool is_expected;

cairn_unmanaged static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *env)
{
  static const int registers[SAVED] = {3, 6, 12, 13, 14, 15};
  struct activations *activations = env;
  struct activation *at = &activations->at[activations->count++ % MOST];

  *at = (struct activation){_Unwind_GetIP(context), _Unwind_GetCFA(context)};
  for (int i = 0; i < SAVED; i++)
    at->saved[i] = _Unwind_GetGR(context, registers[i]);
  return _URC_NO_REASON;
}

__attribute__((noinline)) cairn_unmanaged static void count_from_main(void)
{
  struct activations now = {0};

  _Unwind_Backtrace(note, &now);
  from_main = now.count - OVERHEAD;
}

__attribute__((noinline)) cairn_unmanaged static void remember(void)
{
  _Unwind_Backtrace(note, &expected);
  is_expected = true;
}

__attribute__((noinline)) cairn_unmanaged static void forget(void)
{
  is_expected = false;
}

/* main(), and its callers, are as they were. */
cairn_unmanaged static void unwind(uintptr_t pc)
{
  struct activations now = {0};

  if (!is_expected)
    return;
  _Unwind_Backtrace(note, &now);
  unwound++;
  for (long i = 1; i <= from_main; i++) {
    const struct activation *one = &now.at[(now.count - i) % MOST], *other = &expected.at[(expected.count - i) % MOST];
    bool same = now.count >= i && one->pc == other->pc && one->end == other->end;
    for (int k = 0; k < SAVED; k++)
      same = same && one->saved[k] == other->saved[k];
    wrong += !same;
  }
}

/* ---- the program ---- */

__attribute__((noinline)) static long keeps(long a, long b, long c, long d, long e, long f)
{
  struct object managed *o = make(42, NULL);
  long x = a * 3, y = b * 5, z = c * 7, u = d * 11, v = e * 13, w = f * 17;

  remember();
  long sum = leaves_nested(7, 1.5, o) + calls_integer(77);
  forget();
  return sum == 42 + 77 + 1077 && x == a * 3 && y == b * 5 && z == c * 7 && u == d * 11 && v == e * 13 && w == f * 17 &&
         o->value == 42;
}

/* All objects of handlers are there. */
static bool are_seen(void)
{
  long left = runs;

  for (struct object managed *o = seen; o != NULL; o = o->next)
    left -= o->value == left - 1;
  return left == 0;
}

static long step_through(void (*between)(uintptr_t pc))
{
  steps = expected.count = 0;
  is_expected = false;
  step_begin(between);
  long right = keeps(1, 2, 3, 4, 5, 6);
  step_end();
  return right;
}

static void run_handlers(void)
{
  long right = 1;

  for (phase = 0; phase < 3; phase++)
    right = step_through(raise_at_some) && right;
  printf("handlers: %s\n", right && are_seen() && runs > 3000 / apart ? "right" : "wrong");
}

static long stepped;

static void step_all(void)
{
  step_through(raise_at_some);
  stepped = 1;
}

/* Did a handler leave `function` by a jump? */
cairn_unmanaged static int is_left(void (*function)(void))
{
  if (sigsetjmp(back, 1) != 0)
    return 1;
  function();
  return 0;
}

/* Another thread's mark may come at each instruction of a stub at which this thread counts as native: walks find all
 * activations before and after. */
static uintptr_t call_any, call_short;
static volatile long marks, fewest = 100;

cairn_unmanaged static void mark(uintptr_t pc)
{
  uintptr_t function = (uintptr_t)waits;
  struct cairn_stack_iterator it;
  long count = 0;

  if (pc - call_any >= 320 && pc - call_short >= 192)
    return;
  for (int i = 0; i < 2; i++, count = 0) {
    if (cairn_deopt_invalidate(&function, 1, 5, NULL, NULL) != CAIRN_OK)
      return;
    marks++;
    for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it))
      count++;
    fewest = count < fewest ? count : fewest;
  }
}

__attribute__((noinline)) static long step_through_wait(void)
{
  step_begin(mark);
  long sum = waits(21);
  step_end();
  return sum;
}

static void run_marks(void)
{
  call_any = (uintptr_t)dlsym(RTLD_DEFAULT, "cairn_call_any");
  call_short = (uintptr_t)dlsym(RTLD_DEFAULT, "cairn_call_short");
  long sum = step_through_wait();

  printf("marks: %s\n", sum == 42 && marks >= 4 && fewest >= 2 ? "right" : "wrong");
}

static void run_jumps(void)
{
  long right = 1, last = 3000;

  signal(SIGUSR1, jumps);
  for (phase = 0; phase < last; phase += 10 * apart) {
    long each = apart;
    apart = 1 << 30;
    right = is_left(step_all) && right;
    apart = each;
  }
  right = step_through(unwind) && right;
  printf("jumps: %s\n", right && are_seen() && wrong == 0 ? "right" : "wrong");
}

int main(int count, char **arguments)
{
  apart = atol(arguments[1]);
  target = calls_integer;
  if (cairn_deopt_add_language(9, &language) != CAIRN_OK)
    abort();
  cairn_collect(); /* threads that help begin with the first; no step may come meanwhile */
  signal(SIGUSR1, on_signal);
  run_handlers(); count_from_main();
  long right = step_through(unwind);
  printf("unwinder: %s\n", right && wrong == 0 && unwound > 1000 ? "right" : "wrong");
  run_jumps();
  run_marks();
  return 0;
}
