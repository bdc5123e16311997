/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches of a sorted array by halves, until the key is found or the part is empty.
 */
#include "../../programs/kernel.h"

enum { KEYS = 1000 };

static long managed *keys;
static const volatile long count = KEYS;

void setup_binary_search(void)
{
  keys = bench_array(long, KEYS);
  for (long i = 0; i < KEYS; i++)
    keys[i] = 2 * i;
}

NOINLINE static long search(const long managed *array, long high, long key)
{
  long low = 0;

  while (low < high) {
    long middle = low + (high - low) / 2;
    if (array[middle] == key)
      return middle;
    if (array[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

long kernel_binary_search(void)
{
  unsigned seed = 1;
  long all = 0;

  for (int i = 0; i < 20000; i++) {
    seed = seed * 1103515245 + 12345;
    all += search(keys, count, (seed >> 12) % (2 * KEYS));
  }
  return all;
}
