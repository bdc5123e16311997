/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of bytes, most of which die at once: for bench/bytes, `bytes COUNT SLOTS`. COUNT arrays of
 * 16 bytes to 64 KiB (each power of two as often) are made one after another, their first and last
 * bytes written; one in eight replaces another in a table of SLOTS. -DCLEARED asks for cleared
 * arrays. -DMALLOC is C as usual, which frees what it drops.
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef MALLOC
#define managed
#define drop(array) free(array)
#ifdef CLEARED
#define make(n) calloc(n, 1)
#else
#define make(n) malloc(n)
#endif
#define make_table(n) calloc(n, sizeof(char *))
#else
#include <cairn/cairn.h>
#define drop(array) ((void)(array))
#ifdef CLEARED
#define make(n) cairn_new_array(char, n)
#else
#define make(n) cairn_new_array_uninit(char, n)
#endif
#define make_table(n) cairn_new_array(char managed *, n)
#endif

int main(int argc, char **argv)
{
  long count = argc > 1 ? atol(argv[1]) : 1000000, slots = argc > 2 ? atol(argv[2]) : 4096;
  char managed *managed *table = make_table((unsigned long)slots);
  long random = 1, sum = 0;

  for (long i = 0; i < count; i++) {
    random = (random * 1103515245 + 12345) & 0x7fffffff;
    long power = 16L << (random >> 8) % 12;
    long size = power + (random >> 12) % power;
    char managed *array = make((unsigned long)size);
    array[0] = (char)(i & 127);
    array[size - 1] = (char)(size & 127);
    random = (random * 1103515245 + 12345) & 0x7fffffff;
    if ((random >> 8) % 8 != 0) {
      sum += array[size - 1];
      drop(array);
      continue;
    }
    long slot = (random >> 11) % slots;
    if (table[slot] != NULL)
      sum += table[slot][0];
    drop(table[slot]);
    table[slot] = array;
  }
  printf("%ld\n", sum);
  return 0;
}
