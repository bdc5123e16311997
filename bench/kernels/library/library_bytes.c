/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's memcmp() on managed texts: of constant length, which becomes code in line, and of the length of a
 * word.
 */
#include <string.h>
#include "../../programs/kernel.h"

enum { TEXTS = 256, LONGEST = 48 };

struct text {
  long length;
  char at[LONGEST];
};

static struct text managed *ANEW texts;

void setup_library_bytes(void)
{
  unsigned seed = 1;

  texts = bench_array(struct text managed *, TEXTS);
  for (long i = 0; i < TEXTS; i++) {
    seed = seed * 1103515245 + 12345;
    texts[i] = bench_new(struct text);
    texts[i]->length = 8 + (long)((seed >> 16) % (LONGEST - 8));
    for (long k = 0; k < texts[i]->length; k++)
      texts[i]->at[k] = (char)('a' + k % 26);
  }
}

NOINLINE static long compare_neighbours(struct text managed *managed *all)
{
  long equal = 0;

  for (long i = 1; i < TEXTS; i++) {
    const struct text managed *a = all[i - 1], *b = all[i];
    size_t bytes = (size_t)(a->length < b->length ? a->length : b->length);
    equal += memcmp(bench_text(a->at), bench_text(b->at), 8) == 0;
    equal += memcmp(bench_text(a->at), bench_text(b->at), bytes) == 0;
  }
  return equal;
}

long kernel_library_bytes(void)
{
  long all = 0;

  for (int round = 0; round < 100; round++)
    all += compare_neighbours(texts);
  return all;
}
