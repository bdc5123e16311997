/* SPDX-License-Identifier: Apache-2.0
 *
 * Entry polls, as late as their need allows (statepoints-later, "PlaceSafepoints": polls at
 * method entry; late-insertion-slides-2014, future work). Part of pass `place-safepoints`.
 *
 * Needs: struct cn_loops, struct cn_function_facts. Provides: places of entry polls. Breaks:
 * nothing (a comparison may be moved within its block).
 *
 * A function must poll before it closes a call cycle, and before it has done more than
 * CN_CALL_WORK if it may still return. A poll in any block that dominates a block with such a need
 * covers it. Of all covers take the one whose polls run least often, by block frequency: over the
 * dominator tree, from the leaves to the root,
 *
 *   cost(b) = frequency(b)                                   if b itself needs a poll, or
 *             min(frequency(b), sum of cost(c) over the children c that need one)
 *
 * Never sink a poll past an instruction with stops_sinking(). A block in a loop counts TRIPS times
 * for each loop around it: a poll goes there only if it rarely runs.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/cost/block_frequency.h"
#include "compile/place/function_facts.h"

#define NEVER UINT64_MAX

struct entries {
  const struct cn_function_facts *facts;
  const struct cn_loops *loops;
  const struct cn_poll_sites *sites;
  struct cn_work work;
  uint32_t node;
  uint64_t *often; /* per block (block_frequency.c) */
  struct entry_block {
    LLVMValueRef need; /* an instruction before which the function must have polled */
    bool open;         /* a poll may stand here */
    bool free;         /* and no observable effect comes before it */
    uint32_t children; /* that have needs below them */
    bool below;        /* it or a block below it in the tree has a need */
    bool takes;        /* it is where the needs at and below it are covered */
    uint64_t cost, sum;
  } *at;
};

/* ---- which blocks need one ---- */

static bool ends_function(LLVMBasicBlockRef block)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

  return LLVMGetNumSuccessors(end) == 0 && !LLVMIsAUnreachableInst(end);
}

/* By block: can the function return or throw after its end without a safepoint? Loops may take
 * several rounds. */
static bool *find_ways_out(const struct entries *e)
{
  const struct cn_cfg *cfg = e->loops->cfg;
  bool *leaves = cn_alloc(cfg->count * sizeof *leaves), changed = true;

  CN_ASSERT_VALID(cn_cfg_wrong(cfg));
  while (changed) {
    changed = false;
    for (uint32_t b = cfg->count; b-- > 0;) {
      const struct cn_block *block = &cfg->blocks[b];
      bool now = leaves[b] || ends_function(block->block);
      for (uint32_t s = 0; s < block->succ_count; s++)
        now |= leaves[block->succs[s]] && e->work.blocks[block->succs[s]].passes;
      changed |= now != leaves[b];
      leaves[b] = now;
    }
  }
  return leaves;
}

/* Go through block `b` from `*p` on: the instruction before which the function must have polled, or
 * null. Later instructions have no need of their own, for it will have polled. */
static LLVMValueRef find_need(const struct entries *e, uint32_t b, bool leaves, struct cn_work_point *p)
{
  struct cn_work_summary ended = {0};

  leaves &= e->work.blocks[b].passes;
  for (LLVMValueRef i = LLVMGetFirstInstruction(e->loops->cfg->blocks[b].block); i && p->fresh;
       i = LLVMGetNextInstruction(i)) {
    if (LLVMIsAPHINode(i))
      continue;
    struct cn_work_summary piece = cn_work_at(e->work.known, i);
    CN_ASSERT(e->work.known->sites == &e->sites->seen);
    if (cn_ptrmap_find(&e->sites->seen, i))
      p->fresh = false;
    else
      *p = cn_work_step(*p, &piece, &ended);
    bool late = leaves && p->entry > CN_CALL_WORK;
    if (p->fresh && (late || cn_function_facts_closes(e->facts, e->node, i))) {
      p->fresh = false;
      return i;
    }
  }
  p->fresh &= !cn_work_polls_at_end(e->work.known, e->loops->cfg, b);
  return NULL;
}

/* The most work up to the start of block `b`, on paths that need no poll so far. */
static struct cn_work_point join(const struct entries *e, const struct cn_work_point *out, uint32_t b)
{
  const struct cn_block *block = &e->loops->cfg->blocks[b];
  struct cn_work_point p = {.fresh = b == 0};
  uint32_t l = e->loops->of[b];

