/* Makes trees, and sums them up; compiled twice, with the names MAKE and SUM. */
#include <stdlib.h>
#include "tree.h"

struct tree managed *MAKE(long depth)
{
  if (depth == 0) {
    struct leaf managed *leaf = cairn_new(struct leaf);
    leaf->value = 1;
    return (struct tree managed *)leaf;
  }
  if (depth % 3 == 0) {
    struct list managed *list = cairn_new_flex(struct list, depth);
    list->count = depth;
    for (long i = 0; i < depth; i++)
      list->at[i] = i % 2 ? make_here(depth - 1) : make_there(depth - 1);
    return (struct tree managed *)list;
  }
  if (depth == 1) {
    struct leaf managed *leaves = cairn_new_array(struct leaf, depth);
    for (long i = 0; i < depth; i++)
      leaves[i].value = i;
    return (struct tree managed *)leaves;
  }
  struct branch managed *branch = cairn_new(struct branch);
  branch->left = make_here(depth - 1);
  branch->right = make_there(depth - 2);
  return (struct tree managed *)branch;
}

long SUM(struct tree managed *tree)
{
  long sum = 0;

  if (cairn_is(tree, struct leaf))
    return ((struct leaf managed *)tree)->value;
  if (cairn_is(tree, struct branch)) {
    struct branch managed *branch = (struct branch managed *)tree;
    return cairn_object_size(branch) + sum_here(branch->left) + sum_there(branch->right);
  }
  if (cairn_is(tree, struct list)) {
    struct list managed *list = (struct list managed *)tree;
    for (long i = 0; i < cairn_length(list); i++)
      sum += i % 2 ? sum_there(list->at[i]) : sum_here(list->at[i]);
    return sum + cairn_object_size(list);
  }
  if (!cairn_is_array(tree, struct leaf))
    abort();
  struct leaf managed *leaves = (struct leaf managed *)tree;
  for (long i = 0; i < cairn_length(leaves); i++)
    sum += leaves[i].value;
  return sum + cairn_object_size(leaves);
}
