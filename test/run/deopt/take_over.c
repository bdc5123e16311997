/* SPDX-License-Identifier: Apache-2.0
 *
 * Take-overs of compiled functions (Inputs/compiled.ll) by an interpreter, at once and when a call returns: all values
 * of the state, the caller's registers, collections in between.
 */
// RUN: %cairn-cc -w -O2 -I%root/include %s %S/Inputs/compiled.ll -o %t
// RUN: %t 100000 | FileCheck %s && env CAIRN_STRESS=1 %t 100 | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames,heap %t 50 | FileCheck %s
// RUN: %cairn-cc -w -O0 -I%root/include %s %S/Inputs/compiled.ll -o %t.0
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t.0 50 | FileCheck %s
// CHECK: eager: 3 frames, reason 17: [1.5 21 object 42] [35 -7] [77], 6 kept
// CHECK-NEXT: eager: double 2.25, reference 42
// CHECK-NEXT: recursion: 4950, 101 states
// CHECK-NEXT: lazy: marked 1, result 1000 of kind 1, 1077
// CHECK-NEXT: lazy: marked 1, result 2.5 of kind 2, 3.5
// CHECK-NEXT: lazy: marked 1, result object 8 of kind 3, 50
// CHECK-NEXT: deep: all marked, all states, the right sum
// CHECK-NEXT: unmarked: 0, no state
// CHECK-NEXT: refused: -4 the address is not in the code of a managed function
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>

struct object {
  long value;
};

/* Inputs/compiled.ll */
long leaves_nested(long n, double x, struct object managed *o);
double leaves_double(long reason);
struct object managed *leaves_reference(struct object managed *o);
long recurses(long n);
long calls_integer(long n);
double calls_double(double x);
struct object managed *calls_reference(struct object managed *o);
long descends(long n, struct object managed *o);

static long states, depth;

/* ---- the interpreter ---- */

static void print_item(struct cairn_deopt_state managed *state, uint32_t item)
{
  switch (cairn_deopt_state_class(state, item)) {
  case CAIRN_DEOPT_FLOAT: printf("%g", cairn_deopt_state_double(state, item)); break;
  case CAIRN_DEOPT_REFERENCE:
    printf("object %ld", ((struct object managed *)cairn_deopt_state_reference(state, item))->value);
    break;
  case CAIRN_DEOPT_INTEGER: printf("%ld", (long)cairn_deopt_state_integer(state, item)); break;
  default: printf("class %u", cairn_deopt_state_class(state, item));
  }
}

static long continue_nested(struct cairn_deopt_state managed *state)
{
  cairn_collect();
  printf("eager: %u frames, reason %lu:", state->frames, (unsigned long)state->reason);
  for (uint32_t f = 0; f < state->frames; f++)
    for (uint32_t i = 0; i < cairn_deopt_state_locals(state, f); i++) {
      printf(i == 0 ? " [" : " ");
      print_item(state, cairn_deopt_state_first(state, f) + i);
      if (i + 1 == cairn_deopt_state_locals(state, f))
        printf("]");
    }
  return state->frames;
}

static double continue_double(struct cairn_deopt_state managed *state)
{
  return 2.25;
}

static struct object managed *continue_reference(struct cairn_deopt_state managed *state)
{
  return cairn_deopt_state_reference(state, cairn_deopt_state_first(state, 0));
}

static long continue_recursion(struct cairn_deopt_state managed *state)
{
  long n = cairn_deopt_state_integer(state, cairn_deopt_state_first(state, 0));

  states++;
  return n == 0 ? 0 : n - 1 + recurses(n - 1);
}

static long continue_integer(struct cairn_deopt_state managed *state)
{
  printf("result %ld of kind %u, ", (long)cairn_deopt_state_word(state, 0), cairn_deopt_state_result_kind(state, 0));
  return cairn_deopt_state_word(state, 0) + cairn_deopt_state_integer(state, cairn_deopt_state_first(state, 0));
}

static double continue_call_double(struct cairn_deopt_state managed *state)
{
  printf("result %g of kind %u, ", cairn_deopt_state_double(state, 0), cairn_deopt_state_result_kind(state, 0));
  return cairn_deopt_state_double(state, 0) + cairn_deopt_state_double(state, cairn_deopt_state_first(state, 0));
}

