/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass transitions: routes calls from managed code through stubs if the callee may be native. A stub leaves an anchor,
 * so that a stack walk from a callback finds the managed frames below the native frames, with their callee-saved
 * registers. An external function counts as native unless its declaration says otherwise, and its calls get a
 * transition; calls of leaves stay plain.
 *
 * Needs: allocation calls expanded (their slow paths are stubs themselves). Provides: every parse point calls a managed
 * function or a stub; a module that already has statepoints gets the guard (base/guard.h). Calls and definitions that
 * stubs cannot support are errors, for instance a reference passed to a native function. Breaks: nothing.
 *
 *   callee                                     call becomes
 *   leaf                                       unchanged
 *   managed, defined here, final               unchanged
 *   external, or replaceable when linking      cairn.call.foo (thunk.c)
 *   declared to be managed, or external and    cairn.body.foo (thunk.c)
 *   given a reference
 *   a pointer, a static native function,       unchanged, until pass call-targets (call_targets.c),
 *   one that is declared to be native          after tail calls are made; in functions that have
 *                                              statepoints, now
 *   variadic                                   cairn.vcall.foo, cairn.vbody.foo; or, with the target
 *                                              as `nest` argument, a stub; the call gets the types of
 *                                              its arguments
 *
 * Thunks of variadic callees pass the number of vector registers, which a statepoint drops.
 */
#include <string.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/lower/lower.h"
#include "compile/transitions/transitions.h"
#include "compile/transitions/callees.h"
#include "compile/transitions/rebuild.h"

static bool is_preemptible(struct cn_ctx *ctx, LLVMValueRef global)
{
  return ctx->options && ctx->options->shared && !cn_target_is_local(global) &&
         LLVMGetVisibility(global) == LLVMDefaultVisibility;
}

/* ---- one call ---- */

static struct cn_call_target rebuild_with_argument_types(struct cn_ctx *ctx, const struct cn_call_target *site)
{
  const struct cn_call_change change = {.callee = cn_call_target_callee(site),
                                        .convention = LLVMGetInstructionCallConv(site->call),
                                        .keeps_passing = true};

  return cn_call_target_of(cn_rebuild_call(ctx, site, &change));
}

/* True if the call through a pointer becomes a statepoint only if it calls a stub (refuse_hardening.c). */
static bool needs_stub(const struct cn_call_target *site)
{
  return !LLVMIsAFunction(cn_call_target_callee(site)) && !cn_calls_is_musttail(site->call) &&
         !cn_call_target_uses_nest(site) && cn_convention_of(site->call) == CN_CONVENTION_PLAIN &&
         cn_has_indirect_call_thunks(cn_call_target_caller(site));
}

/* True if the callee of this call must be managed. rules_native.c checks native definitions of this unit. LLVM's own
 * functions of a collector handle references themselves. */
static bool callee_must_be_managed(struct cn_ctx *ctx, const struct cn_call_target *site)
{
  LLVMValueRef callee = cn_call_target_callee(site);
  size_t length;

  if (cn_target_is_declared_managed(callee))
    return true;
  return LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) &&
         strncmp(LLVMGetValueName2(callee, &length), "__llvm_", 7) != 0 && cn_call_target_passes_reference(ctx, site);
}

/* True if a thunk can make the call. A thunk for a managed callee supports every convention of managed code. */
static bool can_use_thunk(struct cn_ctx *ctx, const struct cn_call_target *site)
{
  LLVMValueRef callee = cn_call_target_callee(site);
  enum cn_convention convention = cn_convention_of(site->call);

  return LLVMIsAFunction(callee) && !cn_target_is_local(callee) &&
         (convention == CN_CONVENTION_PLAIN ||
          (convention == CN_CONVENTION_BRIDGED && callee_must_be_managed(ctx, site)));
}

static enum cn_thunk choose_thunk_kind(struct cn_ctx *ctx, const struct cn_call_target *site, bool variadic)
{
  if (callee_must_be_managed(ctx, site))
    return variadic ? CN_THUNK_BODY_VARIADIC : CN_THUNK_BODY;
  return variadic ? CN_THUNK_ANY_CALLEE_VARIADIC : CN_THUNK_ANY_CALLEE;
}

