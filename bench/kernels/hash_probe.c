/* SPDX-License-Identifier: Apache-2.0
 *
 * Look-ups in a hash table with open addressing: a few dependent probes each, of a length that
 * nobody knows before.
 */
#include "kernel.h"

struct entry {
  unsigned long key;
  long value;
};

static struct entry managed *table;
static const volatile unsigned long bits = 12;

static unsigned long scatter(unsigned long key, unsigned long width)
{
  return key * 11400714819323198485ul >> (64 - width);
}

NOINLINE static struct entry managed *find(struct entry managed *entries, unsigned long width,
                                           unsigned long key)
{
  unsigned long mask = (1ul << width) - 1, at = scatter(key, width);

  while (entries[at].key && entries[at].key != key)
    at = (at + 1) & mask;
  return &entries[at];
}

/* Three quarters full. */
void setup_hash_probe(void)
{
  long count = 1l << bits;

  table = bench_array(struct entry, count);
  for (long i = 1; i <= count * 3 / 4; i++) {
    struct entry managed *entry = find(table, bits, (unsigned long)(i * i));
    entry->key = (unsigned long)(i * i);
    entry->value = i;
  }
}

NOINLINE static long look_up_all(struct entry managed *entries, unsigned long width, long n)
{
  long found = 0;

  for (long i = 1; i <= n; i++) {
    unsigned long key = (unsigned long)(i * i) ^ (unsigned long)(i >> 4 & 1);
    const struct entry managed *entry = find(entries, width, key);
    found += entry->key ? entry->value : -1;
  }
  return found;
}

long kernel_hash_probe(void)
{
  long found = 0;

  for (int round = 0; round < 25; round++)
    found = found * 3 + look_up_all(table, bits, 4000);
  return found;
}
