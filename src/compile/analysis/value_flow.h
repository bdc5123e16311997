/* SPDX-License-Identifier: Apache-2.0
 *
 * Meeting places of the flow through a graph of values. Private to src/compile.
 */
#ifndef CN_COMPILE_ANALYSIS_VALUE_FLOW_H
#define CN_COMPILE_ANALYSIS_VALUE_FLOW_H

#include <stdint.h>

/* A graph with a flow of values: sources 1..sources, nodes sources+1..sources+nodes; node i (from 0) receives from
 * inputs[first[i]] .. inputs[first[i + 1] - 1], source or node numbers. For each node, the one place that all its flow
 * comes through: a source, or the node where flow from several sources first meets (itself, maybe). That is the child
 * of the root in the graph's dominator tree. The order of nodes must give each an input before it on some path from a
 * source, as reverse post-order does. Caller frees. */
uint32_t *cn_value_flow_find_origins(uint32_t sources, uint32_t nodes, const uint32_t *first, const uint32_t *inputs);
/* Nodes that are always equal: for each node the first one that always receives the same from the same inputs, taken
 * for granted until an input shows otherwise, cycles included. Only nodes of one group may be equal, and their inputs
 * correspond in order; group[i] is the first node of node i's group. Caller frees. */
uint32_t *cn_value_flow_find_equal_nodes(uint32_t sources, uint32_t nodes, const uint32_t *first,
                                         const uint32_t *inputs, const uint32_t *group);

#endif
