/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of the 2014 slides: clear an array from its end. Plain C makes it one memset.
 */
#include "../programs/kernel.h"

static int ANEW array;
static const volatile long count = 100000;

void setup_seeds_loop(void)
{
  array = bench_array(int, count);
}

NOINLINE static void foo(int managed *arr, long len)
{
  int managed *p = arr + len;

  while (p != arr) {
    p--;
    *p = 0;
  }
}

long kernel_seeds_loop(void)
{
  for (int round = 0; round < 200; round++)
    foo(array, count);
  return array[count / 2];
}
