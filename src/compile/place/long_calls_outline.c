/* SPDX-License-Identifier: Apache-2.0
 *
 * A function of its own, cairn.long.NAME, one per leaf and module, makes long calls in pieces,
 * which then costs a caller neither registers nor code: beside the old call stand a comparison of
 * the length and a cold call. Part of pass `place-safepoints`.
 *
 * Needs: nothing. Provides: managed functions that poll on each way through. Breaks: struct cn_cfg.
 *
 * Not with a poll of the module's own: such a function may get a pointer into an object for an
 * argument, and the module's runtime may not know the object by it. There calls are cut in place.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/analysis/cfg.h"
#include "compile/core/emit.h"
#include "compile/core/names.h"
#include "compile/cost/cost.h"
#include "compile/place/long_calls.h"

#define ARGUMENTS 3 /* to where, with what or from where, how many bytes */

static void add_attributes(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef caller)
{
  static const char frame_pointer[] = "frame-pointer";
  const char *gc = LLVMGetGC(caller);
  LLVMAttributeRef frames = LLVMGetStringAttributeAtIndex(caller, CN_FUNCTION_INDEX, frame_pointer,
                                                          sizeof frame_pointer - 1);

  if (frames)
    LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX, frames);
  if (gc)
    LLVMSetGC(function, gc);
  else
    LLVMAddAttributeAtIndex(
        function, CN_FUNCTION_INDEX,
        LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_MANAGED, sizeof CN_ATTR_MANAGED - 1, "", 0));
  if (ctx->options->size_level) /* calls of any length come here, and need no poll beside them */
    LLVMAddAttributeAtIndex(
        function, CN_FUNCTION_INDEX,
        LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_POLLS, sizeof CN_ATTR_POLLS - 1, "", 0));
  cn_add_attribute(ctx, function, CN_FUNCTION_INDEX, "noinline", 0);
  cn_add_attribute(ctx, function, CN_FUNCTION_INDEX, "nounwind", 0);
  cn_add_attribute(ctx, function, CN_FUNCTION_INDEX, "uwtable", 2);
}

/* Have the function call the leaf with its arguments; then cut that call. */
static void fill(struct cn_ctx *ctx, LLVMValueRef function, const struct cn_long_call *which,
                 struct cn_polls *polls)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMValueRef leaf = cn_direct_callee(which->call), arguments[ARGUMENTS + 1];
  unsigned count = LLVMGetNumArgOperands(which->call);
  struct cn_long_call inner = *which;
  struct cn_ptrmap polled = {0};

  CN_CHECK(count == ARGUMENTS || count == ARGUMENTS + 1);
  CN_CHECK(LLVMCountParams(function) == ARGUMENTS);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(ctx->llvm, function, ""));
  LLVMGetParams(function, arguments);
  if (count > ARGUMENTS)
    arguments[ARGUMENTS] = LLVMGetOperand(which->call, ARGUMENTS); /* not volatile */
  inner.call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(leaf), leaf, arguments, count, "");
  inner.limit = 0;
  if (which->result == CN_LONG_NOTHING)
    LLVMBuildRetVoid(builder);
  else
    LLVMBuildRet(builder, inner.call);
  cn_long_cut(ctx, &inner, polls, &polled);
  CN_ASSERT(polled.count); /* it has a loop of pieces at least */
  cn_ptrmap_free(&polled);
  LLVMDisposeBuilder(builder);
}

static LLVMValueRef function_for(struct cn_ctx *ctx, const struct cn_long_call *which,
                                 struct cn_polls *polls)
{
  LLVMTypeRef types[ARGUMENTS];
  size_t length;
  char *name =
      cn_format(CN_LONG_PREFIX "%s", LLVMGetValueName2(cn_direct_callee(which->call), &length));
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  for (unsigned i = 0; i < ARGUMENTS; i++)
    types[i] = LLVMTypeOf(LLVMGetOperand(which->call, i));
  LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(which->call), types, ARGUMENTS, false);
  if (!function || LLVMIsDeclaration(function) || LLVMGlobalGetValueType(function) != type) {
    function = LLVMAddFunction(ctx->module, name, type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    add_attributes(ctx, function, LLVMGetBasicBlockParent(LLVMGetInstructionParent(which->call)));
    fill(ctx, function, which, polls);
  }
  free(name);
  return function;
}

/* A call of `function` with the same arguments. */
static LLVMValueRef call_instead(LLVMBuilderRef builder, LLVMValueRef function,
                                 const struct cn_long_call *which)
{
  LLVMValueRef arguments[ARGUMENTS];

  for (unsigned i = 0; i < ARGUMENTS; i++)
    arguments[i] = LLVMGetOperand(which->call, i);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(which->call));
  return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments, ARGUMENTS,
                        "");
}

/* Join the results of both calls in `done`. */
static void join(LLVMBuilderRef builder, LLVMValueRef call, LLVMBasicBlockRef plain,
                 LLVMValueRef cold, LLVMBasicBlockRef done)
{
  LLVMBasicBlockRef from = LLVMGetInstructionParent(cold);

  if (!LLVMGetFirstUse(call))
    return;
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(done));
  LLVMValueRef both = LLVMBuildPhi(builder, LLVMTypeOf(call), "long.result");
  LLVMReplaceAllUsesWith(call, both);
  LLVMAddIncoming(both, &call, &plain, 1);
  LLVMAddIncoming(both, &cold, &from, 1);
}

static void branch(struct cn_ctx *ctx, LLVMBuilderRef builder, const struct cn_long_call *which,
                   LLVMValueRef function)
{
  LLVMValueRef call = which->call, length = LLVMGetOperand(call, which->length);
  LLVMBasicBlockRef head = LLVMGetInstructionParent(call);
  LLVMBasicBlockRef done = cn_split_before(ctx, LLVMGetNextInstruction(call), "long.done");
  LLVMBasicBlockRef plain = cn_split_before(ctx, call, "long.plain");
  LLVMBasicBlockRef cold =
      LLVMAppendBasicBlockInContext(ctx->llvm, LLVMGetBasicBlockParent(head), "long.cold");
  LLVMValueRef limit = LLVMConstInt(LLVMTypeOf(length), which->limit, false);

  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
  LLVMPositionBuilderAtEnd(builder, cold);
  LLVMValueRef instead = call_instead(builder, function, which);
  LLVMBuildBr(builder, done);
  LLVMPositionBuilderAtEnd(builder, head);
  LLVMValueRef is_long = LLVMBuildICmp(builder, LLVMIntUGT, length, limit, "long");
  cn_emit_unlikely(ctx, LLVMBuildCondBr(builder, is_long, cold, plain));
  join(builder, call, plain, instead, done);
  cn_work_say(ctx, call, cn_work_of_bytes(which->limit));
}

void cn_long_outline(struct cn_ctx *ctx, const struct cn_long_call *which, struct cn_polls *polls)
{
  CN_CHECK(!polls->user && which->length == ARGUMENTS - 1);
  LLVMValueRef function = function_for(ctx, which, polls);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  if (which->limit) {
    branch(ctx, builder, which, function);
  } else {
    LLVMPositionBuilderBefore(builder, which->call);
    cn_emit_instead(which->call, call_instead(builder, function, which));
  }
  LLVMDisposeBuilder(builder);
}
