/* SPDX-License-Identifier: Apache-2.0
 *
 * Places polls in interpreters with computed jumps. Part of pass `place-safepoints`.
 *
 * Needs: struct cn_poll_sites. Provides: a site in each operation, or false if an operation has no place for a poll.
 * Breaks: nothing.
 *
 * All operations of an interpreter branch to one block that finds the next operation. For better branch prediction, the
 * code generator copies that block to the end of each operation; a poll in the block prevents the copies. Each
 * operation polls in place of this block, since each path through the block begins in an operation.
 */
#include "compile/place/function_facts.h"

#include "base/check.h"
#include "compile/core/emit.h"

enum {
  MAX_DISPATCH_INSTRUCTIONS = 8
}; /* LLVM copies only blocks with at most this number of instructions before the computed jump */

/* True if the block only finds the next operation, or only branches to a block of this kind. */
static bool is_dispatch(LLVMBasicBlockRef block)
{
  LLVMValueRef i = cn_first_after_phis(block);
  unsigned left = MAX_DISPATCH_INSTRUCTIONS;

  if (cn_is_branch(i) && !LLVMIsConditional(i))
    i = cn_first_after_phis(LLVMGetSuccessor(i, 0));
  for (; left != 0 && !LLVMIsATerminatorInst(i) && !LLVMIsACallInst(i); left--)
    i = LLVMGetNextInstruction(i);
  return LLVMGetInstructionOpcode(i) == LLVMIndirectBr;
}

/* True if an in-line allocation begins in the only predecessor of block `b`, so that the allocation may end in `b`. */
static bool may_be_in_allocation(const struct cn_work_summaries *known, const struct cn_cfg *cfg, uint32_t b)
{
  struct cn_work_summaries all = *known;

  all.polls_alone = false;
  return cfg->blocks[b].pred_count == 1 && cn_work_block_ends_in_poll(&all, cfg, cfg->blocks[b].preds[0]);
}

/* The place of an operation's poll: at the start of its block, as in a latch, or at the end if the start may be within
 * an allocation. */
static LLVMValueRef find_operation_poll_site(struct cn_ctx *ctx, const struct cn_work_summaries *known,
                                             const struct cn_cfg *cfg, uint32_t b)
{
  LLVMBasicBlockRef block = cfg->blocks[b].block;

  return may_be_in_allocation(known, cfg, b) ? cn_poll_site_at_end(ctx, block) : cn_poll_site_at_latch(ctx, block);
}

bool cn_dispatch_add_sites(struct cn_ctx *ctx, const struct cn_work_summaries *known, const struct cn_cfg *cfg,
                           uint32_t latch, struct cn_poll_sites *sites)
{
  const struct cn_cfg_block *block = &cfg->blocks[latch];

  CN_CHECK(sites->cfg == cfg && latch < cfg->count);
  if (ctx->options->opt_level == 0 || ctx->options->size_level != 0 || sites->open || !is_dispatch(block->block))
    return false;
  for (uint32_t p = 0; p < block->pred_count; p++)
    if (!find_operation_poll_site(ctx, known, cfg, block->preds[p]))
      return false;
  for (uint32_t p = 0; p < block->pred_count; p++)
    if (block->preds[p] != 0) /* the entry block is in no cycle, and may have allocas */
      cn_poll_sites_add(sites, find_operation_poll_site(ctx, known, cfg, block->preds[p]));
  return true;
}
