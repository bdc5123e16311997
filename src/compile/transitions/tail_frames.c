/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps frames walkable if their callees have a convention with guaranteed tail calls (tailcc, swifttailcc). A function
 * of such a convention may make a tail call that passes more or fewer arguments on the stack than the function
 * received. The function then moves its return address, so that the frame map of the last callee cannot give the
 * caller's stack pointer. The stack walk therefore finds the caller's frame by the frame pointer.
 *
 * In a frame with a frame pointer, the code generator still addresses slots by the stack pointer if the distance is
 * constant; statepoint.c converts the distance to one from the frame pointer. A realigned stack makes the distance
 * variable. This file therefore forbids realignment. If a local needs realignment, an alloca whose size is unknown at
 * compile time (0 at run time) makes the code generator address the whole frame by other registers.
 *
 * Needs: final statepoints. Provides: frames that a stack walk finds after tail calls of their callees. Breaks:
 * nothing. Part of pass call-targets.
 */
#include <string.h>
#include "base/check.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/transitions/transitions.h"
#include "compile/transitions/callees.h"

/* True if the callee keeps its return address in place, because the callee makes no tail calls. */
static bool keeps_return_address(LLVMValueRef callee)
{
  LLVMValueRef function = cn_target_managed_function(callee);

  if (!function)
    return false;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsACallInst(i) && LLVMGetTailCallKind(i) != LLVMTailCallKindNone &&
          cn_convention_has_tail_calls(LLVMGetInstructionCallConv(i)))
        return false;
  return true;
}

static bool calls_return_address_movers(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      if (cn_classify_call(i).kind != CN_CALL_STATEPOINT ||
          !cn_convention_has_tail_calls(LLVMGetInstructionCallConv(i)))
        continue;
      struct cn_call_target site = cn_call_target_of(i);
      if (!keeps_return_address(cn_call_target_callee(&site)))
        return true;
    }
  return false;
}

static bool needs_stack_realignment(LLVMValueRef function)
{
  if (LLVMGetEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_attribute_kind("alignstack")) ||
      cn_string_attribute(function, "stackrealign"))
    return true;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsAAllocaInst(i) && LLVMGetAlignment(i) > CN_CONVENTION_STACK_ALIGNMENT)
        return true;
  return false;
}

static LLVMValueRef build_assembly_call(LLVMBuilderRef builder, LLVMTypeRef type, const char *text,
                                        const char *constraints, LLVMValueRef *arguments, unsigned count)
{
  LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), true, false,
                                       LLVMInlineAsmDialectATT, false);

  return LLVMBuildCall2(builder, type, code, arguments, count, "");
}

/* Make the code generator address the frame by other registers than the stack pointer. */
static void add_unknown_size_alloca(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm), i8 = LLVMInt8TypeInContext(ctx->llvm);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx->llvm, 0);
  const struct cn_convention_port *port = cn_convention_port_of(ctx->module);

  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
  LLVMValueRef size = build_assembly_call(builder, LLVMFunctionType(i64, NULL, 0, false), port->zero_register_assembly,
                                          port->zero_register_constraints, NULL, 0);
  LLVMValueRef area = LLVMBuildArrayAlloca(builder, i8, size, "");
  LLVMTypeRef use = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), &pointer, 1, false);
  build_assembly_call(builder, use, "", "r", &area, 1);
  LLVMDisposeBuilder(builder);
}

static void add_string_attribute(struct cn_ctx *ctx, LLVMValueRef function, const char *name, const char *value)
{
  LLVMAddAttributeAtIndex(
      function, CN_FUNCTION_INDEX,
      LLVMCreateStringAttribute(ctx->llvm, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

void cn_tail_frames_fix(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_CHECK(LLVMIsAFunction(function) && !LLVMIsDeclaration(function));
  if (!calls_return_address_movers(function))
    return;
  if (needs_stack_realignment(function)) {
    add_unknown_size_alloca(ctx, function);
    return;
  }
  add_string_attribute(ctx, function, "frame-pointer", "all");
  add_string_attribute(ctx, function, "no-realign-stack", "");
}
