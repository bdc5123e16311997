/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the call graph of the managed functions of a module, and finds the calls that close cycles. Part of pass
 * `place-safepoints`.
 *
 * Needs: nothing. Provides: struct cn_callgraph with its queries. Breaks: nothing.
 *
 * The graph is conservative. A callee is unknown if it is called through a pointer, lies in another unit, or may be
 * replaced by a definition of another unit. An unknown callee may call every function that is visible outside of the
 * unit or whose address is used, and the callees of these functions.
 *
 * A depth-first walk from all functions gives the order, callees first. Each cycle of calls with known callees has a
 * call that is a back edge of the walk, whose callee has at least the caller's rank. In a cycle through an unknown
 * callee, the call of the unknown callee closes the cycle.
 */
#include "compile/analysis/callgraph.h"

#include <string.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"

/* ---- targets ---- */

static bool has_local_linkage(LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);

  return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

bool cn_callgraph_is_final(const struct cn_ctx *ctx, LLVMValueRef function)
{
  if (has_local_linkage(function))
    return true;
  return LLVMGetLinkage(function) == LLVMExternalLinkage &&
         !(ctx->options->shared && LLVMGetVisibility(function) == LLVMDefaultVisibility);
}

LLVMValueRef cn_callgraph_target_of_call(const struct cn_ctx *ctx, LLVMValueRef call)
{
  bool statepoint = cn_classify_call(call).kind == CN_CALL_STATEPOINT;
  LLVMValueRef callee = statepoint ? LLVMGetOperand(call, 2) : LLVMGetCalledValue(call);
  bool through = false;

  while (LLVMIsAGlobalAlias(callee) && cn_callgraph_is_final(ctx, callee)) {
    callee = LLVMAliasGetAliasee(callee);
    through = true;
  }
  /* An alias names this definition even if another definition takes the function's name. */
  if (!LLVMIsAFunction(callee) || LLVMIsDeclaration(callee) || through)
    return LLVMIsAFunction(callee);
  return cn_callgraph_is_final(ctx, callee) ? callee : NULL;
}

/* True for an entry of the runtime that has a safepoint and never calls back into the program. */
static bool is_safepoint_entry(LLVMValueRef function)
{
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);

  CN_ASSERT(LLVMIsAFunction(function));
  return LLVMIsDeclaration(function) &&
         (cn_is_poll_stub(name) || strcmp(name, "cairn_collect") == 0 || cn_is_slow_allocation(name));
}

uint32_t cn_callgraph_find_node(const struct cn_callgraph *graph, LLVMValueRef function)
{
  const uint64_t *found = function ? cn_ptrmap_find(&graph->index, function) : NULL;

  return found ? (uint32_t)*found : CN_NO_NODE;
}

/* ---- nodes ---- */

/* True if all uses of the function are calls by managed functions. */
static bool is_only_called(const struct cn_callgraph *graph, LLVMValueRef function)
{
  CN_EACH_USE(use, function) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAInstruction(user) || !cn_is_call(user) || LLVMGetCalledValue(user) != function)
      return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
      if (LLVMGetOperand(user, i) == function)
        return false;
    LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
    if (cn_callgraph_find_node(graph, caller) == CN_NO_NODE)
      return false;
  }
  return true;
}

static void add_callee(struct cn_callgraph *graph, struct cn_call_node *node, LLVMValueRef call, size_t *room)
{
  enum cn_call_kind kind = cn_classify_call(call).kind;

  if (kind == CN_CALL_LEAF)
    return;
  LLVMValueRef target = cn_callgraph_target_of_call(graph->ctx, call);
  uint32_t to = cn_callgraph_find_node(graph, target);
  if (to == CN_NO_NODE) {
    node->unknown |= !target || !is_safepoint_entry(target);
    return;
  }
  if (node->callee_count == *room) {
    *room = *room ? 2 * *room : 4;
    node->callees = cn_realloc(node->callees, *room * sizeof *node->callees);
  }
  node->callees[node->callee_count++] = to;
}

static void add_callees(struct cn_callgraph *graph, struct cn_call_node *node)
{
  LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(node->function);
  size_t room = 0;

  for (; b; b = LLVMGetNextBasicBlock(b))
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i))
        add_callee(graph, node, i, &room);
}

/* ---- order ---- */

typedef CN_VECTOR(uint32_t) node_vector;

struct order_walk {
  struct cn_callgraph *graph;
  bool *seen;
  uint32_t *next; /* per node: the index of the callee to visit next */
  node_vector path;
  uint32_t done;
};

