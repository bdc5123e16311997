/* SPDX-License-Identifier: Apache-2.0
 *
 * Deletes unreachable blocks: a step of rewrite-statepoints. Liveness, bases and the placement of phis are defined only
 * for blocks on paths from the entry.
 *
 * Needs: struct cn_cfg. Provides: a function with only the blocks of struct cn_cfg. Breaks: nothing.
 *
 * LLVM's pass unreachableblockelim would need a pass manager for each function with an unreachable block.
 */
#include "compile/rewrite/normalise/normalise.h"

#include <stdlib.h>
#include "base/check.h"
#include "compile/core/emit.h"

struct block_deletion {
  const struct cn_cfg *cfg;
  LLVMBuilderRef builder;
};

static bool has_unreachable_input(const struct block_deletion *d, LLVMValueRef phi)
{
  unsigned count = LLVMCountIncoming(phi);

  CN_ASSERT(LLVMIsAPHINode(phi));
  for (unsigned i = 0; i < count; i++)
    if (cn_cfg_index_of(d->cfg, LLVMGetIncomingBlock(phi, i)) == CN_NO_BLOCK)
      return true;
  return false;
}

/* LLVM-C cannot remove a phi's input, so a new phi, or the only remaining input, replaces the phi. */
static void remove_unreachable_phi_inputs(struct block_deletion *d, LLVMValueRef phi)
{
  unsigned count = LLVMCountIncoming(phi);
  size_t length;

  CN_ASSERT(LLVMIsAPHINode(phi));
  LLVMPositionBuilderBeforeInstrAndDbgRecords(d->builder, phi);
  LLVMValueRef other = cn_build_phi_like(d->builder, phi, "");
  for (unsigned i = 0; i < count; i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    LLVMValueRef value = LLVMGetIncomingValue(phi, i);
    if (cn_cfg_index_of(d->cfg, from) != CN_NO_BLOCK)
      LLVMAddIncoming(other, &value, &from, 1);
  }
  CN_CHECK(LLVMCountIncoming(other) > 0); /* the phi's block is reachable */
  char *name = cn_strdup(LLVMGetValueName2(phi, &length));
  LLVMReplaceAllUsesWith(phi, other);
  LLVMInstructionEraseFromParent(phi);
  LLVMValueRef only = cn_phi_only_input(other);
  if (only) {
    LLVMReplaceAllUsesWith(other, only);
    LLVMInstructionEraseFromParent(other);
  } else {
    LLVMSetValueName2(other, name, length);
  }
  free(name);
}

/* Replace the instructions of the block by one `unreachable`, which gets the debug records. */
static void reduce_block_to_unreachable(struct block_deletion *d, LLVMBasicBlockRef block)
{
  CN_CHECK(block != LLVMGetEntryBasicBlock(d->cfg->function));
  for (LLVMValueRef i; (i = LLVMGetLastInstruction(block));) {
    if (LLVMGetFirstUse(i))
      LLVMReplaceAllUsesWith(i, LLVMGetPoison(LLVMTypeOf(i)));
    LLVMInstructionEraseFromParent(i);
  }
  LLVMPositionBuilderAtEnd(d->builder, block);
  LLVMBuildUnreachable(d->builder);
}

void cn_unreachable_delete(struct cn_ctx *ctx, const struct cn_cfg *cfg)
{
  struct block_deletion d = {.cfg = cfg, .builder = LLVMCreateBuilderInContext(ctx->llvm)};
  LLVMBasicBlockRef next_block;
  LLVMValueRef next;

  CN_ASSERT_VALID(cn_cfg_wrong(cfg));
  for (uint32_t b = 0; b < cfg->count; b++)
    for (LLVMValueRef phi = LLVMGetFirstInstruction(cfg->blocks[b].block); LLVMIsAPHINode(phi); phi = next) {
      next = LLVMGetNextInstruction(phi);
      if (has_unreachable_input(&d, phi))
        remove_unreachable_phi_inputs(&d, phi);
    }
  LLVMBasicBlockRef first = LLVMGetFirstBasicBlock(cfg->function);
  for (LLVMBasicBlockRef b = first; b; b = LLVMGetNextBasicBlock(b))
    if (cn_cfg_index_of(cfg, b) == CN_NO_BLOCK)
      reduce_block_to_unreachable(&d, b);
  for (LLVMBasicBlockRef b = first; b; b = next_block) {
    next_block = LLVMGetNextBasicBlock(b);
    if (cn_cfg_index_of(cfg, b) == CN_NO_BLOCK)
      LLVMDeleteBasicBlock(b);
  }
  LLVMDisposeBuilder(d.builder);
  CN_ASSERT(LLVMCountBasicBlocks(cfg->function) == cfg->count);
  CN_ASSERT_VALID(cn_cfg_wrong(cfg));
}
