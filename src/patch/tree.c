/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements sorted sets as treaps. Any thread that holds the set's lock, any phase; without allocation or state.
 */
#include "patch/tree.h"

#include <stddef.h>
#include "base/check.h"

/* The finaliser of splitmix64. */
static uint64_t priority_of(const struct cn_tree_node *node)
{
  uint64_t x = node->key + node->minor * 0x9e3779b97f4a7c15u;

  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static bool is_before(const struct cn_tree_node *node, uint64_t key, uint64_t minor)
{
  return node->key != key ? node->key < key : node->minor < minor;
}

/* Split a tree into the nodes before (key, minor) and the rest. */
static void split(struct cn_tree_node *node, uint64_t key, uint64_t minor, struct cn_tree_node **less,
                  struct cn_tree_node **rest)
{
  while (node != NULL)
    if (is_before(node, key, minor)) {
      *less = node;
      less = &node->right;
      node = *less;
    } else {
      *rest = node;
      rest = &node->left;
      node = *rest;
    }
  *less = *rest = NULL;
}

bool cn_tree_insert(struct cn_tree *tree, struct cn_tree_node *node)
{
  struct cn_tree_node *same = cn_tree_find_at_least(tree, node->key, node->minor);
  struct cn_tree_node **at = &tree->root;

  if (same != NULL && same->key == node->key && same->minor == node->minor)
    return false;
  while (*at != NULL && priority_of(*at) >= priority_of(node))
    at = is_before(*at, node->key, node->minor) ? &(*at)->right : &(*at)->left;
  split(*at, node->key, node->minor, &node->left, &node->right);
  *at = node;
  return true;
}

/* Merge two trees; each node of `less` is before each node of `rest`. */
static struct cn_tree_node *merge(struct cn_tree_node *less, struct cn_tree_node *rest)
{
  struct cn_tree_node *root = NULL, **at = &root;

  while (less != NULL && rest != NULL)
    if (priority_of(less) >= priority_of(rest)) {
      *at = less;
      at = &less->right;
      less = less->right;
    } else {
      *at = rest;
      at = &rest->left;
      rest = rest->left;
    }
  *at = less != NULL ? less : rest;
  return root;
}

void cn_tree_remove(struct cn_tree *tree, struct cn_tree_node *node)
{
  struct cn_tree_node **at = &tree->root;

  while (*at != node) {
    CN_CHECK(*at != NULL); /* fails if the set lacks the node */
    at = is_before(*at, node->key, node->minor) ? &(*at)->right : &(*at)->left;
  }
  *at = merge(node->left, node->right);
  node->left = node->right = NULL;
}

struct cn_tree_node *cn_tree_find_at_most(const struct cn_tree *tree, uint64_t key, uint64_t minor)
{
  struct cn_tree_node *found = NULL, *node = tree->root;

  while (node != NULL)
    if (is_before(node, key, minor) || (node->key == key && node->minor == minor)) {
      found = node;
      node = node->right;
    } else {
      node = node->left;
    }
  return found;
}

struct cn_tree_node *cn_tree_find_at_least(const struct cn_tree *tree, uint64_t key, uint64_t minor)
{
  struct cn_tree_node *found = NULL, *node = tree->root;

  while (node != NULL)
    if (is_before(node, key, minor)) {
      node = node->right;
    } else {
      found = node;
      node = node->left;
    }
  return found;
}

static const char *node_wrong(const struct cn_tree_node *node, const struct cn_tree_node **before)
{
  const char *wrong = NULL;

  if (node == NULL)
    return NULL;
  if ((node->left != NULL && priority_of(node->left) > priority_of(node)) ||
      (node->right != NULL && priority_of(node->right) > priority_of(node)))
    return "tree: a node has a smaller priority than a node below it";
  if ((wrong = node_wrong(node->left, before)) != NULL)
    return wrong;
  if (*before != NULL && !is_before(*before, node->key, node->minor))
    return "tree: two nodes are not in order";
  *before = node;
  return node_wrong(node->right, before);
}

const char *cn_tree_wrong(const struct cn_tree *tree)
{
  const struct cn_tree_node *before = NULL;

  return node_wrong(tree->root, &before);
}
