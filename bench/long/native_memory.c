/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of bench/ttsp alone: single calls and loops that go through tens of megabytes of native
 * memory, without a safepoint in sight.
 */
#include <stdlib.h>
#include <string.h>
#include "../programs/kernel.h"

enum { BYTES = 64 << 20, INLINE = 1 << 20, CELLS = 64 << 20, PICKS = 1 << 20 };
static char *volatile text, *volatile copy;
static long *volatile cells;
static unsigned *volatile picks;

static char *string(void)
{
  char *memory = malloc(BYTES + 1);

  if (!memory)
    abort();
  memset(memory, 'x', BYTES);
  memory[BYTES] = 0;
  return memory;
}

static void make_strings(void)
{
  text = string();
  copy = string();
}

void setup_long_strlen(void)
{
  make_strings();
}

long kernel_long_strlen(void)
{
  return (long)strlen(text);
}

void setup_long_strcpy(void)
{
  make_strings();
}

long kernel_long_strcpy(void)
{
  return strcpy(copy, text)[BYTES - 1];
}

void setup_long_strcmp(void)
{
  make_strings();
}

long kernel_long_strcmp(void)
{
  return strcmp(copy, text);
}

void setup_long_strchr(void)
{
  make_strings();
}

long kernel_long_strchr(void)
{
  return strchr(text, 'y') != NULL;
}

void setup_long_strspn(void)
{
  make_strings();
}

long kernel_long_strspn(void)
{
  return (long)strspn(text, "xyz");
}

void setup_memset_inline(void)
{
  make_strings();
}

long kernel_memset_inline(void)
{
  __builtin_memset_inline(text, 'y', INLINE);
  return text[INLINE - 1];
}

void setup_memcpy_inline(void)
{
  make_strings();
}

long kernel_memcpy_inline(void)
{
  __builtin_memcpy_inline(copy, text, INLINE);
  return copy[INLINE - 1];
}

/* Half a gigabyte: no cache has it, nor does a table of pages. */
void setup_gather(void)
{
  unsigned long seed = 7;

  cells = malloc(CELLS * sizeof *cells);
  picks = malloc(PICKS * sizeof *picks);
  if (!cells || !picks)
    abort();
  for (long i = 0; i < CELLS; i++)
    cells[i] = i;
  for (long i = 0; i < PICKS; i++) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    picks[i] = (unsigned)(seed >> 38);
  }
}

long kernel_gather(void)
{
  const long *from = cells;
  const unsigned *which = picks;
  long sum = 0;

  for (long i = 0; i < PICKS; i++)
    sum += from[which[i]];
  return sum;
}
