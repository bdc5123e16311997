/* SPDX-License-Identifier: Apache-2.0
 *
 * Descents in a binary search tree to a key, or to the leaf where the key is missing.
 */
#include "../../programs/kernel.h"

enum { KEYS = 511 };

struct node {
  struct node managed *left, *right;
  long key;
};

static struct node managed *root;

static struct node managed *build(long from, long to)
{
  if (from == to)
    return NULL;
  struct node managed *node = bench_new(struct node);
  long middle = (from + to) / 2;
  node->key = 2 * middle;
  node->left = build(from, middle);
  node->right = build(middle + 1, to);
  return node;
}

void setup_tree_search(void)
{
  root = build(0, KEYS);
}

NOINLINE static const struct node managed *descend(const struct node managed *node, long key)
{
  while (node && node->key != key)
    node = key < node->key ? node->left : node->right;
  return node;
}

long kernel_tree_search(void)
{
  unsigned seed = 1;
  long found = 0;

  for (int i = 0; i < 20000; i++) {
    seed = seed * 1103515245 + 12345;
    const struct node managed *node = descend(root, (seed >> 12) % (2 * KEYS));
    found += node ? node->key : -1;
  }
  return found;
}
