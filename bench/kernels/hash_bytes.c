/* SPDX-License-Identifier: Apache-2.0
 *
 * FNV-1a over bytes: one multiplication after the other.
 */
#include "../programs/kernel.h"

static unsigned char managed *bytes;
static const volatile long count = 100000;

void setup_hash_bytes(void)
{
  bytes = bench_array(unsigned char, count);
  for (long i = 0; i < count; i++)
    bytes[i] = (unsigned char)(i * 31 >> 3);
}

NOINLINE static unsigned long hash(const unsigned char managed *p, long n)
{
  unsigned long h = 14695981039346656037ul;

  for (long i = 0; i < n; i++)
    h = (h ^ p[i]) * 1099511628211ul;
  return h;
}

long kernel_hash_bytes(void)
{
  return (long)(hash(bytes, count) + hash(bytes, count - 1) + hash(bytes + 1, count - 2));
}
