/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks that are refused, with status and text: nothing changes. Marks are finite, and free again after their
 * activations.
 */
// RUN: %cairn-cc -w -O2 -I%root/include %s %S/Inputs/compiled.ll -o %t
// RUN: %t | FileCheck %s && env CAIRN_STRESS=97 %t | FileCheck %s
// CHECK: past the end: -4 the iterator is past the end
// CHECK-NEXT: no operands: -90 the call has no deopt operands
// CHECK-NEXT: plain operands: -90 the deopt operands do not begin with a frame record
// CHECK-NEXT: unknown language: -92 no language has the number 78
// CHECK-NEXT: invalidated, of an unknown language: -92 no language has the number 78
// CHECK-NEXT: native: -92 the continuation of language test for function 4 at 7, 0x{{[0-9a-f]+}}, is not a managed
// CHECK-NEXT: invalidated, native: -92 the continuation of language test for function 4 at 7, 0x
// CHECK-NEXT: unmapped: -92 the continuation of language test for function 4 at 7, 0x1238, is not a managed function
// CHECK-NEXT: invalidated, unmapped: -92 the continuation of language test for function 4 at 7, 0x1238, is not
// CHECK-NEXT: odd: -92 the continuation of language test for function 4 at 7, 0x1235, is not a managed function
// CHECK-NEXT: invalidated, odd: -92 the continuation of language test for function 4 at 7, 0x1235, is not
// CHECK-NEXT: plain operands are left: 0 marked
// CHECK-NEXT: handler: -5 the caller is a signal handler, which has interrupted managed code
// CHECK-NEXT: other thread: -5 another thread runs on the activation's stack
// CHECK-NEXT: 4064 marks, then -1 all marks of activations are in use; taken over 4064
// CHECK-NEXT: 4064 marks, then -1 all marks of activations are in use; taken over 4064
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>

struct object {
  long value;
};

long sums(long n, struct object managed *o);
long speaks_unknown(long n);
long calls_integer(long n);
long has_plain_operands(long n);

static void (*at_call)(void);
static long taken_over, marks;

/* ---- the interpreter ---- */

static long continue_sum(struct cairn_deopt_state managed *state)
{
  taken_over++;
  return cairn_deopt_state_word(state, 0) + cairn_deopt_state_integer(state, cairn_deopt_state_first(state, 0));
}

static const void *unfit; /* the continuation of function 4 */

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  return function == 8 ? continue_sum : function == 4 ? unfit : NULL;
}

static const struct cairn_deopt_language language = {.name = "test", .continuation = find_continuation};

/* ---- callees of compiled code ---- */

long gives_integer(void)
{
  at_call();
  cairn_collect();
  return 0;
}
double gives_double(void)
{
  return 0;
}
struct object managed *gives_reference(void)
{
  return NULL;
}
long reaches_bottom(void)
{
  at_call();
  cairn_collect();
  return 0;
}
__attribute__((visibility("default"))) cairn_unmanaged long gives_natively(long n)
{
  return n;
}

/* ---- refusals ---- */

cairn_unmanaged static void show(const char *what, const struct cairn_deopt_failure *failure)
{
  printf("%s: %d %s\n", what, failure->status, failure->text);
}

__attribute__((noinline)) cairn_unmanaged static void mark_activation(const char *what, long number)
{
  struct cairn_deopt_failure failure = {0};
  struct cairn_stack_iterator it;

  for (cairn_stack_youngest(&it); number > 0; number--)
    cairn_stack_next(&it);
  cairn_deopt_on_return(&it, 3, &failure);
  show(what, &failure);
}

cairn_unmanaged static size_t invalidate(const char *what, void *function)
{
  struct cairn_deopt_failure failure = {0};
  uintptr_t address = (uintptr_t)function;
  size_t marked = 1000;

  if (cairn_deopt_invalidate(&address, 1, 3, &marked, &failure) != CAIRN_OK)
    show(what, &failure);
  return marked;
}

