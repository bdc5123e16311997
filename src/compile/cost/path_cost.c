/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds the work of a function between safepoints, by longest paths (docs/architecture.md, invariant 5;
 * late-insertion-slides-2014, future work).
 *
 * Needs: struct cn_loops. Provides: struct cn_function_work; steps of its computation for other analyses
 * (cn_work_advance_point() and others). Breaks: nothing.
 *
 * The analysis summarises each block, then each loop from the innermost on, then the function. For a region, the
 * analysis walks over the blocks and inner loops in order, with the longest work since the region's entry and since the
 * last safepoint. At the entry of an inner loop, the analysis adds the work of all iterations without a safepoint in
 * one step: the trip count times the work of an iteration, or the bound that place-safepoints noted at the loop's
 * branch. Otherwise the work is unbounded. Irreducible cycles are iterated until the points are stable, which takes few
 * rounds if each cycle polls.
 */
#include "compile/cost/cost.h"

#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"

/* The largest number of rounds for irreducible cycles. */
#define MAX_FIXED_POINT_ROUNDS 20

/* ---- points and pieces ---- */

static void raise_to_maximum(uint64_t *most, uint64_t other)
{
  if (*most < other)
    *most = other;
}

struct cn_work_at_point cn_work_advance_point(struct cn_work_at_point p, const struct cn_work_summary *piece,
                                              struct cn_work_summary *ways)
{
  struct cn_work_at_point next = {0};

  if (!p.fresh && !p.polled)
    return p;
  if (piece->polls) {
    ways->polls = true;
    if (p.fresh)
      raise_to_maximum(&ways->enter, cn_work_add(p.entry, piece->enter));
    if (p.polled)
      raise_to_maximum(&ways->between, cn_work_add(p.poll, piece->enter));
    raise_to_maximum(&ways->between, piece->between);
    next.polled = true;
    next.poll = piece->leave;
  }
  if (piece->passes && p.fresh) {
    next.fresh = true;
    next.entry = cn_work_add(p.entry, piece->through);
  }
  if (piece->passes && p.polled) {
    next.polled = true;
    raise_to_maximum(&next.poll, cn_work_add(p.poll, piece->through));
  }
  return next;
}

/* Add the paths that end at the end of the code. */
static void end_paths(struct cn_work_at_point p, struct cn_work_summary *ways)
{
  if (p.fresh)
    raise_to_maximum(&ways->through, p.entry);
  if (p.polled)
    raise_to_maximum(&ways->leave, p.poll);
  ways->passes |= p.fresh;
}

void cn_work_merge_points(struct cn_work_at_point *into, struct cn_work_at_point p)
{
  if (p.fresh)
    raise_to_maximum(&into->entry, p.entry);
  if (p.polled)
    raise_to_maximum(&into->poll, p.poll);
  into->fresh |= p.fresh;
  into->polled |= p.polled;
}

static bool has_point_changed(const struct cn_work_at_point *a, const struct cn_work_at_point *b)
{
  return a->fresh != b->fresh || a->polled != b->polled || a->entry != b->entry || a->poll != b->poll;
}

static const struct cn_work_summary poll_summary = {.polls = true};
static const struct cn_work_at_point entry_point = {.fresh = true};

static struct cn_work_summary summarise_block(const struct cn_function_work *w, uint32_t b)
{
  const struct cn_ptrmap *sites = w->known->sites;
  struct cn_work_summary ways = {0};
  struct cn_work_at_point p = entry_point;

  CN_EACH_INSTRUCTION(i, w->loops->cfg->blocks[b].block) {
    if (sites && cn_ptrmap_find(sites, i))
      p = cn_work_advance_point(p, &poll_summary, &ways);
    struct cn_work_summary piece = cn_work_summary_of_instruction(w->known, i);
    p = cn_work_advance_point(p, &piece, &ways);
  }
  if (cn_work_block_ends_in_poll(w->known, w->loops->cfg, b))
    p = cn_work_advance_point(p, &poll_summary, &ways);
  end_paths(p, &ways);
  return ways;
}

/* ---- regions: a loop, or all of the function ---- */

struct cost_region {
  struct cn_function_work *w;
  uint32_t loop;         /* or CN_NO_BLOCK */
  const uint32_t *order; /* the blocks of the region, with each inner loop's blocks in a row */
  uint32_t count;
  bool endless, changed;
  struct cn_work_summary ways;
};

