/* SPDX-License-Identifier: Apache-2.0
 *
 * Quicksort over a managed array with interior pointers: all that the sort holds of the array over
 * its safepoints are pointers into the middle of it, which follow when it moves.
 *
 *   quicksort [elements [rounds]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

static void swap(long managed *a, long managed *b)
{
  long t = *a;

  *a = *b;
  *b = t;
}

/* Sort [first, end); `end` may point one past the array. */
static void sort(long managed *first, long managed *end)
{
  while (end - first > 1) {
    long pivot = first[(end - first) / 2];
    long managed *low = first, *high = end - 1;
    while (low <= high) {
      while (*low < pivot)
        low++;
      while (*high > pivot)
        high--;
      if (low <= high)
        swap(low++, high--);
    }
    if (high + 1 - first < end - low) {
      sort(first, high + 1);
      first = low;
    } else {
      sort(low, end);
      end = high + 1;
    }
  }
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: quicksort [elements [rounds]]") < 0;

  long count = argc > 1 ? atol(argv[1]) : 50000;
  long rounds = argc > 2 ? atol(argv[2]) : 30;
  unsigned long seed = 1, checksum = 0;
  long managed *before = cairn_new_array(long, count);

  for (long round = 0; round < rounds; round++) {
    long managed *array = cairn_new_array(long, count);
    for (long i = 0; i < count; i++) {
      seed = seed * 6364136223846793005ul + 1442695040888963407ul;
      array[i] = (long)(seed >> 40);
    }
    sort(array, array + count);
    for (long i = 1; i < count; i++) {
      if (array[i - 1] > array[i]) {
        printf("not sorted at %ld\n", i);
        return 1;
      }
      checksum = checksum * 31 + (unsigned long)(array[i] - before[i]);
    }
    before = array;
  }
  printf("%ld rounds of %ld elements sorted, checksum %016lx\n", rounds, count, checksum);
  return 0;
}