static void mark_nothing(void)
{
  mark_activation("past the end", 100);
  mark_activation("no operands", 0);
}

static void mark_plain(void)
{
  mark_activation("plain operands", 2);
  cairn_collect(); /* no tail call */
}

static void mark_unknown(void)
{
  mark_activation("unknown language", 2);
  invalidate("invalidated, of an unknown language", speaks_unknown);
}

static void mark_unfit(void)
{
  unfit = gives_natively;
  mark_activation("native", 2);
  invalidate("invalidated, native", calls_integer);
  unfit = (const void *)0x1238;
  mark_activation("unmapped", 2);
  invalidate("invalidated, unmapped", calls_integer);
  unfit = (const void *)0x1235;
  mark_activation("odd", 2);
  invalidate("invalidated, odd", calls_integer);
}

static void leave_plain(void)
{
  printf("plain operands are left: %zu marked\n", invalidate("plain operands", has_plain_operands));
}

static volatile bool is_interrupted;

/* The signal may also come in native code, where the call is allowed. */
cairn_unmanaged static void on_alarm(int number)
{
  const struct itimerval soon = {.it_value.tv_usec = 1000};

  struct cairn_deopt_failure failure = {0};
  uintptr_t address = (uintptr_t)sums;

  if (cairn_deopt_invalidate(&address, 1, 3, NULL, &failure) == CAIRN_OK) {
    setitimer(ITIMER_REAL, &soon, NULL);
  } else if (!is_interrupted) {
    show("handler", &failure);
    is_interrupted = true;
  }
}

static void interrupt(void)
{
  signal(SIGALRM, on_alarm);
  raise(SIGALRM);
  while (!is_interrupted)
    ;
}

static struct cairn_stack_iterator other;
static volatile bool is_iterator_set, may_end;

cairn_unmanaged static void keep_iterator(void)
{
  cairn_stack_youngest(&other);
  is_iterator_set = true;
  while (!may_end)
    usleep(100);
}

static void *run_other(void *unused)
{
  keep_iterator();
  cairn_collect();
  return unused;
}

cairn_unmanaged static void mark_other(void)
{
  struct cairn_deopt_failure failure = {0};

  while (!is_iterator_set)
    usleep(100);
  cairn_deopt_on_return(&other, 3, &failure);
  show("other thread", &failure);
  may_end = true;
}

/* ---- many marks ---- */

/* Each activation has its own reason, and so its own mark. */
cairn_unmanaged static void mark_until_full(void)
{
  struct cairn_deopt_failure failure = {0};
  struct cairn_stack_iterator it;

  marks = 0;
  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it)) {
    uint32_t count;
    if (cairn_deopt_count(&it, &count) != CAIRN_OK)
      continue;
    if (cairn_deopt_on_return(&it, (uint64_t)marks, &failure) != CAIRN_OK)
      break;
    marks++;
  }
  printf("%ld marks, then %d %s; ", marks, failure.status, failure.text);
}

static void fill_marks(void)
{
  mark_until_full();
}

static void do_many(void)
{
  struct object managed *o = cairn_new(struct object);

  taken_over = 0;
  at_call = fill_marks;
  long sum = sums(5000, o);
  printf("taken over %ld%s\n", taken_over, sum == 5000 * 5001 / 2 ? "" : ", a wrong sum");
}

int main(void)
{
  pthread_t thread;

  if (cairn_deopt_add_language(9, &language) != CAIRN_OK)
    abort();
  at_call = mark_nothing;
  has_plain_operands(1);
  at_call = mark_plain;
  has_plain_operands(1);
  at_call = mark_unknown;
  speaks_unknown(1);
  at_call = mark_unfit;
  calls_integer(1);
  at_call = leave_plain;
  has_plain_operands(1);
  interrupt();
  pthread_create(&thread, NULL, run_other, NULL);
  mark_other();
  pthread_join(thread, NULL);
  do_many();
  do_many();
  return 0;
}
