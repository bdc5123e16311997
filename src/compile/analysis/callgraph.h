/* SPDX-License-Identifier: Apache-2.0
 *
 * The call graph of a module, valid until a call changes. Private to src/compile.
 */
#ifndef CN_COMPILE_ANALYSIS_CALLGRAPH_H
#define CN_COMPILE_ANALYSIS_CALLGRAPH_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"

#define CN_NO_NODE UINT32_MAX

struct cn_call_node {
  LLVMValueRef function;
  uint32_t *callees; /* callees that are nodes, one per call, in order */
  uint32_t callee_count;
  uint32_t rank;   /* the function's index in cn_callgraph.order */
  bool unknown;    /* the function has calls whose callee is unknown */
  bool open;       /* the function may have callers outside the module */
  bool comes_back; /* the unknown callees may call the function again */
};

/* Invariants (cn_callgraph_wrong()):
 *   - the nodes are managed definitions, and the index has each of them
 *   - order[] is a permutation of the nodes, and rank is a node's place in it
 *   - a node with comes_back also has unknown calls */
struct cn_callgraph {
  struct cn_ctx *ctx;
  struct cn_call_node *nodes; /* managed definitions, in the module's order */
  uint32_t count;
  uint32_t *order;        /* nodes, with callees before their callers, except for calls that close a cycle */
  struct cn_ptrmap index; /* function -> node */
};

void cn_callgraph_build(struct cn_callgraph *graph, struct cn_ctx *ctx);
void cn_callgraph_free(struct cn_callgraph *graph);
/* Describes a fault of the graph, or returns null. The check takes time linear in the calls. */
const char *cn_callgraph_wrong(const struct cn_callgraph *graph);
/* The node of a managed definition, or CN_NO_NODE for other functions. */
uint32_t cn_callgraph_find_node(const struct cn_callgraph *graph, LLVMValueRef function);

/* True if direct calls of `function` always reach its definition in this unit. */
bool cn_callgraph_is_final(const struct cn_ctx *ctx, LLVMValueRef function);

/* The function that a call or statepoint names, perhaps through final aliases. Null if the callee is a pointer, or a
 * definition that is not final. */
LLVMValueRef cn_callgraph_target_of_call(const struct cn_ctx *ctx, LLVMValueRef call);

/* True if a call of `callee` by the function of node `caller` closes a cycle of calls. Every cycle has a closing call,
 * so polls before the closing calls are on every cycle. A null callee is unknown. */
bool cn_callgraph_call_closes_cycle(const struct cn_callgraph *graph, uint32_t caller, LLVMValueRef callee);

#endif
