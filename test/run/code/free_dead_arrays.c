// RUN: %root/test/run/Inputs/same %build --small %if soak %{20%} %else %{5%} --args 5000 %s
// RUN: %cairn-cc -O2 -fcairn-collector=semispace -I%root/include %s -o %t
// RUN: env CAIRN_STATS=1 CAIRN_HEAP_MAX=16m %t 200000 2>&1 | FileCheck %s
// RUN: env CAIRN_STATS=1 CAIRN_HEAP_MAX=16m CAIRN_VERIFY=heap %t 2000 2>&1 | FileCheck %s
// RUN: %cairn-cc -O2 -fcairn-collector=generational -I%root/include %s -o %t.young
// RUN: env CAIRN_STATS=1 CAIRN_HEAP_MAX=16m %t.young 200000 2>&1 | FileCheck %s
// RUN: %t 40000 > %t.said
// RUN: env CAIRN_PAUSE=1us CAIRN_HEAP_INITIAL=256k CAIRN_HEAP_MAX=16m CAIRN_VERIFY=heap CAIRN_TRACE=%t.json \
// RUN:   %t.young 40000 | cmp - %t.said
// RUN: grep -c '"remark"' %t.json | FileCheck --check-prefix=PHASES %s
// PHASES: {{[1-9]}}
// Arrays of all sizes that die where they were made, or on one way out of there, or do not, beside others that live:
// what is made in the place of one is whole, whoever has it. Arrays of 3 GB take a few collections: there would be 400.
// CHECK-DAG: {{^[0-9]+$}}
// CHECK-DAG: {{^collections: [0-9]?[0-9]$}}
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct text {
  long length;
  char bytes[];
};

static char managed *kept[8];
static long managed *numbers;

__attribute__((noinline)) static long sum(const char managed *from, long n)
{
  long total = 0;

  for (long i = 0; i < n; i += 1 + n / 16)
    total += from[i];
  return total + from[n - 1];
}

/* It dies here, after a call that forgets it. */
static long dies(long n, char fill)
{
  char managed *array = cairn_new_array_uninit(char, n);

  for (long i = 0; i < n; i++)
    array[i] = fill;
  return sum(array, n);
}

/* Another is made meanwhile: what was made first is not the last any more. */
static long two(long n, char fill)
{
  long managed *longs = cairn_new_array(long, n / 8 + 1);
  struct text managed *text = cairn_new_flex_uninit(struct text, n);
  long total = longs[n / 8]; /* cleared, whatever lay there */

  text->length = n;
  for (long i = 0; i < n; i++)
    text->bytes[i] = fill;
  for (long i = 0; i <= n / 8; i++)
    longs[i] += i & 7;
  for (long i = 0; i <= n / 8; i++)
    total += longs[i];
  return total + sum(text->bytes, text->length);
}

/* It dies on the way that does not keep it. */
static long perhaps(long n, char fill, long round)
{
  char managed *array = cairn_new_array_uninit(char, n);

  array[0] = array[n - 1] = fill;
  if (round % 1024 != 0)
    return array[0] + 1;
  for (long i = 0; i < n; i++)
    array[i] = (char)n;
  kept[round / 1024 % 8] = array;
  numbers = cairn_new_array(long, 4);
  numbers[3] = n;
  return array[n - 1];
}

/* What was kept has not been given away. */
static long look(void)
{
  long total = numbers ? numbers[3] : 0;

  for (int i = 0; i < 8; i++)
    if (kept[i] != NULL)
      total += sum(kept[i], 16);
  return total;
}

int main(int argc, char **argv)
{
  long rounds = argc > 1 ? atol(argv[1]) : 1000, total = 0, random = 1;

  for (long i = 0; i < rounds; i++) {
    random = (random * 1103515245 + 12345) & 0x7fffffff;
    long n = (16L << (random >> 8) % 12) + (random >> 16) % 16;
    if (n > 16384)
      n = 16384 + n % 7;
    total += dies(n, (char)(i & 63)) + two(n, (char)(i & 31)) + perhaps(n, (char)(i & 15), i);
    if (i % 64 == 0)
      total += look();
  }
  printf("%ld\n", total);
  return 0;
}
