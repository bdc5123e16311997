/* SPDX-License-Identifier: Apache-2.0
 *
 * Places polls after recursive calls: a recursion polls while it descends, and all levels then return in a row without
 * a poll (statepoints-later, "PlaceSafepoints": return polls; late-insertion-slides-2014, future work). Part of pass
 * `place-safepoints`.
 *
 * Needs: the sites that loops and entries need. Provides: sites of polls after these calls, or after their loops.
 * Breaks: nothing.
 *
 * Each call cycle has a call that closes it, and each series of returns through the cycle passes the return of this
 * call. If a path from the call to the function's return lacks a poll, the call gets a poll directly after it: the
 * collector sees all references there, because it may have run in the call. docs/placement.md, "Which functions poll",
 * has the place of the poll for calls in loops, and the three kinds of calls without a poll. In the walk of a tree, a
 * poll after such a call would be nine per cent of the instructions. A call that becomes a jump needs no poll, because
 * it returns to another function. Unwinding needs no poll: the levels that an exception passes do no work in their
 * landing pads, and the level that catches the exception returns to a poll.
 */
#include "compile/place/function_facts.h"

#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/cost/cost.h"
#include "compile/tail/tail.h"

struct return_poll_search {
  const struct cn_function_facts *facts;
  const struct cn_loops *loops;
  struct cn_poll_sites *sites;
  struct cn_unpolled_returns unpolled;
  uint32_t node;
  bool wary; /* the collector may miss references at places that are not directly after a call */
};

/* True if the call in block `b` closes a call cycle, returns, and is outside the three kinds without a poll. */
static bool is_cycle_closing_call(const void *env, uint32_t b, LLVMValueRef i)
{
  const struct return_poll_search *a = env;
  const struct cn_callgraph *graph = &a->facts->graph;
  uint32_t l = a->loops->of[b];

  if (cn_classify_call(i).kind != CN_CALL_PARSE_POINT || LLVMIsACallBrInst(i) || cn_is_in_tail_position(i))
    return false;
  LLVMValueRef callee = cn_callgraph_target_of_call(a->facts->ctx, i);
  uint32_t to = cn_callgraph_find_node(graph, callee);
  if ((callee && to == CN_NO_NODE) || !cn_callgraph_call_closes_cycle(graph, a->node, callee))
    return false;
  return callee != a->loops->cfg->function || l == CN_NO_BLOCK || !cn_loop_always_runs_block(a->loops, l, b);
}

static LLVMValueRef site_after_call(const struct return_poll_search *a, LLVMValueRef i)
{
  LLVMValueRef next = LLVMGetNextInstruction(i);

  CN_ASSERT(cn_is_call(i) && !LLVMIsACallBrInst(i));
  if (LLVMIsAInvokeInst(i))
    next = LLVMGetFirstInstruction(LLVMGetNormalDest(i));
  while (LLVMIsAPHINode(next))
    next = LLVMGetNextInstruction(next);
  CN_CHECK(next);
  return LLVMIsATerminatorInst(next) ? cn_poll_site_at_end(a->facts->ctx, LLVMGetInstructionParent(next)) : next;
}

/* The only exit block of the loop if all predecessors of the block are in the loop; else CN_NO_BLOCK. */
static uint32_t find_only_exit(const struct cn_loops *loops, uint32_t l)
{
  const struct cn_cfg *cfg = loops->cfg;
  uint32_t last = loops->at[l].exit, edges = loops->at[l].exits, seen = 0;

  if (!edges)
    return CN_NO_BLOCK;
  for (uint32_t p = 0; p < cfg->blocks[last].pred_count; p++)
    seen += cn_loop_contains_block(loops, l, cfg->blocks[last].preds[p]);
  return seen == edges && seen == cfg->blocks[last].pred_count ? last : CN_NO_BLOCK;
}

/* The place of the poll for a call in block `b` in each iteration of a loop: after the loop, so that the poll runs
 * once. Null if the end of the loop and the code after it must stay together. */
static LLVMValueRef site_after_loop(const struct return_poll_search *a, uint32_t b)
{
  const struct cn_loops *loops = a->loops;
  LLVMValueRef site = NULL;

  if (a->wary)
    return NULL;
  for (uint32_t l = loops->of[b]; l != CN_NO_BLOCK && cn_loop_always_runs_block(loops, l, b); l = loops->at[l].parent) {
    uint32_t exit = find_only_exit(loops, l);
    LLVMBasicBlockRef block = exit == CN_NO_BLOCK ? NULL : loops->cfg->blocks[exit].block;
    if (!block || !cn_poll_site_is_plain_block(block))
      break;
    site = cn_poll_site_at_latch(a->facts->ctx, block);
  }
  return site;
}

static void add_poll_site(struct return_poll_search *a, LLVMValueRef at)
{
  a->sites->reason = "polls here: a recursion comes back by this way";
  cn_poll_sites_add(a->sites, at);
}

static bool has_self_call_before(const struct return_poll_search *a, LLVMValueRef i)
{
  for (; i; i = LLVMGetPreviousInstruction(i))
    if (cn_is_call(i) && cn_callgraph_target_of_call(a->facts->ctx, i) == a->loops->cfg->function)
      return true;
  return false;
}

/* True if the call in block `b` is a self-call, and every path to it contains an allocation and another self-call. */
static bool is_tree_building_call(const struct return_poll_search *a, uint32_t b, LLVMValueRef call)
{
  const struct cn_cfg *cfg = a->loops->cfg;
  bool calls = has_self_call_before(a, LLVMGetPreviousInstruction(call)), allocates = false;

  if (cn_callgraph_target_of_call(a->facts->ctx, call) != cfg->function)
    return false;
  while (b != 0 && !(calls && allocates)) {
    b = cfg->blocks[b].idom;
    calls |= has_self_call_before(a, LLVMGetLastInstruction(cfg->blocks[b].block));
    allocates |= cn_work_block_ends_in_poll(a->unpolled.known, cfg, b);
  }
  return calls && allocates;
}

void cn_recursion_polls_add_sites(const struct cn_function_facts *facts, const struct cn_loops *loops,
                                  struct cn_poll_sites *sites)
{
  const struct cn_cfg *cfg = loops->cfg;
  struct cn_work_summaries known = facts->known;
  struct return_poll_search a = {.facts = facts, .loops = loops, .sites = sites};
  CN_VECTOR(LLVMValueRef) calls = {0};

  known.sites = &sites->seen;
  a.node = cn_callgraph_find_node(&facts->graph, cfg->function);
  a.unpolled = (struct cn_unpolled_returns){.cfg = cfg, .known = &known, .ends = is_cycle_closing_call, .env = &a};
  CN_CHECK(a.node != CN_NO_NODE && sites->cfg == cfg);
  CN_ASSERT_VALID(cn_loops_wrong(loops));
  cn_unpolled_returns_find(&a.unpolled);
  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
      if (is_cycle_closing_call(&a, b, i) && !is_tree_building_call(&a, b, i) &&
          cn_unpolled_return_after_call(&a.unpolled, b, i))
        cn_push(&calls, i);
  a.wary = calls.count && (sites->open || cn_poll_site_has_roaming_address(cfg));
  for (size_t i = 0; i < calls.count; i++) {
    LLVMValueRef site = site_after_loop(&a, cn_cfg_index_of(cfg, LLVMGetInstructionParent(calls.at[i])));
    add_poll_site(&a, site ? site : site_after_call(&a, calls.at[i]));
  }
  cn_free(&calls);
  cn_unpolled_returns_free(&a.unpolled);
  CN_ASSERT_VALID(cn_poll_sites_wrong(sites));
}
