/* SPDX-License-Identifier: Apache-2.0
 *
 * Activations with an open scope of a pin are neither left nor marked: their pins would stay open. The activation that
 * goes on may have a scope, and so may older ones.
 */
// RUN: %cairn-cc -w -O2 -I%root/include %s %S/Inputs/pinned.ll -o %t
// RUN: %t | FileCheck %s && env CAIRN_STRESS=1 CAIRN_VERIFY=frames,heap %t | FileCheck %s
// RUN: %cairn-cc -w -O0 -I%root/include %s %S/Inputs/pinned.ll -o %t.0 && env CAIRN_STRESS=1 %t.0 | FileCheck %s
// CHECK: to the scope itself: 78 and 1
// CHECK-NEXT: refused: -95 a younger activation has an open scope of a pin
// CHECK-NEXT: over the scope: -1 and 1
// CHECK-NEXT: refused: -95 a younger activation has an open scope of a pin
// CHECK-NEXT: over an inner scope: -1 and 1
// CHECK-NEXT: after the scope: 78
// CHECK-NEXT: on return: -95 the activation has an open scope of a pin: 5
// CHECK-NEXT: invalidated: -95 the activation has an open scope of a pin: 6
// CHECK-NEXT: another thread's scope: 78
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include <cairn/pin.h>

struct object {
  long value;
};

static struct object managed *make(long value)
{
  struct object managed *o = cairn_new(struct object);

  o->value = value;
  return o;
}

/* ---- resumption ---- */

/* Give 78 to the activation that is so many older than the caller. */
__attribute__((noinline)) cairn_unmanaged static long throw_up(long activations)
{
  static volatile long refused = -1;
  struct cairn_deopt_result result = {CAIRN_ABI_DEOPT_RESULT_INTEGER, 78};
  struct cairn_deopt_failure failure;
  struct cairn_stack_iterator iterator;

  cairn_stack_youngest(&iterator);
  for (; activations > 0; activations--)
    cairn_stack_next(&iterator);
  cairn_deopt_resume(&iterator, &result, &failure);
  printf("refused: %d %s\n", failure.status, failure.text);
  return refused;
}

__attribute__((noinline)) static long throw_pinned(long activations, long *value)
{
  struct object managed *o = make(1);
  long result;

  cairn_pinned (struct object *at, o) {
    result = throw_up(activations);
    cairn_collect();
    *value = at->value;
  }
  return result;
}

__attribute__((noinline)) static long throw_within(long activations, long *value)
{
  struct object managed *o = make(2);
  long result;

  cairn_pinned (struct object *at, o)
    result = throw_pinned(activations, value) + at->value - 2;
  return result;
}

__attribute__((noinline)) static long throw_after(long *value)
{
  long result = throw_pinned(0, value) - 78 + throw_up(0);

  cairn_collect();
  return result;
}

/* ---- marks ---- */

static long continue_never(struct cairn_deopt_state managed *state)
{
  abort();
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  return continue_never;
}

static const struct cairn_deopt_language language = {.name = "test", .continuation = find_continuation};

long calls_pinned(struct object managed *o, long n);

cairn_unmanaged static void mark(long n)
{
  struct cairn_deopt_failure failure;
  struct cairn_stack_iterator iterator;
  uintptr_t function = (uintptr_t)calls_pinned;

  cairn_stack_youngest(&iterator);
  cairn_stack_next(&iterator);
  if (n == 5)
    cairn_deopt_on_return(&iterator, 3, &failure);
  else {
    function = cairn_stack_ip(&iterator);
    cairn_deopt_invalidate(&function, 1, 3, NULL, &failure);
  }
  printf("%s: %d %s: ", n == 5 ? "on return" : "invalidated", failure.status, failure.text);
}

long marks_caller(long n)
{
  mark(n);
  return n;
}

/* ---- another thread ---- */

static volatile int stage;

static void *hold_scope(void *unused)
{
  struct object managed *o = make(3);

  cairn_pinned (struct object *at, o) {
    stage = 1;
    while (stage == 1)
      ;
  }
  return NULL;
}

int main(void)
{
  pthread_t thread;
  long value = 0, result = throw_pinned(0, &value);

  printf("to the scope itself: %ld and %ld\n", result, value);
  result = throw_pinned(1, &value);
  printf("over the scope: %ld and %ld\n", result, value);
  result = throw_within(1, &value);
  printf("over an inner scope: %ld and %ld\n", result, value);
  printf("after the scope: %ld\n", throw_after(&value));
  if (cairn_deopt_add_language(9, &language) != CAIRN_OK)
    abort();
  printf("%ld\n", calls_pinned(make(4), 5));
  printf("%ld\n", calls_pinned(make(4), 6));
  pthread_create(&thread, NULL, hold_scope, NULL);
  while (stage == 0)
    ;
  printf("another thread's scope: %ld\n", throw_after(&value));
  stage = 2;
  pthread_join(thread, NULL);
  return 0;
}
