/* SPDX-License-Identifier: Apache-2.0
 *
 * Look-ups in a hash table with open addressing: a few dependent probes each, of a length that
 * nobody knows before.
 */
#include "../programs/kernel.h"

struct entry {
  unsigned long key;
  long value;
};

static struct entry managed *table;
static const volatile unsigned long bits = 14;

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

/* In no order, half of them there. */
NOINLINE static long look_up_all(struct entry managed *entries, unsigned long width, long n)
{
  unsigned long seed = 1, most = 3ul << width >> 1;
  long found = 0;

  for (long i = 0; i < n; i++) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    unsigned long k = (seed >> 33) % most + 1;
    const struct entry managed *entry = find(entries, width, k * k);
    found += entry->key ? entry->value : -1;
  }
  return found;
}

long kernel_hash_probe(void)
{
  return look_up_all(table, bits, 20000);
}
