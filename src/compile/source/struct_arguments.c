/* SPDX-License-Identifier: Apache-2.0
 *
 * Passes structs with references by address, where clang passes a copy in the argument area of the stack (`byval`).
 * For some targets clang itself passes the address of a copy, and marks the argument `dead_on_return`.
 *
 * Needs: the front end's IR. Provides: no function and no call of C passes a struct with references by `byval`; the
 * caller copies the struct to a local, and passes the local's address with the attribute `byref`. Breaks: nothing;
 * native code never passes or takes such a struct, because a reference in native code would be lost. Pass `rules` runs
 * this step before its checks.
 *
 * The frame map of a caller describes its locals, but no map describes the argument area. `byref` only names the type:
 * it tells the passes of calls that the call passes references (callees.c), and passes the address like any pointer.
 */
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/source/rules.h"

static unsigned byval_kind(void)
{
  return cn_attribute_kind("byval");
}

/* The type if `attribute`, which may be null, is a `byval` of a type with references; else null. */
static LLVMTypeRef type_with_refs(LLVMAttributeRef attribute)
{
  LLVMTypeRef type = attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;

  return type && cn_holds_ref(type) ? type : NULL;
}

static LLVMAttributeRef make_byref(struct cn_ctx *ctx, LLVMTypeRef type)
{
  return LLVMCreateTypeAttribute(ctx->llvm, cn_attribute_kind("byref"), type);
}

/* The type with references by which the definition reads the copy that a parameter marked `dead_on_return` points to,
 * or null. */
static LLVMTypeRef type_of_taken_copy(LLVMValueRef function, unsigned p)
{
  if (!LLVMGetEnumAttributeAtIndex(function, p, cn_attribute_kind("dead_on_return")))
    return NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMGetParam(function, p - 1)); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAGetElementPtrInst(user) && cn_holds_ref(LLVMGetGEPSourceElementType(user)))
      return LLVMGetGEPSourceElementType(user);
  }
  return NULL;
}

static void change_parameters(struct cn_ctx *ctx, LLVMValueRef function)
{
  for (unsigned p = 1; p <= LLVMCountParams(function); p++) {
    LLVMTypeRef type = type_with_refs(LLVMGetEnumAttributeAtIndex(function, p, byval_kind()));
    LLVMTypeRef taken = type_of_taken_copy(function, p);
    if (taken)
      LLVMAddAttributeAtIndex(function, p, make_byref(ctx, taken));
    if (!type)
      continue;
    LLVMRemoveEnumAttributeAtIndex(function, p, byval_kind());
    LLVMAddAttributeAtIndex(function, p, make_byref(ctx, type));
  }
}

/* Copy the struct that argument `a` points to into a new local, and pass the local's address. */
static void pass_copy(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef call, unsigned a, LLVMTypeRef type)
{
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), original = LLVMGetOperand(call, a);
  unsigned alignment = LLVMABIAlignmentOfType(ctx->layout, type);
  LLVMValueRef size = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), LLVMABISizeOfType(ctx->layout, type), false);

  CN_CHECK(LLVMGetTypeKind(LLVMTypeOf(original)) == LLVMPointerTypeKind && !cn_is_ref(LLVMTypeOf(original)));
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
  LLVMSetCurrentDebugLocation2(builder, NULL);
  LLVMValueRef copy = LLVMBuildAlloca(builder, type, "");
  LLVMSetAlignment(copy, alignment);
  LLVMPositionBuilderBefore(builder, call);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
  LLVMBuildMemCpy(builder, copy, alignment, original, alignment, size);
  LLVMSetOperand(call, a, copy);
  LLVMRemoveCallSiteEnumAttribute(call, a + 1, byval_kind());
  LLVMAddCallSiteAttribute(call, a + 1, make_byref(ctx, type));
}

/* The type of the copy with references whose address clang passes as argument `a`, or null. */
static LLVMTypeRef type_of_passed_copy(LLVMValueRef call, unsigned a)
{
  LLVMValueRef argument = LLVMGetOperand(call, a);
  LLVMTypeRef type = LLVMIsAAllocaInst(argument) ? LLVMGetAllocatedType(argument) : NULL;

  return type && cn_holds_ref(type) && LLVMGetCallSiteEnumAttribute(call, a + 1, cn_attribute_kind("dead_on_return"))
             ? type
             : NULL;
}

/* Note the type at the call, and at the callee's declaration, which has none. */
static void note_passed_copy(struct cn_ctx *ctx, LLVMValueRef call, unsigned a, LLVMTypeRef type)
{
  LLVMValueRef callee = cn_direct_callee(call);

  LLVMAddCallSiteAttribute(call, a + 1, make_byref(ctx, type));
  if (callee && LLVMIsDeclaration(callee) && a < LLVMCountParams(callee))
    LLVMAddAttributeAtIndex(callee, a + 1, make_byref(ctx, type));
}

static void change_call(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef call)
{
  unsigned fixed = LLVMCountParamTypes(LLVMGetCalledFunctionType(call));

  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
    LLVMTypeRef type = type_with_refs(LLVMGetCallSiteEnumAttribute(call, a + 1, byval_kind()));
    LLVMTypeRef copied = type_of_passed_copy(call, a);
    if (!type && !copied)
      continue;
    if (a >= fixed)
      cn_error(ctx, call, "variadic-reference",
               "a struct that holds references is passed as a variadic argument, where the collector does not find "
               "them; pass it as a declared parameter");
    else if (cn_calls_is_musttail(call))
      cn_error(ctx, call, "byval-reference",
               "a struct that holds references is passed by value in a call with musttail, which has no frame for the "
               "struct; pass its members, or leave out musttail");
    else if (copied)
      note_passed_copy(ctx, call, a, copied);
    else
      pass_copy(ctx, builder, call, a, type);
  }
}

static void change_calls(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i))
        change_call(ctx, builder, i);
  LLVMDisposeBuilder(builder);
}

void cn_struct_arguments_pass_by_address(struct cn_ctx *ctx)
{
  CN_ASSERT(ctx->options->manage_all);
  CN_EACH_FUNCTION(f, ctx->module) {
    change_parameters(ctx, f);
    change_calls(ctx, f);
  }
}
