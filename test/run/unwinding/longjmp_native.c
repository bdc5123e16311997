/* SPDX-License-Identifier: Apache-2.0
 *
 * longjmp from native code over managed frames to native code. What would go wrong: the anchors of
 * the calls that never returned fill chunk after chunk of anchors (300000 of them), or are taken for live ones
 * by a walk that then visits dead frames.
 */
// RUN: %root/test/run/Inputs/same %build --args 300000 --small 40 %s
// clang has no __builtin_setjmp() for AArch64.
// RUN: %if !aarch64 %{%root/test/run/Inputs/same %build --args 300000 --small 40 --flags -DFOREIGN %s%}
#ifdef FOREIGN /* a jump that the runtime does not see */
typedef void *jmp_buf[5];
#define setjmp __builtin_setjmp
#define longjmp __builtin_longjmp
#else
#include <setjmp.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct cell {
  long value;
};
static jmp_buf back;
static long thrown;
static struct cell managed *kept;

cairn_unmanaged static __attribute__((noinline)) void give_up(long i)
{
  if (i % 4)
    longjmp(back, 1);
}

static void managed_middle(long i)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = i;
  give_up(i);
  thrown += cell->value;
}

static long collects(long i)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = i;
  kept = cell;
  if (i % 100 == 1)
    cairn_collect();
  return kept->value;
}

/* A frame that lies where dead ones were, and is written to. */
cairn_unmanaged static __attribute__((noinline)) long collects_deeper(long i)
{
  volatile char room[4096];

  for (long byte = 0; byte < 4096; byte++)
    room[byte] = 1;
  return collects(i) + room[i % 4096] - 1;
}

cairn_unmanaged int main(int argc, char **argv)
{
  long count = argc > 1 ? atol(argv[1]) : 1000;
  volatile long sum = 0, i;

  for (i = 0; i < count; i++) {
    if (setjmp(back) == 0)
      managed_middle(i);
    else
      sum += i % 100 == 1 ? collects_deeper(i) : collects(i);
  }
  printf("%ld %ld\n", sum, thrown);
  return 0;
}
