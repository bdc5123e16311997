/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves each invoke of an allocation function into a new function, which the invoke calls instead. Exhausted memory
 * throws to the caller of the activation that allocates (<cairn/exceptions.h>), so an allocation in a `try` needs an
 * activation below the activation with the landing pad. The slow paths of allocation preserve all registers, while a
 * pad finds only the callee-saved registers again, so the slow paths are always called. Part of pass prepare.
 *
 * Needs: managed functions with a gc strategy. Provides: allocation functions are only called. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/allocation/layout_constants.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/optimise/prepare.h"

enum { MAX_ARGUMENTS = 4 }; /* of allocation functions */

/* Declare the function, with the allocator's type. Its body contains unwinding assembly, because LLVM makes a call
 * of the invoke if it proves that the function is nounwind. */
static LLVMValueRef add_function(struct cn_ctx *ctx, LLVMValueRef invoke, const struct cn_allocator *allocator)
{
  static const char frame_pointer[] = "frame-pointer";
  LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(invoke));
  char *name = cn_format(CN_THROWING_PREFIX "%s", allocator->name);
  LLVMValueRef function = LLVMAddFunction(ctx->module, name, LLVMGetCalledFunctionType(invoke));
  LLVMAttributeRef frames =
      LLVMGetStringAttributeAtIndex(caller, CN_FUNCTION_INDEX, frame_pointer, sizeof frame_pointer - 1);

  free(name);
  LLVMSetLinkage(function, LLVMInternalLinkage);
  LLVMSetGC(function, LLVMGetGC(caller));
  cn_emit_copy_target_attributes(caller, function);
  if (frames)
    LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX, frames);
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "noinline", 0);
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "uwtable", 2);
  return function;
}

static void build_unwinding_assembly(struct cn_ctx *ctx, LLVMBuilderRef builder)
{
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), NULL, 0, false);
  LLVMValueRef code = LLVMGetInlineAsm(type, "", 0, "", 0, true, false, LLVMInlineAsmDialectATT, true);

  LLVMBuildCall2(builder, type, code, NULL, 0, "");
}

/* Move the allocation to `function`. Constants move with it, because the allocation needs a constant layout. */
static void move_allocation(struct cn_ctx *ctx, LLVMValueRef invoke, LLVMValueRef function)
{
  unsigned count = LLVMGetNumArgOperands(invoke);
  LLVMTypeRef type = LLVMGetCalledFunctionType(invoke);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMValueRef arguments[MAX_ARGUMENTS];

  CN_CHECK(count <= MAX_ARGUMENTS && count == LLVMCountParams(function));
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef operand = LLVMGetOperand(invoke, i);
    arguments[i] = LLVMIsAConstant(operand) ? operand : LLVMGetParam(function, i);
    if (LLVMIsAConstant(operand))
      LLVMSetOperand(invoke, i, LLVMConstNull(LLVMTypeOf(operand)));
  }
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(ctx->llvm, function, ""));
  build_unwinding_assembly(ctx, builder);
  LLVMValueRef call = LLVMBuildCall2(builder, type, cn_direct_callee(invoke), arguments, count, "");
  cn_emit_copy_metadata(ctx, invoke, call);
  LLVMBuildRet(builder, call);
  LLVMSetOperand(invoke, (unsigned)LLVMGetNumOperands(invoke) - 1, function);
  LLVMDisposeBuilder(builder);
}

void cn_throwing_allocations_move(struct cn_ctx *ctx, LLVMValueRef function)
{
  const struct cn_allocator *allocator;

  CN_EACH_BLOCK(b, function) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    if (LLVMIsAInvokeInst(end) && (allocator = cn_layouts_called_allocator(end)) != NULL)
      move_allocation(ctx, end, add_function(ctx, end, allocator));
  }
}
