/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds dominators, and a shortest path to each object from a root.
 */
#ifndef CN_DUMP_GRAPH_H
#define CN_DUMP_GRAPH_H

#include "dump/read.h"

#define CN_GRAPH_NONE UINT32_MAX

/* Facts about each object. An object retains itself and the objects that it dominates: they would be garbage without
 * it. */
struct cn_graph {
  const struct cn_dump *dump;
  uint32_t root;       /* the number of the node above all roots: the count of objects */
  uint32_t *order;     /* objects in the order of a depth-first search, from 1 on */
  uint32_t reached;    /* the number of objects that are reached */
  uint32_t *number;    /* of each object in `order`; 0: garbage */
  uint32_t *dominator; /* the nearest object that dominates it; `root`: only the roots do; NONE: garbage */
  uint64_t *retained;  /* bytes; 0: garbage */
  uint64_t live;       /* bytes of objects that are reached */
};

/* Find dominators: O(m log n) in references and objects, without recursion. Free the graph, too. */
void cn_graph_make(struct cn_graph *graph, const struct cn_dump *dump);
void cn_graph_free(struct cn_graph *graph);

/* The bytes that the objects of each kind retain one by one, each byte counted once. Bytes that only several objects
 * together keep are left out. `graph->dump->kinds.count` numbers, to be freed. */
uint64_t *cn_graph_sum_retained_by_kind(const struct cn_graph *graph);

/* From each object the one before it on a shortest path from a root: an object, or `root`; NONE: garbage. To be
 * freed. */
uint32_t *cn_graph_find_shortest_paths(const struct cn_dump *dump);

#endif
