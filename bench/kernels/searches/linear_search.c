/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches of short arrays of numbers, from the first element to the number or to the end.
 */
#include "../../programs/kernel.h"

enum { NUMBERS = 24 };

static int managed *numbers;
static const volatile long length = NUMBERS;

void setup_linear_search(void)
{
  numbers = bench_array(int, NUMBERS);
  for (int i = 0; i < NUMBERS; i++)
    numbers[i] = i * 7 % NUMBERS;
}

NOINLINE static long search(const int managed *array, long count, int wanted)
{
  for (long i = 0; i < count; i++)
    if (array[i] == wanted)
      return i;
  return -1;
}

long kernel_linear_search(void)
{
  unsigned seed = 1;
  long all = 0;

  for (int i = 0; i < 20000; i++) {
    seed = seed * 1103515245 + 12345;
    all += search(numbers, length, (int)((seed >> 16) % (NUMBERS + 4)));
  }
  return all;
}
