/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces special calls by calls that can be safepoints (statepoints-later, "RewriteStatepointsForGC"):
 *
 *   llvm.experimental.guard(i1, ...)            a branch, and on its unlikely side a
 *                                               deoptimisation
 *   llvm.experimental.deoptimize(...) and ret   call of @__llvm_deoptimize, unreachable
 *   llvm.memcpy, llvm.memmove @__llvm_memcpy_element_unordered_atomic_safepoint_N(
 *     .element.unordered.atomic                   base, offset, base, offset, length)
 *   a variadic callee                           call of an internal function with the types of the
 *                                               arguments, which makes the call
 *
 * The names are those of LLVM's pass, so that a run-time system for LLVM's pass also works here. A copy passes the base
 * pointers and distances of its pointers, because a collector that runs during the copy updates only base pointers.
 *
 * Needs: nothing. Provides: every parse point is a call that a statepoint can wrap; cn_special_refuse_call(), which
 * reports other intrinsics and variadic calls while the module is unchanged. Breaks: struct cn_cfg.
 */
#include "compile/lower/lower.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

typedef CN_VECTOR(LLVMValueRef) value_vector;

enum { MAX_ELEMENT_BYTES = 16 };

static bool is_guard(LLVMValueRef call)
{
  return cn_calls_intrinsic(call, "llvm.experimental.guard");
}

static bool is_deoptimize(LLVMValueRef call)
{
  return cn_calls_intrinsic(call, "llvm.experimental.deoptimize");
}

static const char *element_copy_name(LLVMValueRef call)
{
  if (cn_calls_intrinsic(call, "llvm.memcpy.element.unordered.atomic"))
    return "memcpy";
  if (cn_calls_intrinsic(call, "llvm.memmove.element.unordered.atomic"))
    return "memmove";
  return NULL;
}

static uint64_t element_size(LLVMValueRef copy)
{
  CN_ASSERT(element_copy_name(copy));
  return LLVMConstIntGetZExtValue(LLVMGetOperand(copy, 3));
}

static bool is_variadic_call(LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  return LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call)) && !(callee && LLVMGetIntrinsicID(callee));
}

/* ---- refusals ---- */

static void refuse_variadic(struct cn_ctx *ctx, LLVMValueRef call)
{
  static const char *const never[] = {"inalloca", "preallocated", "swifterror", "swiftasync"};
  unsigned fixed = LLVMCountParamTypes(LLVMGetCalledFunctionType(call));

  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    if (i >= fixed && cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(call, i))))
      cn_error(ctx, call, "variadic-reference",
               "argument %u is a reference passed where the callee takes any number of arguments: "
               "no collector finds it there",
               i + 1);
    for (size_t a = 0; a < sizeof never / sizeof *never; a++)
      if (LLVMGetCallSiteEnumAttribute(call, i + 1, cn_attribute_kind(never[a])))
        cn_error(ctx, call, "variadic-statepoint",
                 "argument %u of a variadic callee is %s: no other function can pass it on", i + 1, never[a]);
  }
}

void cn_special_refuse_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);
  size_t length;

  if (is_variadic_call(call)) {
    refuse_variadic(ctx, call);
    return;
  }
  if (!callee || !LLVMGetIntrinsicID(callee))
    return;
  const char *name = LLVMGetValueName2(callee, &length);
  if (element_copy_name(call)) {
    if (element_size(call) > MAX_ELEMENT_BYTES)
      cn_error(ctx, call, "intrinsic-statepoint",
               "%s: no run-time system has a copy for elements of more than 16 bytes", name);
    return;
  }
  if (LLVMIsACallInst(call) && (is_guard(call) || is_deoptimize(call)))
    return;
  cn_error(ctx, call, "intrinsic-statepoint", "%s runs code that a statepoint cannot call; lower it to a call before",
           name);
}

/* ---- guards ---- */

static bool has_guard(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsACallInst(i) && is_guard(i))
        return true;
  return false;
}

static void lower_guards(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPassesOnFunction(function, "lower-guard-intrinsic", ctx->machine, options);

  CN_CHECK(!error);
  LLVMDisposePassBuilderOptions(options);
}

/* ---- replacement of calls ---- */

