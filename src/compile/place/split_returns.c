/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits returns: paths through a function that return before any call get a separate return. Part of pass
 * `place-safepoints`.
 *
 * Needs: any function; polls count as calls. Provides: faster leaves of recursions. Breaks: struct cn_cfg.
 *
 * The sum of a recursion is live over the poll and the calls, in a register that the function must save. If the value
 * of an early return meets the sum in a phi, it gets the same register, and shrink wrapping fails: the code generator
 * saves the register before the early test, so that each leaf of a tree saves and restores it.
 */
#include "compile/place/function_facts.h"

#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/cfg.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"

static bool has_call(LLVMBasicBlockRef block)
{
  CN_EACH_INSTRUCTION(i, block)
    if (cn_is_call(i) && !cn_calls_some_intrinsic(i))
      return true;
  return false;
}

/* By block: true if the block and all blocks on the paths from the entry to it are free of calls. */
static bool *find_call_free_entry_paths(const struct cn_cfg *cfg)
{
  bool *quiet = cn_alloc(cfg->count * sizeof *quiet);

  for (uint32_t b = 0; b < cfg->count; b++) {
    quiet[b] = !has_call(cfg->blocks[b].block);
    for (uint32_t p = 0; p < cfg->blocks[b].pred_count && quiet[b]; p++)
      quiet[b] = cfg->blocks[b].preds[p] < b && quiet[cfg->blocks[b].preds[p]];
  }
  return quiet;
}

/* True if the block holds only phis and a return. */
static bool is_bare_return(LLVMBasicBlockRef block)
{
  LLVMValueRef i = LLVMGetFirstInstruction(block);

  while (LLVMIsAPHINode(i))
    i = LLVMGetNextInstruction(i);
  return LLVMIsAReturnInst(i) != NULL;
}

static bool has_redirectable_edges(LLVMBasicBlockRef block)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

  return cn_is_branch(end) || LLVMIsASwitchInst(end);
}

/* Build a phi of the inputs of `phi` from blocks in `which`, or from blocks outside `which`. */
static LLVMValueRef build_partial_phi(LLVMBuilderRef builder, LLVMValueRef phi, const struct cn_ptrmap *which, bool in)
{
  LLVMValueRef part = cn_build_phi_like(builder, phi, "");

  for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
    LLVMValueRef value = LLVMGetIncomingValue(phi, n);
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, n);
    if ((cn_ptrmap_find(which, block) != NULL) == in)
      LLVMAddIncoming(part, &value, &block, 1);
  }
  CN_CHECK(LLVMCountIncoming(part) && LLVMCountIncoming(part) < LLVMCountIncoming(phi));
  return part;
}

/* Redirect the edges into the returning block `block` to a copy of it, except the edges from blocks in `late`. */
static void split_return_block(struct cn_ctx *ctx, LLVMBasicBlockRef block, const struct cn_ptrmap *late)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMBasicBlockRef early = LLVMAppendBasicBlockInContext(ctx->llvm, LLVMGetBasicBlockParent(block), "early");
  LLVMValueRef ret = LLVMGetBasicBlockTerminator(block), i = LLVMGetFirstInstruction(block);
  LLVMValueRef value = LLVMGetNumOperands(ret) ? LLVMGetOperand(ret, 0) : NULL, next;

  CN_CHECK(LLVMIsAReturnInst(ret));
  CN_ASSERT(late->count);
  cn_redirect_incoming_edges(block, early, late);
  for (; LLVMIsAPHINode(i); i = next) {
    next = LLVMGetNextInstruction(i);
    LLVMPositionBuilderAtEnd(builder, early);
    LLVMValueRef other = build_partial_phi(builder, i, late, false);
    if (value == i)
      value = other;
    LLVMPositionBuilderBefore(builder, i);
    cn_emit_replace_instruction(i, build_partial_phi(builder, i, late, true));
  }
  LLVMPositionBuilderAtEnd(builder, early);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(ret));
  if (value)
    LLVMBuildRet(builder, value);
  else
    LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
}

void cn_split_returns(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct cn_cfg cfg;

  cn_cfg_build_edges(&cfg, function);
  bool *quiet = find_call_free_entry_paths(&cfg);
  for (uint32_t b = 0; b < cfg.count; b++) {
    const struct cn_cfg_block *block = &cfg.blocks[b];
    struct cn_ptrmap late = {0};
    bool early = false;
    if (!is_bare_return(block->block))
      continue;
    for (uint32_t p = 0; p < block->pred_count; p++) {
      LLVMBasicBlockRef from = cfg.blocks[block->preds[p]].block;
      if (!quiet[block->preds[p]] || !has_redirectable_edges(from))
        cn_ptrmap_add(&late, from, NULL);
      else
        early = true;
    }
    if (late.count && early)
      split_return_block(ctx, block->block, &late);
    cn_ptrmap_free(&late);
  }
  free(quiet);
  cn_cfg_free(&cfg);
}
