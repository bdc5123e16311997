/* SPDX-License-Identifier: Apache-2.0
 *
 * The sum of an array of long: a vector loop of a few instructions, which a poll can only slow
 * down.
 */
#include "../programs/kernel.h"

static long ANEW array;
static const volatile long count = 2000;

void setup_sum(void)
{
  array = bench_array(long, count);
  for (long i = 0; i < count; i++)
    array[i] = i * 7 % 1001;
}

NOINLINE static long sum(const long managed *a, long n)
{
  long s = 0;

  for (long i = 0; i < n; i++)
    s += a[i];
  return s;
}

long kernel_sum(void)
{
  long s = 0;

  for (int round = 0; round < 3000; round++)
    s += sum(array, count);
  return s;
}
