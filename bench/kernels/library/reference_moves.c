/* SPDX-License-Identifier: Apache-2.0
 *
 * An ordered array of references: each insertion moves the references after its place by memmove().
 */
#include <string.h>
#include "../../programs/kernel.h"

enum { NODES = 64 };

struct node {
  long key;
};

static struct node managed *managed *all;
static struct node managed *managed *ordered;

void setup_reference_moves(void)
{
  unsigned seed = 1;

  all = bench_array(struct node managed *, NODES);
  ordered = bench_array(struct node managed *, NODES + 1);
  for (long i = 0; i < NODES; i++) {
    seed = seed * 1103515245 + 12345;
    all[i] = bench_new(struct node);
    all[i]->key = seed >> 16;
  }
}

NOINLINE static void insert(struct node managed *managed *array, long count, struct node managed *node)
{
  long low = 0, high = count;

  while (low < high) {
    long middle = (low + high) / 2;
    if (array[middle]->key < node->key)
      low = middle + 1;
    else
      high = middle;
  }
  memmove(array + low + 1, array + low, (size_t)(count - low) * sizeof *array);
  array[low] = node;
}

long kernel_reference_moves(void)
{
  for (int round = 0; round < 100; round++)
    for (long i = 0; i < NODES; i++)
      insert(ordered, i, all[i]);
  return ordered[NODES / 2]->key;
}
