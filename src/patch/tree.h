/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorted sets of nodes within larger structures, as treaps: binary search trees by key, with a hash of the key as
 * priority. Insertion, removal and look-up are logarithmic in the number of nodes. The caller serialises calls.
 */
#ifndef CN_PATCH_TREE_H
#define CN_PATCH_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct cn_tree_node {
  uint64_t key, minor; /* nodes are sorted by key, then by minor, and no two are equal in both */
  struct cn_tree_node *left, *right;
};

struct cn_tree {
  struct cn_tree_node *root;
};

/* False: the set has an equal node, and is unchanged. */
bool cn_tree_insert(struct cn_tree *tree, struct cn_tree_node *node);
/* Remove a node of the set. */
void cn_tree_remove(struct cn_tree *tree, struct cn_tree_node *node);

/* The greatest node that is at most (key, minor), or the least node that is at least (key, minor); or null. */
struct cn_tree_node *cn_tree_find_at_most(const struct cn_tree *tree, uint64_t key, uint64_t minor);
struct cn_tree_node *cn_tree_find_at_least(const struct cn_tree *tree, uint64_t key, uint64_t minor);

/* Check order and priorities. Returns the error, or null. Linear. */
const char *cn_tree_wrong(const struct cn_tree *tree);

#endif
