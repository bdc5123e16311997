/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers that the optimiser makes of references. Part of pass `restore-references`.
 *
 * Needs: no safepoint in the function yet. Provides: a ptrtoint of a reference stands just before
 * its only use. Breaks: nothing.
 *
 * The vectorisers compare addresses at run time and share the ptrtoint of several checks (seen with
 * default<O2>: %diff.check of examples/string_builder.c). An allocation between two checks then
 * makes the integer stale, and the module would be optimised again with non-integral references. A
 * ptrtoint costs nothing, so each use gets its own, of the reference as it is there.
 */
#include <llvm-c/DebugInfo.h>
#include "base/vector.h"
#include "compile/prepare.h"

static LLVMValueRef copy_before(LLVMBuilderRef builder, LLVMValueRef cast, LLVMValueRef at)
{
  LLVMPositionBuilderBefore(builder, at);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(cast));
  return LLVMBuildCast(builder, LLVMGetInstructionOpcode(cast), LLVMGetOperand(cast, 0),
                       LLVMTypeOf(cast), "");
}

/* A phi takes its value at the end of the block that it comes from; one value for each block. */
static void give_to_phi(LLVMBuilderRef builder, LLVMValueRef cast, LLVMValueRef phi, unsigned first)
{
  LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, first);
  LLVMValueRef own = copy_before(builder, cast, LLVMGetBasicBlockTerminator(from));

  for (unsigned n = first; n < LLVMCountIncoming(phi); n++)
    if (LLVMGetIncomingBlock(phi, n) == from)
      LLVMSetOperand(phi, n, own);
}

static void give_own(LLVMBuilderRef builder, LLVMValueRef cast, LLVMValueRef user, unsigned operand)
{
  if (LLVMIsAPHINode(user))
    give_to_phi(builder, cast, user, operand);
  else if (LLVMGetNextInstruction(cast) != user)
    LLVMSetOperand(user, operand, copy_before(builder, cast, user));
}

static void sink(LLVMBuilderRef builder, LLVMValueRef cast)
{
  CN_VECTOR(LLVMValueRef) users = {0};

  for (LLVMUseRef use = LLVMGetFirstUse(cast); use; use = LLVMGetNextUse(use))
    if (LLVMIsAInstruction(LLVMGetUser(use)))
      cn_push(&users, LLVMGetUser(use));
  for (size_t i = 0; i < users.count; i++)
    for (int n = 0; n < LLVMGetNumOperands(users.at[i]); n++)
      if (LLVMGetOperand(users.at[i], (unsigned)n) == cast)
        give_own(builder, cast, users.at[i], (unsigned)n);
  cn_free(&users);
  if (!LLVMGetFirstUse(cast))
    LLVMInstructionEraseFromParent(cast);
}

void cn_integers_sink(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_VECTOR(LLVMValueRef) casts = {0};
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (cn_takes_address(i) && cn_is_ref(LLVMTypeOf(LLVMGetOperand(i, 0))))
        cn_push(&casts, i);
  for (size_t i = 0; i < casts.count; i++)
    sink(builder, casts.at[i]);
  LLVMDisposeBuilder(builder);
  cn_free(&casts);
}
