/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the loops to strip-mine, and the trip count of their chunks (strip_mine.c): loops that count an induction
 * variable up or down to a bound, and for which chunks pay. Part of pass `place-safepoints`.
 *
 * Needs: struct cn_loops. Provides: the counter of a loop, and the decision whether chunks pay. Breaks: nothing.
 */
#include <stdlib.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/predicates.h"
#include "compile/cost/cost.h"
#include "compile/place/loops/loop_forms.h"

/* In chunks with fewer iterations, a poll per iteration costs little more than a poll per chunk. */
#define MIN_CHUNK_TRIP_COUNT 16
/* Chunks of a loop with an unknown step must be possible for steps up to this number. */
#define MAX_LIKELY_STEP 7

static bool is_upward(LLVMIntPredicate p)
{
  return p == LLVMIntULT || p == LLVMIntSLT;
}

static bool is_downward(LLVMIntPredicate p)
{
  return p == LLVMIntUGT || p == LLVMIntSGT;
}

/* True if the no-wrap flags of the advance exclude each wrap that changes the result of predicate `p`. */
static bool cannot_wrap(LLVMValueRef next, LLVMIntPredicate p)
{
  if (LLVMIsAGetElementPtrInst(next))
    return LLVMGEPGetNoWrapFlags(next) & (LLVMGEPFlagInBounds | LLVMGEPFlagNUSW | LLVMGEPFlagNUW);
  if (p == LLVMIntNE)
    return LLVMGetNUW(next) || LLVMGetNSW(next);
  return p == LLVMIntULT ? LLVMGetNUW(next) : p != LLVMIntUGT && LLVMGetNSW(next);
}

/* True if the steps can be counted up to the bound. A test of equality needs a constant step. A test of order needs a
 * constant step towards the bound, or "less than" with an invariant step, which the loop's new entry tests. A wrap
 * makes a test of order wrong, so no-wrap flags must exclude it. */
static bool reaches_bound(const struct cn_loops *loops, uint32_t loop, const struct cn_countable_loop *c)
{
  if (c->iv.by)
    return is_upward(c->stay) && c->no_wrap && cn_is_defined_outside_loop(loops, loop, c->iv.by) &&
           LLVMGetTypeKind(LLVMTypeOf(c->iv.phi)) == LLVMIntegerTypeKind;
  if (c->stay == LLVMIntNE)
    return true;
  return c->no_wrap && (c->iv.step > 0 ? is_upward(c->stay) : is_downward(c->stay));
}

static bool find_counted_test(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, bool stay_if_true,
                              struct cn_countable_loop *out)
{
  CN_CHECK(out->compare);
  for (unsigned o = 0; o < 2; o++) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(out->compare);
    LLVMValueRef tested = LLVMGetOperand(out->compare, o);
    if (!cn_is_defined_outside_loop(loops, loop, LLVMGetOperand(out->compare, 1 - o)) ||
        !cn_loop_match_induction(loops, loop, ctx->layout, tested, &out->iv))
      continue;
    p = o == 0 ? p : cn_predicate_swapped(p);
    out->stay = stay_if_true ? p : cn_predicate_inverse(p);
    out->bound = 1 - o;
    out->tests_next = tested == out->iv.next;
    /* A loop with further exits may start past its bound, and reach the bound only by a wrap. */
    out->no_wrap = cannot_wrap(out->iv.next, out->stay) && (out->stay != LLVMIntNE || loops->at[loop].exits == 1);
    CN_ASSERT(LLVMGetInstructionParent(out->iv.phi) == out->header);
    return reaches_bound(loops, loop, out);
  }
  return false;
}

static unsigned bit_width_of(struct cn_ctx *ctx, LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);

  return LLVMGetTypeKind(type) == LLVMPointerTypeKind
             ? 8 * LLVMPointerSizeForAS(ctx->layout, LLVMGetPointerAddressSpace(type))
             : LLVMGetIntTypeWidth(type);
}

/* The iterations per chunk: a power of two, and at most half of the range of the variable; 0 if chunks would not
 * pay. */
static uint64_t chunk_trip_count_of(struct cn_ctx *ctx, const struct cn_countable_loop *c)
{
  uint64_t budget = cn_work_budget(ctx);
  CN_CHECK(c->work && bit_width_of(ctx, c->iv.phi) <= 64);
  uint64_t half = UINT64_C(1) << (bit_width_of(ctx, c->iv.phi) - 1), trips = MIN_CHUNK_TRIP_COUNT;
  uint64_t step = c->iv.by ? MAX_LIKELY_STEP : cn_strip_mine_step_magnitude(c->iv.step);

  if (trips > budget / c->work)
    return 0;
  while (2 * trips <= budget / c->work)
    trips *= 2;
  while (trips >= MIN_CHUNK_TRIP_COUNT && step >= half / trips)
    trips /= 2;
  CN_ASSERT((trips & (trips - 1)) == 0 && trips <= half);
  return trips >= MIN_CHUNK_TRIP_COUNT ? trips : 0;
}

/* True if an innermost loop multiplies. The code generator keeps each product with the counter as a running sum in a
 * register; chunks would need two. */
static bool has_products(const struct cn_loops *loops, uint32_t loop)
{
  const struct cn_loop *l = &loops->at[loop];

  for (uint32_t b = 0; b < l->count && !l->inner; b++) {
    LLVMValueRef i = LLVMGetFirstInstruction(loops->cfg->blocks[l->blocks[b]].block);
    for (; i; i = LLVMGetNextInstruction(i))
      if (LLVMGetInstructionOpcode(i) == LLVMMul && !LLVMIsConstant(LLVMGetOperand(i, 1)) &&
          LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind)
        return true;
  }
  return false;
}

