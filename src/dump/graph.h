/* SPDX-License-Identifier: Apache-2.0
 *
 * What keeps what: dominators, and a shortest path to each object from a root.
 */
#ifndef CN_DUMP_GRAPH_H
#define CN_DUMP_GRAPH_H

#include "dump/read.h"

#define CN_GRAPH_NONE UINT32_MAX

/* Of each object. It retains what would be garbage without it: itself, and what it dominates. */
struct cn_graph {
  const struct cn_dump *dump;
  uint32_t root;       /* the number of what leads to all roots: that of objects */
  uint32_t *order;     /* objects in the order in which a search in depth meets them, from 1 on; */
  uint32_t reached;    /* so many are reached, */
  uint32_t *number;    /* and have these numbers; 0: garbage */
  uint32_t *dominator; /* the object that dominates it next; `root`: none does; NONE: garbage */
  uint64_t *retained;  /* bytes; 0: garbage */
  uint64_t live;       /* bytes of objects that are reached */
};

/* O(m log n) in references and objects, without recursion. Free it, too. */
void cn_graph_make(struct cn_graph *graph, const struct cn_dump *dump);
void cn_graph_free(struct cn_graph *graph);

/* Of each kind, the bytes that its objects retain one by one, each byte counted once; so not those
 * that only several of them together keep. `graph->dump->kinds.count` numbers, to be freed. */
uint64_t *cn_graph_retained_by_kind(const struct cn_graph *graph);

/* From each object the one before it on a shortest path from a root: an object, or `root`; NONE:
 * garbage. To be freed. */
uint32_t *cn_graph_paths(const struct cn_dump *dump);

#endif
