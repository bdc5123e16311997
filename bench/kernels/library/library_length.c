/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's strlen() on managed texts of up to 31 bytes.
 */
#include <string.h>
#include "../../programs/kernel.h"

enum { TEXTS = 256, LONGEST = 32 };

static char managed *managed *texts;

void setup_library_length(void)
{
  unsigned seed = 1;

  texts = bench_array(char managed *, TEXTS);
  for (long i = 0; i < TEXTS; i++) {
    seed = seed * 1103515245 + 12345;
    long length = (seed >> 16) % LONGEST;
    texts[i] = bench_array(char, LONGEST);
    for (long k = 0; k < length; k++)
      texts[i][k] = (char)('a' + k % 26);
  }
}

long kernel_library_length(void)
{
  long all = 0;

  for (int round = 0; round < 200; round++)
    for (long i = 0; i < TEXTS; i++)
      all += (long)strlen(bench_text(texts[i]));
  return all;
}
