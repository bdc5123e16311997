/* SPDX-License-Identifier: Apache-2.0
 *
 * Hides differences of references from the optimiser, which would compute a difference from addresses on both sides of
 * a safepoint. Pass `prepare` replaces the differences by calls of cairn.ptrdiff; pass `lower-differences` replaces the
 * calls by subtractions again, after the statepoints.
 *
 * Needs: promoted locals for the calls, and final statepoints for the pass. Provides: calls instead of the differences,
 * and subtractions after the pass; an error for other uses of cairn.ptrdiff. Breaks: nothing.
 */
#include "compile/lower/lower.h"

#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/memory_types.h"

/* True for null and its like. The address of a static object counts as that of an object. */
static bool is_constant_address(LLVMValueRef reference)
{
  return (LLVMIsConstant(reference) && !cn_types_managed_variable_of(reference)) ||
         ((LLVMIsAIntToPtrInst(reference) || LLVMIsAFreezeInst(reference)) &&
          LLVMIsConstant(LLVMGetOperand(reference, 0)));
}

/* True for the address of a reference as an integer, which is a constant for a static object. */
static bool is_address_cast(LLVMValueRef cast)
{
  return (cn_is_pointer_to_integer_cast(cast) ||
          (LLVMIsAConstantExpr(cast) && LLVMGetConstOpcode(cast) == LLVMPtrToInt)) &&
         cn_is_ref(LLVMTypeOf(LLVMGetOperand(cast, 0)));
}

LLVMValueRef cn_differences_match(LLVMValueRef sub, LLVMValueRef operands[2])
{
  if (!LLVMIsABinaryOperator(sub) || LLVMGetInstructionOpcode(sub) != LLVMSub)
    return NULL;
  for (unsigned i = 0; i < 2; i++) {
    LLVMValueRef cast = LLVMGetOperand(sub, i);
    if (!is_address_cast(cast))
      return NULL;
    operands[i] = LLVMGetOperand(cast, 0);
    if (is_constant_address(operands[i]))
      return NULL; /* a difference with null is an address; verify-safepoints refuses its wrong uses */
  }
  return LLVMGetIntTypeWidth(LLVMTypeOf(sub)) <= 64 ? sub : NULL;
}

/* Declare i64 @cairn.ptrdiff(a, b), whose result is independent of relocations. */
static LLVMValueRef declare_ptrdiff_function(struct cn_ctx *ctx)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, CN_PTRDIFF);
  static const char *const attributes[] = {"nounwind", "willreturn", "speculatable", "nocallback",
                                           "nofree",   "nosync",     "memory"};
  LLVMTypeRef ref = cn_ref_type(ctx);

  if (function)
    return function;
  function = LLVMAddFunction(ctx->module, CN_PTRDIFF,
                             LLVMFunctionType(LLVMInt64TypeInContext(ctx->llvm), (LLVMTypeRef[]){ref, ref}, 2, false));
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, attributes[i], 0);
  LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX,
                          LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_LEAF, sizeof CN_ATTR_LEAF - 1, "", 0));
  return function;
}

static void replace_by_ptrdiff_call(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef sub,
                                    LLVMValueRef *operands)
{
  CN_CHECK(LLVMTypeOf(operands[0]) == cn_ref_type(ctx) && LLVMTypeOf(operands[1]) == cn_ref_type(ctx));
  LLVMValueRef function = declare_ptrdiff_function(ctx);
  LLVMValueRef casts[2] = {LLVMGetOperand(sub, 0), LLVMGetOperand(sub, 1)};

  LLVMPositionBuilderBefore(builder, sub);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(sub));
  LLVMValueRef whole = LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, operands, 2, "");
  LLVMReplaceAllUsesWith(sub, LLVMBuildTrunc(builder, whole, LLVMTypeOf(sub), ""));
  LLVMInstructionEraseFromParent(sub);
  for (unsigned i = 0; i < 2; i++)
    if (LLVMIsAInstruction(casts[i]) && !LLVMGetFirstUse(casts[i]) && (i == 0 || casts[1] != casts[0]))
      LLVMInstructionEraseFromParent(casts[i]);
}

