/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass tail-calls: makes the tail calls that need a wider signature of the caller (tail_calls.c). Caller and callee of
 * a musttail call must have one signature, so the caller gets a wider signature. For
 *
 *   long f(ref p) { return g(7, p, 1.0); }     f becomes     (ref, i64, double)
 *
 * and calls g as (ref, i64, double): 7 is a reference in the first integer register, p an i64 in the second. The
 * callers of f stay unchanged, because the new parameters are in registers that these callers do not use. The machine
 * code is the code of plain C at -O2.
 *
 * Needs: rewritten and verified functions, with statepoints marked `tail` directly before a return for these calls; all
 * passes that search for references have run, because a widened call passes some references as integers. Provides:
 * musttail calls in place of statepoints if registers suffice; last, the pass runs tail_memory.c. Breaks: struct
 * cn_cfg; the functions that get a new signature move to the module's end.
 */
#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/tail/tail.h"

static const char *const passing_attributes[] = CN_TAIL_PASSING;
enum { PASSING_ATTRIBUTE_COUNT = sizeof passing_attributes / sizeof *passing_attributes };

typedef CN_VECTOR(LLVMTypeRef) type_vector;

/* A statepoint that becomes musttail, or a musttail call that must get the new signature of its function. */
struct tail_call {
  LLVMValueRef call;
  unsigned first, count; /* of the arguments proper */
};
typedef CN_VECTOR(struct tail_call) tail_call_vector;

struct signature_widening {
  struct cn_ctx *ctx;
  LLVMValueRef function;
  LLVMBuilderRef builder;
  tail_call_vector tails;
  bool has_statepoints;
  type_vector types; /* types of the parameters after the change */
};

/* ---- candidates ---- */

static bool is_plain_convention(unsigned convention)
{
  return convention == LLVMCCallConv || convention == LLVMFastCallConv || convention == LLVMColdCallConv;
}

static bool has_widenable_signature(LLVMValueRef function)
{
  if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) ||
      !is_plain_convention(LLVMGetFunctionCallConv(function)) ||
      LLVMGetEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_attribute_kind("naked")))
    return false;
  for (unsigned i = 0; i < LLVMCountParams(function); i++) {
    if (cn_register_class_of(LLVMTypeOf(LLVMGetParam(function, i))) == CN_REGISTER_CLASS_OTHER)
      return false;
    for (unsigned a = 0; a < PASSING_ATTRIBUTE_COUNT; a++)
      if (LLVMGetEnumAttributeAtIndex(function, i + 1, cn_attribute_kind(passing_attributes[a])))
        return false;
  }
  return cn_can_retype_function(function);
}

static bool arguments_fit_registers(const struct tail_call *tail)
{
  const struct cn_convention_port *port = cn_convention_port_at(tail->call);
  unsigned used[CN_REGISTER_CLASS_COUNT] = {0};

  for (unsigned i = tail->first; i < tail->first + tail->count; i++) {
    enum cn_register_class class = cn_register_class_of(LLVMTypeOf(LLVMGetArgOperand(tail->call, i)));
    if (class == CN_REGISTER_CLASS_OTHER || used[class]++ == port->argument_registers[class])
      return false;
    for (unsigned a = 0; a < PASSING_ATTRIBUTE_COUNT; a++)
      if (LLVMGetCallSiteEnumAttribute(tail->call, i + 1, cn_attribute_kind(passing_attributes[a])))
        return false;
  }
  return true;
}

static LLVMTypeRef callee_type_of(LLVMValueRef statepoint)
{
  LLVMAttributeRef type = LLVMGetCallSiteEnumAttribute(statepoint, 3, cn_attribute_kind("elementtype"));

  CN_ASSERT(cn_is_call(statepoint));
  return type ? LLVMGetTypeAttributeValue(type) : NULL;
}

static LLVMValueRef gc_result_after(LLVMValueRef statepoint)
{
  LLVMValueRef next = LLVMGetNextInstruction(statepoint);

  CN_ASSERT(cn_is_call(statepoint));
  return cn_calls_intrinsic(next, "llvm.experimental.gc.result") ? next : NULL;
}

static bool is_before_return(LLVMValueRef statepoint)
{
  LLVMValueRef result = gc_result_after(statepoint);
  LLVMValueRef end = LLVMGetNextInstruction(result ? result : statepoint);

  CN_ASSERT(cn_is_call(statepoint));
  if (!LLVMIsAReturnInst(end))
    return false;
  return LLVMGetNumOperands(end) == 0 || LLVMGetOperand(end, 0) == result;
}

