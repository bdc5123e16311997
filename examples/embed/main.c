/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the words of standard input: a native program, by any compiler, with managed code in words.c.
 */
#include <stdio.h>
#include "words.h"

int main(void)
{
  struct cairn_handle *table = words_new();
  char word[64];
  long total = 0;

  while (scanf("%63s", word) == 1) {
    words_add(table, word);
    total++;
  }
  printf("%ld words, %ld distinct\n", total, words_distinct(table));
  words_free(table);
  return 0;
}