void cn_differences_hide_subtractions(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_VECTOR(LLVMValueRef) subs = {0};
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMValueRef operands[2];

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_differences_match(i, operands) && LLVMTypeOf(operands[0]) == cn_ref_type(ctx) &&
          LLVMTypeOf(operands[1]) == cn_ref_type(ctx))
        cn_push(&subs, i);
  for (size_t i = 0; i < subs.count; i++) {
    CN_CHECK(cn_differences_match(subs.at[i], operands)); /* the differences are independent of each other */
    replace_by_ptrdiff_call(ctx, builder, subs.at[i], operands);
  }
  cn_free(&subs);
  LLVMDisposeBuilder(builder);
}

/* ---- the pass ---- */

/* Build the subtraction. If an operand is a literal null, then the optimiser has specialised the call for a branch of
 * the input. The subtraction then gives the other operand's current address, like the subtraction in the input, and its
 * metadata marks a difference. `prepare` keeps subtractions that have a literal null in the input. */
static LLVMValueRef build_address_subtraction(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef left,
                                              LLVMValueRef right)
{
  CN_ASSERT(cn_is_ref(LLVMTypeOf(left)) && cn_is_ref(LLVMTypeOf(right)));
  LLVMTypeRef word = LLVMInt64TypeInContext(ctx->llvm);
  LLVMValueRef a = LLVMBuildPtrToInt(builder, left, word, "");
  LLVMValueRef b = LLVMBuildPtrToInt(builder, right, word, "");
  LLVMValueRef sub = LLVMBuildSub(builder, a, b, "");

  if (LLVMIsAInstruction(sub) && (LLVMIsNull(left) || LLVMIsNull(right)))
    LLVMSetMetadata(sub, cn_difference_metadata_kind(ctx->llvm),
                    LLVMMetadataAsValue(ctx->llvm, LLVMMDNodeInContext2(ctx->llvm, NULL, 0)));
  return sub;
}

LLVMValueRef cn_differences_build_distance(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef to,
                                           LLVMValueRef from)
{
  LLVMTypeRef ref = cn_ref_type(ctx), word = LLVMInt64TypeInContext(ctx->llvm);
  LLVMValueRef operands[] = {to, from};

  CN_ASSERT(cn_is_ref(LLVMTypeOf(to)) && cn_is_ref(LLVMTypeOf(from)));
  if (ctx->options->safepoints != CAIRN_SAFEPOINTS_EARLY || LLVMTypeOf(to) != ref || LLVMTypeOf(from) != ref ||
      LLVMIsConstant(from)) {
    LLVMValueRef address = LLVMBuildPtrToInt(builder, to, word, "");
    LLVMValueRef start = LLVMBuildPtrToInt(builder, from, word, "");
    return LLVMBuildSub(builder, address, start, "");
  }
  LLVMValueRef function = declare_ptrdiff_function(ctx);
  return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, operands, 2, "");
}

static bool is_ptrdiff_call(LLVMValueRef call)
{
  return LLVMGetNumArgOperands(call) == 2 && cn_is_ref(LLVMTypeOf(LLVMGetOperand(call, 0))) &&
         cn_is_ref(LLVMTypeOf(LLVMGetOperand(call, 1))) &&
         LLVMTypeOf(call) == LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
}

bool cn_lower_differences(struct cn_ctx *ctx)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, CN_PTRDIFF);

  if (!function)
    return true;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  for (LLVMUseRef use; (use = LLVMGetFirstUse(function));) {
    LLVMValueRef call = LLVMGetUser(use);
    if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != function || !is_ptrdiff_call(call)) {
      cn_error(ctx, function, "ptrdiff", "%s is used other than by calling it with two references", CN_PTRDIFF);
      break;
    }
    LLVMPositionBuilderBefore(builder, call);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
    LLVMReplaceAllUsesWith(call,
                           build_address_subtraction(ctx, builder, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1)));
    LLVMInstructionEraseFromParent(call);
  }
  LLVMDisposeBuilder(builder);
  if (ctx->errors == 0)
    LLVMDeleteFunction(function);
  return ctx->errors == 0;
}
