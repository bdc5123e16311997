/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that a struct cn_callgraph is as its header says. Needs: nothing. Provides: cn_callgraph_wrong(). Breaks:
 * nothing.
 */
#include "compile/analysis/callgraph.h"

static const char *node_wrong(const struct cn_callgraph *graph, uint32_t n)
{
  const struct cn_call_node *node = &graph->nodes[n];

  if (LLVMIsDeclaration(node->function) || !cn_is_managed(node->function))
    return "call graph: a node is no managed definition";
  if (cn_callgraph_find_node(graph, node->function) != n)
    return "call graph: the index does not lead to a node";
  if (node->rank >= graph->count || graph->order[node->rank] != n)
    return "call graph: a node does not have its rank";
  if (node->comes_back && !node->unknown)
    return "call graph: a node comes back without an unknown call";
  for (uint32_t c = 0; c < node->callee_count; c++)
    if (node->callees[c] >= graph->count)
      return "call graph: a callee is no node";
  return NULL;
}

const char *cn_callgraph_wrong(const struct cn_callgraph *graph)
{
  const char *wrong = NULL;

  for (uint32_t n = 0; n < graph->count && !wrong; n++)
    wrong = node_wrong(graph, n);
  return wrong;
}
