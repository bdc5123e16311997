/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches of a B-tree: from the root to a leaf, in each node past the keys that are smaller. Few
 * trips in each of two loops, of a number that nobody knows before.
 */
#include "../programs/kernel.h"

enum { LEAST = 8, MOST = 2 * LEAST - 1 }; /* keys of a node */

struct node {
  long count, leaf;
  long keys[MOST];
  struct node managed *below[MOST + 1];
};

static struct node ANEW tree;
static const volatile long size = 20000;

/* `full` is child `at` of `parent`: its upper half becomes the next child. */
static void split(struct node managed *parent, long at)
{
  struct node managed *full = parent->below[at], *upper = bench_new(struct node);

  upper->leaf = full->leaf;
  upper->count = full->count = LEAST - 1;
  for (long i = 0; i < LEAST - 1; i++)
    upper->keys[i] = full->keys[LEAST + i];
  for (long i = 0; i < LEAST && !full->leaf; i++)
    upper->below[i] = full->below[LEAST + i];
  for (long i = parent->count; i > at; i--) {
    parent->keys[i] = parent->keys[i - 1];
    parent->below[i + 1] = parent->below[i];
  }
  parent->keys[at] = full->keys[LEAST - 1];
  parent->below[at + 1] = upper;
  parent->count++;
}

static struct node managed *insert(struct node managed *root, long key)
{
  struct node managed *node = root;

  if (root->count == MOST) {
    node = bench_new(struct node);
    node->below[0] = root;
    split(node, 0);
    root = node;
  }
  while (!node->leaf) {
    long i = node->count;
    while (i > 0 && key < node->keys[i - 1])
      i--;
    if (node->below[i]->count == MOST) {
      split(node, i);
      i += key > node->keys[i];
    }
    node = node->below[i];
  }
  long i = node->count++;
  for (; i > 0 && key < node->keys[i - 1]; i--)
    node->keys[i] = node->keys[i - 1];
  node->keys[i] = key;
  return root;
}

/* The even numbers, in no order. */
void setup_btree_search(void)
{
  struct node managed *root = bench_new(struct node);

  root->leaf = 1;
  for (long i = 0; i < size; i++)
    root = insert(root, i * 7919 % size * 2);
  tree = root;
}

NOINLINE static long contains(const struct node managed *node, long key)
{
  for (;;) {
    long i = 0;
    while (i < node->count && node->keys[i] < key)
      i++;
    if (i < node->count && node->keys[i] == key)
      return 1;
    if (node->leaf)
      return 0;
    node = node->below[i];
  }
}

long kernel_btree_search(void)
{
  unsigned long seed = 1;
  long found = 0;

  for (int i = 0; i < 20000; i++) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    found += contains(tree, (long)(seed >> 33) % (2 * size));
  }
  return found;
}
