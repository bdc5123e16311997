/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits lines into fields, each by a search of the next comma within the line's length.
 */
#include "../../programs/kernel.h"

enum { LENGTH = 16384 };

static char managed *lines;
static const volatile long length = LENGTH;

void setup_byte_search(void)
{
  unsigned seed = 1;

  lines = bench_array(char, LENGTH);
  for (long i = 0; i < LENGTH; i++) {
    seed = seed * 1103515245 + 12345;
    lines[i] = (seed >> 16) % 12 ? (char)('a' + (seed >> 24) % 26) : ',';
  }
}

NOINLINE static long find(const char managed *text, long count, char wanted)
{
  long i = 0;

  while (i < count && text[i] != wanted)
    i++;
  return i;
}

static long count_fields(const char managed *text, long count)
{
  long fields = 0;

  for (long at = 0; at < count; at++) {
    at += find(text + at, count - at, ',');
    fields++;
  }
  return fields;
}

long kernel_byte_search(void)
{
  long all = 0;

  for (int round = 0; round < 10; round++)
    all += count_fields(lines, length);
  return all;
}