static struct object managed *continue_call_reference(struct cairn_deopt_state managed *state)
{
  struct object managed *sum = cairn_new(struct object);
  struct object managed *result = cairn_deopt_state_reference(state, 0);
  struct object managed *own = cairn_deopt_state_reference(state, cairn_deopt_state_first(state, 0));

  printf("result object %ld of kind %u, ", result->value, cairn_deopt_state_result_kind(state, 0));
  sum->value = result->value + own->value;
  return sum;
}

static long continue_descent(struct cairn_deopt_state managed *state)
{
  uint32_t first = cairn_deopt_state_first(state, 0);
  struct object managed *o = cairn_deopt_state_reference(state, first + 1);

  states++;
  if (o->value != 42)
    printf("wrong object\n");
  if (states == depth / 2)
    cairn_collect();
  return cairn_deopt_state_word(state, 0) + cairn_deopt_state_integer(state, first);
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  static const void *const all[] = {continue_nested,  continue_double,      continue_reference,     continue_recursion,
                                    continue_integer, continue_call_double, continue_call_reference, continue_descent};

  return function < sizeof all / sizeof *all ? all[function] : NULL;
}

static const struct cairn_deopt_language language = {.name = "test", .continuation = find_continuation};

/* ---- callees ---- */

static const void *target;
static size_t marked;

cairn_unmanaged static void invalidate(const void *function)
{
  struct cairn_deopt_failure failure;
  uintptr_t address = (uintptr_t)function;

  if (cairn_deopt_invalidate(&address, 1, 5, &marked, &failure) != CAIRN_OK)
    printf("refused: %d %s\n", failure.status, failure.text);
}

long gives_integer(void)
{
  invalidate(target);
  cairn_collect();
  printf("lazy: marked %zu, ", marked);
  return 1000;
}

double gives_double(void)
{
  invalidate(target);
  cairn_collect();
  printf("lazy: marked %zu, ", marked);
  return 2.5;
}

struct object managed *gives_reference(void)
{
  struct object managed *o = cairn_new(struct object);

  o->value = 8;
  invalidate(target);
  cairn_collect();
  printf("lazy: marked %zu, ", marked);
  return o;
}

long reaches_bottom(void)
{
  invalidate(target);
  cairn_collect();
  printf("deep: %s marked, ", marked == (size_t)depth ? "all" : "not all");
  return 0;
}

__attribute__((visibility("default"))) cairn_unmanaged long gives_natively(long n)
{
  return n;
}

/* ---- the program ---- */

static struct object managed *make(long value)
{
  struct object managed *o = cairn_new(struct object);

  o->value = value;
  return o;
}

/* Keeps values in all registers over the call. */
__attribute__((noinline)) static long keeps(long a, long b, long c, long d, long e, long f, struct object managed *o)
{
  long x = a * 3, y = b * 5, z = c * 7, u = d * 11, v = e * 13, w = f * 17;
  long frames = leaves_nested(7, 1.5, o);

  cairn_collect();
  return (x == a * 3) + (y == b * 5) + (z == c * 7) + (u == d * 11) + (v == e * 13) + (w == f * 17 && o->value == 42);
}

int main(int count, char **arguments)
{
  struct object managed *o = make(42);

  if (cairn_deopt_add_language(9, &language) != CAIRN_OK)
    abort();
  printf(", %ld kept\n", keeps(1, 2, 3, 4, 5, 6, o));
  printf("eager: double %g, reference %ld\n", leaves_double(3), leaves_reference(o)->value);
  long sum = recurses(100);
  printf("recursion: %ld, %ld states\n", sum, states);
  target = calls_integer;
  printf("%ld\n", calls_integer(77));
  target = calls_double;
  printf("%g\n", calls_double(1));
  target = calls_reference;
  printf("%ld\n", calls_reference(o)->value);
  target = descends;
  states = 0;
  depth = atol(arguments[1]);
  sum = descends(depth, o);
  printf("%s states, %s sum\n", states == depth ? "all" : "not all",
         sum == depth * (depth + 1) / 2 ? "the right" : "another");
  states = 0;
  invalidate(descends);
  printf("unmarked: %zu, %s\n", marked, states == 0 ? "no state" : "a state");
  invalidate(&target);
  return 0;
}
