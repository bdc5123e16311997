/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the sites of return polls and of polls before tail calls (statepoints-later, "PlaceSafepoints": "extending this
 * to work with return polls would be straight forward if desired"). cn_return_polls_split_tail_calls() first changes
 * the CFG: a block with a call in tail position gets a separate return in place of a branch to a return that it shares
 * with other blocks. Part of pass `place-safepoints`.
 *
 * Needs: struct cn_cfg. Provides: the tail call of a return, and the site of its poll. Breaks: struct cn_cfg
 * (cn_return_polls_split_tail_calls()).
 *
 * A return poll never follows a tail call: a poll after the call would make it an ordinary call, and a loop made of
 * tail calls would need a stack. A managed callee polls before it returns.
 */
#include "compile/place/function_facts.h"

#include <llvm-c/DebugInfo.h>
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/emit.h"
#include "compile/tail/tail.h"

LLVMValueRef cn_return_polls_find_tail_call(LLVMBasicBlockRef block)
{
  for (LLVMValueRef i = LLVMGetLastInstruction(block); i; i = LLVMGetPreviousInstruction(i))
    if (LLVMIsACallInst(i) && (cn_calls_is_musttail(i) || cn_is_in_tail_position(i)))
      return i;
  return NULL;
}

static bool returns_only_tail_calls(const struct cn_cfg *cfg, uint32_t b)
{
  for (uint32_t n = 0; n < cfg->blocks[b].pred_count; n++)
    if (!cn_return_polls_find_tail_call(cfg->blocks[cfg->blocks[b].preds[n]].block))
      return false;
  return cfg->blocks[b].pred_count != 0;
}

LLVMValueRef cn_return_polls_site_of(const struct cn_cfg *cfg, uint32_t b)
{
  CN_ASSERT(b < cfg->count);
  LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[b].block);

  return LLVMIsAReturnInst(end) && !cn_return_polls_find_tail_call(cfg->blocks[b].block) &&
                 !returns_only_tail_calls(cfg, b)
             ? end
             : NULL;
}

/* Remove the input of block `from` from `phi`, which has further inputs. */
static void drop_incoming(LLVMBuilderRef builder, LLVMValueRef phi, LLVMBasicBlockRef from)
{
  LLVMPositionBuilderBefore(builder, phi);
  LLVMValueRef fresh = cn_build_phi_like(builder, phi, "");

  for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
    LLVMValueRef value = LLVMGetIncomingValue(phi, n);
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, n);
    if (block != from)
      LLVMAddIncoming(fresh, &value, &block, 1);
  }
  CN_CHECK(LLVMCountIncoming(fresh) && LLVMCountIncoming(fresh) < LLVMCountIncoming(phi));
  cn_emit_replace_instruction(phi, fresh);
}

/* Replace the branch at the end of block `from` by a return. The branch's target holds only phis and `ret`. */
static void build_return_at_block_end(struct cn_ctx *ctx, LLVMBasicBlockRef from, LLVMValueRef ret)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(from);
  LLVMValueRef value = LLVMGetNumOperands(ret) ? LLVMGetOperand(ret, 0) : NULL;

  CN_CHECK(cn_is_branch(branch) && LLVMGetNumSuccessors(branch) == 1 &&
           LLVMGetSuccessor(branch, 0) == LLVMGetInstructionParent(ret));
  LLVMPositionBuilderBefore(builder, branch);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(ret));
  if (value && LLVMIsAPHINode(value) && LLVMGetInstructionParent(value) == LLVMGetInstructionParent(ret))
    value = cn_return_polls_find_tail_call(from);
  CN_ASSERT(!value || LLVMTypeOf(value) == LLVMTypeOf(LLVMGetOperand(ret, 0)));
  if (value)
    LLVMBuildRet(builder, value);
  else
    LLVMBuildRetVoid(builder);
  LLVMInstructionEraseFromParent(branch);
  LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetInstructionParent(ret));
  while (LLVMIsAPHINode(i)) {
    LLVMValueRef next = LLVMGetNextInstruction(i);
    drop_incoming(builder, i, from);
    i = next;
  }
  LLVMDisposeBuilder(builder);
}

void cn_return_polls_split_tail_calls(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct cn_cfg cfg;
  CN_VECTOR(LLVMValueRef) calls = {0};

  cn_cfg_build_edges(&cfg, function);
  for (uint32_t b = 0; b < cfg.count; b++) {
    LLVMValueRef call = cn_return_polls_find_tail_call(cfg.blocks[b].block);
    if (call && cfg.blocks[b].succ_count && !returns_only_tail_calls(&cfg, cfg.blocks[b].succs[0]))
      cn_push(&calls, call);
  }
  for (size_t i = 0; i < calls.count; i++) {
    LLVMValueRef ret = cn_tail_return_of(calls.at[i]);
    CN_CHECK(LLVMIsAReturnInst(ret));
    build_return_at_block_end(ctx, LLVMGetInstructionParent(calls.at[i]), ret);
  }
  cn_free(&calls);
  cn_cfg_free(&cfg);
}
