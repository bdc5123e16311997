/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorted sets of ranges of numbers: addresses of code and sections, or ids. A set is a balanced binary tree that never
 * changes (Adams, "Efficient sets: a balancing act", 1993): a change makes a new tree, which shares all nodes with the
 * old tree except for one path. The writer publishes the new root by one store, and frees the replaced nodes when all
 * readers of the old tree have left. Each function needs logarithmic time, unless its comment says otherwise.
 *
 *     [10,20) max 50
 *      /          \
 *  [5,8) 8      [30,50) 50       max: the greatest end in the node's subtree, so a search for overlaps
 *                 /              skips subtrees that end too early
 *            [12,14) 14
 *
 * Ranges may overlap, and several may be equal; ranges with the same start are ordered by their values.
 */
#ifndef CN_RUNTIME_TABLES_RANGES_H
#define CN_RUNTIME_TABLES_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/tables/blocks.h"

struct cn_range {
  uintptr_t start, end; /* [start, end) with start < end */
  void *value;
};

/* A null pointer is the empty set. */
struct cn_range_node {
  struct cn_range range;
  uintptr_t max_end;
  const struct cn_range_node *left, *right;
  struct cn_range_node *next_replaced;
  size_t count; /* of the subtree */
};
_Static_assert(sizeof(struct cn_range_node) == CN_BLOCKS_MIN_BYTES, "a node is a block and a line");

/* Nodes come from `blocks`; nodes that the new trees lack are added to `replaced`. */
struct cn_range_change {
  struct cn_blocks *blocks;
  struct cn_range_node *replaced;
};

/* The memory that one change of the tree may need (cn_blocks_reserve()). */
size_t cn_ranges_change_bytes(const struct cn_range_node *tree);

/* Insert a range, or remove an equal range that is there. Return the new tree. The caller has reserved memory. */
const struct cn_range_node *cn_ranges_insert(struct cn_range_change *change, const struct cn_range_node *tree,
                                             struct cn_range range);
const struct cn_range_node *cn_ranges_remove(struct cn_range_change *change, const struct cn_range_node *tree,
                                             struct cn_range range);

/* Free the nodes of a list `replaced`. Linear. */
void cn_ranges_free_replaced(struct cn_blocks *blocks, struct cn_range_node *replaced);

/* The first range after `after` that overlaps [start, end); a null `after` stands before all ranges. Null after the
 * last range. */
const struct cn_range *cn_ranges_next_overlap(const struct cn_range_node *tree, const struct cn_range *after,
                                              uintptr_t start, uintptr_t end);

/* The first range that overlaps [start, end), or null. */
static inline const struct cn_range *cn_ranges_find_overlap(const struct cn_range_node *tree, uintptr_t start,
                                                            uintptr_t end)
{
  return cn_ranges_next_overlap(tree, NULL, start, end);
}

/* The value of the first range that ends after `at`, or null. In a set of disjoint ranges, repeated calls with the last
 * range's end visit all ranges. */
static inline void *cn_ranges_value_from(const struct cn_range_node *tree, uintptr_t at)
{
  const struct cn_range *range = cn_ranges_next_overlap(tree, NULL, at, UINTPTR_MAX);

  return range != NULL ? range->value : NULL;
}

static inline size_t cn_ranges_count(const struct cn_range_node *tree)
{
  return tree != NULL ? tree->count : 0;
}

/* True if the set has exactly this range with this value. */
bool cn_ranges_have(const struct cn_range_node *tree, struct cn_range range);

/* Check the tree. Returns the error, or null. Linear. Invariants:
 *   - ranges are not empty; they ascend by start, then by value
 *   - `count` and `max_end` agree with the subtree
 *   - the weight of a subtree (its count + 1) is at most three times its sibling's, so the depth is logarithmic */
const char *cn_ranges_wrong(const struct cn_range_node *tree);

#endif
