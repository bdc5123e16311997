/* SPDX-License-Identifier: Apache-2.0
 *
 * A walk of a binary tree by recursion: a reference lives over each call.
 */
#include "../programs/kernel.h"

struct node {
  struct node managed *left, *right;
  long value;
};

static struct node ANEW root;

/* Children first: Cairn allocates a node when what it gets is there, and so both have the same order
 * in memory. */
NOINLINE static struct node managed *build(int depth)
{
  struct node managed *left = depth > 0 ? build(depth - 1) : NULL;
  struct node managed *right = depth > 0 ? build(depth - 1) : NULL;
  struct node managed *node = bench_new(struct node);

  node->value = depth;
  node->left = left;
  node->right = right;
  return node;
}

void setup_tree_walk(void)
{
  root = build(13);
}

NOINLINE static long walk(const struct node managed *node)
{
  return node ? walk(node->left) + node->value + walk(node->right) : 0;
}

long kernel_tree_walk(void)
{
  long s = 0;

  for (int round = 0; round < 20; round++)
    s += walk(root);
  return s;
}