/* True for a retreating edge other than a back edge. `irreducible` avoids queries of dominators, because few functions
 * have such edges. */
static bool is_irreducible_edge(const struct cn_function_work *w, uint32_t from, uint32_t to)
{
  return w->irreducible && cn_cfg_is_retreating_edge(from, to) && !cn_cfg_dominates(w->loops->cfg, to, from);
}

/* The point `p` of a loop, relative to the loop's entry, if the point at the entry is `start`. */
static struct cn_work_at_point rebase_point_on_start(struct cn_work_at_point start, struct cn_work_at_point p)
{
  const struct cn_work_summary piece = {.passes = p.fresh, .through = p.entry, .polls = p.polled, .leave = p.poll};
  struct cn_work_summary ignored = {0};

  return cn_work_advance_point(start, &piece, &ignored);
}

/* The point at the end of block `b`, relative to the entry of the region. */
static struct cn_work_at_point point_after_block(const struct cost_region *r, uint32_t b)
{
  const struct cn_loops *loops = r->w->loops;
  struct cn_work_at_point p = r->w->out[b];

  for (uint32_t l = loops->of[b]; l != r->loop; l = loops->at[l].parent)
    p = rebase_point_on_start(r->w->at[l].start, p);
  return p;
}

/* Merge the points at the ends of the predecessors of block `b`, except at back edges. */
static struct cn_work_at_point merge_predecessors(const struct cost_region *r, uint32_t b)
{
  const struct cn_cfg *cfg = r->w->loops->cfg;
  struct cn_work_at_point p = {0};

  for (uint32_t i = 0; i < cfg->blocks[b].pred_count; i++) {
    uint32_t from = cfg->blocks[b].preds[i];
    bool odd = is_irreducible_edge(r->w, from, b);
    if (cn_cfg_is_retreating_edge(from, b) && !odd)
      continue;
    struct cn_work_at_point out = point_after_block(r, from);
    if (r->endless && odd)
      out.entry = out.poll = CN_WORK_UNKNOWN;
    cn_work_merge_points(&p, out);
  }
  return p;
}

struct cn_work_at_point cn_work_repeat_loop(struct cn_work_at_point p, const struct cn_loop_work *loop)
{
  if (!p.fresh && !p.polled)
    return p;
  if (p.fresh)
    p.entry = cn_work_add(p.entry, loop->more);
  if (p.polled)
    p.poll = cn_work_add(p.poll, loop->more);
  if (loop->once.polls) {
    struct cn_work_at_point again = {.polled = true, .poll = cn_work_add(loop->once.leave, loop->more)};
    cn_work_merge_points(&p, again);
  }
  return p;
}

static bool closes_irreducible_cycle(const struct cn_function_work *w, uint32_t b)
{
  const struct cn_cfg_block *block = &w->loops->cfg->blocks[b];

  for (uint32_t s = 0; s < block->succ_count; s++)
    if (is_irreducible_edge(w, b, block->succs[s]))
      return true;
  return false;
}

/* Advance over a loop in the region. `start` is the point at its header after any number of iterations. */
static void advance_over_inner_loop(struct cost_region *r, uint32_t l, struct cn_work_at_point start)
{
  struct cn_loop_work *loop = &r->w->at[l];

  r->changed |= r->w->irreducible && has_point_changed(&loop->start, &start);
  loop->start = start;
  cn_work_advance_point(start, &loop->once, &r->ways);
}

static void propagate_over_region(struct cost_region *r)
{
  const struct cn_loops *loops = r->w->loops;

  for (uint32_t i = 0; i < r->count;) {
    uint32_t b = r->order[i], l = loops->of[b];
    struct cn_work_at_point p = i == 0 ? entry_point : merge_predecessors(r, b), before = r->w->out[b];
    if (l != r->loop) {
      advance_over_inner_loop(r, l, cn_work_repeat_loop(p, &r->w->at[l]));
      i += loops->at[l].count;
      continue;
    }
    r->w->in[b] = p;
    r->w->out[b] = cn_work_advance_point(p, &r->w->blocks[b], &r->ways);
    if (r->w->irreducible && closes_irreducible_cycle(r->w, b))
      r->changed |= has_point_changed(&before, &r->w->out[b]);
    i++;
  }
}