static void order_callees_first(struct order_walk *walk, uint32_t root)
{
  walk->seen[root] = true;
  cn_push(&walk->path, root);
  while (walk->path.count) {
    uint32_t n = walk->path.at[walk->path.count - 1];
    struct cn_call_node *node = &walk->graph->nodes[n];
    if (walk->next[n] == node->callee_count) {
      node->rank = walk->done;
      walk->graph->order[walk->done++] = n;
      walk->path.count--;
      continue;
    }
    uint32_t to = node->callees[walk->next[n]++];
    if (!walk->seen[to]) {
      walk->seen[to] = true;
      cn_push(&walk->path, to);
    }
  }
}

static void order_nodes(struct cn_callgraph *graph)
{
  struct order_walk walk = {.graph = graph};

  walk.seen = cn_alloc(graph->count * sizeof *walk.seen);
  walk.next = cn_alloc(graph->count * sizeof *walk.next);
  graph->order = cn_alloc(graph->count * sizeof *graph->order);
  for (uint32_t n = 0; n < graph->count; n++)
    if (!walk.seen[n])
      order_callees_first(&walk, n);
  cn_free(&walk.path);
  free(walk.next);
  free(walk.seen);
}

/* The unknown callees of a function may call it again if code outside of the module can reach the function, unless LLVM
 * marked the function "norecurse". */
static void find_nodes_called_back(struct cn_callgraph *graph)
{
  bool *reached = cn_alloc(graph->count * sizeof *reached);
  unsigned norecurse = cn_attribute_kind("norecurse");
  node_vector work = {0};

  for (uint32_t n = 0; n < graph->count; n++)
    if (graph->nodes[n].open) {
      reached[n] = true;
      cn_push(&work, n);
    }
  while (work.count) {
    struct cn_call_node *node = &graph->nodes[work.at[--work.count]];
    for (uint32_t i = 0; i < node->callee_count; i++)
      if (!reached[node->callees[i]]) {
        reached[node->callees[i]] = true;
        cn_push(&work, node->callees[i]);
      }
  }
  for (uint32_t n = 0; n < graph->count; n++) {
    struct cn_call_node *node = &graph->nodes[n];
    node->comes_back =
        node->unknown && reached[n] && !LLVMGetEnumAttributeAtIndex(node->function, CN_FUNCTION_INDEX, norecurse);
  }
  cn_free(&work);
  free(reached);
}

void cn_callgraph_build(struct cn_callgraph *graph, struct cn_ctx *ctx)
{
  CN_VECTOR(struct cn_call_node) nodes = {0};

  *graph = (struct cn_callgraph){.ctx = ctx};
  CN_EACH_FUNCTION(f, ctx->module) {
    if (LLVMIsDeclaration(f) || !cn_is_managed(f))
      continue;
    *cn_ptrmap_add(&graph->index, f, NULL) = nodes.count;
    cn_push(&nodes, (struct cn_call_node){.function = f});
  }
  graph->nodes = nodes.at;
  graph->count = (uint32_t)nodes.count;
  for (uint32_t n = 0; n < graph->count; n++) {
    struct cn_call_node *node = &graph->nodes[n];
    node->open = !has_local_linkage(node->function) || !is_only_called(graph, node->function);
    add_callees(graph, node);
  }
  order_nodes(graph);
  find_nodes_called_back(graph);
  CN_ASSERT_VALID(cn_callgraph_wrong(graph));
}

void cn_callgraph_free(struct cn_callgraph *graph)
{
  for (uint32_t n = 0; n < graph->count; n++)
    free(graph->nodes[n].callees);
  free(graph->nodes);
  free(graph->order);
  cn_ptrmap_free(&graph->index);
  *graph = (struct cn_callgraph){0};
}

/* A function without polls cannot break a cycle. So its callers poll before the call, unless the callee is free of
 * calls. */
static bool lacks_polls(const struct cn_call_node *node)
{
  return (node->callee_count || node->unknown) && cn_string_attribute(node->function, CN_ATTR_NOPOLL);
}

bool cn_callgraph_call_closes_cycle(const struct cn_callgraph *graph, uint32_t caller, LLVMValueRef callee)
{
  uint32_t to = cn_callgraph_find_node(graph, callee);

  CN_ASSERT(caller < graph->count);
  if (to == CN_NO_NODE)
    return graph->nodes[caller].comes_back && !(callee && is_safepoint_entry(callee));
  return graph->nodes[to].rank >= graph->nodes[caller].rank || lacks_polls(&graph->nodes[to]);
}
