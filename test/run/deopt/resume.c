/* SPDX-License-Identifier: Apache-2.0
 *
 * cairn_deopt_resume(): exceptions of a language as results of the calls in progress, over many activations; and its
 * refusals.
 */
// RUN: %cairn-cc -w -O2 -I%root/include %s %S/Inputs/compiled.ll -o %t
// RUN: %t | FileCheck %s && env CAIRN_STRESS=1 CAIRN_VERIFY=frames,heap %t | FileCheck %s
// RUN: %cairn-cc -w -O0 -I%root/include %s %S/Inputs/compiled.ll -o %t.0 && env CAIRN_STRESS=1 %t.0 | FileCheck %s
// CHECK: caught 77 after 1 activations: kept
// CHECK-NEXT: caught 77 after 11 activations: kept
// CHECK-NEXT: caught 77 after 12 activations: kept
// CHECK-NEXT: caught 5000 times
// CHECK-NEXT: caught 0.5
// CHECK-NEXT: caught object 9
// CHECK-NEXT: taken over with 55, 132
// CHECK-NEXT: refused: -94 a native activation lies between the caller and the activation
// CHECK-NEXT: refused: -4 the iterator is past the end
// CHECK-NEXT: refused: -4 the activation is not on the stack
// CHECK-NEXT: refused: -2 there is no kind 9 of results
// CHECK-NEXT: refused: -2 the result 0x{{[0-9a-f]+}} is no handle, or has been freed
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include <cairn/handle.h>

struct object {
  long value;
};

long calls_integer(long n);

static struct object managed *make(long value)
{
  struct object managed *o = cairn_new(struct object);

  o->value = value;
  return o;
}

/* ---- exceptions ---- */

cairn_unmanaged static void resume(struct cairn_stack_iterator *iterator, unsigned kind, uint64_t word)
{
  struct cairn_deopt_result result = {kind, word};
  struct cairn_deopt_failure failure;

  cairn_deopt_resume(iterator, &result, &failure);
  printf("refused: %d %s\n", failure.status, failure.text);
}

/* Give the result to the activation that is so many older than the caller. */
__attribute__((noinline)) cairn_unmanaged static long throw_up(long activations, unsigned kind, uint64_t word)
{
  static volatile long unused = -1;
  struct cairn_stack_iterator iterator;

  cairn_stack_youngest(&iterator);
  for (; activations > 0; activations--)
    cairn_stack_next(&iterator);
  resume(&iterator, kind, word);
  return unused;
}

static volatile bool was_wrong;

__attribute__((noinline)) static long descend(long n, long activations, struct object managed *mine)
{
  long a = n * 3, b = n * 5;
  struct object managed *own = make(n);
  long result = n == 0 ? throw_up(activations, CAIRN_ABI_DEOPT_RESULT_INTEGER, 77) : descend(n - 1, activations, own);

  cairn_collect();
  was_wrong |= a != n * 3 || b != n * 5 || own->value != n || mine->value < n;
  return result;
}

__attribute__((noinline)) static void catch(long activations, long a, long b, long c, long d, long e, long f)
{
  long x = a * 3, y = b * 5, z = c * 7, u = d * 11, v = e * 13, w = f * 17;
  struct object managed *own = make(99);
  long result = descend(10, activations, own);

  cairn_collect();
  bool kept = x == a * 3 && y == b * 5 && z == c * 7 && u == d * 11 && v == e * 13 && w == f * 17 && own->value == 99;
  printf("caught %ld after %ld activations: %s\n", result, activations + 1, kept && !was_wrong ? "kept" : "wrong");
}

__attribute__((noinline)) static double throw_double(void)
{
  throw_up(1, CAIRN_ABI_DEOPT_RESULT_FLOAT, 0x3fe0000000000000);
  cairn_collect();
  return was_wrong;
}

__attribute__((noinline)) static struct object managed *throw_object(void)
{
  throw_up(1, CAIRN_ABI_DEOPT_RESULT_REFERENCE, (uintptr_t)cairn_handle_new(make(9)));
  return make(0);
}

/* ---- a marked activation ---- */

static long continue_integer(struct cairn_deopt_state managed *state)
{
  printf("taken over with %ld, ", (long)cairn_deopt_state_word(state, 0));
  return cairn_deopt_state_word(state, 0) + cairn_deopt_state_integer(state, cairn_deopt_state_first(state, 0));
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  return function == 4 ? continue_integer : NULL;
}

static const struct cairn_deopt_language language = {.name = "test", .continuation = find_continuation};

cairn_unmanaged static void invalidate_and_throw(void)
{
  struct cairn_stack_iterator iterator;

  cairn_stack_youngest(&iterator);
  cairn_stack_next(&iterator);
  if (cairn_deopt_on_return(&iterator, 3, NULL) != CAIRN_OK)
    abort();
  resume(&iterator, CAIRN_ABI_DEOPT_RESULT_INTEGER, 55);
}

/* Inputs/compiled.ll calls them. */
long gives_integer(void)
{
  invalidate_and_throw();
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
  return 0;
}

__attribute__((visibility("default"))) cairn_unmanaged long gives_natively(long n)
{
  return n;
}

/* ---- refusals ---- */

__attribute__((noinline)) cairn_unmanaged static long call(long (*function)(long, long, struct object managed *))
{
  long result = function(0, 1, NULL);

  return result + was_wrong; /* no tail call */
}

static struct cairn_stack_iterator old;

__attribute__((noinline)) cairn_unmanaged static void keep_iterator(void)
{
  cairn_stack_youngest(&old);
}

__attribute__((noinline)) static void leave_iterator(void)
{
  keep_iterator();
}

static long throw_through(long n, long activations, struct object managed *unused)
{
  long result = throw_up(activations, CAIRN_ABI_DEOPT_RESULT_INTEGER, 77);

  cairn_collect();
  return result;
}

cairn_unmanaged static void use_old(void)
{
  resume(&old, CAIRN_ABI_DEOPT_RESULT_INTEGER, 0);
}

static void give_wrong_results(void)
{
  struct cairn_handle *handle = cairn_handle_new(NULL);

  cairn_handle_free(handle);
  throw_up(0, 9, 0);
  throw_up(0, CAIRN_ABI_DEOPT_RESULT_REFERENCE, (uintptr_t)handle);
}

int main(void)
{
  long times = 0;

  catch(0, 1, 2, 3, 4, 5, 6);
  catch(10, 1, 2, 3, 4, 5, 6);
  catch(11, 1, 2, 3, 4, 5, 6);
  for (long i = 0; i < 5000; i++)
    times += descend(3, i % 4, make(3)) == 77;
  printf("caught %ld times\n", times);
  printf("caught %g\n", throw_double());
  printf("caught object %ld\n", throw_object()->value);
  if (cairn_deopt_add_language(9, &language) != CAIRN_OK)
    abort();
  printf("%ld\n", calls_integer(77));
  call(throw_through);
  throw_through(0, 100, NULL);
  leave_iterator();
  use_old();
  give_wrong_results();
  return 0;
}
