/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes, searches and checks balanced trees of ranges. The caller owns all state. Writers run one at a time, on the
 * thread that holds the owner's lock; readers run on any thread, in any phase, and in signal handlers, without a lock.
 * The depth of recursion is at most 2.41 times the logarithm of the number of ranges to base 2.
 */
#include "runtime/tables/ranges.h"

#include "base/check.h"

/* The weights of siblings differ at most by the factor MAX_TILT. A single rotation mends a tilt if the inner grandchild
 * weighs less than MAX_INNER times the outer grandchild (Hirai and Yamamoto, "Balancing weight-balanced trees", 2011).
 */
enum { MAX_TILT = 3, MAX_INNER = 2 };

static size_t weight_of(const struct cn_range_node *tree)
{
  return cn_ranges_count(tree) + 1;
}

static bool is_before(const struct cn_range *one, const struct cn_range *other)
{
  return one->start != other->start ? one->start < other->start : (uintptr_t)one->value < (uintptr_t)other->value;
}

static uintptr_t greatest_end(uintptr_t end, const struct cn_range_node *tree)
{
  return tree != NULL && tree->max_end > end ? tree->max_end : end;
}

/* ---- changes ---- */

/* A change makes at most three nodes at each level. */
size_t cn_ranges_change_bytes(const struct cn_range_node *tree)
{
  size_t bits = 64 - (size_t)__builtin_clzl(weight_of(tree));

  return 3 * (5 * bits / 2 + 2) * sizeof *tree;
}

static const struct cn_range_node *make_node(struct cn_range_change *change, struct cn_range range,
                                             const struct cn_range_node *left, const struct cn_range_node *right)
{
  struct cn_range_node *node = cn_blocks_take(change->blocks, sizeof *node);

  CN_CHECK(node != NULL); /* fails without cn_blocks_reserve() */
  *node = (struct cn_range_node){.range = range,
                                 .max_end = greatest_end(greatest_end(range.end, left), right),
                                 .left = left,
                                 .right = right,
                                 .count = cn_ranges_count(left) + cn_ranges_count(right) + 1};
  return node;
}

/* The new tree lacks the node; the node's own fields stay for readers. */
static void note_replaced(struct cn_range_change *change, const struct cn_range_node *node)
{
  struct cn_range_node *replaced = (struct cn_range_node *)(uintptr_t)node;

  replaced->next_replaced = change->replaced;
  change->replaced = replaced;
}

static const struct cn_range_node *rotate_left(struct cn_range_change *change, struct cn_range range,
                                               const struct cn_range_node *left, const struct cn_range_node *right)
{
  const struct cn_range_node *inner = right->left, *outer = right->right;

  note_replaced(change, right);
  if (weight_of(inner) < MAX_INNER * weight_of(outer))
    return make_node(change, right->range, make_node(change, range, left, inner), outer);
  note_replaced(change, inner);
  return make_node(change, inner->range, make_node(change, range, left, inner->left),
                   make_node(change, right->range, inner->right, outer));
}

static const struct cn_range_node *rotate_right(struct cn_range_change *change, struct cn_range range,
                                                const struct cn_range_node *left, const struct cn_range_node *right)
{
  const struct cn_range_node *inner = left->right, *outer = left->left;

  note_replaced(change, left);
  if (weight_of(inner) < MAX_INNER * weight_of(outer))
    return make_node(change, left->range, outer, make_node(change, range, inner, right));
  note_replaced(change, inner);
  return make_node(change, inner->range, make_node(change, left->range, outer, inner->left),
                   make_node(change, range, inner->right, right));
}

/* Make a node over two trees. One tree may weigh one more or one less than the balance permits. */
static const struct cn_range_node *join(struct cn_range_change *change, struct cn_range range,
                                        const struct cn_range_node *left, const struct cn_range_node *right)
{
  if (weight_of(right) > MAX_TILT * weight_of(left))
    return rotate_left(change, range, left, right);
  if (weight_of(left) > MAX_TILT * weight_of(right))
    return rotate_right(change, range, left, right);
  return make_node(change, range, left, right);
}

