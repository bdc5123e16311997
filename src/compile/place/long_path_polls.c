/* SPDX-License-Identifier: Apache-2.0
 *
 * Places polls in functions that do too much work between two safepoints although their loops are short: in many calls,
 * or in a series of loops. Part of pass `place-safepoints`.
 *
 * Needs: the sites that loops and entries need. Provides: sites that cut long paths. Breaks: nothing.
 *
 * The walk visits the blocks in reverse post-order and keeps the most work since the last safepoint, as path_cost.c
 * does. If the work exceeds the limit, the walk adds a poll and begins at zero again. A poll needs a place where the
 * collector sees all references: directly after a call that may collect, or before another instruction if no integer
 * holds an object's address and no allocation is unfinished. Short loops stay free of polls: a poll is placed before
 * the loop.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/cost/cost.h"
#include "compile/place/function_facts.h"

struct path_walk {
  struct cn_ctx *ctx;
  const struct cn_function_work *work;
  const struct cn_cfg *cfg;
  struct cn_poll_sites *sites;
  struct cn_work_at_point *out; /* by block */
  uint64_t limit;
  bool wary; /* some integer made of a reference is live over a block's end */
};

static const struct cn_work_summary poll_summary = {.polls = true};

/* A poll pays only if the work since the last safepoint is at least this number. */
static uint64_t least_work_before_poll(const struct path_walk *e)
{
  return e->limit / 4;
}

static uint64_t unpolled_work_of(struct cn_work_at_point p)
{
  uint64_t entry = p.fresh ? p.entry : 0, last = p.polled ? p.poll : 0;

  return entry > last ? entry : last;
}

/* True if `piece` units of work after point `p`, without a safepoint, exceed the limit. */
static bool is_past_limit(const struct path_walk *e, struct cn_work_at_point p, uint64_t piece)
{
  return unpolled_work_of(p) > least_work_before_poll(e) && cn_work_add(unpolled_work_of(p), piece) > e->limit;
}

/* ---- sites ---- */

static bool is_call_that_may_collect(LLVMValueRef i)
{
  enum cn_call_kind kind = i ? cn_classify_call(i).kind : CN_CALL_NONE;

  return kind == CN_CALL_PARSE_POINT && LLVMIsACallInst(i);
}

static bool may_poll_before(LLVMValueRef i, bool plain)
{
  LLVMValueRef before = LLVMGetPreviousInstruction(i);

  if (LLVMIsAPHINode(i) || LLVMIsALandingPadInst(i) || LLVMIsAFuncletPadInst(i) || LLVMIsAAllocaInst(i) ||
      LLVMIsACatchSwitchInst(i))
    return false;
  if (before && cn_classify_call(before).kind == CN_CALL_MUSTTAIL)
    return false;
  return plain || is_call_that_may_collect(before);
}

static bool add_poll_site(struct path_walk *e, LLVMValueRef at)
{
  size_t before = e->sites->list.count;

  e->sites->reason = "polls here: the work before and after adds up to too much";
  cn_poll_sites_add_rare(e->sites, at);
  return e->sites->list.count > before;
}

/* ---- the walk ---- */

/* Add sites on all edges that enter the loop at block `b`; false if one edge lacks a place for a poll. */
static bool add_poll_sites_before_loop(struct path_walk *e, uint32_t b)
{
  const struct cn_cfg_block *block = &e->cfg->blocks[b];
  bool all = true;

  for (uint32_t i = 0; i < block->pred_count; i++) {
    uint32_t from = block->preds[i];
    if (cn_cfg_is_retreating_edge(from, b))
      continue;
    LLVMBasicBlockRef outside = e->cfg->blocks[from].block;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(outside);
    bool may = cn_is_branch(end) && may_poll_before(end, !e->wary && cn_poll_site_is_plain_block(outside));
    all = (may && add_poll_site(e, cn_poll_site_at_end(e->ctx, outside))) && all;
  }
  return all;
}

/* The point at the start of block `b`. At a header the point includes the iterations that the loop makes between
 * polls. */
static struct cn_work_at_point work_at_block_start(struct path_walk *e, uint32_t b)
{
  const struct cn_cfg_block *block = &e->cfg->blocks[b];
  uint32_t l = e->work->loops->of[b];
  bool header = l != CN_NO_BLOCK && e->work->loops->at[l].header == b;
  CN_ASSERT(b == 0 || block->pred_count);
  struct cn_work_at_point p = {.fresh = b == 0};

