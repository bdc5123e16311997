/* SPDX-License-Identifier: Apache-2.0
 *
 * Shares one base between merges with equal bases: phis of one block with equal bases of all inputs, cycles included,
 * and selects in one block with one condition (late-insertion-slides-2014, "What about PHIs?"; LLVM's own pass builds a
 * base for each merge). Part of rewrite-statepoints. A phi that is itself a base becomes the base of the other phis.
 * The first of several selects becomes the base of the other selects, which it dominates.
 *
 * A merge of merges with one base also has this base, and needs no further base. Each round replaces merges by the
 * merge whose base they share and finds the top of each merge again, which is the value or merge that has its base,
 * until the inputs stay the same.
 *
 * Needs: the graph with its tops. Provides: in each merge, the merge whose base it shares (merge.same), and updated
 * tops. Breaks: the graph's inputs.
 */
#include "compile/analysis/value_flow.h"
#include "compile/rewrite/values/bases.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"

/* The most rounds of sharing, so that the cost stays linear. */
enum { MAX_SHARING_ROUNDS = 16 };

static bool have_same_incoming_blocks(LLVMValueRef a, LLVMValueRef b)
{
  unsigned count = LLVMCountIncoming(a);

  CN_ASSERT(count == LLVMCountIncoming(b)); /* both are phis of one block */
  for (unsigned i = 0; i < count; i++)
    if (LLVMGetIncomingBlock(a, i) != LLVMGetIncomingBlock(b, i))
      return false;
  return true;
}

/* True if `a` and `b` can share a base: both are phis of one block, or both are selects in one block. The caller has
 * compared the conditions of selects. */
static bool may_have_same_base(LLVMValueRef a, LLVMValueRef b)
{
  if (LLVMGetInstructionParent(a) != LLVMGetInstructionParent(b) || LLVMTypeOf(a) != LLVMTypeOf(b) ||
      !LLVMIsAPHINode(a) != !LLVMIsAPHINode(b))
    return false;
  return !LLVMIsAPHINode(a) || have_same_incoming_blocks(a, b);
}

static uint32_t node_number_of(const struct cn_base_graph *graph, uint32_t m)
{
  return (uint32_t)graph->sources.count + 1 + m;
}

/* For each merge, the first merge that may share its base, or the merge itself. A merge that has the base of another
 * value is in no group. */
static uint32_t *find_parallel_groups(struct cn_base_graph *graph, bool *any)
{
  struct cn_ptrmap first = {0};
  uint32_t *group = cn_alloc(graph->merges.count * sizeof *group);

  for (uint32_t m = 0; m < graph->merges.count; m++) {
    LLVMValueRef value = graph->merges.at[m].value;
    const void *key =
        LLVMIsAPHINode(value) ? (const void *)LLVMGetInstructionParent(value) : (const void *)LLVMGetOperand(value, 0);
    bool fresh;
    group[m] = m;
    if (graph->top[m] != node_number_of(graph, m))
      continue;
    uint64_t *slot = cn_ptrmap_add(&first, key, &fresh);
    if (fresh)
      *slot = m;
    if (!fresh && may_have_same_base(graph->merges.at[*slot].value, value)) {
      group[m] = (uint32_t)*slot;
      *any = true;
    }
  }
  cn_ptrmap_free(&first);
  return group;
}

/* True if the merge itself can be the base of its class. A merge with a global as an input cannot be the base of its
 * class: its input is the global, but the bases of the other merges have null as this input. */
static bool may_be_base_of_class(const struct cn_base_graph *graph, uint32_t m)
{
  if (graph->merges.at[m].moves)
    return false;
  for (uint32_t i = graph->first[m]; i < graph->first[m + 1]; i++)
    if (graph->inputs[i] == 1)
      return false;
  return true;
}

/* For each class, the merge whose base the class shares: a phi that is a base, or else the first merge that needs a
 * base. */
static uint32_t *find_base_merge_of_classes(const struct cn_base_graph *graph, const uint32_t *class)
{
  uint32_t nodes = (uint32_t)graph->merges.count;
  uint32_t *serving = cn_alloc(nodes * sizeof *serving);

  for (uint32_t m = 0; m < nodes; m++)
    serving[m] = CN_NO_INDEX;
  for (uint32_t m = 0; m < nodes; m++) {
    uint32_t *slot = &serving[class[m]];
    bool fit = may_be_base_of_class(graph, m);
    if (!fit && !graph->merges.at[m].moves)
      continue;
    bool better =
        *slot != CN_NO_INDEX && graph->merges.at[*slot].moves && fit && LLVMIsAPHINode(graph->merges.at[m].value);
    if (*slot == CN_NO_INDEX || better)
      *slot = m;
  }
  return serving;
}

static void replace_inputs_by_tops(struct cn_base_graph *graph)
{
  uint32_t sources = (uint32_t)graph->sources.count;

  for (uint32_t i = 0; i < graph->first[graph->merges.count]; i++)
    if (graph->inputs[i] > sources)
      graph->inputs[i] = graph->top[graph->inputs[i] - sources - 1];
}

/* Replace each input by the merge whose base it shares. True if an input changes. */
static bool replace_inputs_by_shared(struct cn_base_graph *graph)
{
  uint32_t sources = (uint32_t)graph->sources.count;
  bool changed = false;

  for (uint32_t i = 0; i < graph->first[graph->merges.count]; i++) {
    if (graph->inputs[i] <= sources)
      continue;
    const struct cn_base_merge *same = graph->merges.at[graph->inputs[i] - sources - 1].same;
    if (!same)
      continue;
    uint32_t number = node_number_of(graph, (uint32_t)(same - graph->merges.at));
    changed |= graph->inputs[i] != number;
    graph->inputs[i] = number;
  }
  return changed;
}

/* Run one round of sharing. True if an input changes. */
static bool share_bases_once(struct cn_base_graph *graph)
{
  uint32_t sources = (uint32_t)graph->sources.count, nodes = (uint32_t)graph->merges.count;
  bool any = false;
  uint32_t *group = find_parallel_groups(graph, &any);

  for (uint32_t m = 0; m < nodes; m++)
    graph->merges.at[m].same = NULL;
  if (any) {
    replace_inputs_by_tops(graph);
    uint32_t *class = cn_value_flow_find_equal_nodes(sources, nodes, graph->first, graph->inputs, group);
    uint32_t *serving = find_base_merge_of_classes(graph, class);
    for (uint32_t m = 0; m < nodes; m++)
      if (graph->merges.at[m].moves) {
        CN_CHECK(serving[class[m]] < nodes);
        graph->merges.at[m].same = &graph->merges.at[serving[class[m]]];
      }
    free(serving);
    free(class);
  }
  free(group);
  return any && replace_inputs_by_shared(graph);
}

void cn_bases_share(struct cn_base_graph *graph)
{
  uint32_t nodes = (uint32_t)graph->merges.count;
  bool changed = true;

  CN_CHECK(graph->top);
  for (unsigned pass = 0; changed && share_bases_once(graph) && pass < MAX_SHARING_ROUNDS; pass++) {
    uint32_t *top = cn_value_flow_find_origins((uint32_t)graph->sources.count, nodes, graph->first, graph->inputs);
    changed = memcmp(top, graph->top, nodes * sizeof *top) != 0;
    free(graph->top);
    graph->top = top;
  }
}
