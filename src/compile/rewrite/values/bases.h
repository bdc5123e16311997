/* SPDX-License-Identifier: Apache-2.0
 *
 * The graph of merges that bases are found on. Private to bases*.c.
 */
#ifndef CN_COMPILE_REWRITE_VALUES_BASES_H
#define CN_COMPILE_REWRITE_VALUES_BASES_H

#include "compile/rewrite/values/refs.h"

/* A phi or select of references. */
struct cn_base_merge {
  LLVMValueRef value;
  uint32_t pos;               /* position of the definition, which orders the nodes for value_flow.c */
  uint32_t index;             /* number in the order of discovery */
  bool moves;                 /* the address of some input may differ from the address of the input's base */
  struct cn_base_merge *same; /* the merge whose base is also the base of this merge, or null */
  LLVMValueRef base;
};

struct cn_base_graph {
  const struct cn_refs *refs;
  CN_VECTOR(struct cn_base_merge) merges;
  struct cn_ptrmap node_of;   /* merge -> index + 1 */
  struct cn_ptrmap source_of; /* base -> number */
  CN_VECTOR(LLVMValueRef)
  sources; /* number - 1 -> base; number 1 stands for all values that never move */
  /* value -> the end of its chain of adjustments, so that each chain is followed once */
  struct cn_ptrmap ends;
  uint32_t *first, *inputs, *top;
};

void cn_base_graph_build(struct cn_base_graph *graph, const struct cn_refs *refs);
void cn_base_graph_free(struct cn_base_graph *graph);
/* The value that `value` adjusts, or null; sets *moves if the adjustment may change the address. */
LLVMValueRef cn_base_adjusted_value_of(LLVMValueRef value, bool *moves);
/* The start of the chain of adjustments that ends in `value`; sets *moves if an adjustment may change the address. */
LLVMValueRef cn_base_find_chain_start(struct cn_base_graph *graph, LLVMValueRef value, bool *moves);
bool cn_base_is_merge(LLVMValueRef value);
bool cn_base_is_immovable(const struct cn_base_graph *graph, LLVMValueRef value);
struct cn_base_merge *cn_base_merge_of(const struct cn_base_graph *graph, LLVMValueRef value);

/* Set `same` of merges that have the same base, and update the tops. */
void cn_bases_share(struct cn_base_graph *graph);

#endif
