/* SPDX-License-Identifier: Apache-2.0
 *
 * A recursion that does not end, with barriers all along the stack. What would go wrong: the frames cannot
 * be counted, or the backtrace does not get past a barrier.
 */
// RUN: clang -Wall -Wextra -Werror -O2 -I%root/include -c %root/examples/collectors/generational.c -o %t.o
// RUN: %cairn-cc -O2 -g -fcairn-poll=stack -I%root/include %s %t.o -o %t
// RUN: not env GENERATIONAL_FULL=1000000 GENERATIONAL_CHECK=0 GENERATIONAL_REPORT=1 %t 2>&1 | FileCheck %s
// CHECK: cairn: stack overflow at pc 0x{{[0-9a-f]+}} (deep+0x{{[0-9a-f]+}}): [[#FRAMES:]] managed frames
// CHECK-NEXT: #0  {{.*}} in deep at {{.*}}
// CHECK: the same, [[#FRAMES-3]] times more
// CHECK-NEXT: #{{[0-9]+}} {{.*}} in main at
// CHECK: generational: {{[0-9]+}} collections, {{[1-9][0-9]+}} young
#include <stdio.h>
#include <cairn/cairn.h>

struct cell {
  long value;
  struct cell managed *above;
};

static __attribute__((noinline)) long deep(long n, struct cell managed *above)
{
  struct cell managed *mine = cairn_new(struct cell);

  mine->value = n;
  mine->above = above;
  if (n % 3000 == 0)
    cairn_collect();
  return deep(n + 1, mine) + mine->value + mine->above->value;
}

int main(void)
{
  struct cell managed *first = cairn_new(struct cell);

  printf("%ld\n", deep(1, first));
  return 0;
}
