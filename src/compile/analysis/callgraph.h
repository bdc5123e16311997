/* SPDX-License-Identifier: Apache-2.0
 *
 * Who calls whom in a module. Private to src/compile. Valid until a call changes.
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
  bool unknown;    /* calls something that may be anything */
  bool open;       /* may have callers that are not seen here */
  bool comes_back; /* its unknown callees may lead back to it */
};

/* It holds (cn_callgraph_wrong()) that
 *   - the nodes are managed definitions, and the index leads to each
 *   - order[] is a permutation of the nodes, and rank is a node's place in it
 *   - only a node with unknown calls comes back */
struct cn_callgraph {
  struct cn_ctx *ctx;
  struct cn_call_node *nodes; /* managed definitions, in the module's order */
  uint32_t count;
  uint32_t *order;        /* callees before their callers, but for calls that close a cycle */
  struct cn_ptrmap index; /* function -> node */
};

void cn_callgraph_build(struct cn_callgraph *graph, struct cn_ctx *ctx);
void cn_callgraph_free(struct cn_callgraph *graph);
/* What is wrong with it, or null. Linear in the calls. */
const char *cn_callgraph_wrong(const struct cn_callgraph *graph);
/* CN_NO_NODE: no managed definition. */
uint32_t cn_callgraph_find(const struct cn_callgraph *graph, LLVMValueRef function);

/* A direct call of `function` ends here and nowhere else: no other unit's definition takes its
 * place. */
bool cn_callgraph_is_certain(const struct cn_ctx *ctx, LLVMValueRef function);

/* The function that a call or statepoint names, through aliases that cannot be replaced; null: a
 * pointer. */
LLVMValueRef cn_callgraph_target(const struct cn_ctx *ctx, LLVMValueRef call);

/* Is `function` an entry of the runtime at which the thread is at a safepoint, which never calls
 * back into the program? */
bool cn_callgraph_is_safepoint(LLVMValueRef function);

/* Does a call of `callee` by the function of node `caller` close a cycle of calls? Every cycle has
 * one that does, so polls before those are on every cycle. A null callee: unknown. */
bool cn_callgraph_closes(const struct cn_callgraph *graph, uint32_t caller, LLVMValueRef callee);

#endif
