/* SPDX-License-Identifier: Apache-2.0
 *
 * Polls on the way up: a recursion polls on its way down, and when it ends, all of its levels
 * return one after the other (statepoints-later, "PlaceSafepoints": return polls;
 * late-insertion-slides-2014, future work). Part of pass `place-safepoints`.
 *
 * Needs: the sites that loops and entries need. Provides: more of them. Breaks: nothing.
 *
 * Each cycle of calls has one that closes it, and so has the way back up. Where a return can be
 * reached behind such a call without a poll, one goes right behind it: there nothing can be hidden
 * from the collector, which may have run in the call. Behind the last one only, where several come
 * one after the other; none behind a call that becomes a jump, of which nothing comes back; and
 * none where an exception arrives: each level that it passes by does nothing, and one that catches
 * it returns to a poll.
 *
 * Left out are calls of the function itself on each pass of a loop, which the optimiser makes of
 * recursions that end in a call of themselves (the walk of a tree: one more poll is nine per cent
 * of its instructions, and its way up is long only if the tree is a list), and named functions of
 * other units, for which the seeds' example has no second poll either.
 */
#include "compile/place/recursion_polls.h"

#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/cost/unpolled_returns.h"
#include "compile/tail/tail.h"

struct ascent {
  const struct cn_function_facts *infer;
  const struct cn_loops *loops;
  struct cn_poll_sites *sites;
  struct cn_unpolled_returns ways;
  uint32_t node;
};

/* Does block `b` lie in a loop that comes by it on each pass? */
static bool is_on_each_pass(const struct ascent *a, uint32_t b)
{
  const struct cn_cfg *cfg = a->loops->cfg;
  uint32_t l = a->loops->of[b];

  if (l == CN_NO_BLOCK)
    return false;
  const struct cn_block *header = &cfg->blocks[a->loops->at[l].header];
  for (uint32_t i = 0; i < header->pred_count; i++)
    if (cn_loops_contain(a->loops, l, header->preds[i]) &&
        !cn_cfg_dominates(cfg, b, header->preds[i]))
      return false;
  return true;
}

/* A call, in block `b`, that closes a cycle of calls, comes back, and is not left out. It will have
 * its own poll. */
static bool is_closing(const void *env, uint32_t b, LLVMValueRef i)
{
  const struct ascent *a = env;
  const struct cn_callgraph *graph = &a->infer->graph;

  if (cn_classify_call(i).kind != CN_CALL_PARSE || LLVMIsACallBrInst(i) || cn_tail_position(i))
    return false;
  LLVMValueRef callee = cn_callgraph_target(a->infer->ctx, i);
  uint32_t to = cn_callgraph_find(graph, callee);
  if ((callee && to == CN_NO_NODE) || !cn_callgraph_closes(graph, a->node, callee))
    return false;
  return callee != a->loops->cfg->function || !is_on_each_pass(a, b);
}

/* Where to poll behind call `i`. */
static LLVMValueRef site_behind(const struct ascent *a, LLVMValueRef i)
{
  LLVMValueRef next = LLVMGetNextInstruction(i);

  if (LLVMIsAInvokeInst(i))
    next = LLVMGetFirstInstruction(LLVMGetNormalDest(i));
  while (LLVMIsAPHINode(next))
    next = LLVMGetNextInstruction(next);
  return LLVMIsATerminatorInst(next)
             ? cn_poll_site_end(a->infer->ctx, LLVMGetInstructionParent(next))
             : next;
}

static void add(struct ascent *a, LLVMValueRef at)
{
  size_t before = a->sites->list.count;

  cn_poll_sites_add(a->sites, at);
  if (a->sites->list.count != before)
    cn_remark(a->infer->ctx, at, "poll", "polls here: a recursion comes back by this way");
}

void cn_recursion_polls_sites(const struct cn_function_facts *infer, const struct cn_loops *loops,
                              struct cn_poll_sites *sites)
{
  const struct cn_cfg *cfg = loops->cfg;
  struct cn_work_known known = infer->known;
  struct ascent a = {.infer = infer, .loops = loops, .sites = sites};
  CN_VECTOR(LLVMValueRef) calls = {0};

  known.sites = &sites->seen;
  a.node = cn_callgraph_find(&infer->graph, cfg->function);
  a.ways = (struct cn_unpolled_returns){.cfg = cfg, .known = &known, .ends = is_closing, .env = &a};
  cn_unpolled_returns_find(&a.ways);
  for (uint32_t b = 0; b < cfg->count; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].block); i;
         i = LLVMGetNextInstruction(i))
      if (is_closing(&a, b, i) && cn_unpolled_returns_from(&a.ways, b, i))
        cn_push(&calls, i);
  for (size_t i = 0; i < calls.count; i++)
    add(&a, site_behind(&a, calls.at[i]));
  cn_free(&calls);
  cn_unpolled_returns_free(&a.ways);
}
