/* SPDX-License-Identifier: Apache-2.0
 *
 * Quicksort by interior pointers.
 */
#include "../programs/kernel.h"

static long managed *array;
static const volatile long count = 20000;

void setup_quicksort(void)
{
  array = bench_array(long, count);
}

NOINLINE static void sort(long managed *first, long managed *end)
{
  while (end - first > 1) {
    long pivot = first[(end - first) / 2];
    long managed *low = first, *high = end - 1;
    while (low <= high) {
      while (*low < pivot)
        low++;
      while (*high > pivot)
        high--;
      if (low <= high) {
        long t = *low;
        *low++ = *high;
        *high-- = t;
      }
    }
    sort(first, high + 1);
    first = low;
  }
}

long kernel_quicksort(void)
{
  unsigned long seed = 1;

  for (long i = 0; i < count; i++) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    array[i] = (long)(seed >> 33);
  }
  sort(array, array + count);
  return array[count / 3];
}
