/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the functions that surely reach a safepoint, and the leaves, which never reach one (late-insertion-slides-2014,
 * future work: leaf functions). Part of pass `place-safepoints`.
 *
 * Needs: any module. Provides: attributes "gc-leaf-function", "cairn-still" (a leaf that checks stores), "cairn-polls"
 * and "cairn-work" of definitions; queries of calls: do they poll, or close a call cycle. Breaks: nothing.
 *
 * The pass visits callees before callers, and places a function's polls directly after it has found the function's
 * facts. All facts about a callee are thus available in the caller. At a call that closes a cycle the pass assumes that
 * the callee lacks all facts. Facts come only from definitions that another unit cannot replace.
 */
#include "compile/place/function_facts.h"

#include <stdio.h>
#include <string.h>
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/markers/markers.h"

/* ---- attributes ---- */

static void record_fact(struct cn_ctx *ctx, LLVMValueRef function, const char *name, const char *value)
{
  LLVMAttributeRef attribute =
      LLVMCreateStringAttribute(ctx->llvm, name, (unsigned)strlen(name), value, (unsigned)strlen(value));

  CN_CHECK(!LLVMIsDeclaration(function)); /* a declaration's definition in another unit may lack the fact */
  LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX, attribute);
}

static void record_work(struct cn_ctx *ctx, LLVMValueRef function, uint64_t work)
{
  char number[24];

  CN_CHECK(work != CN_WORK_UNKNOWN);
  snprintf(number, sizeof number, "%llu", (unsigned long long)(work ? work : 1));
  record_fact(ctx, function, CN_ATTR_WORK, number);
}

static void remove_fact(LLVMValueRef function, const char *name)
{
  LLVMRemoveStringAttributeAtIndex(function, CN_FUNCTION_INDEX, name, (unsigned)strlen(name));
}

/* ---- calls ---- */

static bool is_free_of_safepoints(LLVMValueRef i)
{
  return !cn_is_call(i) || cn_classify_call(i).kind == CN_CALL_LEAF;
}

bool cn_function_facts_call_polls(const struct cn_function_facts *facts, LLVMValueRef i)
{
  if (is_free_of_safepoints(i))
    return false;
  struct cn_work_summary call = cn_work_summary_of_instruction(&facts->known, i);
  return call.polls && !call.passes;
}

bool cn_function_facts_closes_cycle(const struct cn_function_facts *facts, uint32_t caller, LLVMValueRef i)
{
  CN_ASSERT(caller < facts->graph.count);
  return !is_free_of_safepoints(i) && !cn_function_facts_call_polls(facts, i) &&
         cn_callgraph_call_closes_cycle(&facts->graph, caller, cn_callgraph_target_of_call(facts->ctx, i));
}

/* ---- leaves ---- */

bool cn_function_facts_needs_records(LLVMValueRef function)
{
  uint32_t first, end;

  CN_EACH_USE(use, function) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAGlobalAlias(user) && cn_function_facts_needs_records(user))
      return true;
    if (!LLVMIsAInstruction(user) || !cn_is_call(user))
      continue;
    if (cn_classify_call(user).kind == CN_CALL_STATEPOINT || cn_statepoint_has_directive(user) ||
        cn_calls_find_bundle(user, "deopt", &first, &end) || cn_calls_find_bundle(user, "gc-transition", &first, &end))
      return true;
  }
  return false;
}

static bool calls_leaves_only(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i) && cn_classify_call(i).kind != CN_CALL_LEAF)
        return false;
  return true;
}

/* Mark `function` as a leaf. A leaf that checks stores gets a second attribute, because calls of this leaf get records
 * later. */
static void record_leaf(struct cn_ctx *ctx, LLVMValueRef function)
{
  bool still = false;

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      still |= cn_calls_keeps_objects_in_place(i);
  record_fact(ctx, function, CN_ATTR_LEAF, "");
  if (still)
    record_fact(ctx, function, CN_ATTR_STILL, "");
}

static bool has_only_short_loops(const struct cn_loops *loops)
{
  for (uint32_t l = 0; l < loops->count; l++)
    if (loops->at[l].work > CN_CALL_WORK)
      return false;
  return !cn_cfg_is_irreducible(loops->cfg);
}

bool cn_function_facts_infer_leaf(struct cn_function_facts *facts, LLVMValueRef function)
{
  struct cn_cfg cfg;
  struct cn_loops loops;
  struct cn_function_work work;

  if (!cn_callgraph_is_final(facts->ctx, function) || !calls_leaves_only(function) ||
      cn_function_facts_needs_records(function))
    return false;
  cn_cfg_build(&cfg, function);
  cn_loops_build_with_costs(&loops, &cfg);
  cn_work_build(&work, facts->ctx, &loops, &facts->known);
  struct cn_work_summary all = work.all;
  bool leaf = has_only_short_loops(&loops) && !all.polls && all.through <= CN_CALL_WORK;
  cn_work_free(&work);
  cn_loops_free(&loops);
  cn_cfg_free(&cfg);
  if (!leaf)
    return false;
  record_leaf(facts->ctx, function);
  record_work(facts->ctx, function, all.through);
  return true;
}