struct call_rewrite {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  LLVMValueRef call;
};

static LLVMOperandBundleRef *copy_bundles(LLVMValueRef call, unsigned *count)
{
  *count = LLVMGetNumOperandBundles(call);
  LLVMOperandBundleRef *bundles = cn_alloc((*count + 1) * sizeof *bundles);
  for (unsigned i = 0; i < *count; i++)
    bundles[i] = LLVMGetOperandBundleAtIndex(call, i);
  return bundles;
}

/* True for all attributes except "returned", which is wrong for the result of the new call. */
static bool is_copied_attribute(LLVMAttributeRef attribute)
{
  return !LLVMIsEnumAttribute(attribute) || LLVMGetEnumAttributeKind(attribute) != cn_attribute_kind("returned");
}

static void copy_attributes_at(LLVMValueRef from, unsigned from_index, LLVMValueRef to, unsigned index)
{
  cn_emit_copy_attributes(from, from_index, to, index, is_copied_attribute);
}

/* Build a call of `callee` with the bundles, function attributes and source line of the old call. An invoke stays an
 * invoke. */
static LLVMValueRef build_similar_call(struct call_rewrite *c, LLVMTypeRef type, LLVMValueRef callee,
                                       LLVMValueRef *arguments, unsigned count)
{
  unsigned bundle_count;
  CN_CHECK(LLVMCountParamTypes(type) == count && !LLVMIsFunctionVarArg(type));
  CN_CHECK(LLVMIsACallInst(c->call) || LLVMIsAInvokeInst(c->call));
  LLVMOperandBundleRef *bundles = copy_bundles(c->call, &bundle_count);
  LLVMValueRef made;

  if (LLVMIsAInvokeInst(c->call))
    made = LLVMBuildInvokeWithOperandBundles(c->builder, type, callee, arguments, count, LLVMGetNormalDest(c->call),
                                             LLVMGetUnwindDest(c->call), bundles, bundle_count, "");
  else
    made = LLVMBuildCallWithOperandBundles(c->builder, type, callee, arguments, count, bundles, bundle_count, "");
  for (unsigned i = 0; i < bundle_count; i++)
    LLVMDisposeOperandBundle(bundles[i]);
  free(bundles);
  copy_attributes_at(c->call, CN_FUNCTION_INDEX, made, CN_FUNCTION_INDEX);
  LLVMRemoveCallSiteEnumAttribute(made, CN_FUNCTION_INDEX, cn_attribute_kind("memory"));
  return made;
}

/* Declare the function `name`. An existing function of another type also works, because calls have their types. */
static LLVMValueRef declare_function(struct cn_ctx *ctx, const char *name, LLVMTypeRef type)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  return function ? function : LLVMAddFunction(ctx->module, name, type);
}

