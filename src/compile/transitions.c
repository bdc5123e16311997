/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass transitions: calls of managed code that may reach native code go through stubs which
 * leave an anchor, so that a walker that comes back from a callback finds the frames and
 * callee-saved registers below the native ones. Unknown external functions are native and get a
 * transition; known leaves do not.
 *
 * Needs: allocation calls expanded (their slow paths are stubs themselves). Provides: every
 * parse point calls a managed function or a stub; managed functions carry the mark that stubs
 * look for; where there are statepoints already, the guard (base/guard.h). Breaks: nothing.
 *
 *   callee                                     call becomes
 *   leaf                                       unchanged
 *   managed, defined here, not replaceable     unchanged
 *   external, or replaceable when linking      cairn.call.foo (thunk.c)
 *   a pointer, a static native function        cairn_call_indirect; the mutator holds the target
 *
 * A statepoint does not say that its callee is variadic (docs/llvm-22.md, "variadic callees"),
 * so calls of variadic functions become calls with the types of their arguments, through
 * cairn.vcall.foo and cairn_vcall_indirect. On x86-64 both pass arguments alike.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/calls.h"
#include "compile/emit.h"
#include "compile/guard.h"
#include "compile/names.h"
#include "compile/results.h"
#include "compile/special_calls.h"
#include "compile/thunk.h"

/* Entries of the runtime that managed code calls as they are: stubs themselves. */
static const char *const stubs[] = {
    CN_POLL_SLOW,     CN_ALLOC_SLOW,    CN_ALLOC_INDEXED_SLOW, "cairn_collect",
    "cairn_call_any", CN_CALL_INDIRECT, CN_VCALL_INDIRECT};

/* ---- what a callee is ---- */

