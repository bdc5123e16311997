/* SPDX-License-Identifier: Apache-2.0
 *
 * Wraps calls whose result a statepoint cannot return: LLVM 22 crashes, or emits a second call of address 0, if the
 * result is a long double or exceeds the registers and so needs a hidden address. This file moves such a call into a
 * separate native function, which stores the result in the caller's slot:
 *
 *   %r = call T @f(i32 %n)   ->   call void @cairn.result(ptr %slot, ptr @f, i32 %n)
 *                                        %r = load T, ptr %slot
 *
 * If the native function passes on references, a collection during the function would make them stale. The thread
 * therefore stays managed (cairn_call_passing), and the callee must be managed (call_targets.c).
 *
 * Needs: nothing. Provides: every parse point returns its result in registers, except invokes and calls with operand
 * bundles, which refuse_calls.c refuses. Breaks: nothing. Part of pass transitions, which then routes the call of the
 * native function like any other call.
 */
#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/transitions/transitions.h"

enum { WRAPPER_ARGUMENT_COUNT = CN_RESULT_CALLEE_ARGUMENT + 1 }; /* the native function's arguments: slot and callee */

static const char passes_references_attribute[] = "cairn-passes-references";

bool cn_result_wrapper_passes_refs(LLVMValueRef function)
{
  return LLVMIsAFunction(function) && cn_string_attribute(function, passes_references_attribute);
}

static bool call_passes_references(LLVMValueRef call)
{
  bool has = cn_holds_ref(LLVMTypeOf(call));

  for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && !has; i++)
    has = cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(call, i)));
  return has;
}

/* ---- the native function ---- */

/* Copy the attributes of argument `i` of `call` that say how the argument is passed, such as byval and zeroext. */
static void copy_argument_attributes(LLVMValueRef call, unsigned i, LLVMValueRef native, LLVMValueRef inner,
                                     LLVMValueRef outer)
{
  unsigned count = LLVMGetCallSiteAttributeCount(call, i + 1);
  unsigned returned = cn_attribute_kind("returned");
  LLVMAttributeRef *list = cn_alloc((count + 1) * sizeof *list);

  LLVMGetCallSiteAttributes(call, i + 1, list);
  for (unsigned a = 0; a < count; a++) {
    if (LLVMIsEnumAttribute(list[a]) && LLVMGetEnumAttributeKind(list[a]) == returned)
      continue;
    LLVMAddAttributeAtIndex(native, WRAPPER_ARGUMENT_COUNT + i + 1, list[a]);
    LLVMAddCallSiteAttribute(inner, i + 1, list[a]);
    LLVMAddCallSiteAttribute(outer, WRAPPER_ARGUMENT_COUNT + i + 1, list[a]);
  }
  free(list);
}

/* Make the native function for `call`, which will pass `arguments` to the function. `*inner` is the call in the
 * function.
 */
static LLVMValueRef build_native_wrapper(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef call,
                                         const LLVMValueRef *arguments, unsigned count, LLVMValueRef *inner)
{
  CN_CHECK(count >= WRAPPER_ARGUMENT_COUNT && LLVMGetNumArgOperands(call) == count - WRAPPER_ARGUMENT_COUNT);
  LLVMTypeRef *types = cn_alloc(count * sizeof *types);
  LLVMValueRef *passed = cn_alloc(count * sizeof *passed);

  for (unsigned i = 0; i < count; i++)
    types[i] = LLVMTypeOf(arguments[i]);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), types, count, false);
  LLVMValueRef native = LLVMAddFunction(ctx->module, "cairn.result", type);
  LLVMSetLinkage(native, LLVMInternalLinkage);
  cn_add_enum_attribute(ctx, native, CN_FUNCTION_INDEX, "noinline", 0);
  if (call_passes_references(call))
    LLVMAddTargetDependentFunctionAttr(native, passes_references_attribute, "");
  cn_emit_copy_target_attributes(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), native);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(ctx->llvm, native, ""));
  LLVMSetCurrentDebugLocation2(builder, NULL);
  for (unsigned i = WRAPPER_ARGUMENT_COUNT; i < count; i++)
    passed[i - WRAPPER_ARGUMENT_COUNT] = LLVMGetParam(native, i);
  *inner = LLVMBuildCall2(builder, LLVMGetCalledFunctionType(call), LLVMGetParam(native, 1), passed,
                          count - WRAPPER_ARGUMENT_COUNT, "");
  LLVMSetInstructionCallConv(*inner, LLVMGetInstructionCallConv(call));
  LLVMBuildStore(builder, *inner, LLVMGetParam(native, 0));
  LLVMBuildRetVoid(builder);
  free(types);
  free(passed);
  return native;
}

static void move_to_native_wrapper(struct cn_ctx *ctx, LLVMValueRef call)
{
  CN_CHECK(!cn_is_returned_in_registers(ctx->module, LLVMTypeOf(call)) && LLVMGetNumOperandBundles(call) == 0);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
  unsigned count = LLVMGetNumArgOperands(call) + WRAPPER_ARGUMENT_COUNT;
  LLVMValueRef *arguments = cn_alloc(count * sizeof *arguments), inner;

  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
  arguments[0] = LLVMBuildAlloca(builder, LLVMTypeOf(call), "");
  arguments[1] = LLVMGetCalledValue(call);
  for (unsigned i = WRAPPER_ARGUMENT_COUNT; i < count; i++)
    arguments[i] = LLVMGetArgOperand(call, i - WRAPPER_ARGUMENT_COUNT);
  LLVMValueRef native = build_native_wrapper(ctx, builder, call, arguments, count, &inner);
  LLVMPositionBuilderBefore(builder, call);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
  LLVMValueRef outer = LLVMBuildCall2(builder, LLVMGlobalGetValueType(native), native, arguments, count, "");
  for (unsigned i = 0; i < count - WRAPPER_ARGUMENT_COUNT; i++)
    copy_argument_attributes(call, i, native, inner, outer);
  LLVMReplaceAllUsesWith(call, LLVMBuildLoad2(builder, LLVMTypeOf(call), arguments[0], ""));
  LLVMInstructionEraseFromParent(call);
  LLVMDisposeBuilder(builder);
  free(arguments);
}

void cn_result_wrappers_build(struct cn_ctx *ctx)
{
  CN_VECTOR(LLVMValueRef) calls = {0};

  CN_EACH_FUNCTION(f, ctx->module)
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && cn_is_managed(f); b = LLVMGetNextBasicBlock(b))
      CN_EACH_INSTRUCTION(i, b)
        if (LLVMIsACallInst(i) && !cn_is_returned_in_registers(ctx->module, LLVMTypeOf(i)) &&
            cn_classify_call(i).kind == CN_CALL_PARSE_POINT && LLVMGetNumOperandBundles(i) == 0)
          cn_push(&calls, i);
  for (size_t i = 0; i < calls.count; i++)
    move_to_native_wrapper(ctx, calls.at[i]);
  cn_free(&calls);
}
