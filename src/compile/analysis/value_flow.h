/* SPDX-License-Identifier: Apache-2.0
 *
 * Meeting points of the flow through a graph of values. Private to src/compile.
 */
#ifndef CN_COMPILE_ANALYSIS_VALUE_FLOW_H
#define CN_COMPILE_ANALYSIS_VALUE_FLOW_H

#include <stdint.h>

/* For each node of a graph, the point that all flow into the node passes: a source, or the first node at which flow
 * from several sources meets, perhaps the node itself. In the graph's dominator tree, the point is the node's ancestor
 * just below the root. Sources have the numbers 1 to `sources`, and nodes the numbers after them. Node i, from 0,
 * receives the values of inputs[first[i]] .. inputs[first[i + 1] - 1]. Each node needs an earlier input on a path from
 * a source, as in reverse post-order. The caller frees the result. */
uint32_t *cn_value_flow_find_origins(uint32_t sources, uint32_t nodes, const uint32_t *first, const uint32_t *inputs);
/* For each node, the first node that always has an equal value. Nodes are equal if all their inputs are equal, in
 * order; nodes in cycles count as equal until an input differs. Only nodes of one group may be equal; group[i] is the
 * first node of node i's group. The caller frees the result. */
uint32_t *cn_value_flow_find_equal_nodes(uint32_t sources, uint32_t nodes, const uint32_t *first,
                                         const uint32_t *inputs, const uint32_t *group);

#endif