static void reroute_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  struct cn_call_target site = cn_call_target_of(call);
  LLVMValueRef callee = cn_call_target_callee(&site), managed = cn_target_managed_function(callee);
  CN_CHECK(site.type); /* check_transition_call() refuses a statepoint without a type */
  /* A musttail call passes on its function's variable arguments and their number of vector registers. */
  bool variadic = LLVMIsFunctionVarArg(site.type) && !cn_calls_is_musttail(call);

  if (LLVMIsAFunction(callee) && (cn_target_is_stub(callee) || LLVMGetIntrinsicID(callee)))
    return;
  if (managed && !variadic && !is_preemptible(ctx, callee))
    return;
  if (variadic && !site.is_statepoint)
    site = rebuild_with_argument_types(ctx, &site);
  if (managed && !variadic && LLVMIsAFunction(callee))
    LLVMSetOperand(site.call, site.callee_operand, cn_thunk_add_alias(ctx, callee));
  else if (cn_target_is_native(callee))
    ; /* by pass call-targets */
  else if (can_use_thunk(ctx, &site))
    LLVMSetOperand(site.call, site.callee_operand,
                   cn_thunk_for(ctx, callee, site.type, choose_thunk_kind(ctx, &site, variadic)));
  else if (variadic || needs_stub(&site))
    cn_rebuild_call_through_stub(
        ctx, &site, cn_declare_stub(ctx, cn_call_target_passes_reference(ctx, &site) ? CN_CALL_MANAGED : CN_VCALL_ANY),
        callee);
}

/* ---- refusals ---- */

