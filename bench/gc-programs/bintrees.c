/* SPDX-License-Identifier: Apache-2.0
 *
 * Binary trees, most of which die at once: `bintrees THREADS DEPTH [HALVED]`. The small ones are
 * halved in number so often.
 */
#include "workload.h"

struct tree {
  struct tree managed *left, *right;
};

static struct tree managed *grow(long depth)
{
  struct tree managed *tree = make(struct tree);

  tree->left = depth > 0 ? grow(depth - 1) : NULL;
  tree->right = depth > 0 ? grow(depth - 1) : NULL;
  return tree;
}

static long count(struct tree managed *tree)
{
  return tree->left == NULL ? 1 : 1 + count(tree->left) + count(tree->right);
}

static void drop_tree(struct tree managed *tree)
{
#ifdef __CAIRN__
  (void)tree;
#else
  if (tree->left != NULL) {
    drop_tree(tree->left);
    drop_tree(tree->right);
  }
  drop(tree);
#endif
}

static long count_new(long depth)
{
  struct tree managed *tree = grow(depth);
  long sum = count(tree);

  drop_tree(tree);
  return sum;
}

static long work(void)
{
  enum { LEAST = 4 };
  long depth = arguments[0], sum = count_new(depth + 1);
  struct tree managed *kept = grow(depth);

  for (long d = LEAST; d <= depth; d += 2)
    for (long i = 0; i < 1L << (depth - d + LEAST) >> arguments[1]; i++)
      sum += count_new(d);
  sum += count(kept);
  drop_tree(kept);
  return sum;
}
