/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds dominators, and a shortest path to each object from a root.
 */
#ifndef CN_DUMP_GRAPH_H
#define CN_DUMP_GRAPH_H

#include "dump/read.h"

#define CN_GRAPH_NONE UINT32_MAX

/* The graph of a dump's objects. An object retains itself and the objects that it dominates, which would be garbage
 * without it. */
struct cn_graph {
  const struct cn_dump *dump;
  uint32_t root;       /* the number of the node that points to all roots, which is the count of objects */
  uint32_t *order;     /* objects in the order of a depth-first search, from 1 on */
  uint32_t reached;    /* the number of live objects */
  uint32_t *number;    /* the number of each object in `order`; 0 for garbage */
  uint32_t *dominator; /* immediate dominators; `root` if only the root node dominates; NONE for garbage */
  uint64_t *retained;  /* bytes; 0: garbage */
  uint64_t live;       /* bytes of live objects */
};

/* Find dominators in O(m log n) for m references and n objects, without recursion. The caller frees the graph. */
void cn_graph_make(struct cn_graph *graph, const struct cn_dump *dump);
void cn_graph_free(struct cn_graph *graph);

/* The bytes that single objects of each kind retain, with each byte counted once. Bytes that only several objects
 * retain together are not counted. The caller frees the `graph->dump->kinds.count` numbers. */
uint64_t *cn_graph_sum_retained_by_kind(const struct cn_graph *graph);

/* For each object, its predecessor on a shortest path from a root: an object, or `root`; NONE for garbage. The caller
 * frees the array. */
uint32_t *cn_graph_find_shortest_paths(const struct cn_dump *dump);

#endif