static bool starts_with(const char *name, const char *prefix)
{
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool is_stub(LLVMValueRef callee)
{
  size_t length;
  const char *name = LLVMGetValueName2(callee, &length);

  for (size_t i = 0; i < sizeof stubs / sizeof *stubs; i++)
    if (strcmp(name, stubs[i]) == 0)
      return true;
  return starts_with(name, CN_CALL_PREFIX) || starts_with(name, CN_VCALL_PREFIX) ||
         starts_with(name, CN_SLOW_PREFIX);
}

static bool is_local(LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);

  return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

/* The managed function that a direct call reaches for certain, or null. A weak or linkonce one
 * may give way to another unit's, which may be native; so may a visible one of a shared object,
 * but there the caller can bind it. */
static LLVMValueRef certain_managed(LLVMValueRef callee)
{
  while (LLVMIsAGlobalAlias(callee) &&
         (is_local(callee) || LLVMGetLinkage(callee) == LLVMExternalLinkage))
    callee = LLVMAliasGetAliasee(callee);
  if (!LLVMIsAFunction(callee) || LLVMIsDeclaration(callee) || !cn_is_managed(callee))
    return NULL;
  return is_local(callee) || LLVMGetLinkage(callee) == LLVMExternalLinkage ? callee : NULL;
}

static bool is_preemptible(struct cn_ctx *ctx, LLVMValueRef global)
{
  return ctx->options && ctx->options->shared && !is_local(global) &&
         LLVMGetVisibility(global) == LLVMDefaultVisibility;
}

/* ---- one call ---- */

/* What a call site or statepoint calls: its operand index and the type of the call. */
struct site {
  LLVMValueRef call;
  unsigned callee_operand;
  LLVMTypeRef type;
  bool is_statepoint;
};

static LLVMTypeRef statepoint_type(LLVMValueRef call)
{
  unsigned kind = cn_attribute_kind("elementtype");
  LLVMAttributeRef type = LLVMGetCallSiteEnumAttribute(call, 3, kind);

  return type ? LLVMGetTypeAttributeValue(type) : NULL;
}

static struct site site_of(LLVMValueRef call, enum cn_call_kind kind)
{
  if (kind == CN_CALL_STATEPOINT)
    return (struct site){call, 2, statepoint_type(call), true};
  return (struct site){call, (unsigned)LLVMGetNumOperands(call) - 1,
                       LLVMGetCalledFunctionType(call), false};
}

static LLVMOperandBundleRef *take_bundles(LLVMValueRef call, unsigned *count)
{
  *count = LLVMGetNumOperandBundles(call);
  LLVMOperandBundleRef *bundles = cn_alloc(*count * sizeof *bundles);
  for (unsigned i = 0; i < *count; i++)
    bundles[i] = LLVMGetOperandBundleAtIndex(call, i);
  return bundles;
}

static void copy_site_attributes(LLVMValueRef from, LLVMValueRef to, unsigned arguments)
{
  for (int index = -1; index <= (int)arguments; index++) {
    LLVMAttributeIndex at = (LLVMAttributeIndex)index;
    cn_emit_attributes_of(from, at, to, at, NULL);
  }
}

/* The same call without variable arguments: each has its place in the type. */
static LLVMValueRef rebuild_typed(struct cn_ctx *ctx, LLVMValueRef call)
{
  unsigned count = LLVMGetNumArgOperands(call), bundle_count;
  LLVMValueRef *arguments = cn_alloc(count * sizeof *arguments);
  LLVMTypeRef *types = cn_alloc(count * sizeof *types);
  LLVMOperandBundleRef *bundles = take_bundles(call, &bundle_count);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  size_t length;

  for (unsigned i = 0; i < count; i++) {
    arguments[i] = LLVMGetOperand(call, i);
    types[i] = LLVMTypeOf(arguments[i]);
  }
  LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(call), types, count, false);
  char *name = cn_strdup(LLVMGetValueName2(call, &length));
  LLVMPositionBuilderBefore(builder, call);
  LLVMSetValueName2(call, "", 0);
  LLVMValueRef callee = LLVMGetCalledValue(call);
  LLVMValueRef typed =
      LLVMIsAInvokeInst(call)
          ? LLVMBuildInvokeWithOperandBundles(builder, type, callee, arguments, count,
                                              LLVMGetNormalDest(call), LLVMGetUnwindDest(call),
                                              bundles, bundle_count, name)
          : LLVMBuildCallWithOperandBundles(builder, type, callee, arguments, count, bundles,
                                            bundle_count, name);
  LLVMSetInstructionCallConv(typed, LLVMGetInstructionCallConv(call));
  if (LLVMIsACallInst(call))
    LLVMSetTailCallKind(typed, LLVMGetTailCallKind(call));
  copy_site_attributes(call, typed, count);
  LLVMReplaceAllUsesWith(call, typed);
  LLVMInstructionEraseFromParent(call);
  for (unsigned i = 0; i < bundle_count; i++)
    LLVMDisposeOperandBundle(bundles[i]);
  LLVMDisposeBuilder(builder);
  free(name);
  free(bundles);
  free(types);
  free(arguments);
  return typed;
}

/* Hand the target over in the mutator and call the stub that fetches it from there: the call reads
 * memory now, whatever was promised of its target. */
static void call_indirectly(struct cn_ctx *ctx, struct site *site, bool variadic)
{
  const char *name = variadic ? CN_VCALL_INDIRECT : CN_CALL_INDIRECT;
  LLVMValueRef target = LLVMGetOperand(site->call, site->callee_operand);
  LLVMValueRef stub = LLVMGetNamedFunction(ctx->module, name);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  if (!stub)
    stub = LLVMAddFunction(ctx->module, name,
                           LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), NULL, 0, false));
  LLVMPositionBuilderBefore(builder, site->call);
  LLVMValueRef field = cn_emit_mutator(ctx, builder, CAIRN_ABI_MUTATOR_TARGET);
  LLVMSetAlignment(LLVMBuildStore(builder, target, field), 8);
  LLVMSetOperand(site->call, site->callee_operand, stub);
  LLVMRemoveCallSiteEnumAttribute(site->call, CN_FUNCTION_INDEX, cn_attribute_kind("memory"));
  LLVMDisposeBuilder(builder);
}