static LLVMTypeRef function_type_of_call(LLVMTypeRef result, LLVMValueRef *arguments, unsigned count)
{
  LLVMTypeRef *types = cn_alloc((count + 1) * sizeof *types);

  for (unsigned i = 0; i < count; i++)
    types[i] = LLVMTypeOf(arguments[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
  free(types);
  return type;
}

/* Erase the return after the call, because the call never returns. The runtime expects a reason, a number, which is 0
 * if the program gives none. */
static void lower_deoptimize(struct call_rewrite *c)
{
  LLVMValueRef call = c->call, end = LLVMGetNextInstruction(call);
  CN_CHECK(LLVMIsACallInst(call) && LLVMIsAReturnInst(end)); /* LLVM's verifier guarantees this */
  unsigned count = LLVMGetNumArgOperands(call);
  LLVMValueRef *arguments = cn_alloc((count + 1) * sizeof *arguments);

  for (unsigned i = 0; i < count; i++)
    arguments[i] = LLVMGetArgOperand(call, i);
  if (count == 0)
    arguments[0] = LLVMConstInt(LLVMInt64TypeInContext(c->ctx->llvm), 0, false);
  unsigned passed = count == 0 ? 1 : count;
  LLVMTypeRef type = function_type_of_call(LLVMVoidTypeInContext(c->ctx->llvm), arguments, passed);
  LLVMValueRef made =
      build_similar_call(c, type, declare_function(c->ctx, "__llvm_deoptimize", type), arguments, passed);
  LLVMSetInstructionCallConv(made, LLVMGetInstructionCallConv(call));
  for (unsigned i = 1; i <= count; i++)
    copy_attributes_at(call, i, made, i);
  LLVMBuildUnreachable(c->builder);
  LLVMInstructionEraseFromParent(end);
  LLVMInstructionEraseFromParent(call);
  free(arguments);
}

/* ---- copies ---- */

static LLVMValueRef build_pointer_intrinsic(struct call_rewrite *c, const char *name, LLVMValueRef pointer,
                                            size_t count)
{
  LLVMTypeRef types[] = {LLVMTypeOf(pointer), LLVMTypeOf(pointer)};
  LLVMValueRef intrinsic = cn_intrinsic(c->ctx, name, types, count);

  return LLVMBuildCall2(c->builder, LLVMGlobalGetValueType(intrinsic), intrinsic, &pointer, 1, "");
}

/* Split `pointer` into its base and the distance from the base. A constant has base null and its address as distance.
 * An ordinary pointer is its own base. */
static void split_base_and_distance(struct call_rewrite *c, LLVMValueRef pointer, LLVMValueRef out[2])
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(c->ctx->llvm), type = LLVMTypeOf(pointer);

  if (LLVMIsConstant(pointer)) {
    out[0] = LLVMConstNull(type);
    out[1] = LLVMConstPtrToInt(pointer, i64);
  } else if (cn_is_ref(type)) {
    out[0] = build_pointer_intrinsic(c, "llvm.experimental.gc.get.pointer.base", pointer, 2);
    out[1] = build_pointer_intrinsic(c, "llvm.experimental.gc.get.pointer.offset", pointer, 1);
  } else {
    out[0] = pointer;
    out[1] = LLVMConstInt(i64, 0, false);
  }
}

static void lower_element_copy(struct call_rewrite *c)
{
  LLVMValueRef arguments[5];

  CN_CHECK(element_size(c->call) > 0 && element_size(c->call) <= MAX_ELEMENT_BYTES);
  split_base_and_distance(c, LLVMGetArgOperand(c->call, 0), arguments);
  split_base_and_distance(c, LLVMGetArgOperand(c->call, 1), arguments + 2);
  arguments[4] = LLVMGetArgOperand(c->call, 2);
  char *name = cn_format("__llvm_%s_element_unordered_atomic_safepoint_%u", element_copy_name(c->call),
                         (unsigned)element_size(c->call));
  LLVMTypeRef type = function_type_of_call(LLVMVoidTypeInContext(c->ctx->llvm), arguments, 5);
  build_similar_call(c, type, declare_function(c->ctx, name, type), arguments, 5);
  LLVMInstructionEraseFromParent(c->call);
  free(name);
}

/* ---- variadic callees ---- */

/* Copy the attributes of argument `i`, which is argument i + 1 of `function`, because the callee is argument 0. */
static void copy_argument_attributes(LLVMValueRef call, unsigned i, LLVMValueRef function, LLVMValueRef inner,
                                     LLVMValueRef outer)
{
  unsigned count = LLVMGetCallSiteAttributeCount(call, i + 1);
  LLVMAttributeRef *list = cn_alloc((count + 1) * sizeof *list);

  copy_attributes_at(call, i + 1, inner, i + 1);
  copy_attributes_at(call, i + 1, outer, i + 2);
  LLVMGetCallSiteAttributes(outer, i + 2, list);
  for (unsigned a = 0; a < LLVMGetCallSiteAttributeCount(outer, i + 2); a++)
    LLVMAddAttributeAtIndex(function, i + 2, list[a]);
  free(list);
}

/* Build an internal function that takes the callee and the arguments, and calls the callee with these arguments. */
static LLVMValueRef build_variadic_caller(struct call_rewrite *c, LLVMTypeRef type, LLVMValueRef *inner)
{
  CN_CHECK(LLVMCountParamTypes(type) == LLVMGetNumArgOperands(c->call) + 1);
  LLVMValueRef function = LLVMAddFunction(c->ctx->module, "cairn.variadic", type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(c->ctx->llvm);
  unsigned count = LLVMCountParams(function) - 1;
  LLVMValueRef *arguments = cn_alloc((count + 1) * sizeof *arguments);

  LLVMSetLinkage(function, LLVMInternalLinkage);
  cn_add_enum_attribute(c->ctx, function, CN_FUNCTION_INDEX, "noinline", 0);
  cn_add_enum_attribute(c->ctx, function, CN_FUNCTION_INDEX, "uwtable", 2);
  cn_emit_copy_target_attributes(LLVMGetBasicBlockParent(LLVMGetInstructionParent(c->call)), function);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(c->ctx->llvm, function, ""));
  for (unsigned i = 0; i < count; i++)
    arguments[i] = LLVMGetParam(function, i + 1);
  *inner = LLVMBuildCall2(builder, LLVMGetCalledFunctionType(c->call), LLVMGetParam(function, 0), arguments, count, "");
  LLVMSetInstructionCallConv(*inner, LLVMGetInstructionCallConv(c->call));
  copy_attributes_at(c->call, LLVMAttributeReturnIndex, *inner, LLVMAttributeReturnIndex);
  if (LLVMGetTypeKind(LLVMTypeOf(*inner)) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(builder);
  else
    LLVMBuildRet(builder, *inner);
  LLVMDisposeBuilder(builder);
  free(arguments);
  return function;
}

static void lower_variadic(struct call_rewrite *c)
{
  unsigned count = LLVMGetNumArgOperands(c->call);
  LLVMValueRef *arguments = cn_alloc((count + 1) * sizeof *arguments), inner;
  size_t length;

  arguments[0] = LLVMGetCalledValue(c->call);
  for (unsigned i = 0; i < count; i++)
    arguments[i + 1] = LLVMGetArgOperand(c->call, i);
  LLVMTypeRef type = function_type_of_call(LLVMTypeOf(c->call), arguments, count + 1);
  LLVMValueRef function = build_variadic_caller(c, type, &inner);
  LLVMValueRef outer = build_similar_call(c, type, function, arguments, count + 1);
  copy_attributes_at(c->call, LLVMAttributeReturnIndex, outer, LLVMAttributeReturnIndex);
  for (unsigned i = 0; i < count; i++)
    copy_argument_attributes(c->call, i, function, inner, outer);
  cn_report(c->ctx, CAIRN_REMARK, outer, "variadic-statepoint",
            "the call of a variadic function is made by @%s, which is not managed",
            LLVMGetValueName2(function, &length));
  cn_emit_replace_instruction(c->call, outer);
  free(arguments);
}

/* ---- functions ---- */

static bool is_special_intrinsic(LLVMValueRef call)
{
  return is_deoptimize(call) || (element_copy_name(call) && element_size(call) <= MAX_ELEMENT_BYTES);
}

static void lower_intrinsic(struct call_rewrite *c)
{
  if (is_deoptimize(c->call))
    lower_deoptimize(c);
  else
    lower_element_copy(c);
}

static void lower_selected_calls(struct cn_ctx *ctx, LLVMValueRef function, bool (*which)(LLVMValueRef),
                                 void (*lower)(struct call_rewrite *))
{
  struct call_rewrite c = {.ctx = ctx, .builder = LLVMCreateBuilderInContext(ctx->llvm)};
  value_vector calls = {0};

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i) && which(i) && cn_classify_call(i).kind == CN_CALL_PARSE_POINT)
        cn_push(&calls, i);
  for (size_t i = 0; i < calls.count; i++) {
    c.call = calls.at[i];
    LLVMPositionBuilderBefore(c.builder, c.call);
    LLVMSetCurrentDebugLocation2(c.builder, LLVMInstructionGetDebugLoc(c.call));
    lower(&c);
  }
  cn_free(&calls);
  LLVMDisposeBuilder(c.builder);
}

void cn_special_lower_intrinsics(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  if (has_guard(function))
    lower_guards(ctx, function);
  lower_selected_calls(ctx, function, is_special_intrinsic, lower_intrinsic);
}

void cn_special_lower_variadic(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  lower_selected_calls(ctx, function, is_variadic_call, lower_variadic);
}
