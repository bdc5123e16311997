/* SPDX-License-Identifier: Apache-2.0
 *
 * A builder of a graph: each node is joined to some others, drawn at random, and a list of those
 * that it has is searched first, so that none is there twice. The searches are short, and end at a
 * trip that nobody can foretell.
 */
#include "../programs/kernel.h"

enum { NODES = 512, DEGREE = 12 };

struct node {
  struct node managed *to[DEGREE];
  long degree;
};

static struct node managed *managed *nodes;

void setup_small_search(void)
{
  nodes = bench_array(struct node managed *, NODES);
  for (long i = 0; i < NODES; i++)
    nodes[i] = bench_new(struct node);
}

static struct node managed *draw(struct node managed *managed *all, unsigned *seed)
{
  *seed = *seed * 1103515245 + 12345;
  return all[(*seed >> 16) % NODES];
}

/* Give each of `all` its nodes, out of the first `some`; how many were drawn in vain. */
NOINLINE static long join(struct node managed *managed *all, unsigned some)
{
  unsigned seed = 1;
  long again = 0;

  for (long i = 0; i < NODES; i++) {
    struct node managed *node = all[i];
    node->degree = 0;
    while (node->degree < DEGREE) {
      struct node managed *other = draw(all, &seed);
      long k = 0;
      if (some)
        other = all[(seed >> 16) % some];
      while (k < node->degree && node->to[k] != other)
        k++;
      if (k < node->degree)
        again++;
      else
        node->to[node->degree++] = other;
    }
  }
  return again;
}

long kernel_small_search(void)
{
  return join(nodes, 16) + join(nodes, 0);
}
