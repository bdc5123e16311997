/* SPDX-License-Identifier: Apache-2.0
 *
 * Look-ups by key in a hash table with chains. A chain has some two entries, and half of the keys are absent.
 */
#include "../../programs/kernel.h"

enum { HEADS = 1024, ENTRIES = 2048 };

struct entry {
  struct entry managed *next;
  unsigned long key;
  long value;
};

static struct entry managed *managed *heads;

static unsigned long head_of(unsigned long key)
{
  return key * 11400714819323198485ul >> 54;
}

void setup_chain_lookup(void)
{
  heads = bench_array(struct entry managed *, HEADS);
  for (unsigned long i = 0; i < ENTRIES; i++) {
    struct entry managed *entry = bench_new(struct entry);
    entry->key = 2 * i;
    entry->value = (long)i;
    entry->next = heads[head_of(entry->key)];
    heads[head_of(entry->key)] = entry;
  }
}

NOINLINE static const struct entry managed *look_up(struct entry managed *managed *table, unsigned long key)
{
  const struct entry managed *entry = table[head_of(key)];

  while (entry && entry->key != key)
    entry = entry->next;
  return entry;
}

long kernel_chain_lookup(void)
{
  unsigned seed = 1;
  long found = 0;

  for (int i = 0; i < 40000; i++) {
    seed = seed * 1103515245 + 12345;
    const struct entry managed *entry = look_up(heads, (seed >> 12) % (2 * ENTRIES));
    found += entry ? entry->value : -1;
  }
  return found;
}
