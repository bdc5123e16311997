/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces operands of bundles "deopt" that LLVM's code generator would record as other values. Part of
 * rewrite-statepoints with late insertion, and of describe-points.
 *
 * Needs: final statepoints: the optimiser would move a freeze to other uses of the value. Provides: deopt operands
 * that are no GEPs of references, no wide arguments, and, without a description, no undefined values; no relocates of
 * such GEPs. Breaks: nothing.
 *
 * - LLVM's CodeGenPrepare computes the relocate of a GEP with constant indices from the relocate of its base, and
 *   deletes it. The statepoint then lists the deopt value without its base, as if it were an object (docs/llvm-22.md,
 *   "derived deopt values"). A `freeze` stands between the address and the statepoint.
 * - LLVM records the address of a wide argument that the caller passed on the stack. Such an argument gets a `freeze`,
 *   too (docs/llvm-22.md, "wide deopt arguments").
 * - LLVM records an undefined value as the constant 0xFEFEFEFE. Cairn's description of the operands names undefined
 *   values (points.h). In operands without a description, an undefined value becomes 0.
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

static bool is_wide_argument(LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);

  return LLVMIsAArgument(value) && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 64;
}

static bool read_word(LLVMValueRef operand, uint64_t *word)
{
  if (!LLVMIsAConstantInt(operand) || LLVMGetIntTypeWidth(LLVMTypeOf(operand)) != 64)
    return false;
  *word = LLVMConstIntGetZExtValue(operand);
  return true;
}

/* True if the operands [first, end) end in Cairn's lists, and the description of the values is one of them. */
static bool are_described(LLVMValueRef call, uint32_t first, uint32_t end)
{
  uint64_t length, mark;

  while (end > first && read_word(LLVMGetOperand(call, end - 1), &length) && length >= 2 && length < end - first &&
         read_word(LLVMGetOperand(call, end - 1 - (uint32_t)length), &mark)) {
    if (mark == CAIRN_ABI_POINT_MARK)
      return true;
    if (mark != CAIRN_ABI_ALLOCA_MARK && mark != CAIRN_ABI_SPAN_MARK)
      return false;
    end -= (uint32_t)length + 1;
  }
  return false;
}

static void replace_operands(LLVMBuilderRef builder, LLVMValueRef call)
{
  bool statepoint = cn_classify_call(call).kind == CN_CALL_STATEPOINT;
  uint32_t i, end;

  if (!cn_calls_find_bundle(call, "deopt", &i, &end))
    return;
  bool described = are_described(call, i, end);
  for (; i < end; i++) {
    LLVMValueRef value = LLVMGetOperand(call, i);
    if (LLVMIsUndef(value) && !described)
      LLVMSetOperand(call, i, LLVMConstNull(LLVMTypeOf(value)));
    if (!is_wide_argument(value) && !(statepoint && cn_is_ref(LLVMTypeOf(value)) && may_become_gep(value)))
      continue;
    LLVMPositionBuilderBefore(builder, call);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef frozen = LLVMBuildFreeze(builder, value, "");
    replace_in_bundle(call, "deopt", value, frozen);
    replace_in_bundle(call, "gc-live", value, frozen);
  }
}

void cn_deopt_operands_replace(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i) && LLVMGetNumOperandBundles(i))
        replace_operands(builder, i);
  LLVMDisposeBuilder(builder);
}