static void reroute(struct cn_ctx *ctx, LLVMValueRef call, enum cn_call_kind kind)
{
  struct site site = site_of(call, kind);
  LLVMValueRef callee = LLVMGetOperand(call, site.callee_operand);
  LLVMValueRef managed = certain_managed(callee);
  bool variadic = LLVMIsFunctionVarArg(site.type);

  if (LLVMIsAFunction(callee) && (is_stub(callee) || LLVMGetIntrinsicID(callee)))
    return;
  if (managed && !variadic && !is_preemptible(ctx, callee))
    return;
  if (variadic && !site.is_statepoint && !cn_calls_musttail(call))
    site = site_of(rebuild_typed(ctx, call), kind);
  if (managed && !variadic && LLVMIsAFunction(callee))
    LLVMSetOperand(site.call, site.callee_operand, cn_thunk_alias(ctx, callee));
  else if (LLVMIsAFunction(callee) && !is_local(callee))
    LLVMSetOperand(site.call, site.callee_operand, cn_thunk_for(ctx, callee, site.type, variadic));
  else
    call_indirectly(ctx, &site, variadic);
}

/* ---- what cannot be called this way ---- */

/* The stubs leave argument and result registers of these conventions alone. A coldcc callee would
 * save nearly all registers in its own frame, and bring stale references back from there. */
static bool is_passable(unsigned convention)
{
  return convention == LLVMCCallConv || convention == LLVMFastCallConv ||
         convention == LLVMX8664SysVCallConv;
}

static bool check_variadic(struct cn_ctx *ctx, LLVMValueRef call, LLVMTypeRef type)
{
  for (unsigned i = LLVMCountParamTypes(type); i < LLVMGetNumArgOperands(call); i++) {
    LLVMTypeRef argument = LLVMTypeOf(LLVMGetOperand(call, i));
    if (cn_holds_ref(argument)) {
      cn_error(
          ctx, call, "variadic-reference",
          "argument %u is a reference passed where the callee takes any number of arguments: no "
          "collector finds it there; pass what it points to",
          i + 1);
      return false;
    }
    if (LLVMGetTypeKind(argument) == LLVMVectorTypeKind &&
        LLVMABISizeOfType(ctx->layout, argument) > 16) {
      cn_error(ctx, call, "variadic-vector",
               "argument %u is a vector wider than 16 bytes passed as a "
               "variable argument",
               i + 1);
      return false;
    }
  }
  return true;
}

static bool has_attribute_anywhere(LLVMValueRef call, const char *name)
{
  unsigned kind = cn_attribute_kind(name);

  for (unsigned i = 0; i <= LLVMGetNumArgOperands(call); i++)
    if (LLVMGetCallSiteEnumAttribute(call, i, kind))
      return true;
  return false;
}

static void check_call(struct cn_ctx *ctx, LLVMValueRef call, enum cn_call_kind kind)
{
  struct site site = site_of(call, kind);
  LLVMValueRef callee = site.type ? LLVMGetOperand(call, site.callee_operand) : NULL;

  if (cn_calls_have(call, "returns_twice")) {
    cn_error(ctx, call, "returns-twice", "a call that returns twice, like setjmp, in managed code: "
             "references would come back stale; call it from an unmanaged function");
    return;
  }
  if (kind == CN_CALL_LEAF)
    return;
  if (!site.type) {
    cn_error(ctx, call, "statepoint-type", "a statepoint without elementtype on its callee");
    return;
  }
  if (site.is_statepoint && !cn_results_fit(LLVMGetReturnType(site.type)))
    cn_error(ctx, call, "large-result",
             "a statepoint whose result does not come back in registers: LLVM 22 miscompiles it");
  if (LLVMIsAFunction(callee) && (is_stub(callee) || LLVMGetIntrinsicID(callee)))
    return;
  if (!site.is_statepoint && LLVMIsFunctionVarArg(site.type) &&
      !check_variadic(ctx, call, site.type))
    return;
  if (!certain_managed(callee) && !is_passable(LLVMGetInstructionCallConv(call)))
    cn_error(ctx, call, "transition-convention",
             "a call that may reach native code under calling convention %u, which the transition "
             "stubs do not preserve", LLVMGetInstructionCallConv(call));
  else if (!certain_managed(callee) && has_attribute_anywhere(call, "swifterror"))
    cn_error(ctx, call, "transition-convention",
             "a swifterror argument of a call that may reach native code");
}