/* True if `i` is a statepoint that rewrite-statepoints marked `tail`, and its call may be a tail call. */
static bool is_tail_call_candidate(LLVMValueRef function, LLVMValueRef i, struct tail_call *tail)
{
  if (cn_classify_call(i).kind != CN_CALL_STATEPOINT || !LLVMIsACallInst(i) ||
      LLVMGetTailCallKind(i) != LLVMTailCallKindTail ||
      LLVMGetInstructionCallConv(i) != LLVMGetFunctionCallConv(function))
    return false;
  LLVMTypeRef type = callee_type_of(i);
  if (!type || LLVMIsFunctionVarArg(type) || !is_before_return(i))
    return false;
  *tail = (struct tail_call){i, CN_STATEPOINT_FIXED_ARGS, LLVMCountParamTypes(type)};
  LLVMValueRef result = gc_result_after(i);
  return arguments_fit_registers(tail) && cn_tail_results_agree(result ? result : i, LLVMGetReturnType(type));
}

/* List the tail calls. False if the list is empty, or if an existing musttail call cannot get a new signature. */
static bool gather_tail_calls(struct signature_widening *w)
{
  CN_EACH_BLOCK(b, w->function)
    CN_EACH_INSTRUCTION(i, b) {
      struct tail_call tail = {i, 0, cn_is_call(i) ? LLVMGetNumArgOperands(i) : 0};
      if (cn_calls_is_musttail(i)) {
        if (!arguments_fit_registers(&tail) || LLVMGetNumOperandBundles(i))
          return false;
        cn_push(&w->tails, tail);
      } else if (is_tail_call_candidate(w->function, i, &tail)) {
        cn_push(&w->tails, tail);
        w->has_statepoints = true;
      }
    }
  return w->has_statepoints;
}

/* ---- the signature ---- */

static LLVMTypeRef widest_type_of(struct cn_ctx *ctx, enum cn_register_class class)
{
  return class == CN_REGISTER_CLASS_INTEGER ? LLVMInt64TypeInContext(ctx->llvm) : LLVMDoubleTypeInContext(ctx->llvm);
}

static bool is_narrow_type(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);

  return kind == LLVMFloatTypeKind || (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 64);
}

/* The next parameter of register class `class` from `place` on; adds a missing parameter. */
static unsigned find_or_add_parameter(struct signature_widening *w, enum cn_register_class class, unsigned place)
{
  while (place < w->types.count && cn_register_class_of(w->types.at[place]) != class)
    place++;
  if (place == w->types.count)
    cn_push(&w->types, widest_type_of(w->ctx, class));
  return place;
}

static void extend_signature(struct signature_widening *w, const struct tail_call *tail)
{
  unsigned next[CN_REGISTER_CLASS_COUNT] = {0};

  for (unsigned i = 0; i < tail->count; i++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetArgOperand(tail->call, tail->first + i));
    enum cn_register_class class = cn_register_class_of(type);
    unsigned place = find_or_add_parameter(w, class, next[class]);
    next[class] = place + 1;
    if (w->types.at[place] != type && is_narrow_type(w->types.at[place]))
      w->types.at[place] = widest_type_of(w->ctx, class);
  }
}

static LLVMTypeRef widened_type_of(const struct signature_widening *w)
{
  LLVMTypeRef old = LLVMGlobalGetValueType(w->function);

  return LLVMFunctionType(LLVMGetReturnType(old), w->types.at, (unsigned)w->types.count, false);
}

/* ---- the calls ---- */

static LLVMValueRef widen_argument(struct signature_widening *w, const struct tail_call *tail, unsigned i,
                                   LLVMTypeRef to)
{
  LLVMValueRef value = LLVMGetArgOperand(tail->call, tail->first + i);
  LLVMTypeRef from = LLVMTypeOf(value), i64 = LLVMInt64TypeInContext(w->ctx->llvm);
  bool is_signed = LLVMGetCallSiteEnumAttribute(tail->call, tail->first + i + 1, cn_attribute_kind("signext"));

  if (from == to)
    return value;
  if (LLVMGetTypeKind(from) == LLVMFloatTypeKind) {
    LLVMValueRef pair = LLVMGetPoison(LLVMVectorType(from, 2));
    LLVMValueRef zero = LLVMConstInt(LLVMInt32TypeInContext(w->ctx->llvm), 0, false);
    pair = LLVMBuildInsertElement(w->builder, pair, value, zero, "");
    return LLVMBuildBitCast(w->builder, pair, to, "");
  }
  if (LLVMGetTypeKind(from) == LLVMPointerTypeKind)
    value = LLVMBuildPtrToInt(w->builder, value, i64, "");
  else
    value = LLVMBuildIntCast2(w->builder, value, i64, is_signed, "");
  return LLVMGetTypeKind(to) == LLVMPointerTypeKind ? LLVMBuildIntToPtr(w->builder, value, to, "") : value;
}

