/* SPDX-License-Identifier: Apache-2.0
 *
 * What bench/young measures: a stack of many activations, each with a reference, below a leaf that
 * calls and returns a few deep between young collections. `visits` 0: full enumerations instead;
 * -1: none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

/* young_collector.c */
void bench_begin(long visits);
void bench_mark(void);
void bench_report(long depth, long visits);

struct cell {
  long value;
};
typedef struct cell managed *ref;

static long visits;

static __attribute__((noinline)) long busy(long depth, ref cell)
{
  return depth == 0 ? cell->value : busy(depth - 1, cell) + cell->value;
}

static __attribute__((noinline)) long leaf(ref cell)
{
  long sum = 0, rounds = visits < 0 ? 0 : visits == 0 ? 11 : visits;

  for (long i = 0; i < rounds; i++) {
    sum += busy(i % 8, cell);
    cairn_collect();
  }
  bench_mark();
  return sum;
}

static __attribute__((noinline)) long descend(long depth, ref cell)
{
  if (depth == 0)
    return leaf(cell);
  return descend(depth - 1, cell) + cell->value;
}

int main(int argc, char **argv)
{
  long depth = argc > 1 ? atol(argv[1]) : 1000000;
  ref cell = cairn_new(struct cell);

  visits = argc > 2 ? atol(argv[2]) : 10000;
  cell->value = descend(depth, cell); /* the stack's pages are there from now on */
  bench_begin(visits);
  long sum = descend(depth, cell);
  bench_report(depth, visits);
  return sum == 42;
}
