/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the point where all flow into each node of a value graph meets, to place phis (relocate.c) and to find bases
 * (bases.c). The result is minimal, so every phi is necessary, even in cycles. The file also finds nodes that always
 * receive equal values. Needs, breaks: nothing. Provides: cn_value_flow_find_origins(),
 * cn_value_flow_find_equal_nodes().
 *
 * The dominator computation follows K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
 * Number 0 is the root, the parent of all sources.
 */
#include "compile/analysis/value_flow.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/cfg.h"
#include "compile/core/convention.h"

/* The number of rounds; then unstable classes are split into single nodes, so that the cost stays linear. */
#define CN_CLASS_PASSES 16
#define NO_FLOW UINT32_MAX /* still without any flow */

uint32_t *cn_value_flow_find_origins(uint32_t sources, uint32_t nodes, const uint32_t *first, const uint32_t *inputs)
{
  if (nodes == 0)
    return NULL;
  uint32_t *idom = cn_alloc(((size_t)sources + nodes + 1) * sizeof *idom);
  bool changed = true;

  for (uint32_t n = 0; n < nodes; n++)
    idom[sources + 1 + n] = NO_FLOW;
  while (changed) {
    changed = false;
    for (uint32_t n = 0; n < nodes; n++) {
      uint32_t to = NO_FLOW;
      CN_ASSERT(first[n] < first[n + 1]);
      for (uint32_t i = first[n]; i < first[n + 1]; i++)
        if (idom[inputs[i]] != NO_FLOW)
          to = to == NO_FLOW ? inputs[i] : cn_tree_common_ancestor(idom, sizeof *idom, to, inputs[i], UINT32_MAX);
      CN_CHECK(to != NO_FLOW && to < sources + 1 + n);
      changed |= idom[sources + 1 + n] != to;
      idom[sources + 1 + n] = to;
    }
  }
  uint32_t *top = cn_alloc(nodes * sizeof *top);
  for (uint32_t n = 0; n < nodes; n++) {
    uint32_t up = idom[sources + 1 + n];
    top[n] = up == 0 ? sources + 1 + n : up <= sources ? up : top[up - sources - 1];
  }
  free(idom);
  return top;
}

struct equality_classes {
  uint32_t sources;
  const uint32_t *first, *inputs;
  uint32_t *class;    /* per node: the first node of its class */
  uint32_t *split_to; /* per first node: the last class split off from its class */
};

static uint32_t equality_class_of(const struct equality_classes *c, uint32_t number)
{
  return number > c->sources ? c->sources + 1 + c->class[number - c->sources - 1] : number;
}

static bool receive_equal_values(const struct equality_classes *c, uint32_t a, uint32_t b)
{
  uint32_t count = c->first[a + 1] - c->first[a];

  if (count != c->first[b + 1] - c->first[b])
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (equality_class_of(c, c->inputs[c->first[a] + i]) != equality_class_of(c, c->inputs[c->first[b] + i]))
      return false;
  return true;
}

/* Split off nodes that receive other values than the first node of their class. True if a class was split. */
static bool split_classes(struct equality_classes *c, uint32_t nodes)
{
  bool changed = false;

  for (uint32_t n = 0; n < nodes; n++)
    c->split_to[n] = NO_FLOW;
  for (uint32_t n = 0; n < nodes; n++) {
    uint32_t old = c->class[n];
    if (old == n || receive_equal_values(c, n, old))
      continue;
    uint32_t to = c->split_to[old];
    changed = true;
    c->class[n] = to != NO_FLOW && receive_equal_values(c, n, to) ? to : n;
    c->split_to[old] = c->class[n];
  }
  return changed;
}

uint32_t *cn_value_flow_find_equal_nodes(uint32_t sources, uint32_t nodes, const uint32_t *first,
                                         const uint32_t *inputs, const uint32_t *group)
{
  struct equality_classes c = {.sources = sources, .first = first, .inputs = inputs};

  c.class = cn_alloc(nodes * sizeof *c.class);
  c.split_to = cn_alloc(nodes * sizeof *c.split_to);
  for (uint32_t n = 0; n < nodes; n++)
    c.class[n] = group[n];
  for (unsigned pass = 0; split_classes(&c, nodes); pass++)
    if (pass == CN_CLASS_PASSES)
      for (uint32_t n = 0; n < nodes; n++)
        c.class[n] = n;
  free(c.split_to);
  return c.class;
}
