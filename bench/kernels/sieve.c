/* SPDX-License-Identifier: Apache-2.0
 *
 * The sieve of Eratosthenes over bytes.
 */
#include "../programs/kernel.h"

static char managed *flags;
static const volatile long limit = 300000;

void setup_sieve(void)
{
  flags = bench_array(char, limit);
}

NOINLINE static long sieve(char managed *composite, long n)
{
  long primes = 0;

  for (long i = 0; i < n; i++)
    composite[i] = 0;
  for (long i = 2; i < n; i++) {
    if (composite[i])
      continue;
    primes++;
    for (long j = i * i; j < n; j += i)
      composite[j] = 1;
  }
  return primes;
}

long kernel_sieve(void)
{
  return sieve(flags, limit) + sieve(flags, limit / 2);
}
