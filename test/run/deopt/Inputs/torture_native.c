/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/deopt/torture.c: results of plain C, random numbers, invalidations.
 */
#include <cairn/deopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

long compiled_integer(long n, void *o, long d);
double compiled_double(long n, void *o, long d);
void *compiled_reference(long n, void *o, long d);

bool leaves_now(void);
long expected_integer(long n, long o, long d);
void invalidate_some(void);
unsigned long random_number(void);
void seed_random(unsigned long seed);
void make_chains(void);

static _Thread_local unsigned long random_state = 1;

void seed_random(unsigned long seed)
{
  random_state = seed * 2 + 1;
}

unsigned long random_number(void)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return random_state >> 33;
}

bool leaves_now(void)
{
  return random_number() % 16 == 0;
}

/* The functions of torture.c, without deoptimisation. */

static long locals_sum(long n, long o, long d)
{
  long a = n * 3, b = d + a, c = n ^ b;

  return a + b + c + o;
}

static long descend(long n, long o, long d);

static unsigned long branches = 4;

void make_chains(void)
{
  branches = 3;
}

long expected_integer(long n, long o, long d)
{
  return descend(n, o, d) * 5 + locals_sum(n, o, d);
}

static double expected_double(long n, long o, long d)
{
  return (double)(descend(n, o, d) & 0xfffff) + (double)(locals_sum(n, o, d) & 1023);
}

static long expected_reference(long n, long o, long d)
{
  return descend(n, o, d) + locals_sum(n, o, d);
}

static long descend(long n, long o, long d)
{
  long a = n * 11, b = n ^ d, c = n + d, e = d * 13, fresh = n & 63, sum;

  if (d == 0)
    return a + b;
  switch ((unsigned long)n % branches) {
  case 0: sum = expected_integer(n / 3, fresh, d - 1); break;
  case 1: sum = (long)expected_double(n / 2, o, d - 1); break;
  case 2: sum = expected_reference(n / 5, fresh, d - 1); break;
  default: sum = expected_integer(n / 7, o, d - 1) + expected_reference(n / 4, fresh, d - 1); break;
  }
  return sum + (a ^ b) + (c ^ e) + o;
}

void invalidate_some(void)
{
  const uintptr_t all[] = {(uintptr_t)compiled_integer, (uintptr_t)compiled_double, (uintptr_t)compiled_reference};
  struct cairn_deopt_failure failure;
  unsigned long first = random_number() % 3, number = 1 + random_number() % (3 - first);

  enum cairn_status status = cairn_deopt_invalidate(all + first, number, 2, NULL, &failure);
  if (status != CAIRN_OK && status != CAIRN_E_BUSY) { /* BUSY: in a signal handler */
    printf("wrong: %s\n", failure.text);
    exit(1);
  }
}
