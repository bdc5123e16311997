/* SPDX-License-Identifier: Apache-2.0
 *
 * J. Ellis's and P. Kovac's benchmark, later H. Boehm's: trees made from the root and from the
 * leaves, beside one tree and an array that stay. `gcbench THREADS DEPTH`.
 */
#include "workload.h"

struct tree {
  struct tree managed *left, *right;
  int i, j;
};

static struct tree managed *leaf(void)
{
  struct tree managed *tree = make(struct tree);

  tree->left = tree->right = NULL;
  tree->i = tree->j = 0;
  return tree;
}

static void fill_down(struct tree managed *tree, long depth)
{
  if (depth == 0)
    return;
  tree->left = leaf();
  tree->right = leaf();
  fill_down(tree->left, depth - 1);
  fill_down(tree->right, depth - 1);
}

static struct tree managed *build_up(long depth)
{
  if (depth == 0)
    return leaf();
  struct tree managed *left = build_up(depth - 1), *right = build_up(depth - 1);
  struct tree managed *tree = leaf();
  tree->left = left;
  tree->right = right;
  return tree;
}

/* Count the tree, and free it. */
static long count_last(struct tree managed *tree)
{
  long sum = 1;

  if (tree->left != NULL)
    sum += count_last(tree->left) + count_last(tree->right);
  drop(tree);
  return sum;
}

static long trees(long depth)
{
  struct tree managed *tree = leaf();

  fill_down(tree, depth);
  long sum = count_last(tree);
  return sum + count_last(build_up(depth));
}

static long size(long depth)
{
  return (1L << (depth + 1)) - 1;
}

static long work(void)
{
  enum { LEAST = 4, NUMBERS = 500000 };
  long depth = arguments[0], stretch = depth + 2, sum = count_last(build_up(stretch));
  struct tree managed *kept = leaf();
  double managed *numbers = make_array(double, NUMBERS);

  fill_down(kept, depth + 1);
  for (long i = 0; i < NUMBERS / 2; i++)
    numbers[i] = 1.0 / (double)(i + 1);
  for (long d = LEAST; d <= depth; d += 2)
    for (long i = 0; i < 2 * size(stretch) / size(d); i++)
      sum += trees(d);
  sum += count_last(kept);
  sum += numbers[999] != 1.0 / 1000;
  drop(numbers);
  return sum;
}
