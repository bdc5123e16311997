/* SPDX-License-Identifier: Apache-2.0
 *
 * A builder of a graph from pairs of names: each name is looked up in a hash table of references
 * with linear probing, and the two nodes are joined. Most probes end at once, and none later than
 * after a few trips.
 */
#include "../programs/kernel.h"

enum { NODES = 6000, SLOTS = 8192, EDGES = 65536 };

struct node {
  unsigned long name;
  long degree;
  struct node managed *last;
};

static struct node managed *managed *table;

static unsigned long scatter(unsigned long name)
{
  return name * 11400714819323198485ul >> 32;
}

/* Which slot has the node of that name, or would. */
static unsigned long slot_of(struct node managed *managed *slots, unsigned long name)
{
  unsigned long at = scatter(name);

  for (;; at++) {
    struct node managed *node = slots[at & (SLOTS - 1)];
    if (!node || node->name == name)
      return at & (SLOTS - 1);
  }
}

void setup_graph_builder(void)
{
  table = bench_array(struct node managed *, SLOTS);
  for (unsigned long i = 1; i <= NODES; i++) {
    struct node managed *node = bench_new(struct node);
    node->name = i * i;
    table[slot_of(table, node->name)] = node;
  }
}

NOINLINE static long join_all(struct node managed *managed *slots, long edges)
{
  unsigned seed = 1;
  long joined = 0;

  for (long i = 0; i < edges; i++) {
    seed = seed * 1103515245 + 12345;
    unsigned long a = (seed >> 16) % NODES + 1;
    seed = seed * 1103515245 + 12345;
    unsigned long b = (seed >> 16) % NODES + 1;
    struct node managed *from = slots[slot_of(slots, a * a)];
    struct node managed *to = slots[slot_of(slots, b * b)];
    if (from != to) {
      from->degree++;
      from->last = to;
      joined++;
    }
  }
  return joined;
}

long kernel_graph_builder(void)
{
  return join_all(table, EDGES);
}
