/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads whose compiled functions (Inputs/torture.ll) leave at random, and are invalidated at random by all threads,
 * while collections come: the results are those of plain C. Wrong: another result, or the end of the program.
 */
// RUN: clang -O1 -I%root/include -c %S/Inputs/torture_native.c -o %t.1.o
// DEFINE: %{options} = -O2
// DEFINE: %{build} = %cairn-cc %{options} -w -I%root/include %s %S/Inputs/torture.ll %t.1.o -o %t
// RUN: %{build} && %t 300 | FileCheck %s && env CAIRN_STRESS=1 %t 5 | FileCheck %s
// RUN: env CAIRN_STRESS=19 CAIRN_VERIFY=frames,heap %t 15 | FileCheck %s
// REDEFINE: %{options} = -O2 -fcairn-collector=semispace -fno-omit-frame-pointer
// RUN: %{build} && env CAIRN_HEAP_MAX=4M %t 100 | FileCheck %s && env CAIRN_STRESS=7 %t 10 | FileCheck %s
// CHECK: right: all, {{[1-9][0-9]+}} left at once, {{[1-9][0-9]+}} when a call returned
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>

enum { THREADS = 3 };

struct object {
  long value;
};
typedef struct object managed *ref;

/* Inputs/torture.ll */
cairn_managed_function long compiled_integer(long n, ref o, long d);
cairn_managed_function double compiled_double(long n, ref o, long d);
cairn_managed_function ref compiled_reference(long n, ref o, long d);
/* Inputs/torture_native.c */
cairn_native long expected_integer(long n, long o, long d);
cairn_native void invalidate_some(void);
cairn_leaf unsigned long random_number(void);
cairn_native void seed_random(unsigned long seed);
cairn_native void make_chains(void); /* of calls, instead of trees */

static long depth = 14;
static atomic_long eager, lazy;

static void expect(bool good, const char *what)
{
  if (good)
    return;
  printf("wrong: %s\n", what);
  exit(1);
}

/* ---- the callees ---- */

static ref make(long value)
{
  ref o = cairn_new(struct object);

  o->value = value;
  return o;
}

/* Called now and then, if it is not null (mixed.c). */
static void (*visit)(void);

static void disturb(void)
{
  if (visit != NULL)
    visit();
  switch (random_number() % 24) {
  case 0:
    if (random_number() % (depth > 100 ? 1000 : 4) == 0)
      cairn_collect();
    break;
  case 1:
  case 2:
  case 3: invalidate_some(); break;
  default: cairn_new_array(long, random_number() % 2000); break;
  }
}

/* As expected_integer() of Inputs/torture_native.c. Keeps values in registers over the calls. */
__attribute__((noinline)) static long descend(long n, ref o, long d)
{
  long a = n * 11, b = n ^ d, c = n + d, e = d * 13, sum;
  ref fresh = make(n & 63);

  disturb();
  if (d == 0)
    return a + b;
  switch ((unsigned long)n % (depth > 100 ? 3 : 4)) {
  case 0: sum = compiled_integer(n / 3, fresh, d - 1); break;
  case 1: sum = (long)compiled_double(n / 2, o, d - 1); break;
  case 2: sum = compiled_reference(n / 5, fresh, d - 1)->value; break;
  default: sum = compiled_integer(n / 7, o, d - 1) + compiled_reference(n / 4, fresh, d - 1)->value; break;
  }
  disturb();
  expect(fresh->value == (n & 63), "an object of the caller");
  return sum + (a ^ b) + (c ^ e) + o->value;
}

long step_integer(long n, ref o, long d)
{
  return descend(n, o, d);
}

double step_double(long n, ref o, long d)
{
  return (double)(descend(n, o, d) & 0xfffff);
}

ref step_reference(long n, ref o, long d)
{
  long value = descend(n, o, d);

  return make(value);
}

/* ---- the interpreter ---- */


static long number(struct cairn_deopt_state managed *state, uint32_t local)
{
  return cairn_deopt_state_integer(state, cairn_deopt_state_first(state, 0) + local);
}

static ref object(struct cairn_deopt_state managed *state)
{
  return cairn_deopt_state_reference(state, cairn_deopt_state_first(state, 0) + 1);
}

static bool begins(struct cairn_deopt_state managed *state)
{
  bool at_once = cairn_deopt_state_index(state, 0) == 0;

  expect(state->reason == (at_once ? 1 : 2), "a reason");
  (*(at_once ? &eager : &lazy))++;
  return at_once;
}

/* As the compiled code computes. */
static long locals_sum(struct cairn_deopt_state managed *state)
{
  long n = number(state, 0), d = number(state, 2), a = n * 3, b = d + a, c = n ^ b;

  return a + b + c + object(state)->value;
}

static long continue_integer(struct cairn_deopt_state managed *state)
{
  long r = begins(state) ? step_integer(number(state, 0), object(state), number(state, 2))
                         : cairn_deopt_state_integer(state, CAIRN_DEOPT_STATE_RESULT);

  return r * 5 + locals_sum(state);
}

static double continue_double(struct cairn_deopt_state managed *state)
{
  double r = begins(state) ? step_double(number(state, 0), object(state), number(state, 2))
                           : cairn_deopt_state_double(state, CAIRN_DEOPT_STATE_RESULT);

  return r + (double)(locals_sum(state) & 1023);
}

static ref continue_reference(struct cairn_deopt_state managed *state)
{
  ref r;

  if (begins(state))
    r = step_reference(number(state, 0), object(state), number(state, 2));
  else
    r = cairn_deopt_state_reference(state, CAIRN_DEOPT_STATE_RESULT);
  r->value += locals_sum(state);
  return r;
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  (void)index;
  return function == 0   ? (const void *)continue_integer
         : function == 1 ? (const void *)continue_double
                         : (const void *)continue_reference;
}

/* ---- the program ---- */

static long rounds;

static void run_once(long i)
{
  ref o = make(i);

  expect(compiled_integer(i * 12345, o, depth) == expected_integer(i * 12345, i, depth), "a result");
}

static void *run(void *env)
{
  long first = (long)env;

  seed_random(first + 1);
  for (long i = first; i < first + rounds; i++)
    run_once(i);
  return NULL;
}

static void add_language(void)
{
  static const struct cairn_deopt_language language = {.name = "five", .continuation = find_continuation};

  expect(cairn_deopt_add_language(5, &language) == CAIRN_OK, "a language");
}

#ifndef MIXED
int main(int count, char **arguments)
{
  pthread_t threads[THREADS];

  rounds = count > 1 ? atol(arguments[1]) : 10;
  add_language();
  for (long i = 0; i < THREADS; i++)
    expect(pthread_create(&threads[i], NULL, run, (void *)(i * 100000)) == 0, "a thread");
  for (long i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  printf("right: all, %ld left at once, %ld when a call returned\n", (long)eager, (long)lazy);
  return 0;
}
#endif
