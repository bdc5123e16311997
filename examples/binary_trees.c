/* SPDX-License-Identifier: Apache-2.0
 *
 * Binary trees: build many short-lived trees of every depth beside one that lives long, and count
 * their nodes.
 *
 *   binary_trees [depth [rounds]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

struct tree {
  struct tree managed *left, *right;
};

static struct tree managed *build(int depth)
{
  struct tree managed *tree = cairn_new(struct tree);

  if (depth > 0) {
    tree->left = build(depth - 1);
    tree->right = build(depth - 1);
  }
  return tree;
}

static long count(struct tree managed *tree)
{
  return tree ? 1 + count(tree->left) + count(tree->right) : 0;
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: binary_trees [depth [rounds]]") < 0;

  int most = argc > 1 ? atoi(argv[1]) : 14;
  int rounds = argc > 2 ? atoi(argv[2]) : 64;
  int least = most < 4 ? most : 4;

  printf("stretch tree of depth %d: %ld nodes\n", most + 1, count(build(most + 1)));
  struct tree managed *long_lived = build(most);
  for (int depth = least; depth <= most; depth += 2) {
    long trees = (long)rounds << (most - depth), nodes = 0;
    for (long i = 0; i < trees; i++)
      nodes += count(build(depth));
    printf("%ld trees of depth %d: %ld nodes\n", trees, depth, nodes);
  }
  printf("long-lived tree of depth %d: %ld nodes\n", most, count(long_lived));
  return 0;
}