const struct cn_range_node *cn_ranges_insert(struct cn_range_change *change, const struct cn_range_node *tree,
                                             struct cn_range range)
{
  CN_ASSERT(range.start < range.end);
  if (tree == NULL)
    return make_node(change, range, NULL, NULL);
  note_replaced(change, tree);
  if (is_before(&range, &tree->range))
    return join(change, tree->range, cn_ranges_insert(change, tree->left, range), tree->right);
  CN_CHECK(is_before(&tree->range, &range)); /* fails if the range is there already */
  return join(change, tree->range, tree->left, cn_ranges_insert(change, tree->right, range));
}

static const struct cn_range_node *remove_first(struct cn_range_change *change, const struct cn_range_node *tree,
                                                struct cn_range *first)
{
  note_replaced(change, tree);
  if (tree->left == NULL) {
    *first = tree->range;
    return tree->right;
  }
  return join(change, tree->range, remove_first(change, tree->left, first), tree->right);
}

const struct cn_range_node *cn_ranges_remove(struct cn_range_change *change, const struct cn_range_node *tree,
                                             struct cn_range range)
{
  struct cn_range first;

  CN_CHECK(tree != NULL); /* fails if the range is missing */
  note_replaced(change, tree);
  if (is_before(&range, &tree->range))
    return join(change, tree->range, cn_ranges_remove(change, tree->left, range), tree->right);
  if (is_before(&tree->range, &range))
    return join(change, tree->range, tree->left, cn_ranges_remove(change, tree->right, range));
  CN_CHECK(range.end == tree->range.end);
  if (tree->right == NULL)
    return tree->left;
  const struct cn_range_node *right = remove_first(change, tree->right, &first);
  return join(change, first, tree->left, right);
}

void cn_ranges_free_replaced(struct cn_blocks *blocks, struct cn_range_node *replaced)
{
  for (struct cn_range_node *node = replaced, *next; node != NULL; node = next) {
    next = node->next_replaced;
    cn_blocks_give(blocks, node, sizeof *node);
  }
}

/* ---- searches ---- */

const struct cn_range *cn_ranges_next_overlap(const struct cn_range_node *tree, const struct cn_range *after,
                                              uintptr_t start, uintptr_t end)
{
  while (tree != NULL && tree->max_end > start) {
    if (after == NULL || is_before(after, &tree->range)) {
      const struct cn_range *found = cn_ranges_next_overlap(tree->left, after, start, end);
      if (found != NULL)
        return found;
      if (tree->range.start < end && tree->range.end > start)
        return &tree->range;
    }
    if (tree->range.start >= end)
      return NULL;
    tree = tree->right;
  }
  return NULL;
}

bool cn_ranges_have(const struct cn_range_node *tree, struct cn_range range)
{
  while (tree != NULL && (is_before(&range, &tree->range) || is_before(&tree->range, &range)))
    tree = is_before(&range, &tree->range) ? tree->left : tree->right;
  return tree != NULL && tree->range.end == range.end;
}

/* ---- validity ---- */

/* `*last` is the range before the tree's first range, and becomes the tree's last range. */
static const char *subtree_wrong(const struct cn_range_node *tree, const struct cn_range **last)
{
  const char *wrong;

  if (tree == NULL)
    return NULL;
  if ((wrong = subtree_wrong(tree->left, last)) != NULL)
    return wrong;
  if (tree->range.start >= tree->range.end)
    return "ranges: one is empty";
  if (*last != NULL && !is_before(*last, &tree->range))
    return "ranges: two are not in order";
  if (tree->count != cn_ranges_count(tree->left) + cn_ranges_count(tree->right) + 1)
    return "ranges: a count is wrong";
  if (tree->max_end != greatest_end(greatest_end(tree->range.end, tree->left), tree->right))
    return "ranges: a greatest end is wrong";
  if (weight_of(tree->left) > MAX_TILT * weight_of(tree->right) ||
      weight_of(tree->right) > MAX_TILT * weight_of(tree->left))
    return "ranges: a tree is out of balance";
  *last = &tree->range;
  return subtree_wrong(tree->right, last);
}

const char *cn_ranges_wrong(const struct cn_range_node *tree)
{
  const struct cn_range *last = NULL;

  return subtree_wrong(tree, &last);
}
