/* SPDX-License-Identifier: Apache-2.0
 *
 * Marked activations that catch an exception, and so bypass their marks: they are marked again in a later call with
 * records, and taken over when it returns. Also activations within each other, one that only cleans up, one whose later
 * call has no safepoint apart from its poll, and one whose native callee is the target of a jump. The exceptions are
 * those of an unwinder, and then those of a language.
 */
// RUN: clang -O1 -c %S/Inputs/catch_native.c -o %t.o
// RUN: %cairn-cc -w -O2 -I%root/include %s %S/Inputs/catch.ll %t.o -lstdc++ -o %t
// RUN: %t | FileCheck %s && env CAIRN_STRESS=1 CAIRN_VERIFY=frames,heap %t | FileCheck %s
// RUN: sed -e '/define i64 @cleans_up/,/^}/b' -f %S/../Inputs/throw_spans.sed %S/Inputs/catch.ll > %t.ll
// RUN: %cairn-cc -w -O2 -DBY_FRAME_MAPS -I%root/include %s %t.ll %t.o -lstdc++ -o %t && %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames,heap %t | FileCheck %s
// CHECK: unmarked 1000014, 0 marked, 0 taken over
// CHECK-NEXT: caught 1114, 1 marked, 1 taken over
// CHECK-NEXT: within each other 3342, 3 marked, 3 taken over
// CHECK-NEXT: passed on 1114, 2 marked, 1 taken over
// CHECK-NEXT: at a poll 1114, 1 marked, 1 taken over
// CHECK-NEXT: jumped 1214, 1 marked, 1 taken over
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include <cairn/exceptions.h>

struct object {
  long value;
};
typedef struct object managed *ref;

/* Inputs/catch.ll */
long catches(long n, ref o);
long cleans_up(long n, ref o);
long calls_native(long n, ref o);
/* Inputs/catch_native.c */
cairn_native void throws(void);
cairn_native void jump_back(void);

#ifdef BY_FRAME_MAPS
#define throws() cairn_throw(5, NULL)
#endif

static long taken_over, inner;
static size_t marked;
static bool invalidates, is_quick;
static long levels; /* of calls that are still to be nested */
static long (*nested)(long n, ref o) = catches;

static ref make(long value)
{
  ref o = cairn_new(struct object);

  o->value = value;
  return o;
}

/* ---- the interpreter ---- */

static long go_on(struct cairn_deopt_state managed *state)
{
  uint32_t first = cairn_deopt_state_first(state, 0);
  ref o = cairn_deopt_state_reference(state, first + 1);

  taken_over++;
  return cairn_deopt_state_word(state, 0) + o->value + 100 * cairn_deopt_state_index(state, 0);
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  return function == 9 ? go_on : NULL;
}

static const struct cairn_deopt_language language = {.name = "test", .continuation = find_continuation};

cairn_unmanaged static void invalidate(void)
{
  uintptr_t functions[] = {(uintptr_t)catches, (uintptr_t)cleans_up, (uintptr_t)calls_native};

  if (invalidates && cairn_deopt_invalidate(functions, 3, 3, &marked, NULL) != CAIRN_OK)
    abort();
}

/* ---- what compiled code calls ---- */

long throws_marked(long n, ref o)
{
  if (levels-- > 0)
    inner += nested(n, make(1000));
  else
    invalidate();
  cairn_collect();
  throws();
  return 0;
}

void polls_often(long n)
{
  for (volatile long i = 0; i < n; i++)
    ;
}

long calls_later(long n)
{
  if (!is_quick)
    cairn_collect();
  return 2 * n;
}

__attribute__((visibility("default"))) void marks_and_jumps(void)
{
  invalidate();
  cairn_collect();
  jump_back();
}

static void show(const char *how, long result)
{
  printf("%s %ld, %zu marked, %ld taken over\n", how, result + inner, marked, taken_over);
  taken_over = inner = 0;
  marked = 0;
}

static void show_catch(const char *how, long depth)
{
  levels = depth;
  show(how, catches(7, make(1000)));
}

int main(void)
{
  if (cairn_deopt_add_language(9, &language) != CAIRN_OK)
    abort();
  show_catch("unmarked", 0);
  invalidates = true;
  show_catch("caught", 0);
  show_catch("within each other", 2);
  nested = cleans_up;
  show_catch("passed on", 1);
  is_quick = true;
  show_catch("at a poll", 0);
  show("jumped", calls_native(7, make(1000)));
  return 0;
}
