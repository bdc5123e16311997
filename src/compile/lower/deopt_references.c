/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts a `freeze` between each computed address in an object and the statepoint whose bundle "deopt" names it. Part of
 * rewrite-statepoints with late insertion, and of describe-points.
 *
 * Needs: final statepoints: the optimiser would move a freeze to other uses of the object. Provides: deopt operands
 * that are no GEPs of references, and no relocates of such. Breaks: nothing.
 *
 * LLVM's CodeGenPrepare computes the relocate of a GEP with constant indices from the relocate of its base, and deletes
 * it. The statepoint then lists the deopt value without its base, as if it were an object (docs/llvm-22.md, "derived
 * deopt values").
 */
#include <llvm-c/DebugInfo.h>
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/lower/lower.h"

static void replace_in_bundle(LLVMValueRef statepoint, const char *tag, LLVMValueRef old, LLVMValueRef value)
{
  uint32_t i, end;

  for (cn_calls_find_bundle(statepoint, tag, &i, &end); i < end; i++)
    if (LLVMGetOperand(statepoint, i) == old)
      LLVMSetOperand(statepoint, i, value);
}

/* True for a GEP, and for a relocate that CodeGenPrepare may replace by a GEP. */
static bool may_become_gep(LLVMValueRef value)
{
  enum { BASE_OPERAND = 1, DERIVED_OPERAND = 2 };

  return LLVMIsAGetElementPtrInst(value) ||
         (cn_calls_intrinsic(value, "llvm.experimental.gc.relocate") &&
          LLVMGetOperand(value, BASE_OPERAND) != LLVMGetOperand(value, DERIVED_OPERAND));
}

static void freeze_operands(LLVMBuilderRef builder, LLVMValueRef statepoint)
{
  uint32_t i, end;

  for (cn_calls_find_bundle(statepoint, "deopt", &i, &end); i < end; i++) {
    LLVMValueRef value = LLVMGetOperand(statepoint, i);
    if (!cn_is_ref(LLVMTypeOf(value)) || !may_become_gep(value))
      continue;
    LLVMPositionBuilderBefore(builder, statepoint);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(statepoint));
    LLVMValueRef frozen = LLVMBuildFreeze(builder, value, "");
    replace_in_bundle(statepoint, "deopt", value, frozen);
    replace_in_bundle(statepoint, "gc-live", value, frozen);
  }
}

void cn_deopt_references_freeze(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i) && LLVMGetNumOperandBundles(i) && cn_classify_call(i).kind == CN_CALL_STATEPOINT)
        freeze_operands(builder, i);
  LLVMDisposeBuilder(builder);
}
