/* SPDX-License-Identifier: Apache-2.0
 *
 * Lengths of short texts of UTF-16 that end with a zero. (LLVM makes strlen or wcslen of such a loop over bytes or over
 * wchar_t if the pointer is an ordinary one.)
 */
#include "../../programs/kernel.h"

enum { TEXTS = 256, LONGEST = 32 };

typedef unsigned short unit;

static unit managed *managed *texts;

void setup_text_length(void)
{
  unsigned seed = 1;

  texts = bench_array(unit managed *, TEXTS);
  for (long i = 0; i < TEXTS; i++) {
    seed = seed * 1103515245 + 12345;
    long length = (seed >> 16) % LONGEST;
    texts[i] = bench_array(unit, LONGEST);
    for (long k = 0; k < length; k++)
      texts[i][k] = (unit)('a' + k);
  }
}

NOINLINE static long measure(const unit managed *text)
{
  const unit managed *end = text;

  while (*end)
    end++;
  return end - text;
}

long kernel_text_length(void)
{
  long all = 0;

  for (int round = 0; round < 80; round++)
    for (long i = 0; i < TEXTS; i++)
      all += measure(texts[i]);
  return all;
}
