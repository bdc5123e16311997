/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of bytes, most of which die at once: `bytes THREADS COUNT SLOTS`. COUNT arrays of 16 bytes
 * to 64 KiB (each power of two as often) are made one after another, their first and last bytes
 * written; one in eight replaces another in a table of SLOTS. -DCLEARED asks for cleared arrays.
 */
#include "workload.h"

static long work(void)
{
  long count = arguments[0], slots = arguments[1], random = 1, sum = 0;
  char managed *managed *table = make_array(char managed *, slots);

  for (long i = 0; i < count; i++) {
    long chance = next_random(&random), power = 16L << chance % 12;
    long size = power + (chance >> 4) % power;
    char managed *array = make_bytes(size);
    array[0] = (char)(i & 127);
    array[size - 1] = (char)(size & 127);
    chance = next_random(&random);
    if (chance % 8 != 0) {
      sum += array[size - 1];
      drop(array);
      continue;
    }
    long slot = (chance >> 3) % slots;
    if (table[slot] != NULL)
      sum += table[slot][0];
    drop(table[slot]);
    table[slot] = array;
  }
  for (long slot = 0; slot < slots; slot++)
    drop(table[slot]);
  drop(table);
  return sum;
}
