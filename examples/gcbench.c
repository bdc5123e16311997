/* SPDX-License-Identifier: Apache-2.0
 *
 * GCBench, after John Ellis, Pete Kovac and Hans Boehm: a stretch tree, then a long-lived tree and
 * a long-lived array of doubles while trees of growing depth are built top-down and bottom-up and
 * dropped.
 *
 *   gcbench [depth]          depth of the long-lived tree; 14 allocates about 500 MB
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

struct node {
  struct node managed *left, *right;
  int i, j;
};

static long allocated;

static struct node managed *make_node(struct node managed *left, struct node managed *right)
{
  struct node managed *node = cairn_new(struct node);

  allocated++;
  node->left = left;
  node->right = right;
  node->i = (int)(allocated & 0xff);
  return node;
}

/* Top-down: a parent exists before its children, so it may move between their births. */
static void populate(int depth, struct node managed *node)
{
  if (depth <= 0)
    return;
  node->left = make_node(NULL, NULL);
  node->right = make_node(NULL, NULL);
  populate(depth - 1, node->left);
  populate(depth - 1, node->right);
}

static struct node managed *make_tree(int depth)
{
  if (depth <= 0)
    return make_node(NULL, NULL);
  struct node managed *left = make_tree(depth - 1);
  struct node managed *right = make_tree(depth - 1);
  return make_node(left, right);
}

static long tree_size(int depth)
{
  return (1L << (depth + 1)) - 1;
}

static unsigned long check(struct node managed *node)
{
  if (!node)
    return 1;
  return (check(node->left) * 31 + check(node->right)) * 31 + (unsigned long)node->i;
}

static unsigned long construct(int depth, long budget)
{
  long trees = budget / tree_size(depth);
  unsigned long sum = 0;

  for (long i = 0; i < trees; i++) {
    struct node managed *tree = make_node(NULL, NULL);
    populate(depth, tree);
    sum = sum * 3 + check(tree);
  }
  for (long i = 0; i < trees; i++)
    sum = sum * 3 + check(make_tree(depth));
  printf("%ld trees of depth %d, twice\n", trees, depth);
  return sum;
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: gcbench [depth]    of the long-lived tree; 14 allocates about 500 MB") < 0;

  int depth = argc > 1 ? atoi(argv[1]) : 14;
  long elements = 4 * tree_size(depth);
  unsigned long sum = 0;

  printf("stretch tree of depth %d\n", depth + 1);
  sum += check(make_tree(depth + 1));

  struct node managed *long_lived = make_node(NULL, NULL);
  populate(depth, long_lived);
  double managed *array = cairn_new_array(double, elements);
  for (long i = 0; i < elements / 2; i++)
    array[i] = 1.0 / (double)(i + 1);

  for (int d = depth < 4 ? depth : 4; d <= depth; d += 2)
    sum = sum * 7 + construct(d, 40 * tree_size(depth));

  sum = sum * 7 + check(long_lived);
  printf("long-lived tree %016lx, array[%ld] %.9f\n", check(long_lived), elements / 4,
         array[elements / 4]);
  printf("%ld nodes, checksum %016lx\n", allocated, sum);
  return 0;
}