static void solve_region(struct cost_region *r)
{
  propagate_over_region(r);
  for (unsigned round = 0; r->changed && round < MAX_FIXED_POINT_ROUNDS; round++) {
    r->changed = false;
    propagate_over_region(r);
  }
  if (r->changed) {
    r->endless = true;
    for (unsigned round = 0; round < MAX_FIXED_POINT_ROUNDS && r->changed; round++) {
      r->changed = false;
      propagate_over_region(r);
    }
  }
}

/* ---- loops ---- */

/* The bound that place-safepoints noted at a latch, or CN_WORK_UNKNOWN. */
static uint64_t noted_bound_of_latch(const struct cn_ctx *ctx, LLVMBasicBlockRef block)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block), number = NULL;

  if (!LLVMHasMetadata(end)) /* a query for a kind would add the kind to the context */
    return CN_WORK_UNKNOWN;
  unsigned kind = LLVMGetMDKindIDInContext(ctx->llvm, CN_BOUNDED, sizeof CN_BOUNDED - 1);
  LLVMValueRef node = LLVMGetMetadata(end, kind);
  if (!node)
    return CN_WORK_UNKNOWN;
  if (LLVMGetMDNodeNumOperands(node) != 1)
    return cn_work_budget(ctx);
  LLVMGetMDNodeOperands(node, &number);
  return number && LLVMIsAConstantInt(number) ? LLVMConstIntGetZExtValue(number) : CN_WORK_UNKNOWN;
}

/* The largest bound noted at the loop's latches that a safepoint-free path reaches. */
static uint64_t noted_bound_of_loop(const struct cn_ctx *ctx, const struct cost_region *r)
{
  const struct cn_cfg *cfg = r->w->loops->cfg;
  const struct cn_loop *loop = &r->w->loops->at[r->loop];
  const struct cn_cfg_block *header = &cfg->blocks[loop->header];
  uint64_t most = 0;

  for (uint32_t i = 0; i < header->pred_count; i++) {
    uint32_t from = header->preds[i];
    if (cn_cfg_dominates(cfg, loop->header, from) && point_after_block(r, from).fresh)
      raise_to_maximum(&most, noted_bound_of_latch(ctx, cfg->blocks[from].block));
  }
  return most;
}

/* The work of all iterations after the first. A noted bound counts only for loops with a counting exit, because
 * place-safepoints cuts only such loops. The analysis ignores notes on other loops, which come from elsewhere. */
static uint64_t work_of_further_iterations(const struct cn_ctx *ctx, const struct cost_region *r)
{
  struct cn_function_work *w = r->w;
  uint32_t l = r->loop;
  const struct cn_work_summary *once = &w->at[l].once;
  uint64_t trips = w->loops->at[l].trips, bound = CN_WORK_UNKNOWN;

  if (!once->passes)
    return 0;
  uint64_t note = noted_bound_of_loop(ctx, r);
  if (note != CN_WORK_UNKNOWN && cn_loop_has_counting_exit(w->loops, l))
    bound = note > once->through ? note - once->through : 0;
  if (trips != CN_WORK_UNKNOWN && !w->loops->at[l].irreducible) {
    uint64_t counted = cn_work_multiply(once->through, trips ? trips - 1 : 0);
    if (counted <= bound)
      return counted;
  }
  w->at[l].trusted = bound != CN_WORK_UNKNOWN;
  return bound;
}

static void summarise_loop(const struct cn_ctx *ctx, struct cn_function_work *w, uint32_t l)
{
  const struct cn_loop *loop = &w->loops->at[l];
  const struct cn_cfg_block *header = &w->loops->cfg->blocks[loop->header];
  struct cost_region r = {.w = w, .loop = l, .order = loop->blocks, .count = loop->count};

  solve_region(&r);
  for (uint32_t p = 0; p < header->pred_count; p++)
    if (cn_loop_contains_block(w->loops, l, header->preds[p]))
      end_paths(point_after_block(&r, header->preds[p]), &r.ways);
  w->at[l].once = r.ways;
  w->at[l].more = work_of_further_iterations(ctx, &r);
}

/* ---- functions ---- */

