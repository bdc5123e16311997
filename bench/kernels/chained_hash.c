/* SPDX-License-Identifier: Apache-2.0
 *
 * Prim's minimum spanning tree over a graph whose nodes keep the lengths of their edges in chained
 * hash tables of their own: for each node that joins the tree, a look-up per node that has not. A
 * chain has few entries, and nobody knows how many.
 */
#include "../programs/kernel.h"

enum { NODES = 128, HEADS = NODES / 4 };

struct entry {
  struct node managed *to;
  long length;
  struct entry managed *next;
};

struct edges {
  struct entry managed *heads[HEADS];
};

struct node {
  long number;
  long nearest; /* length of the shortest edge from the tree */
  struct edges managed *edges;
  struct node managed *next;
};

static struct node ANEW nodes;

static long head_of(long number)
{
  return number % HEADS;
}

static void connect(struct node managed *from, struct node managed *to, long length)
{
  struct entry managed *entry = bench_new(struct entry);
  long head = head_of(to->number);

  entry->to = to;
  entry->length = length;
  entry->next = from->edges->heads[head];
  from->edges->heads[head] = entry;
}

void setup_chained_hash(void)
{
  struct node managed *all = NULL;

  for (long i = 0; i < NODES; i++) {
    struct node managed *node = bench_new(struct node);
    node->number = i;
    node->edges = bench_new(struct edges);
    for (struct node managed *other = all; other; other = other->next) {
      long length = (i * 7919 + other->number * 104729) % 2053 + 1;
      connect(node, other, length);
      connect(other, node, length);
    }
    node->next = all;
    all = node;
  }
  nodes = all;
}

static struct entry managed *find(struct edges managed *edges, struct node managed *to)
{
  struct entry managed *entry = edges->heads[head_of(to->number)];

  while (entry && entry->to != to)
    entry = entry->next;
  return entry;
}

/* Note the edges of `joined` at the nodes of `others`; the nearest of them. */
NOINLINE static struct node managed *relax(struct node managed *joined, struct node managed *others)
{
  struct node managed *best = NULL;

  for (struct node managed *node = others; node; node = node->next) {
    if (node->nearest < 0)
      continue;
    struct entry managed *entry = find(joined->edges, node);
    if (entry && entry->length < node->nearest)
      node->nearest = entry->length;
    if (!best || node->nearest < best->nearest)
      best = node;
  }
  return best;
}

NOINLINE static long span(struct node managed *all)
{
  long total = 0;

  for (struct node managed *node = all; node; node = node->next)
    node->nearest = 1l << 30;
  for (struct node managed *node = all; node;) {
    node->nearest = -1;
    struct node managed *next = relax(node, all);
    total += next ? next->nearest : 0;
    node = next;
  }
  return total;
}

long kernel_chained_hash(void)
{
  long total = 0;

  for (int round = 0; round < 4; round++)
    total += span(nodes);
  return total;
}
