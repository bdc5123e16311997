/* SPDX-License-Identifier: Apache-2.0
 *
 * Polls on the way up: a recursion polls on its way down, and when it ends, all of its levels return
 * one after the other (statepoints-later, "PlaceSafepoints": return polls; late-insertion-slides-2014,
 * future work). Part of pass `place-safepoints`.
 *
 * Needs: the sites that loops and entries need. Provides: more of them. Breaks: nothing.
 *
 * Each cycle of calls has one that closes it, and so has the way back up. Where a return can be
 * reached behind such a call without a poll, one goes right behind it: there nothing can be hidden
 * from the collector, which may have run in the call. Behind the last one only, where several come
 * one after the other; and none behind a call that becomes a jump, of which nothing comes back.
 *
 * Left out are calls of the function itself on each pass of a loop, which the optimiser makes of
 * recursions that end in a call of themselves (the walk of a tree: one more poll is nine per cent
 * of its instructions, and its way up is long only if the tree is a list), and named functions of
 * other units, for which the seeds' example has no second poll either.
 */
#include "compile/ascent.h"

#include <stdlib.h>
#include "base/check.h"
#include "compile/calls.h"
#include "compile/tail.h"

struct ascent {
  const struct cn_infer *infer;
  const struct cn_loops *loops;
  struct cn_sites *sites;
  struct cn_work_known known; /* with `sites` */
  uint32_t node;
  bool *returns; /* by block: can a return be reached from its start without a safepoint? */
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

/* A call, in block `b`, that closes a cycle of calls, comes back, and is not left out. */
static bool is_closing(const struct ascent *a, uint32_t b, LLVMValueRef i)
{
  const struct cn_callgraph *graph = &a->infer->graph;

  if (cn_classify_call(i).kind != CN_CALL_PARSE || LLVMIsACallBrInst(i) || cn_tail_position(i))
    return false;
  LLVMValueRef callee = cn_callgraph_target(a->infer->ctx, i);
  uint32_t to = cn_callgraph_find(graph, callee);
  if ((callee && to == CN_NO_NODE) || !cn_callgraph_closes(graph, a->node, callee))
    return false;
  return callee != a->loops->cfg->function || !is_on_each_pass(a, b);
}

/* Is there a safepoint in the block from `i` on, or will there be? A closing call gets its own. */
static bool polls_from(const struct ascent *a, uint32_t b, LLVMValueRef i)
{
  for (; i; i = LLVMGetNextInstruction(i)) {
    if (cn_ptrmap_find(&a->sites->seen, i) || is_closing(a, b, i))
      return true;
    if (!LLVMIsAPHINode(i) && !cn_work_at(&a->known, i).passes)
      return true;
  }
  return cn_work_polls_at_end(&a->known, a->loops->cfg, b);
}

/* From the end of block `b`. */
static bool returns_behind(const struct ascent *a, uint32_t b)
{
  const struct cn_block *block = &a->loops->cfg->blocks[b];
  bool returns = LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(block->block)) != NULL;

  for (uint32_t s = 0; s < block->succ_count; s++)
    returns |= a->returns[block->succs[s]];
  return returns;
}

static void find_returns(struct ascent *a)
{
  const struct cn_cfg *cfg = a->loops->cfg;
  bool *polls = cn_alloc(cfg->count * sizeof *polls), changed = true;

  for (uint32_t b = 0; b < cfg->count; b++)
    polls[b] = polls_from(a, b, LLVMGetFirstInstruction(cfg->blocks[b].block));
  while (changed) {
    changed = false;
    for (uint32_t b = cfg->count; b-- > 0;) {
      bool now = !polls[b] && returns_behind(a, b);
      changed |= now != a->returns[b];
      a->returns[b] = now;
    }
  }
  free(polls);
}

/* Behind call `i` of block `b`, if a poll is needed there: the instruction to poll before. */
static LLVMValueRef site_behind(const struct ascent *a, uint32_t b, LLVMValueRef i)
{
  const struct cn_cfg *cfg = a->loops->cfg;
  LLVMValueRef next = LLVMGetNextInstruction(i);

  if (LLVMIsAInvokeInst(i)) {
    uint32_t normal = cn_cfg_index(cfg, LLVMGetNormalDest(i));
    if (!a->returns[normal])
      return NULL;
    next = LLVMGetFirstInstruction(cfg->blocks[normal].block);
    b = normal;
    while (LLVMIsAPHINode(next))
      next = LLVMGetNextInstruction(next);
  } else if (polls_from(a, b, next) || !returns_behind(a, b)) {
    return NULL;
  }
  return LLVMIsATerminatorInst(next) ? cn_site_end(a->infer->ctx, cfg->blocks[b].block) : next;
}

static void add(struct ascent *a, LLVMValueRef at)
{
  size_t before = a->sites->list.count;

  cn_sites_add(a->sites, at);
  if (a->sites->list.count != before)
    cn_remark(a->infer->ctx, at, "poll", "polls here: a recursion comes back by this way");
}

void cn_ascent_sites(const struct cn_infer *infer, const struct cn_loops *loops,
                     struct cn_sites *sites)
{
  const struct cn_cfg *cfg = loops->cfg;
  struct ascent a = {.infer = infer, .loops = loops, .sites = sites, .known = infer->known};
  CN_VECTOR(LLVMValueRef) found = {0};

  a.known.sites = &sites->seen;
  a.node = cn_callgraph_find(&infer->graph, cfg->function);
  a.returns = cn_alloc(cfg->count * sizeof *a.returns);
  find_returns(&a);
  for (uint32_t b = 0; b < cfg->count; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].block); i;
         i = LLVMGetNextInstruction(i)) {
      LLVMValueRef site = is_closing(&a, b, i) ? site_behind(&a, b, i) : NULL;
      if (site)
        cn_push(&found, site);
    }
  for (size_t i = 0; i < found.count; i++)
    add(&a, found.at[i]);
  cn_free(&found);
  free(a.returns);
}
