/* SPDX-License-Identifier: Apache-2.0
 *
 * Up by many activations between young collections. What would go wrong: a return through a barrier
 * sets no other, and the next collection looks at all down to an old barrier far below.
 */
// RUN: clang -O2 -I%root/include -c %root/examples/collectors/generational.c -o %t.o
// RUN: %cairn-cc -O2 -I%root/include %s %t.o -o %t
// RUN: env GENERATIONAL_REPORT=1 GENERATIONAL_FULL=100 %t 2>&1 >%t.out | tee %t.report
// RUN: grep 1800030000 %t.out
// RUN: awk '/looked at/ { exit !($8 < 70000 && $10 > 140000) }' %t.report
#include <stdio.h>
#include <cairn/cairn.h>

enum { DEPTH = 60000 };

struct cell {
  long value;
};
typedef struct cell managed *ref;

static __attribute__((noinline)) long down(long n)
{
  ref mine = cairn_new(struct cell);

  mine->value = n;
  long sum = n < DEPTH ? down(n + 1) : 0;
  if (n == DEPTH || n == DEPTH * 3 / 4 || n == DEPTH / 2 || n == DEPTH / 4)
    cairn_collect();
  return sum + mine->value;
}

int main(void)
{
  printf("%ld\n", down(0));
  return 0;
}