static bool check_variadic_arguments(struct cn_ctx *ctx, LLVMValueRef call, LLVMTypeRef type)
{
  for (unsigned i = LLVMCountParamTypes(type); i < LLVMGetNumArgOperands(call); i++) {
    LLVMTypeRef argument = LLVMTypeOf(LLVMGetOperand(call, i));
    if (cn_holds_ref(argument)) {
      cn_error(ctx, call, "variadic-reference",
               "argument %u is a reference passed where the callee takes any number of arguments: no collector "
               "finds it there; pass the data that it points to",
               i + 1);
      return false;
    }
    if (LLVMGetTypeKind(argument) == LLVMVectorTypeKind && LLVMABISizeOfType(ctx->layout, argument) > 16) {
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

/* True if another unit defines the callee, and the callee is native by its declaration or convention. */
static bool calls_known_native(const struct cn_call_target *site)
{
  LLVMValueRef callee = cn_call_target_callee(site);

  return LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) &&
         (cn_target_is_native(callee) || cn_convention_of(site->call) == CN_CONVENTION_NATIVE);
}

static void check_transition_call(struct cn_ctx *ctx, LLVMValueRef call, enum cn_call_kind kind)
{
  struct cn_call_target site = cn_call_target_of(call);
  LLVMValueRef callee = site.type ? cn_call_target_callee(&site) : NULL;

  if (cn_calls_has_attribute(call, "returns_twice")) {
    cn_error(ctx, call, "returns-twice",
             "a call that returns twice, like setjmp, in managed code: "
             "references would come back stale; call it from an unmanaged function");
    return;
  }
  if (kind == CN_CALL_LEAF)
    return;
  if (!site.type) {
    cn_error(ctx, call, "statepoint-type", "a statepoint without elementtype on its callee");
    return;
  }
  if (LLVMIsAFunction(callee) && (cn_target_is_stub(callee) || LLVMGetIntrinsicID(callee)))
    return;
  if (!site.is_statepoint && LLVMIsFunctionVarArg(site.type) && !check_variadic_arguments(ctx, call, site.type))
    return;
  if (cn_target_managed_function(callee) || cn_target_is_promised_managed(call))
    return;
  if (calls_known_native(&site) && cn_call_target_passes_reference(ctx, &site))
    cn_error(ctx, call, "reference-to-native",
             "@%s takes or returns a reference, and is native code, in which no collector finds it; use "
             "a handle or other data, or declare it cairn_leaf if it never calls back",
             LLVMGetValueName2(callee, &(size_t){0}));
  if (cn_convention_of(call) == CN_CONVENTION_UNKNOWN)
    cn_error(ctx, call, "transition-convention",
             "a call that may reach native code under calling convention %u, which the transition "
             "stubs do not preserve",
             LLVMGetInstructionCallConv(call));
  else if (has_attribute_anywhere(call, "swifterror"))
    cn_error(ctx, call, "transition-convention", "a swifterror argument of a call that may reach native code");
}

static void check_managed_definition(struct cn_ctx *ctx, LLVMValueRef function)
{
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);

  bool emitted = LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage;

  if (emitted && !cn_target_is_local(function) && cn_calls_leaf_reason(name))
    cn_error(ctx, function, "leaf-name-defined",
             "managed function @%s has the name of a C library function that other units call as a "
             "leaf, without a record of their references; without references and calls of anything "
             "but leaves it would be native: mark it cairn_unmanaged if it never comes to managed "
             "code, make it static, or rename it",
             name);
  if (cn_string_attribute(function, CN_ATTR_NATIVE))
    cn_error(ctx, function, "declared-native",
             "@%s is declared to be native (cairn_native), and this definition of it is managed "
             "code",
             name);
  if (LLVMHasPrefixData(function) || LLVMHasPrologueData(function))
    cn_error(ctx, function, "prefix-data", "managed function @%s has prefix or prologue data of its own", name);
  if (cn_string_attribute(function, "patchable-function-prefix"))
    cn_error(ctx, function, "prefix-data", "managed function @%s is to have instructions before it for patching", name);
}

/* ---- functions ---- */

/* True for @gc.safepoint_poll, which is unmanaged, but whose body will be inlined into managed functions. */
static bool may_contain_managed_calls(LLVMValueRef function)
{
  size_t length;

  return !LLVMIsDeclaration(function) &&
         (cn_is_managed(function) || strcmp(LLVMGetValueName2(function, &length), "gc.safepoint_poll") == 0);
}

typedef CN_VECTOR(LLVMValueRef) call_vector;

static void check_and_gather_calls(struct cn_ctx *ctx, LLVMValueRef function, call_vector *calls)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      enum cn_call_kind kind = cn_classify_call(i).kind;
      if (kind == CN_CALL_NONE)
        continue;
      check_transition_call(ctx, i, kind);
      if (kind != CN_CALL_LEAF)
        cn_push(calls, i);
    }
}

bool cn_route_calls(struct cn_ctx *ctx)
{
  call_vector calls = {0};

  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f) && !cn_has_statepoints(f))
      cn_special_lower_intrinsics(ctx, f);
  cn_result_wrappers_build(ctx);
  CN_EACH_FUNCTION(f, ctx->module) {
    if (!may_contain_managed_calls(f))
      continue;
    check_and_gather_calls(ctx, f, &calls);
    if (cn_is_managed(f) && !cn_entries_has_entry(f))
      check_managed_definition(ctx, f);
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module); f && !ctx->errors; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && cn_is_managed(f) && LLVMGetLinkage(f) == LLVMExternalLinkage &&
        !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)))
      cn_thunk_add_alias(ctx, f);
  for (size_t i = 0; i < calls.count && !ctx->errors; i++)
    reroute_call(ctx, calls.at[i]);
  cn_free(&calls);
  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module), next; f && !ctx->errors; f = next) {
    next = LLVMGetNextFunction(f);
    if (!LLVMIsDeclaration(f) && cn_is_managed(f) && cn_has_statepoints(f))
      cn_route_pointer_calls_in(ctx, f);
  }
  if (!ctx->errors && cn_module_has_statepoints(ctx)) /* statepoints of another producer */
    cn_add_link_guard(ctx);
  return ctx->errors == 0;
}

bool cn_add_transitions(struct cn_ctx *ctx)
{
  cn_refuse_statepoint_flaws(ctx);
  return ctx->errors == 0 && cn_route_calls(ctx) && cn_route_pointer_calls(ctx);
}
