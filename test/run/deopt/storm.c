/* SPDX-License-Identifier: Apache-2.0
 *
 * Some threads run compiled functions, recursively and with collections, while others invalidate them, directly and by
 * assumptions. The compiled code and its continuation compute the same.
 */
// RUN: %cairn-cc -w -O2 -I%root/include %s %S/Inputs/compiled.ll -o %t
// RUN: %t %if soak %{20000%} %else %{2000%} | FileCheck %s
// RUN: env CAIRN_STRESS=7 CAIRN_VERIFY=frames %t 600 | FileCheck %s
// RUN: env CAIRN_VERIFY=heap %t 100 | FileCheck %s
// RUN: %cairn-cc -w -O1 -static -fcairn-collector=semispace -I%root/include %s %S/Inputs/compiled.ll -o %t.static
// RUN: %t.static 1000 | FileCheck %s
// CHECK: all sums are right
// CHECK-NEXT: activations were taken over, in threads that were native, too
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cairn/assumption.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>

enum { RUNNERS = 3, INVALIDATORS = 2, DEEPEST = 60 };

struct object {
  long value;
};

long sums(long n, struct object managed *o);
long waits(long n);
long collects(long n, struct object managed *o);

static atomic_bool ends;
static atomic_long wrong, rounds, taken_over, marked_in_all;

static struct object managed *make(long value)
{
  struct object managed *o = cairn_new(struct object);

  o->value = value;
  return o;
}

/* ---- the interpreter ---- */

static long continue_wait(struct cairn_deopt_state managed *state)
{
  taken_over++;
  return cairn_deopt_state_word(state, 0) + cairn_deopt_state_integer(state, cairn_deopt_state_first(state, 0));
}

static long continue_sum(struct cairn_deopt_state managed *state)
{
  uint32_t first = cairn_deopt_state_first(state, 0);
  struct object managed *o = cairn_deopt_state_reference(state, first + 1);

  taken_over++;
  wrong += state->reason != 3 && state->reason != 4;
  return cairn_deopt_state_word(state, 0) + cairn_deopt_state_integer(state, first) + o->value;
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  return function == 8 ? (const void *)continue_sum : function == 4 ? (const void *)continue_wait : NULL;
}

static const struct cairn_deopt_language language = {.name = "test", .continuation = find_continuation};

/* ---- callees ---- */

cairn_unmanaged static void wait_natively(void)
{
  usleep(50);
}

long reaches_bottom(void)
{
  static _Thread_local long count;

  switch (count++ % 4) {
  case 0: wait_natively(); break;
  case 1: cairn_collect(); break;
  case 2: make(0); break;
  }
  return 0;
}

__attribute__((visibility("default"))) cairn_unmanaged long gives_natively(long n)
{
  usleep(20);
  return n;
}

long gives_integer(void)
{
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

/* ---- threads ---- */

static void *run(void *unused)
{
  struct object managed *o = make(5);

  for (long n = 0; !ends; n = (n + 7) % DEEPEST, rounds++) {
    long sum = sums(n, o);
    wrong += sum != n * (n + 1) / 2 + 5 * n;
    wrong += waits(n) != 2 * n;
    wrong += collects(n, o) != 5 + n;
    if (n == 0)
      o = make(5);
  }
  return unused;
}

cairn_unmanaged static void invalidate(void)
{
  const uintptr_t functions[] = {(uintptr_t)sums, (uintptr_t)waits, (uintptr_t)collects};
  struct cairn_deopt_failure failure;
  size_t marked;

  if (cairn_deopt_invalidate(functions, 3, 3, &marked, &failure) != CAIRN_OK)
    wrong++;
  marked_in_all += marked;
}

cairn_unmanaged static void assume_and_invalidate(void)
{
  uintptr_t function = (uintptr_t)sums;
  struct cairn_assumption *assumption = cairn_assumption_new();

  wrong += cairn_deopt_depend(assumption, &function, 1, 4, NULL) != CAIRN_OK;
  wrong += !cairn_assumption_holds(assumption);
  wrong += cairn_assumption_invalidate(&assumption, 1, NULL) != CAIRN_OK;
  wrong += cairn_assumption_holds(assumption);
  wrong += cairn_deopt_depend(assumption, &function, 1, 4, NULL) != CAIRN_OK; /* invalid: at once */
  cairn_assumption_free(assumption);
}

cairn_unmanaged static void *invalidate_often(void *argument)
{
  for (long left = (long)(intptr_t)argument; left > 0 || taken_over < 100 || marked_in_all == 0; left--)
    if (left % 3 == 0)
      assume_and_invalidate();
    else
      invalidate();
  return NULL;
}

int main(int count, char **arguments)
{
  pthread_t runners[RUNNERS], invalidators[INVALIDATORS];

  if (cairn_deopt_add_language(9, &language) != CAIRN_OK)
    abort();
  for (int i = 0; i < RUNNERS; i++)
    pthread_create(&runners[i], NULL, run, NULL);
  for (int i = 0; i < INVALIDATORS; i++)
    pthread_create(&invalidators[i], NULL, invalidate_often, (void *)(intptr_t)atol(arguments[1]));
  for (int i = 0; i < INVALIDATORS; i++)
    pthread_join(invalidators[i], NULL);
  while (rounds < 10)
    wait_natively();
  ends = true;
  for (int i = 0; i < RUNNERS; i++)
    pthread_join(runners[i], NULL);
  printf("%s\n", wrong == 0 ? "all sums are right" : "a sum is wrong");
  printf("%s\n", taken_over >= 100 && marked_in_all > 0
                         ? "activations were taken over, in threads that were native, too"
                         : "too few activations were taken over");
  return 0;
}
