/* SPDX-License-Identifier: Apache-2.0
 *
 * Marked activations that end without a return: exceptions of C++, and longjmp(); and
 * marks in a child of fork().
 */
// RUN: clang++ -O1 -c %S/Inputs/leave.cpp -o %t.o
// RUN: %cairn-cc -w -O2 -I%root/include %s %S/Inputs/compiled.ll %t.o -lstdc++ -o %t
// RUN: %t | FileCheck %s && env CAIRN_STRESS=1 CAIRN_VERIFY=frames,heap %t | FileCheck %s
// CHECK: thrown 7, marked 30, 0 taken over
// CHECK-NEXT: thrown 8, marked 0, 0 taken over
// CHECK-NEXT: jumped 9, marked 30, 0 taken over
// CHECK-NEXT: returned 465, marked 30, 30 taken over
// CHECK-NEXT: child: 465, 30 taken over
// CHECK-NEXT: parent: 465, 30 taken over
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include <cairn/handle.h>

enum { DEPTH = 30 };

struct object {
  long value;
};

long sums(long n, struct object managed *o);
long catches(long (*function)(long, struct cairn_handle *), long n, struct cairn_handle *handle);
long jumps_back(long (*function)(long, struct cairn_handle *), long n, struct cairn_handle *handle);
void throws(long value);
void jumps(long value);

static long taken_over;
static size_t marked;
static void (*at_bottom)(void);

static struct object managed *make(long value)
{
  struct object managed *o = cairn_new(struct object);

  o->value = value;
  return o;
}

/* ---- the interpreter ---- */

static long continue_sum(struct cairn_deopt_state managed *state)
{
  uint32_t first = cairn_deopt_state_first(state, 0);
  struct object managed *o = cairn_deopt_state_reference(state, first + 1);

  taken_over++;
  return cairn_deopt_state_word(state, 0) + cairn_deopt_state_integer(state, first) + o->value;
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  return function == 8 ? continue_sum : NULL;
}

static const struct cairn_deopt_language language = {.name = "test", .continuation = find_continuation};

cairn_unmanaged static void invalidate(void)
{
  uintptr_t function = (uintptr_t)sums;

  if (cairn_deopt_invalidate(&function, 1, 3, &marked, NULL) != CAIRN_OK)
    abort();
}

/* ---- the bottom ---- */

long reaches_bottom(void)
{
  invalidate();
  cairn_collect();
  at_bottom();
  cairn_collect();
  return 0;
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

static void throw_seven(void)
{
  throws(7);
}

/* The exception passes a frame of the runtime's stub for native code and managed frames, also marked a second time. */
static void throw_eight(void)
{
  invalidate();
  throws(8);
}

static void jump(void)
{
  jumps(9);
}

static void do_nothing(void)
{
}

static bool is_child;

static void fork_process(void)
{
  fflush(stdout);
  pid_t child = fork();

  is_child = child == 0;
  if (!is_child)
    waitpid(child, NULL, 0);
}

__attribute__((visibility("default"))) cairn_unmanaged long gives_natively(long n)
{
  return n;
}

/* ---- the program ---- */

static long sum_from_native(long n, struct cairn_handle *handle)
{
  long sum = sums(n, cairn_handle_get(handle));

  cairn_collect();
  return sum;
}

static void show(const char *how, long result)
{
  printf("%s %ld, marked %zu, %ld taken over\n", how, result, marked, taken_over);
}

int main(void)
{
  struct cairn_handle *handle = cairn_handle_new(make(0));

  if (cairn_deopt_add_language(9, &language) != CAIRN_OK)
    abort();
  at_bottom = throw_seven;
  show("thrown", catches(sum_from_native, DEPTH, handle));
  at_bottom = throw_eight;
  show("thrown", catches(sum_from_native, DEPTH, handle));
  at_bottom = jump;
  show("jumped", jumps_back(sum_from_native, DEPTH, handle));
  at_bottom = do_nothing;
  show("returned", catches(sum_from_native, DEPTH, handle));
  taken_over = 0;
  at_bottom = fork_process;
  long sum = sums(DEPTH, make(0));
  printf("%s: %ld, %ld taken over\n", is_child ? "child" : "parent", sum, taken_over);
  return 0;
}
