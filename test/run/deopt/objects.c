/* SPDX-License-Identifier: Apache-2.0
 *
 * Take-overs that allocate the objects that compiled code (Inputs/objects.ll) has removed, in two threads, with
 * collections in between: objects that frames share, that refer to each other and to themselves, arrays, small fields.
 * Wrong: an object made twice; a field with another value; a reference to an old place.
 */
// RUN: clang -O1 -I%root/include -c %S/Inputs/layouts_native.c -o %t.1.o
// DEFINE: %{options} = -O2
// DEFINE: %{build} = %cairn-cc %{options} -I%root/include %s %S/Inputs/objects.ll %t.1.o -o %t
// RUN: %{build} && %t 3000 | FileCheck %s && env CAIRN_STRESS=1 %t 60 | FileCheck %s
// RUN: env CAIRN_STRESS=7 CAIRN_VERIFY=frames,heap,stores %t 60 | FileCheck %s
// REDEFINE: %{options} = -O0
// RUN: %{build} && env CAIRN_STRESS=1 %t 60 | FileCheck %s
// REDEFINE: %{options} = -O2 -fcairn-collector=semispace -fno-omit-frame-pointer
// RUN: %{build} && env CAIRN_STRESS=1 CAIRN_VERIFY=heap %t 60 | FileCheck %s
// REDEFINE: %{options} = -O2 -static
// RUN: %{build} && env CAIRN_HEAP_MAX=4M CAIRN_VERIFY=heap %t 1000 | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_STATS=1 %t 20 2>&1 | FileCheck --check-prefix=MOVED %s
// RUN: llvm-readelf --needed-libs %t | FileCheck --check-prefix=LIBRARIES %s
// LIBRARIES-NOT: LLVM
// MOVED: objects moved: {{[1-9][0-9][0-9]}}
// CHECK: right: all
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>

struct node {
  struct node managed *next, *other;
  long value;
};
typedef struct node managed *ref;
struct small {
  bool odd;
  short half;
  float f;
  double d;
};

/* Inputs/objects.ll */
cairn_managed_function long leaves(long n, ref o);
cairn_managed_function long calls(long n, ref o);
/* Inputs/layouts_native.c */
cairn_leaf void note_layout(int number, void managed *object);
cairn_native const struct cairn_layout *find_layout(uint64_t number);

static long rounds;

static void expect(bool good, const char *what)
{
  if (good)
    return;
  printf("wrong: %s\n", what);
  exit(1);
}

static ref reference(struct cairn_deopt_state managed *state, uint32_t item)
{
  expect(cairn_deopt_state_class(state, item) == CAIRN_DEOPT_REFERENCE && cairn_deopt_state_word(state, item) == 0,
         "a reference");
  return cairn_deopt_state_reference(state, item);
}

/* ---- the interpreter ---- */

/* Frame 0. Returns n. */
static long check_outer(struct cairn_deopt_state managed *state)
{
  uint32_t first = cairn_deopt_state_first(state, 0);
  long n = cairn_deopt_state_integer(state, first);
  ref o = reference(state, first + 1), own = reference(state, first + 2), last = reference(state, first + 4);
  ref managed *array = cairn_deopt_state_reference(state, first + 3);

  expect(cairn_deopt_state_locals(state, 0) == 5 && cairn_deopt_state_stack(state, 0) == 0, "numbers of values");
  expect(cairn_deopt_state_index(state, 0) == 40 && cairn_deopt_state_language(state, 0) == 7, "the description");
  expect(own->next == last && own->other == o && own->value == n, "the node of the frame");
  expect(last->next == last && last->other == NULL && last->value == n + 1, "the node that refers to itself");
  expect(array[0] == o && (void managed *)array[1] == (void managed *)array && array[2] == last, "the array");
  expect(o->value == 7 * n, "the object that was there");
  own->value = 0; /* it is an object like others */
  own->next = cairn_new(struct node);
  return n;
}

static void check_inner(struct cairn_deopt_state managed *state, long n)
{
  uint32_t first = cairn_deopt_state_first(state, 1);
  long managed *numbers = cairn_deopt_state_reference(state, first);
  struct small managed *small = cairn_deopt_state_reference(state, first + 1);

  expect(cairn_deopt_state_function(state, 1) == 13 && cairn_deopt_state_locals(state, 1) == 3, "the second frame");
  expect(numbers[0] == n && numbers[1] == 0 && numbers[2] == 0 && numbers[3] == n + 1, "the numbers");
  expect(small->odd == (n & 1) && small->half == (short)(n + 1) && small->f == (float)n && small->d == (double)n,
         "the small fields");
  expect(reference(state, first + 2) == reference(state, cairn_deopt_state_first(state, 0) + 1), "the inner object");
}

static long continue_leaves(struct cairn_deopt_state managed *state)
{
  if (state->reason % 2 == 1)
    cairn_collect();
  expect(state->reason == 5 && state->frames == 2, "reason and frames");
  expect(cairn_deopt_state_class(state, CAIRN_DEOPT_STATE_RESULT) == CAIRN_DEOPT_UNDEFINED, "no result");
  long n = check_outer(state);
  check_inner(state, n);
  return n;
}

static long continue_calls(struct cairn_deopt_state managed *state)
{
  expect(state->reason == 6 && state->frames == 1, "reason and frame");
  expect(cairn_deopt_state_result_kind(state, 0) == CAIRN_ABI_DEOPT_RESULT_REFERENCE, "the kind of the result");
  ref result = reference(state, CAIRN_DEOPT_STATE_RESULT);
  long n = check_outer(state);
  expect(result->value == n + 100, "the result");
  return n;
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  (void)index;
  return function == 12 ? (const void *)continue_leaves : function == 14 ? (const void *)continue_calls : NULL;
}

/* ---- the program ---- */

cairn_unmanaged static void invalidate(void)
{
  struct cairn_deopt_failure failure;
  uintptr_t function = (uintptr_t)calls;

  if (cairn_deopt_invalidate(&function, 1, 6, NULL, &failure) != CAIRN_OK) {
    printf("wrong: %s\n", failure.text);
    exit(1);
  }
}

ref gives(long n)
{
  ref result = cairn_new(struct node);

  result->value = n + 100;
  invalidate();
  return result;
}

static void *run(void *unused)
{
  for (long n = 0; n < rounds; n++) {
    ref o = cairn_new(struct node);
    o->value = 7 * n;
    expect(leaves(n, o) == n, "a result of leaves()");
    expect(calls(n, o) == n, "a result of calls()");
  }
  return unused;
}

cairn_unmanaged static void add_language(void)
{
  static const struct cairn_deopt_language language = {
      .name = "seven", .continuation = find_continuation, .layout = find_layout};

  if (cairn_deopt_add_language(7, &language) != CAIRN_OK)
    abort();
}

int main(int count, char **arguments)
{
  pthread_t other;

  rounds = count > 1 ? atol(arguments[1]) : 10;
  note_layout(0, cairn_new(struct node));
  note_layout(1, cairn_new_array(ref, 1));
  note_layout(2, cairn_new_array(long, 1));
  note_layout(3, cairn_new(struct small));
  add_language();
  expect(pthread_create(&other, NULL, run, NULL) == 0, "a thread");
  run(NULL);
  pthread_join(other, NULL);
  printf("right: all\n");
  return 0;
}
