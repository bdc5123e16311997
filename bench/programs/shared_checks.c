/* SPDX-License-Identifier: Apache-2.0
 *
 * Two objects, the first of which holds what two conditions decide (bench/shared-checks). With
 * APART, they are kept from sharing a check.
 */
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

enum { CALLS = 10000 /* so few that no collection comes */ };

#ifdef APART
#define BETWEEN __asm__ volatile("")
#else
#define BETWEEN (void)0
#endif

struct first {
  long number;
  struct first managed *next;
};

#define KERNEL(name, words, fill) \
  struct name { \
    struct first managed *next; \
    long w[(words) - 1]; \
  }; \
  __attribute__((noinline)) struct name managed *kernel_##name(long n, struct first managed *tail) \
  { \
    struct first managed *a = cairn_new(struct first); \
    if (n & 1) \
      a->number = n; \
    if (n & 2) \
      a->next = tail; \
    BETWEEN; \
    struct name managed *b = cairn_new(struct name); \
    b->next = a; \
    fill; \
    return b; \
  } \
  static long run_##name(void) \
  { \
    struct first managed *tail = NULL; \
    long total = 0; \
    for (long i = 0; i < CALLS; i++) { \
      struct name managed *b = kernel_##name(i * 7 >> 1, tail); \
      total += b->w[0]; \
      tail = i % 64 != 0 ? b->next : NULL; \
    } \
    return total; \
  }

#define ALL(words) \
  for (int i = 0; i < (words) - 1; i++) \
  b->w[i] = n + i

KERNEL(all_of_16, 2, ALL(2))
KERNEL(some_of_16, 2, if (n & 4) b->w[0] = n)
KERNEL(all_of_32, 4, ALL(4))
KERNEL(all_of_64, 8, ALL(8))
KERNEL(some_of_64, 8, if (n & 4) b->w[0] = n)

static struct first managed *volatile one;

int main(void)
{
  one = cairn_new(struct first); /* the heap is there from now on */
  printf("%ld\n", run_all_of_16() + run_some_of_16() + run_all_of_32() + run_all_of_64() + run_some_of_64());
  return 0;
}