  for (uint32_t i = 0; i < block->pred_count; i++) {
    const struct cn_work_point *from = &out[block->preds[i]];
    if (cn_cfg_retreats(block->preds[i], b) || !from->fresh)
      continue;
    p.entry = p.entry < from->entry ? from->entry : p.entry;
    p.fresh = true;
  }
  if (p.fresh && l != CN_NO_BLOCK && e->loops->at[l].header == b)
    p.entry = cn_work_add(p.entry, e->work.at[l].more);
  return p;
}

static void find_needs(struct entries *e)
{
  uint32_t count = e->loops->cfg->count;
  struct cn_work_point *out = cn_alloc(count * sizeof *out);
  bool *leaves = find_ways_out(e);

  for (uint32_t b = 0; b < count; b++) {
    out[b] = join(e, out, b);
    e->at[b].need = find_need(e, b, leaves[b], &out[b]);
  }
  free(leaves);
  free(out);
}

/* ---- sinking ---- */

static bool is_pad(LLVMValueRef i)
{
  return LLVMIsALandingPadInst(i) || LLVMIsAFuncletPadInst(i) || LLVMIsACatchSwitchInst(i);
}

/* A poll may sink past plain stores and calls; but not into an allocation, between the halves of a
 * copy, or to where an integer holds an address. */
static bool stops_sinking(LLVMValueRef i)
{
  if (LLVMIsAStoreInst(i))
    return LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
  if (LLVMIsATerminatorInst(i))
    return LLVMIsACallBrInst(i);
  if (is_pad(i))
    return true;
  if (!cn_is_call(i) || cn_calls_some_intrinsic(i))
    return cn_poll_site_stops(i);
  return LLVMIsAInlineAsm(LLVMGetCalledValue(i)) || cn_calls_have(i, "returns_twice") || cn_calls_have(i, "convergent");
}

/* Set `open` and `free` of all blocks: each holds of a block's start on every path to it. The entry
 * block is in no region, and so open. */
static void find_open(struct entries *e)
{
  const struct cn_cfg *cfg = e->loops->cfg;
  bool irreducible = cn_cfg_irreducible(cfg);

  CN_CHECK(!e->sites->open || e->sites->open[0] == 0);
  for (uint32_t b = 0; b < cfg->count; b++)
    e->at[b].open = e->at[b].free = b == 0 || !irreducible;
  for (uint32_t b = 0; b < cfg->count; b++) {
    bool open = e->at[b].open, free = e->at[b].free;
    LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].block);
    while (LLVMIsAPHINode(i))
      i = LLVMGetNextInstruction(i);
    e->at[b].open &= !is_pad(i) && !(e->sites->open && e->sites->open[b]);
    for (; i; i = LLVMGetNextInstruction(i)) {
      open &= !stops_sinking(i);
      free &= !cn_poll_site_stops(i) || (LLVMIsATerminatorInst(i) && !cn_is_call(i));
    }
    for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++) {
      e->at[cfg->blocks[b].succs[s]].open &= open || cn_cfg_retreats(b, cfg->blocks[b].succs[s]);
      e->at[cfg->blocks[b].succs[s]].free &= free;
    }
  }
}

/* ---- which blocks ---- */

/* A loop's trip count, as far as block frequency is concerned. */
#define TRIPS 8

static void count_trips(struct entries *e)
{
  const struct cn_cfg *cfg = e->loops->cfg;

  for (uint32_t b = 0; b < cfg->count; b++)
    for (uint32_t d = 0; d < cfg->blocks[b].depth && e->often[b] < NEVER / TRIPS; d++)
      e->often[b] *= TRIPS;
}

static uint64_t saturated(uint64_t a, uint64_t b)
{
  return a > NEVER - b ? NEVER : a + b;
}

/* As often, but for rounding. */
static bool is_same(uint64_t a, uint64_t b)
{
  return (a > b ? a - b : b - a) <= a / 1024;
}

/* Is a poll in block `b` no worse than those below it? A single poll of the same cost is better
 * below, where fewer values are live, unless an effect comes between. Several must run less than
 * three quarters as often to be worth their code: in Ackermann's function two polls at 3/8 in place
 * of one at 1/2 cost 40 per cent. */
