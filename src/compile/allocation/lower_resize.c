/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of pass `allocate`: expands the calls that give an array another length.
 *
 *   fresh  = preserve_all cairn_resize_slow(layout, array, count, uninit)  <- a parse point, later
 *   result = cairn_resize_finish(fresh, array, uninit)                     <- a leaf
 *
 * The first function changes the length in place and returns null, or it allocates. The second function copies the
 * elements, or returns the array. So the array is live over the parse point, and the frame map gives its reference to
 * the collector; the runtime's own frames hold no reference. Needs: pass layouts. Provides:
 * cn_expand_resize_call(). Breaks: nothing.
 */
#include "compile/allocation/layout_constants.h"

#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

static LLVMValueRef emit_resize_slow_call(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef call,
                                          LLVMValueRef uninit)
{
  LLVMTypeRef ref = cn_ref_type(ctx), i64 = LLVMInt64TypeInContext(ctx->llvm);
  LLVMTypeRef parameters[] = {LLVMPointerTypeInContext(ctx->llvm, 0), ref, i64, i64};
  LLVMTypeRef type = LLVMFunctionType(ref, parameters, 4, false);
  LLVMValueRef callee = cn_emit_declare_function(ctx, CN_RESIZE_SLOW, type, LLVMPreserveAllCallConv);

  if (!callee)
    return NULL;
  LLVMValueRef arguments[] = {cn_layouts_emit_address(ctx, builder, LLVMGetOperand(call, 0)), LLVMGetOperand(call, 1),
                              LLVMGetOperand(call, 2), uninit};
  LLVMValueRef slow = LLVMBuildCall2(builder, type, callee, arguments, 4, "");
  LLVMSetInstructionCallConv(slow, LLVMPreserveAllCallConv);
  return slow;
}

static LLVMValueRef emit_resize_finish_call(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef fresh,
                                            LLVMValueRef array, LLVMValueRef uninit)
{
  LLVMTypeRef ref = cn_ref_type(ctx), i64 = LLVMInt64TypeInContext(ctx->llvm);
  LLVMTypeRef parameters[] = {ref, ref, i64}, type = LLVMFunctionType(ref, parameters, 3, false);
  LLVMValueRef callee = cn_emit_declare_function(ctx, CN_RESIZE_FINISH, type, LLVMCCallConv);
  LLVMValueRef arguments[] = {fresh, array, uninit};

  if (!callee)
    return NULL;
  LLVMAddAttributeAtIndex(callee, CN_FUNCTION_INDEX,
                          LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_LEAF, sizeof CN_ATTR_LEAF - 1, "", 0));
  cn_add_enum_attribute(ctx, callee, CN_FUNCTION_INDEX, "nounwind", 0);
  return LLVMBuildCall2(builder, type, callee, arguments, 3, "");
}

void cn_expand_resize_call(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef call,
                           const struct cn_allocator *allocator)
{
  CN_CHECK(allocator->resizes && LLVMGetNumArgOperands(call) == 3);
  LLVMValueRef uninit = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), allocator->uninit, false);

  LLVMPositionBuilderBefore(builder, call);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
  LLVMValueRef fresh = emit_resize_slow_call(ctx, builder, call, uninit);
  LLVMValueRef result = fresh ? emit_resize_finish_call(ctx, builder, fresh, LLVMGetOperand(call, 1), uninit) : NULL;
  if (!result)
    return;
  LLVMReplaceAllUsesWith(call, result);
  LLVMInstructionEraseFromParent(call);
}