static bool is_function_end(LLVMBasicBlockRef block)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

  return LLVMGetNumSuccessors(end) == 0 && !LLVMIsAUnreachableInst(end);
}

/* Summarise the paths to the ends of the function, and make all points relative to its entry. Points of outer loops
 * come first. */
static void summarise_function_paths(struct cn_function_work *w)
{
  const struct cn_loops *loops = w->loops;
  struct cost_region r = {.w = w, .loop = CN_NO_BLOCK, .order = loops->order, .count = loops->cfg->count};

  solve_region(&r);
  for (uint32_t l = loops->count; l-- > 0;)
    if (loops->at[l].parent != CN_NO_BLOCK)
      w->at[l].start = rebase_point_on_start(w->at[loops->at[l].parent].start, w->at[l].start);
  for (uint32_t b = 0; b < loops->cfg->count; b++) {
    uint32_t l = loops->of[b];
    if (l != CN_NO_BLOCK) {
      w->in[b] = rebase_point_on_start(w->at[l].start, w->in[b]);
      w->out[b] = rebase_point_on_start(w->at[l].start, w->out[b]);
    } else if (is_function_end(loops->cfg->blocks[b].block)) {
      end_paths(w->out[b], &r.ways);
    }
  }
  w->all = r.ways;
}

void cn_work_build(struct cn_function_work *w, const struct cn_ctx *ctx, const struct cn_loops *loops,
                   const struct cn_work_summaries *known)
{
  uint32_t count = loops->cfg->count;

  *w = (struct cn_function_work){.known = known, .loops = loops, .irreducible = cn_cfg_is_irreducible(loops->cfg)};
  w->blocks = cn_alloc(count * sizeof *w->blocks);
  w->at = cn_alloc(loops->count * sizeof *w->at);
  w->in = cn_alloc(count * sizeof *w->in);
  w->out = cn_alloc(count * sizeof *w->out);
  for (uint32_t b = 0; b < count; b++)
    w->blocks[b] = summarise_block(w, b);
  for (uint32_t l = 0; l < loops->count; l++)
    summarise_loop(ctx, w, l);
  summarise_function_paths(w);
}

static bool may_unwind(LLVMValueRef i)
{
  unsigned nounwind = cn_attribute_kind("nounwind");
  LLVMValueRef callee = LLVMIsACallInst(i) ? cn_work_callee_of(i) : NULL;

  if (!LLVMIsACallInst(i) || cn_calls_has_attribute(i, "nounwind"))
    return false;
  if (LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
    return LLVMGetInlineAsmCanUnwind(LLVMGetCalledValue(i));
  if (!callee)
    return true;
  return !LLVMGetIntrinsicID(callee) && !LLVMGetEnumAttributeAtIndex(callee, CN_FUNCTION_INDEX, nounwind);
}

bool cn_work_may_unwind_unpolled(const struct cn_function_work *w)
{
  const struct cn_cfg *cfg = w->loops->cfg;
  const struct cn_ptrmap *sites = w->known->sites;

  for (uint32_t b = 0; b < cfg->count; b++) {
    bool fresh = w->in[b].fresh;
    for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].block); i && fresh; i = LLVMGetNextInstruction(i)) {
      if ((sites && cn_ptrmap_find(sites, i)) || !cn_work_summary_of_instruction(w->known, i).passes)
        fresh = false;
      else if (may_unwind(i))
        return true;
    }
  }
  return false;
}

void cn_work_free(struct cn_function_work *w)
{
  free(w->blocks);
  free(w->at);
  free(w->in);
  free(w->out);
  *w = (struct cn_function_work){0};
}

struct cn_work_summary cn_work_summarise_function(const struct cn_ctx *ctx, LLVMValueRef function,
                                                  const struct cn_work_summaries *known)
{
  struct cn_cfg cfg;
  struct cn_loops loops;
  struct cn_function_work work;

  CN_ASSERT(LLVMIsAFunction(function));
  cn_cfg_build(&cfg, function);
  cn_loops_build_with_costs(&loops, &cfg);
  cn_work_build(&work, ctx, &loops, known);
  struct cn_work_summary all = work.all;
  cn_work_free(&work);
  cn_loops_free(&loops);
  cn_cfg_free(&cfg);
  return all;
}
