/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts a `freeze` between each computed address in an object and the bundle "deopt" that names it: a step of
 * rewrite-statepoints.
 *
 * Needs: calls before they become statepoints. Provides: deopt operands that are no GEPs of references. Breaks:
 * nothing.
 *
 * LLVM's CodeGenPrepare computes the relocate of a GEP with constant indices from the relocate of its base, and deletes
 * it. The statepoint then lists the deopt value without its base, as if it were an object (docs/llvm-22.md, "derived
 * deopt values").
 */
#include <llvm-c/DebugInfo.h>
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/rewrite/normalise/normalise.h"

static void freeze_operands(LLVMBuilderRef builder, LLVMValueRef call)
{
  uint32_t i, end;

  for (cn_calls_find_bundle(call, "deopt", &i, &end); i < end; i++) {
    LLVMValueRef value = LLVMGetOperand(call, i);
    if (!LLVMIsAGetElementPtrInst(value) || !cn_is_ref(LLVMTypeOf(value)))
      continue;
    LLVMPositionBuilderBefore(builder, call);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
    LLVMSetOperand(call, i, LLVMBuildFreeze(builder, value, ""));
  }
}

void cn_deopt_references_freeze(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i) && LLVMGetNumOperandBundles(i) && cn_classify_call(i).kind == CN_CALL_PARSE_POINT)
        freeze_operands(builder, i);
  LLVMDisposeBuilder(builder);
}