/* True if the edges into the header can be redirected; edges of computed jumps cannot be redirected. */
static bool has_redirectable_entries(const struct cn_cfg *cfg, uint32_t header)
{
  for (uint32_t p = 0; p < cfg->blocks[header].pred_count; p++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[cfg->blocks[header].preds[p]].block);
    if (!cn_is_branch(end) && !LLVMIsASwitchInst(end) && !LLVMIsAInvokeInst(end))
      return false;
  }
  return true;
}

static bool is_header_of_long_inner_loop(const struct cn_loops *loops, uint32_t loop, uint32_t b, uint64_t small_work)
{
  uint32_t l = loops->of[b];

  return l != loop && loops->at[l].header == b && loops->at[l].work > small_work;
}

/* Checks that each path from the header to the latch passes the header of an inner loop that does more than
 * `small_work`. */
bool cn_countable_always_runs_inner(const struct cn_loops *loops, uint32_t loop, uint64_t small_work)
{
  const struct cn_loop *l = &loops->at[loop];
  CN_VECTOR(uint32_t) next = {0};
  struct cn_ptrmap seen = {0};
  bool cut = l->header != l->latch, fresh;

  CN_CHECK(l->latch != CN_NO_BLOCK);
  cn_push(&next, l->header);
  while (next.count && cut) {
    const struct cn_cfg_block *block = &loops->cfg->blocks[next.at[--next.count]];
    for (uint32_t s = 0; s < block->succ_count; s++) {
      uint32_t to = block->succs[s];
      if (to == l->header || !cn_loop_contains_block(loops, loop, to) ||
          is_header_of_long_inner_loop(loops, loop, to, small_work))
        continue;
      cut &= to != l->latch;
      cn_ptrmap_add(&seen, loops->cfg->blocks[to].block, &fresh);
      if (fresh)
        cn_push(&next, to);
    }
  }
  cn_free(&next);
  cn_ptrmap_free(&seen);
  return cut;
}

/* The most work of an iteration up to its poll, or 0 if unbounded: each block once, small loops with all iterations,
 * and other inner loops up to their poll (unroll.c). */
static uint64_t max_iteration_work(const struct cn_loops *loops, uint32_t loop, uint64_t small_work)
{
  const struct cn_loop *l = &loops->at[loop];
  uint64_t work = l->size;

  if (l->inner && cn_countable_always_runs_inner(loops, loop, small_work))
    return 0;
  for (uint32_t inner = loop + 1 - l->below; inner < loop; inner++) {
    if (loops->at[inner].work <= small_work)
      work += loops->at[inner].work;
    else
      work += (CN_UNROLL_MOST - 1) * loops->at[inner].size;
  }
  return work;
}

bool cn_countable_find_counter(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop,
                               struct cn_countable_loop *out)
{
  const struct cn_loop *l = &loops->at[loop];
  const struct cn_cfg *cfg = loops->cfg;

  if (l->irreducible || l->latch == CN_NO_BLOCK || l->calls || !has_redirectable_entries(cfg, l->header))
    return false;
  CN_CHECK(l->latch < cfg->count && cn_loop_contains_block(loops, loop, l->latch));
  out->loop = loop;
  out->leaves = l->leaves;
  out->header = cfg->blocks[l->header].block;
  out->latch = cfg->blocks[l->latch].block;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(out->latch);
  if (!cn_is_branch(end) || !LLVMIsConditional(end))
    return false;
  bool stay_if_true = LLVMGetSuccessor(end, 0) == out->header;
  uint32_t exit = cn_cfg_index_of(cfg, LLVMGetSuccessor(end, stay_if_true ? 1 : 0));
  out->compare = LLVMIsAICmpInst(LLVMGetCondition(end));
  if (!out->compare || LLVMGetInstructionParent(out->compare) != out->latch ||
      LLVMGetNextUse(LLVMGetFirstUse(out->compare)) || cn_loop_contains_block(loops, loop, exit))
    return false;
  return find_counted_test(ctx, loops, loop, stay_if_true, out);
}

bool cn_countable_is_worth_chunks(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, uint64_t small_work,
                                  struct cn_countable_loop *out)
{
  const struct cn_loop *l = &loops->at[loop];

  if (l->work <= small_work || has_products(loops, loop) || !cn_countable_find_counter(ctx, loops, loop, out))
    return false;
  if (cn_is_placement_option_on(ctx, CAIRN_PLACEMENT_UNROLL) && cn_unroll_loop_leaves_early(loops, loop))
    return false;
  if (l->inner && LLVMGetTypeKind(LLVMTypeOf(out->iv.phi)) != LLVMIntegerTypeKind)
    return false; /* the polls in the loop would have to relocate the chunk's end */
  out->work = max_iteration_work(loops, loop, small_work);
  out->trips = out->work ? chunk_trip_count_of(ctx, out) : 0;
  if (!out->trips)
    return false;
  uint64_t slowest = cn_work_add(out->work, l->misses);
  CN_CHECK(slowest >= out->work);
  while (out->trips > MIN_CHUNK_TRIP_COUNT && out->trips > cn_work_budget(ctx) / slowest)
    out->trips /= 2;
  return true;
}
