/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the flow into each node of a value graph comes together: what both placing phis
 * (relocate.c) and inferring bases (bases.c) ask. Exact and minimal: no phi that it asks for is
 * redundant, cycles included.
 *
 * The dominator computation is K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance
 * Algorithm" (2001); number 0 is the root from which all sources hang.
 */
#include "base/check.h"
#include "compile/rewrite.h"

static uint32_t meet(const uint32_t *idom, uint32_t a, uint32_t b)
{
  while (a != b) {
    while (a > b)
      a = idom[a];
    while (b > a)
      b = idom[b];
  }
  return a;
}

uint32_t *cn_sources_solve(uint32_t sources, uint32_t nodes, const uint32_t *first,
                           const uint32_t *inputs)
{
  if (nodes == 0)
    return NULL;
  uint32_t *idom = cn_alloc(((size_t)sources + nodes + 1) * sizeof *idom);
  bool changed = true;

  for (uint32_t n = 0; n < nodes; n++)
    idom[sources + 1 + n] = CN_NO_INDEX;
  while (changed) {
    changed = false;
    for (uint32_t n = 0; n < nodes; n++) {
      uint32_t to = CN_NO_INDEX;
      for (uint32_t i = first[n]; i < first[n + 1]; i++)
        if (idom[inputs[i]] != CN_NO_INDEX)
          to = to == CN_NO_INDEX ? inputs[i] : meet(idom, to, inputs[i]);
      CN_CHECK(to != CN_NO_INDEX && to < sources + 1 + n);
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
