/* SPDX-License-Identifier: Apache-2.0
 *
 * The call graph of a module. Private to src/compile. Valid until a call changes.
 */
#ifndef CN_COMPILE_ANALYSIS_CALLGRAPH_H
#define CN_COMPILE_ANALYSIS_CALLGRAPH_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"

#define CN_NO_NODE UINT32_MAX

struct cn_call_node {
  LLVMValueRef function;
  uint32_t *callees; /* certain ones, in the order of the calls, each as often as it is called */
  uint32_t callee_count;
  uint32_t rank;   /* its number in cn_callgraph.order */
  bool unknown;    /* makes calls whose callee is unknown */
  bool open;       /* may have callers outside the module */
  bool comes_back; /* its unknown callees may lead back to it */
};

/* Invariants (cn_callgraph_wrong()):
 *   - the nodes are managed definitions, and the index has each of them
 *   - order[] is a permutation of the nodes, and rank is a node's place in it
 *   - only a node with unknown calls comes back */
struct cn_callgraph {
  struct cn_ctx *ctx;
  struct cn_call_node *nodes; /* managed definitions, in the module's order */
  uint32_t count;
  uint32_t *order;        /* callees before their callers, except for calls that close a cycle */
  struct cn_ptrmap index; /* function -> node */
};

void cn_callgraph_build(struct cn_callgraph *graph, struct cn_ctx *ctx);
void cn_callgraph_free(struct cn_callgraph *graph);
/* Null, or the fault of the graph. Linear in the calls. */
const char *cn_callgraph_wrong(const struct cn_callgraph *graph);
/* CN_NO_NODE: other than a managed definition. */
uint32_t cn_callgraph_find_node(const struct cn_callgraph *graph, LLVMValueRef function);

/* True if a direct call of `function` always ends here: the definition is final. */
bool cn_callgraph_is_final(const struct cn_ctx *ctx, LLVMValueRef function);

/* The function that a call or statepoint names, through aliases that are final; null: a pointer. */
LLVMValueRef cn_callgraph_target_of_call(const struct cn_ctx *ctx, LLVMValueRef call);

/* True for an entry of the runtime where the thread is at a safepoint, if it never calls back into the program. */
bool cn_callgraph_is_safepoint_entry(LLVMValueRef function);

/* True if a call of `callee` by the function of node `caller` closes a cycle of calls. Every cycle has a call that
 * does, so polls before those are on every cycle. A null callee: unknown. */
bool cn_callgraph_call_closes_cycle(const struct cn_callgraph *graph, uint32_t caller, LLVMValueRef callee);

#endif