/* True if calls of `callee` must stay free of safepoints; nopoll.c then checks `callee` itself. */
static bool is_nopoll_callee(const struct cn_function_facts *facts, LLVMValueRef callee)
{
  return callee && !LLVMIsDeclaration(callee) && cn_nopoll_has_attribute(callee) &&
         cn_callgraph_is_final(facts->ctx, callee) && !cn_function_facts_needs_records(callee);
}

/* Sets *comes_back if some callee with "cairn-nopoll" may call `function`. */
static bool calls_only_leaves_and_nopoll(const struct cn_function_facts *facts, LLVMValueRef function, bool *comes_back)
{
  uint32_t node = cn_callgraph_find_node(&facts->graph, function);

  CN_CHECK(node != CN_NO_NODE);
  *comes_back = false;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      if (is_free_of_safepoints(i))
        continue;
      LLVMValueRef callee = cn_callgraph_target_of_call(facts->ctx, i);
      if (cn_classify_call(i).kind != CN_CALL_PARSE_POINT || !is_nopoll_callee(facts, callee))
        return false;
      *comes_back |= cn_callgraph_call_closes_cycle(&facts->graph, node, callee);
    }
  return true;
}

/* The time of a function with "cairn-nopoll" is unbounded, so its callers must know the work of its calls. */
void cn_function_facts_infer_nopoll(struct cn_function_facts *facts, LLVMValueRef function)
{
  bool comes_back;

  if (!is_nopoll_callee(facts, function) || !calls_only_leaves_and_nopoll(facts, function, &comes_back))
    return;
  struct cn_work_summary all = cn_work_summarise_function(facts->ctx, function, &facts->known);
  if (comes_back)
    all.through = CN_WORK_UNKNOWN;
  cn_work_record_summary(&facts->known, function, &all);
  record_leaf(facts->ctx, function);
  if (all.through != CN_WORK_UNKNOWN)
    record_work(facts->ctx, function, all.through);
}

/* ---- after placement ---- */

static uint64_t larger_of(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

void cn_function_facts_record_work(struct cn_function_facts *facts, const struct cn_loops *loops,
                                   const struct cn_poll_sites *sites)
{
  LLVMValueRef function = loops->cfg->function;
  struct cn_function_work work;

  CN_CHECK(sites->cfg == loops->cfg && !facts->known.sites);
  CN_ASSERT_VALID(cn_poll_sites_wrong(sites));
  CN_ASSERT_VALID(cn_loops_wrong(loops));
  if (!cn_callgraph_is_final(facts->ctx, function))
    return;
  facts->known.sites = &sites->seen;
  cn_work_build(&work, facts->ctx, loops, &facts->known);
  struct cn_work_summary all = work.all;
  all.passes |= cn_work_may_unwind_unpolled(&work);
  facts->known.sites = NULL;
  cn_work_free(&work);
  cn_work_record_summary(&facts->known, function, &all);
  uint64_t most = larger_of(all.through, larger_of(all.enter, all.leave));
  if (all.polls && !all.passes)
    record_fact(facts->ctx, function, CN_ATTR_POLLS, "");
  if (most != CN_WORK_UNKNOWN)
    record_work(facts->ctx, function, most);
}

void cn_function_facts_begin(struct cn_function_facts *facts, struct cn_ctx *ctx)
{
  *facts = (struct cn_function_facts){.ctx = ctx};
  cn_callgraph_build(&facts->graph, ctx);
  cn_work_find_user_slow_paths(&facts->known, ctx->module);
  facts->known.polls_alone =
      ctx->options->poll == CAIRN_POLL_STACK || LLVMGetNamedFunction(ctx->module, CN_USER_POLL) != NULL;
  for (uint32_t n = 0; n < facts->graph.count; n++) {
    LLVMValueRef f = facts->graph.nodes[n].function;
    if (cn_has_statepoints(f))
      continue;
    remove_fact(f, CN_ATTR_POLLS); /* stale until it gets polls */
    remove_fact(f, CN_ATTR_WORK);
  }
}

void cn_function_facts_end(struct cn_function_facts *facts)
{
  CN_ASSERT(!facts->known.sites); /* the sites are freed soon */
  cn_callgraph_free(&facts->graph);
  cn_work_summaries_free(&facts->known);
}