static void check_definition(struct cn_ctx *ctx, LLVMValueRef function)
{
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);

  bool emitted = LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage;

  if (emitted && !is_local(function) && cn_calls_leaf_reason(name))
    cn_error(ctx, function, "leaf-name-defined",
             "managed function @%s has the name of a C library function that other units call as a "
             "leaf, "
             "without a record of their references; make it unmanaged or static, or rename it",
             name);
  if (LLVMHasPrefixData(function))
    cn_error(ctx, function, "prefix-data", "managed function @%s has prefix data of its own", name);
}

/* ---- functions ---- */

/* @gc.safepoint_poll is unmanaged, but its body will stand in managed functions. */
static bool is_subject(LLVMValueRef function)
{
  size_t length;

  return !LLVMIsDeclaration(function) &&
         (cn_is_managed(function) ||
          strcmp(LLVMGetValueName2(function, &length), "gc.safepoint_poll") == 0);
}

struct pending {
  LLVMValueRef call;
  enum cn_call_kind kind;
};
typedef CN_VECTOR(struct pending) pending_vector;

static void collect(struct cn_ctx *ctx, LLVMValueRef function, pending_vector *calls)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      enum cn_call_kind kind = cn_classify_call(i).kind;
      if (kind == CN_CALL_NOT)
        continue;
      check_call(ctx, i, kind);
      if (kind != CN_CALL_LEAF)
        cn_push(calls, (struct pending){i, kind});
    }
}

/* 16 bytes, so that the entry stays aligned: filler, then the mark just before the entry. */
static void mark(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm);
  LLVMValueRef words[] = {LLVMConstInt(i64, 0xcccccccccccccccc, false),
                          LLVMConstInt(i64, CAIRN_ABI_MANAGED_MARK, false)};

  LLVMSetPrefixData(function, LLVMConstStructInContext(ctx->llvm, words, 2, false));
  if (LLVMGetAlignment(function) < 16)
    LLVMSetAlignment(function, 16);
}

static bool is_marked(LLVMValueRef function)
{
  LLVMValueRef prefix = LLVMHasPrefixData(function) ? LLVMGetPrefixData(function) : NULL;

  if (!prefix || LLVMGetTypeKind(LLVMTypeOf(prefix)) != LLVMStructTypeKind ||
      LLVMGetNumOperands(prefix) != 2)
    return false;
  LLVMValueRef word = LLVMIsAConstantInt(LLVMGetOperand(prefix, 1));
  return word && LLVMGetIntTypeWidth(LLVMTypeOf(word)) == 64 &&
         LLVMConstIntGetZExtValue(word) == CAIRN_ABI_MANAGED_MARK;
}

bool cn_transitions(struct cn_ctx *ctx)
{
  pending_vector calls = {0};

  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && cn_is_managed(f) && !cn_has_statepoints(f))
      cn_special_intrinsics(ctx, f);
  cn_results_wrap(ctx);
  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module); f; f = LLVMGetNextFunction(f)) {
    if (!is_subject(f))
      continue;
    collect(ctx, f, &calls);
    if (cn_is_managed(f) && !is_marked(f))
      check_definition(ctx, f);
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module); f && !ctx->errors;
       f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && cn_is_managed(f)) {
      mark(ctx, f);
      if (LLVMGetLinkage(f) == LLVMExternalLinkage &&
          !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)))
        cn_thunk_alias(ctx, f);
    }
  for (size_t i = 0; i < calls.count && !ctx->errors; i++)
    reroute(ctx, calls.at[i].call, calls.at[i].kind);
  cn_free(&calls);
  if (!ctx->errors && cn_guard_has_statepoints(ctx)) /* of another producer: see globals.c for ours */
    cn_guard_add(ctx);
  return ctx->errors == 0;
}
