/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans of a string that ends with a zero byte: the length of its line, its words, and the places
 * of a character. No loop knows how often it will run. (A loop to the zero byte alone is a strlen to
 * LLVM if the pointer is an ordinary one, and a loop if it is a reference, safepoints or not.)
 */
#include "../programs/kernel.h"

static char ANEW text;
static const volatile long length = 60000;

void setup_string_scan(void)
{
  char managed *string = bench_array(char, length + 1);
  unsigned long seed = 7;

  for (long i = 0; i < length; i++) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    string[i] = (char)(seed >> 40 & 7 ? 'a' + (seed >> 50) % 26 : ' ');
  }
  text = string;
}

NOINLINE static long measure_line(const char managed *s)
{
  const char managed *p = s;

  while (*p && *p != '\n')
    p++;
  return p - s;
}

NOINLINE static long count_words(const char managed *s)
{
  long words = 0;
  int inside = 0;

  for (; *s; s++) {
    words += !inside && *s != ' ';
    inside = *s != ' ';
  }
  return words;
}

NOINLINE static const char managed *find(const char managed *s, char wanted)
{
  while (*s && *s != wanted)
    s++;
  return s;
}

NOINLINE static long count_places(const char managed *s, char wanted)
{
  long places = 0;

  for (const char managed *p = find(s, wanted); *p; p = find(p + 1, wanted))
    places++;
  return places;
}

long kernel_string_scan(void)
{
  long s = 0;

  for (int round = 0; round < 10; round++)
    s = s * 3 + measure_line(text) + 5 * count_words(text) + count_places(text, (char)('a' + round));
  return s;
}
