/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's strcmp() on managed texts: look-ups by halves in a sorted table of words.
 */
#include <string.h>
#include "../../programs/kernel.h"

enum { WORDS = 512, LENGTH = 12 };

static char managed *managed *words;
static char managed *managed *wanted;

static char managed *write_word(long number)
{
  char managed *word = bench_array(char, LENGTH);

  for (int k = 0; k < 4; k++)
    word[k] = "word"[k];
  for (int k = 0; k < 6; k++, number /= 10)
    word[9 - k] = (char)('0' + number % 10);
  return word;
}

void setup_library_order(void)
{
  unsigned seed = 1;

  words = bench_array(char managed *, WORDS);
  wanted = bench_array(char managed *, WORDS);
  for (long i = 0; i < WORDS; i++) {
    seed = seed * 1103515245 + 12345;
    words[i] = write_word(1000 * i);
    wanted[i] = write_word(500 * (long)((seed >> 16) % (2 * WORDS)));
  }
}

NOINLINE static long look_up(char managed *managed *table, const char managed *word)
{
  long low = 0, high = WORDS;

  while (low < high) {
    long middle = (low + high) / 2;
    int order = strcmp(bench_text(table[middle]), bench_text(word));
    if (order == 0)
      return middle;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

long kernel_library_order(void)
{
  long all = 0;

  for (int round = 0; round < 10; round++)
    for (long i = 0; i < WORDS; i++)
      all += look_up(words, wanted[i]);
  return all;
}