static bool is_better_here(const struct entries *e, uint32_t b, uint32_t only_child)
{
  const struct entry_block *at = &e->at[b];

  if (!at->open)
    return false;
  if (at->need)
    return true;
  CN_ASSERT(at->children > 0); /* it has needs below it, as it has none itself */
  if (at->children == 1 && is_same(e->often[b], at->sum))
    return !e->at[only_child].free;
  /* What several must save. In place of one in the entry block they need save nothing: paths past
   * them then save no registers. */
  uint64_t share = b != 0 && at->children > 1 ? e->often[b] / 4 : 0;

  return e->often[b] - share <= at->sum || is_same(e->often[b] - share, at->sum);
}

static void choose(struct entries *e)
{
  const struct cn_cfg *cfg = e->loops->cfg;
  uint32_t *only_child = cn_alloc(cfg->count * sizeof *only_child);

  for (uint32_t b = cfg->count; b-- > 0;) {
    struct entry_block *at = &e->at[b];
    at->below |= at->need != NULL;
    if (at->need && !at->open)
      at->sum = NEVER;
    at->takes = at->below && is_better_here(e, b, only_child[b]);
    at->cost = at->takes ? e->often[b] : at->sum;
    if (b == 0 || !at->below)
      continue;
    struct entry_block *parent = &e->at[cfg->blocks[b].idom];
    CN_ASSERT(cfg->blocks[b].idom < b); /* so that it is visited later */
    parent->below = true;
    parent->children++;
    only_child[cfg->blocks[b].idom] = b;
    parent->sum = saturated(parent->sum, at->cost);
  }
  CN_CHECK(!e->at[0].below || e->at[0].cost != NEVER);
  free(only_child);
}

/* ---- the instruction ---- */

/* The instruction of block `b` to poll before: as late as the need and cn_poll_site_stops() allow;
 * not before an alloca of the entry block, which would become dynamic. */
static LLVMValueRef place_in(const struct entries *e, uint32_t b)
{
  LLVMBasicBlockRef block = e->loops->cfg->blocks[b].block;
  LLVMValueRef i = LLVMGetFirstInstruction(block), need = e->at[b].need;

  CN_CHECK(e->at[b].open);
  while (LLVMIsAPHINode(i))
    i = LLVMGetNextInstruction(i);
  for (LLVMValueRef a = i; b == 0 && a && a != need; a = LLVMGetNextInstruction(a))
    if (LLVMIsAAllocaInst(a))
      i = LLVMGetNextInstruction(a);
  while (i != need && !cn_poll_site_stops(i))
    i = LLVMGetNextInstruction(i);
  CN_CHECK(i && LLVMGetInstructionParent(i) == block);
  return LLVMIsATerminatorInst(i) ? cn_poll_site_end(e->facts->ctx, block) : i;
}

/* From the root: a block that takes a poll covers all below it. */
static void gather(struct entries *e, struct cn_poll_sites *sites)
{
  const struct cn_cfg *cfg = e->loops->cfg;

  e->at[0].takes |= e->at[0].below && !cn_placement_on(e->facts->ctx, CAIRN_PLACEMENT_LATE_ENTRIES);
  for (uint32_t b = 0; b < cfg->count; b++) {
    bool covered = b != 0 && e->at[cfg->blocks[b].idom].takes;
    if (e->at[b].takes && !covered)
      cn_poll_sites_add(sites, place_in(e, b));
    e->at[b].takes |= covered;
    CN_CHECK(e->at[b].takes || !e->at[b].need);
  }
}

void cn_entry_polls_find(const struct cn_function_facts *facts, const struct cn_loops *loops,
                         struct cn_poll_sites *sites)
{
  struct entries e = {.facts = facts, .loops = loops, .sites = sites};
  struct cn_work_known known = facts->known;

  known.sites = &sites->seen;
  e.node = cn_callgraph_find(&facts->graph, loops->cfg->function);
  CN_CHECK(e.node != CN_NO_NODE && sites->cfg == loops->cfg);
  CN_ASSERT_VALID(cn_poll_sites_wrong(sites));
  e.at = cn_alloc(loops->cfg->count * sizeof *e.at);
  e.often = cn_alloc(loops->cfg->count * sizeof *e.often);
  cn_work_build(&e.work, facts->ctx, loops, &known);
  find_needs(&e);
  cn_block_frequency_find(loops, e.often);
  count_trips(&e);
  find_open(&e);
  choose(&e);
  gather(&e, sites);
  cn_work_free(&e.work);
  free(e.often);
  free(e.at);
  CN_ASSERT_VALID(cn_poll_sites_wrong(sites));
}
