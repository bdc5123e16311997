/* SPDX-License-Identifier: Apache-2.0
 *
 * Far below the leaf is an activation of another code info manager, whose roots change although it
 * does not run. What would go wrong: young collections stop at a barrier above it. With LATE its region
 * is added when barriers are above it already.
 */
// RUN: clang -Wall -Wextra -Werror -O2 -I%root/include -c %root/examples/collectors/generational.c -o %t.o
// RUN: clang -Wall -Wextra -Werror -O2 -I%root/include -c %S/Inputs/young_manager.c -o %t.native.o
// RUN: %cairn-cc -O2 -I%root/include %s %t.native.o %t.o -o %t
// RUN: env GENERATIONAL_FULL=1000000 %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t | FileCheck %s
// RUN: clang -DLATE -Wall -Wextra -Werror -O2 -I%root/include -c %S/Inputs/young_manager.c -o %t.native.o
// RUN: %cairn-cc -DLATE -O2 -I%root/include %s %t.native.o %t.o -o %t
// RUN: env GENERATIONAL_FULL=1000000 %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t | FileCheck %s
// CHECK: 45340
// CHECK-NEXT: 2240
// CHECK-NEXT: 2020
// CHECK-NEXT: 1140
#include <stdio.h>
#include <cairn/cairn.h>

struct cell {
  long value;
};
typedef struct cell managed *ref;

long table_call(long (*function)(long), long n);
void table_install(void);
cairn_leaf void put(long index, ref reference);
cairn_leaf ref get(long index);

static __attribute__((noinline)) ref cell(long value)
{
  ref c = cairn_new(struct cell);

  c->value = value;
  return c;
}

#ifdef LATE
static int installed;
static void install_late(void)
{
  if (!installed++)
    table_install();
}
#else
#define install_late() (void)0
#endif

static __attribute__((noinline)) long down(long n)
{
  ref mine = cell(n);
  long sum = 0;

  if (n > 0)
    return down(n - 1) + mine->value;
  cairn_collect();
  install_late();
  for (long i = 0; i < 20; i++) {
    put(i % 8, cell(i));
    cairn_collect();
    cell(1);
    cairn_collect();
    sum += get(i % 8)->value;
  }
  return sum + mine->value;
}

static long mixed(long n)
{
  ref mine = cell(n);
  long sum = n == 0 ? 0 : n % 7 == 0 ? table_call(mixed, n - 1) : mixed(n - 1);

  if (n % 20 == 0) {
    put(3, cell(n));
    cairn_collect();
  }
  return sum + mine->value - get(3)->value;
}

int main(void)
{
  ref first = cell(150);

#ifndef LATE
  table_install();
#endif
  printf("%ld\n", table_call(down, 300));
  put(3, first);
  printf("%ld\n", table_call(down, 0) + table_call(down, 5) * 10);
  printf("%ld\n", table_call(down, 60));
  put(3, first);
  printf("%ld\n", table_call(mixed, 120));
  return 0;
}
