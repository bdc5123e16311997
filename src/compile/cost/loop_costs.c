/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the costs of loops: the size, the largest trip count, and the work of an iteration. Needs: struct cn_cfg.
 * Provides: cn_loops_build_with_costs(), struct cn_loops with sizes, trip counts and work. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/cost/cost.h"
#include "compile/cost/loops.h"
#include "compile/effects/intrinsics.h"

/* The work of a block's instructions, the work with unbounded instructions counted as calls, and the additional work of
 * cache misses. */
struct block_work {
  uint64_t all, size, misses;
  bool calls, leaves;
};

/* True for a memset or memcpy of unknown length. */
static bool fills_memory(LLVMValueRef i)
{
  const struct cn_intrinsic *row = cn_intrinsic_row_of_call(i);

  return row && (row->effect == CN_EFFECT_COPY || row->effect == CN_EFFECT_BYTES || row->effect == CN_EFFECT_PATTERN) &&
         !LLVMIsConstant(LLVMGetOperand(i, (unsigned)row->length));
}

static bool costs_more_than_poll(LLVMValueRef i)
{
  enum cn_call_kind kind = cn_classify_call(i).kind;

  return fills_memory(i) || (kind != CN_CALL_NONE && kind != CN_CALL_LEAF);
}

static bool may_not_return(LLVMValueRef i)
{
  LLVMValueRef callee = cn_is_call(i) ? cn_direct_callee(i) : NULL;

  return cn_is_call(i) && (!callee || !LLVMGetIntrinsicID(callee));
}

static struct block_work work_of_block(LLVMBasicBlockRef block)
{
  struct block_work work = {0};

  CN_EACH_INSTRUCTION(i, block) {
    uint64_t one = cn_work_of_instruction(i);
    work.all = cn_work_add(work.all, one);
    work.size = cn_work_add(work.size, one == CN_WORK_UNKNOWN ? CN_CALL_WORK : one);
    work.misses = cn_work_add(work.misses, cn_work_of_cache_miss(i));
    work.calls |= costs_more_than_poll(i);
    work.leaves |= may_not_return(i);
  }
  return work;
}

/* Add the work of a block to its loop, whose `work` is the work per iteration until the trip counts are found. */
static void add_block_work(struct cn_loop *loop, const struct block_work *block)
{
  loop->size = cn_work_add(loop->size, block->size);
  loop->misses = cn_work_add(loop->misses, block->misses);
  loop->work = cn_work_add(loop->work, block->all);
  loop->calls |= block->calls;
  loop->leaves |= block->leaves;
}

static void add_inner_loop_work(struct cn_loop *loop, const struct cn_loop *inner)
{
  loop->size = cn_work_add(loop->size, inner->size);
  loop->misses = cn_work_add(loop->misses, inner->misses);
  loop->calls |= inner->calls;
  loop->leaves |= inner->leaves;
}

static void find_trip_counts_at_exit(struct cn_loops *loops, uint32_t b)
{
  const struct cn_cfg_block *block = &loops->cfg->blocks[b];

  for (uint32_t s = 0; s < block->succ_count; s++)
    for (uint32_t l = loops->of[b]; l != CN_NO_BLOCK && !cn_loop_contains_block(loops, l, block->succs[s]);
         l = loops->at[l].parent) {
      uint64_t trips = cn_trip_count_by_exit(loops, l, b);
      loops->at[l].trips = trips < loops->at[l].trips ? trips : loops->at[l].trips;
    }
}

void cn_loops_build_with_costs(struct cn_loops *loops, const struct cn_cfg *cfg)
{
  cn_loops_build(loops, cfg);
  for (uint32_t b = 0; b < cfg->count; b++)
    if (loops->of[b] != CN_NO_BLOCK) {
      struct block_work work = work_of_block(cfg->blocks[b].block);
      add_block_work(&loops->at[loops->of[b]], &work);
    }
  for (uint32_t l = 0; l < loops->count; l++) {
    CN_CHECK(loops->at[l].parent == CN_NO_BLOCK || loops->at[l].parent > l); /* innermost first */
    loops->at[l].trips = CN_WORK_UNKNOWN;
    if (loops->at[l].parent != CN_NO_BLOCK)
      add_inner_loop_work(&loops->at[loops->at[l].parent], &loops->at[l]);
  }
  for (uint32_t b = 0; b < cfg->count; b++)
    find_trip_counts_at_exit(loops, b);
  for (uint32_t l = 0; l < loops->count; l++) {
    struct cn_loop *loop = &loops->at[l];
    loop->work = loop->irreducible ? CN_WORK_UNKNOWN : cn_work_multiply(loop->work, loop->trips);
    if (loop->parent != CN_NO_BLOCK)
      loops->at[loop->parent].work = cn_work_add(loops->at[loop->parent].work, loop->work);
  }
}