  for (uint32_t i = 0; i < block->pred_count; i++) {
    uint32_t from = block->preds[i];
    if (cn_cfg_is_retreating_edge(from, b) && cn_cfg_dominates(e->cfg, b, from))
      continue;
    cn_work_merge_points(&p, cn_cfg_is_retreating_edge(from, b) ? e->work->out[from] : e->out[from]);
  }
  if (!header)
    return p;
  const struct cn_loop_work *loop = &e->work->at[l];
  uint64_t first = loop->once.polls ? loop->once.enter : 0;
  uint64_t alone = cn_work_add(loop->more, loop->once.through);
  if (alone <= e->limit && is_past_limit(e, p, alone > first ? alone : first) && add_poll_sites_before_loop(e, b))
    p = (struct cn_work_at_point){.polled = true};
  return cn_work_repeat_loop(p, loop);
}

/* True if each iteration of the innermost loop around block `b` reaches a safepoint, or if `b` is outside of all
 * loops. */
static bool may_poll_in_block(const struct path_walk *e, uint32_t b)
{
  uint32_t l = e->work->loops->of[b];

  return l == CN_NO_BLOCK || !e->work->at[l].once.passes;
}

/* The part of the work `piece` that surrounding polls can bound: unbounded work of one instruction, such as the search
 * of a string, counts as CN_CALL_WORK. */
static struct cn_work_summary bounded_part_of(struct cn_work_summary piece)
{
  if (piece.through == CN_WORK_UNKNOWN)
    piece.through = CN_CALL_WORK;
  if (piece.enter == CN_WORK_UNKNOWN)
    piece.enter = CN_CALL_WORK;
  if (piece.leave == CN_WORK_UNKNOWN)
    piece.leave = CN_CALL_WORK;
  return piece;
}

static struct cn_work_at_point add_poll_sites_in_block(struct path_walk *e, uint32_t b, struct cn_work_at_point p)
{
  LLVMBasicBlockRef block = e->cfg->blocks[b].block;
  bool may = may_poll_in_block(e, b), plain = may && !e->wary && cn_poll_site_is_plain_block(block);
  struct cn_work_summary ignored = {0};

  CN_EACH_INSTRUCTION(i, block) {
    struct cn_work_summary piece = bounded_part_of(cn_work_summary_of_instruction(e->work->known, i));
    uint64_t enters = piece.polls ? piece.enter : 0, passes = piece.passes ? piece.through : 0;
    bool listed = cn_ptrmap_find(&e->sites->seen, i);
    if (!listed && may && is_past_limit(e, p, enters > passes ? enters : passes) && may_poll_before(i, plain))
      listed = LLVMIsATerminatorInst(i) ? add_poll_site(e, cn_poll_site_at_end(e->ctx, block)) : add_poll_site(e, i);
    if (listed)
      p = cn_work_advance_point(p, &poll_summary, &ignored);
    p = cn_work_advance_point(p, &piece, &ignored);
  }
  return cn_work_block_ends_in_poll(e->work->known, e->cfg, b) ? cn_work_advance_point(p, &poll_summary, &ignored) : p;
}

void cn_long_path_polls_add_sites(struct cn_ctx *ctx, const struct cn_loops *loops, struct cn_work_summaries *known,
                                  struct cn_poll_sites *sites)
{
  const struct cn_cfg *cfg = loops->cfg;
  struct cn_function_work work;
  struct path_walk e = {.ctx = ctx, .cfg = cfg, .sites = sites, .limit = cn_work_between_safepoints_limit(ctx)};

  CN_CHECK(sites->cfg == cfg && !known->sites);
  CN_ASSERT(e.limit >=
            4); /* with a lower limit, least_work_before_poll() would be 0, and each instruction would get a poll */
  known->sites = &sites->seen;
  cn_work_build(&work, ctx, loops, known);
  known->sites = NULL;
  const struct cn_work_summary *all = &work.all;
  if (all->enter > e.limit || all->between > e.limit || all->leave > e.limit || all->through > e.limit) {
    e.work = &work;
    e.wary = cn_poll_site_has_roaming_address(cfg);
    e.out = cn_alloc(cfg->count * sizeof *e.out);
    for (uint32_t b = 0; b < cfg->count; b++)
      e.out[b] = add_poll_sites_in_block(&e, b, work_at_block_start(&e, b));
    free(e.out);
    CN_ASSERT_VALID(cn_poll_sites_wrong(sites));
  }
  cn_work_free(&work);
}
