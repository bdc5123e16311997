/* SPDX-License-Identifier: Apache-2.0
 *
 * Places at which the flow through a graph of values meets. Private to src/compile.
 */
#ifndef CN_COMPILE_ANALYSIS_VALUE_FLOW_H
#define CN_COMPILE_ANALYSIS_VALUE_FLOW_H

#include <stdint.h>

/* A graph in which values flow: sources 1..sources, nodes sources+1..sources+nodes; node i (from
 * 0) receives from inputs[first[i]] .. inputs[first[i + 1] - 1], source or node numbers. For
 * each node, the one place that all its flow comes through: a source, or the node at which flow
 * from several sources first meets (itself, maybe). That is the child of the root in the graph's
 * dominator tree. Nodes must be in an order in which each has an input before it on some path from
 * a source, as reverse post-order. Caller frees. */
uint32_t *cn_value_flow_solve(uint32_t sources, uint32_t nodes, const uint32_t *first, const uint32_t *inputs);
/* Nodes that cannot differ: for each node the first one that always receives the same from the same
 * inputs, taken for granted until an input shows otherwise, cycles included. Only nodes of one
 * group, whose inputs correspond in order, may be the same; `group` has the first node of each
 * one's. Caller frees. */
uint32_t *cn_value_flow_classes(uint32_t sources, uint32_t nodes, const uint32_t *first, const uint32_t *inputs,
                                const uint32_t *group);

#endif
