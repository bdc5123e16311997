/* SPDX-License-Identifier: Apache-2.0
 *
 * A join of two tables: for each row of one, counted from first to last, a look-up of its key in a
 * hash table with chains that was made of the other. Most chains have one entry or two.
 */
#include "../programs/kernel.h"

struct row {
  unsigned key;
  int amount;
};

struct entry {
  struct entry managed *next;
  unsigned key;
  int price;
};

static struct entry managed *managed *heads;
static struct row managed *rows;
static const volatile unsigned head_count = 1024;
static const volatile long row_count = 20000;

void setup_hash_join(void)
{
  unsigned seed = 3, mask = head_count - 1;

  heads = bench_array(struct entry managed *, head_count);
  for (unsigned key = 0; key < head_count; key++) {
    struct entry managed *entry = bench_new(struct entry);
    unsigned head = (key * 2654435769u >> 7) & mask;
    entry->key = key;
    entry->price = (int)(key % 97);
    entry->next = heads[head];
    heads[head] = entry;
  }
  rows = bench_array(struct row, row_count);
  for (long i = 0; i < row_count; i++) {
    seed = seed * 1103515245 + 12345;
    rows[i].key = (seed >> 12) % (2 * head_count);
    rows[i].amount = (int)(seed >> 24);
  }
}

/* What the rows cost whose key is known. */
NOINLINE static long join(struct entry managed *managed *table, unsigned mask,
                          const struct row managed *row, long count)
{
  long cost = 0;

  for (long i = 0; i < count; i++) {
    const struct entry managed *entry = table[(row[i].key * 2654435769u >> 7) & mask];
    while (entry && entry->key != row[i].key)
      entry = entry->next;
    if (entry)
      cost += (long)entry->price * row[i].amount;
  }
  return cost;
}

long kernel_hash_join(void)
{
  return join(heads, head_count - 1, rows, row_count);
}
