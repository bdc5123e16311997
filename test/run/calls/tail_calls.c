/* SPDX-License-Identifier: Apache-2.0
 *
 * Tail calls take no stack, as in plain C at -O2: between two units, through pointers, and to and
 * fro between managed and native code. What would go wrong: a statepoint keeps each caller's frame,
 * and ten million of them overflow the stack; or each way into native code leaves an anchor, and
 * there are too many anchors.
 */
// RUN: %root/test/run/Inputs/same %build --levels "-O1 -O3 -Os" --args 10000000 --small 400 %s %S/../Inputs/tail_calls_other.c
#include <stdio.h>
#include <stdlib.h>
#include "../Inputs/tail_calls.h"

long even(long left, struct cell managed *cell)
{
  if (left == 0)
    return cell->value;
  return odd(left - 1, cell);
}

/* Same registers, exchanged. */
static long swap(struct cell managed *a, struct cell managed *b, long left)
{
  if (left == 0)
    return a->value * 10 + b->value;
  if (left % 1024 == 0)
    a = renew(a);
  return other_swap(b, a, left - 1);
}
swap_function *volatile back = swap;

/* Managed, then native code that makes a tail call of managed code, and so on. */
long bounce(long left, struct cell managed *cell)
{
  if (left == 0)
    return cell->value;
  kept = cell;
  return bounce_native(left - 1);
}

/* A switch whose cases share their return. */
static __attribute__((noinline)) long machine(long left, long state, struct cell managed *cell)
{
  if (left == 0)
    return state + cell->value;
  switch (state & 3) {
  case 0: return machine_a(left - 1, state + 1, cell);
  case 1: return machine_b(left - 1, state + 3, cell);
  case 2: return machine_c(left - 1, state + 5, cell);
  default: return machine_a(left - 1, state + 7, cell);
  }
}
machine_function *volatile machine_back = machine;

int main(int argc, char **argv)
{
  long count = argc > 1 ? atol(argv[1]) : 1000;
  struct cell managed *a = cairn_new(struct cell);
  struct cell managed *b = cairn_new(struct cell);

  a->value = 3;
  b->value = 4;
  printf("%ld\n", even(count, a));
  printf("%ld\n", swap(a, b, count));
  printf("%ld\n", bounce(count, a));
  printf("%ld\n", machine(count, 0, b));
  return 0;
}