/* Put argument i of the call at number places[i] of the new arguments. */
static void place_arguments(struct signature_widening *w, const struct tail_call *tail, LLVMValueRef *arguments,
                            unsigned *places)
{
  unsigned next[CN_REGISTER_CLASS_COUNT] = {0};

  size_t count = w->types.count;
  for (unsigned p = 0; p < count; p++)
    arguments[p] = LLVMGetPoison(w->types.at[p]);
  for (unsigned i = 0; i < tail->count; i++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetArgOperand(tail->call, tail->first + i));
    enum cn_register_class class = cn_register_class_of(type);
    places[i] = find_or_add_parameter(w, class, next[class]);
    CN_CHECK(places[i] < count); /* extend_signature() has added parameters for all arguments */
    next[class] = places[i] + 1;
    arguments[places[i]] = widen_argument(w, tail, i, w->types.at[places[i]]);
  }
}

static void replace_tail_call(struct signature_widening *w, const struct tail_call *tail)
{
  LLVMValueRef old = tail->call;
  LLVMValueRef statepoint = tail->first ? old : NULL;
  CN_CHECK(widened_type_of(w) == LLVMGlobalGetValueType(w->function));
  LLVMValueRef result = statepoint ? gc_result_after(old) : old;
  LLVMValueRef *arguments = cn_alloc((w->types.count + 1) * sizeof *arguments);
  unsigned *places = cn_alloc((tail->count + 1) * sizeof *places);

  LLVMPositionBuilderBefore(w->builder, old);
  LLVMSetCurrentDebugLocation2(w->builder, LLVMInstructionGetDebugLoc(old));
  place_arguments(w, tail, arguments, places);
  LLVMValueRef target = statepoint ? LLVMGetArgOperand(old, 2) : LLVMGetCalledValue(old);
  LLVMValueRef call = LLVMBuildCall2(w->builder, widened_type_of(w), target, arguments, (unsigned)w->types.count, "");
  LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(w->function));
  LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
  cn_tail_copy_promise(old, call);
  for (unsigned i = 0; i < tail->count; i++)
    if (LLVMTypeOf(LLVMGetArgOperand(old, tail->first + i)) == w->types.at[places[i]])
      cn_emit_copy_attributes(old, tail->first + i + 1, call, places[i] + 1, NULL);
  if (result && LLVMTypeOf(result) == LLVMTypeOf(call)) {
    cn_emit_copy_attributes(result, LLVMAttributeReturnIndex, call, LLVMAttributeReturnIndex, NULL);
    LLVMReplaceAllUsesWith(result, call);
  }
  if (statepoint && result)
    LLVMInstructionEraseFromParent(result);
  LLVMInstructionEraseFromParent(old);
  free(places);
  free(arguments);
}

static void widen_function_signature(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct signature_widening w = {.ctx = ctx, .function = function};

  if (gather_tail_calls(&w)) {
    w.builder = LLVMCreateBuilderInContext(ctx->llvm);
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
      cn_push(&w.types, LLVMTypeOf(LLVMGetParam(function, i)));
    for (size_t i = 0; i < w.tails.count; i++)
      extend_signature(&w, &w.tails.at[i]);
    if (widened_type_of(&w) != LLVMGlobalGetValueType(function))
      w.function = cn_retype(ctx, function, widened_type_of(&w));
    for (size_t i = 0; i < w.tails.count; i++)
      replace_tail_call(&w, &w.tails.at[i]);
    LLVMDisposeBuilder(w.builder);
  }
  cn_free(&w.tails);
  cn_free(&w.types);
}

bool cn_widen_tail_calls(struct cn_ctx *ctx)
{
  CN_VECTOR(LLVMValueRef) functions = {0};

  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f) && has_widenable_signature(f))
      cn_push(&functions, f);
  for (size_t i = 0; i < functions.count; i++)
    widen_function_signature(ctx, functions.at[i]);
  CN_EACH_FUNCTION(f, ctx->module)
    cn_tail_relax_musttail_calls(ctx, f);
  cn_free(&functions);
  return true;
}
