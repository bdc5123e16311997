/* SPDX-License-Identifier: Apache-2.0
 *
 * Callee-saved vector registers over all ways to leave activations: take-overs, cairn_deopt_resume(), and exceptions of
 * a language. An activation has eight numbers in such registers, on AArch64 in d8 to d15, and younger activations,
 * which have others, end without their epilogues. What would go wrong: a number is that of an activation that has
 * ended.
 */
// RUN: clang -O1 -fexceptions -c %S/Inputs/vectors_native.c -o %t.o && \
// RUN:   sed -f %S/Inputs/vectors.sed %S/Inputs/vectors.ll > %t.ll
// RUN: for o in 0 2; do %cairn-cc -w -O$o -I%root/include %s %t.ll %t.o -o %t && %t | FileCheck %s && \
// RUN:   env CAIRN_STRESS=1 CAIRN_VERIFY=frames,heap %t | FileCheck %s || exit 1; done
// CHECK: taken over at once: 100 of 100
// CHECK-NEXT: taken over at a return: 100 of 100
// CHECK-NEXT: resumed: 100 of 100
// CHECK-NEXT: resumed past native code: 100 of 100
// CHECK-NEXT: thrown: 100 of 100
// CHECK-NEXT: thrown past activations: 100 of 100
// CHECK-NEXT: thrown past native code: 100 of 100
// CHECK-NEXT: thrown by native code: 100 of 100
// CHECK-NEXT: thrown by a failure: 100 of 100
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include <cairn/exceptions.h>
#include <cairn/handle.h>

struct box {
  long value;
};
enum kind { AT_ONCE, AT_RETURN, RESUMED, RESUMED_PAST, THROWN, THROWN_DEEP, THROWN_PAST, THROWN_BY, FAILED };

/* Inputs/vectors.ll */
long leaves(double x);
long is_marked(double x);
void throws(void);
long catches(long kind, double x);
/* Inputs/vectors_native.c */
extern volatile double factors[8];
cairn_native long native_keeps(long (*next)(long, double), long kind, double x);
cairn_native void native_throws(void);

static struct cairn_stack_iterator target; /* the activation that goes on after a resume */

bool are_same(double x, double a, double b, double c, double d, double e, double f, double g, double h)
{
  return a == x * factors[0] && b == x * factors[1] && c == x * factors[2] && d == x * factors[3] &&
         e == x * factors[4] && f == x * factors[5] && g == x * factors[6] && h == x * factors[7];
}

__attribute__((noinline)) void touch(void)
{
  cairn_new(struct box);
}

static bool wrong;

/* ---- take-overs ---- */

static long continue_function(struct cairn_deopt_state managed *state)
{
  uint32_t first = cairn_deopt_state_first(state, 0);
  double v[8];

  for (uint32_t i = 0; i < 8; i++)
    v[i] = cairn_deopt_state_double(state, first + i);
  cairn_collect();
  wrong |= !are_same(v[0] / factors[0], v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
  return 1;
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  return continue_function;
}

static const struct cairn_deopt_language language = {.name = "test", .continuation = find_continuation};

cairn_unmanaged static void mark(void)
{
  struct cairn_stack_iterator iterator;

  cairn_stack_youngest(&iterator);
  cairn_stack_next(&iterator);
  if (cairn_deopt_on_return(&iterator, 3, NULL) != CAIRN_OK)
    abort();
}

long marks_caller(void)
{
  mark();
  return 0;
}

/* ---- resumes ---- */

__attribute__((noinline)) cairn_unmanaged static void set_target(void)
{
  cairn_stack_youngest(&target);
  cairn_stack_next(&target);
}

__attribute__((noinline)) cairn_unmanaged static void resume(void)
{
  struct cairn_deopt_result result = {CAIRN_ABI_DEOPT_RESULT_INTEGER, 1};
  struct cairn_deopt_failure failure;

  cairn_deopt_resume(&target, &result, &failure);
  printf("refused: %s\n", failure.text);
}

static long go_on_natively(long kind, double x)
{
  throws();
  return 0;
}

/* Native code with numbers of its own. */
__attribute__((noinline)) cairn_unmanaged static long resume_past(double x)
{
  double a = x * factors[0], b = x * factors[1], c = x * factors[2], d = x * factors[3], e = x * factors[4],
         f = x * factors[5], g = x * factors[6], h = x * factors[7];

  resume();
  return are_same(x, a, b, c, d, e, f, g, h) ? -1 : -2;
}

/* ---- the activations that end ---- */

__attribute__((noinline)) long go_on(long kind, double x);

__attribute__((noinline)) static long descend(long n, long kind, double x)
{
  double a = x * factors[0], b = x * factors[1], c = x * factors[2], d = x * factors[3], e = x * factors[4],
         f = x * factors[5], g = x * factors[6], h = x * factors[7];
  long r = n > 0 ? descend(n - 1, kind, x + 1) : go_on(kind, x + 1);

  return are_same(x, a, b, c, d, e, f, g, h) ? r : r - 1000;
}

__attribute__((noinline)) long go_on(long kind, double x)
{
  switch (kind) {
  case AT_ONCE:
    return leaves(x + 1);
  case AT_RETURN:
    return is_marked(x + 1);
  case RESUMED:
    set_target();
    return descend(3, kind - 1000, x + 1);
  case RESUMED - 1000:
    resume();
    return 0;
  case RESUMED_PAST:
    set_target();
    return descend(3, kind - 1000, x + 1);
  case RESUMED_PAST - 1000:
    return resume_past(x);
  case THROWN:
    throws();
    return 0;
  case THROWN_DEEP:
    return descend(3, THROWN, x + 1);
  case THROWN_PAST:
    return native_keeps(go_on_natively, 0, x + 1);
  case THROWN_BY:
    return descend(3, kind - 1000, x + 1);
  case THROWN_BY - 1000:
    native_throws();
    return 0;
  case FAILED:
    return descend(3, kind - 1000, x + 1);
  default:
    return cairn_new_array(long, 1L << 40)[0];
  }
}

/* The activation to which a resume gives the result of its call. */
__attribute__((noinline)) static long keeps(long kind, double x)
{
  double a = x * factors[0], b = x * factors[1], c = x * factors[2], d = x * factors[3], e = x * factors[4],
         f = x * factors[5], g = x * factors[6], h = x * factors[7];
  long r = go_on(kind, x);

  return r == 1 && are_same(x, a, b, c, d, e, f, g, h);
}

static void repeat(const char *name, enum kind kind)
{
  long right = 0;

  for (int i = 1; i <= 100; i++)
    right += kind >= THROWN ? catches(kind, i) : keeps(kind, i);
  printf("%s: %ld of 100%s\n", name, right, wrong ? ", with a wrong state" : "");
}

int main(void)
{
  static const char *const names[] = {"taken over at once",
                                      "taken over at a return",
                                      "resumed",
                                      "resumed past native code",
                                      "thrown",
                                      "thrown past activations",
                                      "thrown past native code",
                                      "thrown by native code",
                                      "thrown by a failure"};

  cairn_deopt_add_language(9, &language);
  cairn_throw_on(CAIRN_FAILURE_MEMORY, 5, cairn_handle_new(cairn_new(struct box)));
  for (int kind = 0; kind <= FAILED; kind++)
    repeat(names[kind], kind);
  return 0;
}
