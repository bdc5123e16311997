/* SPDX-License-Identifier: Apache-2.0
 *
 * Look-ups in a half full hash table with open addressing, whose steps grow from probe to probe.
 */
#include "../../programs/kernel.h"

enum { BITS = 10, SLOTS = 1 << BITS };

static unsigned managed *slots;

static unsigned slot_of(unsigned key)
{
  return key * 2654435769u >> (32 - BITS);
}

/* The place of the key, or of the empty slot where it is missing. */
NOINLINE static unsigned probe(const unsigned managed *table, unsigned key)
{
  unsigned at = slot_of(key);

  for (unsigned step = 1; table[at] && table[at] != key; step++)
    at = (at + step) % SLOTS;
  return at;
}

void setup_table_probe(void)
{
  slots = bench_array(unsigned, SLOTS);
  for (unsigned i = 1; i <= SLOTS / 2; i++)
    slots[probe(slots, 2 * i)] = 2 * i;
}

long kernel_table_probe(void)
{
  unsigned seed = 1;
  long found = 0;

  for (int i = 0; i < 40000; i++) {
    seed = seed * 1103515245 + 12345;
    found += slots[probe(slots, (seed >> 12) % SLOTS + 1)];
  }
  return found;
}
