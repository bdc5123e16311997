/* SPDX-License-Identifier: Apache-2.0
 *
 * One base for all merges that have the same: phis of one block whose inputs have the same bases,
 * round loops too, and selects in one block with one condition (late-insertion-slides-2014, "What
 * about PHIs?"; LLVM's own pass makes one for each). A phi that is a base itself serves the others;
 * of selects, the first does, since it is there for all.
 *
 * Needs: the graph with its tops. Provides: merge.same. Breaks: the graph's inputs.
 */
#include "compile/analysis/value_flow.h"
#include "compile/rewrite/values/bases.h"

#include <stdlib.h>
#include "base/check.h"

static bool same_edges(LLVMValueRef a, LLVMValueRef b)
{
  unsigned count = LLVMCountIncoming(a);

  for (unsigned i = 0; i < count; i++)
    if (LLVMGetIncomingBlock(a, i) != LLVMGetIncomingBlock(b, i))
      return false;
  return count == LLVMCountIncoming(b);
}

/* Can the two have the same base: phis of one block, selects in one block with one condition? */
static bool is_parallel(LLVMValueRef a, LLVMValueRef b)
{
  if (LLVMGetInstructionParent(a) != LLVMGetInstructionParent(b) ||
      LLVMTypeOf(a) != LLVMTypeOf(b) || !LLVMIsAPHINode(a) != !LLVMIsAPHINode(b))
    return false;
  return !LLVMIsAPHINode(a) || same_edges(a, b);
}

/* The first merge that each is parallel to. */
static uint32_t *find_groups(struct cn_base_graph *graph, bool *any)
{
  struct cn_ptrmap first = {0};
  uint32_t *group = cn_alloc(graph->merges.count * sizeof *group);

  for (uint32_t m = 0; m < graph->merges.count; m++) {
    LLVMValueRef value = graph->merges.at[m].value;
    const void *key = LLVMIsAPHINode(value) ? (const void *)LLVMGetInstructionParent(value)
                                            : (const void *)LLVMGetOperand(value, 0);
    bool fresh;
    uint64_t *slot = cn_ptrmap_add(&first, key, &fresh);
    if (fresh)
      *slot = m;
    bool joins = !fresh && is_parallel(graph->merges.at[*slot].value, value);
    group[m] = joins ? (uint32_t)*slot : m;
    *any |= joins;
  }
  cn_ptrmap_free(&first);
  return group;
}

/* Is the merge, as it stands, the base of all of its class? One that chooses a global is its own
 * base, while the others' have null in that place. */
static bool serves(const struct cn_base_graph *graph, uint32_t m)
{
  if (graph->merges.at[m].moves)
    return false;
  for (uint32_t i = graph->first[m]; i < graph->first[m + 1]; i++)
    if (graph->inputs[i] == 1)
      return false;
  return true;
}

/* The merge that serves each class: a phi that is a base, or else the first that needs one. */
static uint32_t *find_serving(const struct cn_base_graph *graph, const uint32_t *class)
{
  uint32_t nodes = (uint32_t)graph->merges.count;
  uint32_t *serving = cn_alloc(nodes * sizeof *serving);

  for (uint32_t m = 0; m < nodes; m++)
    serving[m] = CN_NO_INDEX;
  for (uint32_t m = 0; m < nodes; m++) {
    uint32_t *slot = &serving[class[m]];
    bool fit = serves(graph, m);
    if (!fit && !graph->merges.at[m].moves)
      continue;
    bool better = *slot != CN_NO_INDEX && graph->merges.at[*slot].moves && fit &&
                  LLVMIsAPHINode(graph->merges.at[m].value);
    if (*slot == CN_NO_INDEX || better)
      *slot = m;
  }
  return serving;
}

void cn_bases_share(struct cn_base_graph *graph)
{
  uint32_t sources = (uint32_t)graph->sources.count, nodes = (uint32_t)graph->merges.count;
  bool any = false;
  uint32_t *group = find_groups(graph, &any);

  if (any) {
    for (uint32_t i = 0; i < graph->first[nodes]; i++)
      if (graph->inputs[i] > sources)
        graph->inputs[i] = graph->top[graph->inputs[i] - sources - 1];
    uint32_t *class = cn_sources_classes(sources, nodes, graph->first, graph->inputs, group);
    uint32_t *serving = find_serving(graph, class);
    for (uint32_t m = 0; m < nodes; m++)
      if (graph->merges.at[m].moves)
        graph->merges.at[m].same = &graph->merges.at[serving[class[m]]];
    free(serving);
    free(class);
  }
  free(group);
}
