/* SPDX-License-Identifier: Apache-2.0
 *
 * Who looks at a stack writes to where registers are saved: of the youngest activation in an anchor, of
 * others in frames of managed functions or in further anchors. What would go wrong: the activation goes
 * on with what was in the register before.
 */
// RUN: clang -Wall -Wextra -Werror -O2 -I%root/include -c %S/Inputs/written_registers.c -o %t.native.o
// RUN: %cairn-cc -O2 -I%root/include %s %t.native.o -o %t
// RUN: %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t | FileCheck %s
// CHECK: 30 written
// CHECK: sum 30435
#include <stdio.h>
#include <cairn/cairn.h>

enum { MAGIC = 0x5eed0000 };

typedef long callback(long);
long call_native(callback *function, long n);
long write_registers(long low, long high, long more);

static volatile long source = MAGIC;

/* `secret` is in a callee-saved register over the call. */
static __attribute__((noinline)) long keep(long n)
{
  long secret = source + n, rest = 0;

  if (n == 0)
    printf("%ld written\n", write_registers(MAGIC, MAGIC + 1000, 1000));
  else if (n % 4 == 0)
    rest = call_native(keep, n - 1);
  else
    rest = keep(n - 1);
  return secret - MAGIC + rest;
}

int main(void)
{
  long managed *mine = cairn_new(long);

  printf("sum %ld\n", keep(29) + *mine);
  return 0;
}
