/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass inline-statepoints: inlines calls that are wrapped in statepoints (late-insertion-slides-2014, "Inlining of
 * statepoints"). The pass strips all statepoints, runs LLVM's inliner on the calls that were wrapped, and rewrites the
 * functions again, so that the safepoints of an inlined callee relocate the live values of its caller.
 *
 * Needs: managed functions rewritten. Provides: rewritten functions with fewer calls; local functions without remaining
 * calls are deleted; pointer differences are lowered. Safepoints of an inlined callee get the deoptimisation state of
 * the inlined call before their own state, as LLVM's inliner orders them. Breaks: struct cn_cfg. If rewriting refuses
 * the inlined code, it reports the reason, and the module stays unchanged, because a dry run on a copy comes first.
 *
 * Only calls between functions with one gc strategy are inlined: a function without a strategy may rely on running as
 * native code.
 */
#include <string.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/lower/lower.h"
#include "compile/markers/markers.h"
#include "compile/strip/strip.h"

/* The mark of call sites that get "noinline" so that LLVM's inliner skips them; restore_inlining() removes mark and
 * attribute. */
#define NOINLINE_MARK "cairn-not-inlined"

static bool have_same_strategy(LLVMValueRef a, LLVMValueRef b)
{
  const char *one = LLVMGetGC(a), *other = LLVMGetGC(b);

  return one && other && strcmp(one, other) == 0;
}

static LLVMValueRef function_of_instruction(LLVMValueRef instruction)
{
  return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

static bool may_inline(LLVMValueRef caller, LLVMValueRef callee)
{
  return LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) && have_same_strategy(caller, callee) &&
         !LLVMGetEnumAttributeAtIndex(callee, CN_FUNCTION_INDEX, cn_attribute_kind("noinline"));
}

static bool has_inlinable_statepoint(LLVMModuleRef module)
{
  CN_EACH_FUNCTION(f, module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (cn_classify_call(i).kind == CN_CALL_STATEPOINT && may_inline(f, LLVMGetOperand(i, 2)))
          return true;
  return false;
}

static void forbid_inlining(struct cn_ctx *ctx, LLVMValueRef call)
{
  unsigned noinline = cn_attribute_kind("noinline");

  CN_ASSERT(cn_is_call(call));
  if (LLVMGetCallSiteEnumAttribute(call, CN_FUNCTION_INDEX, noinline))
    return;
  LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX, LLVMCreateEnumAttribute(ctx->llvm, noinline, 0));
  LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX,
                           LLVMCreateStringAttribute(ctx->llvm, NOINLINE_MARK, strlen(NOINLINE_MARK), "", 0));
}

static void restore_inlining(LLVMValueRef call)
{
  if (!LLVMGetCallSiteStringAttribute(call, CN_FUNCTION_INDEX, NOINLINE_MARK, strlen(NOINLINE_MARK)))
    return;
  LLVMRemoveCallSiteStringAttribute(call, CN_FUNCTION_INDEX, NOINLINE_MARK, strlen(NOINLINE_MARK));
  LLVMRemoveCallSiteEnumAttribute(call, CN_FUNCTION_INDEX, cn_attribute_kind("noinline"));
}

static void visit_calls(struct cn_ctx *ctx, void (*visit)(struct cn_ctx *, LLVMValueRef, void *), void *env)
{
  CN_EACH_FUNCTION(f, ctx->module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i))
          visit(ctx, i, env);
}

static void forbid_inlining_unless_wrapped(struct cn_ctx *ctx, LLVMValueRef call, void *env)
{
  const struct cn_ptrmap *wrapped = env;
  LLVMValueRef callee = cn_direct_callee(call);

  if (callee && !LLVMIsDeclaration(callee) &&
      !(cn_ptrmap_find(wrapped, call) && may_inline(function_of_instruction(call), callee)))
    forbid_inlining(ctx, call);
}

static void restore_inlining_visitor(struct cn_ctx *ctx, LLVMValueRef call, void *env)
{
  (void)ctx;
  (void)env;
  restore_inlining(call);
}

static bool run_inliner(struct cn_ctx *ctx)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  char *layout = cn_strip_set_strict_layout(ctx);
  LLVMErrorRef error = LLVMRunPasses(ctx->module, "always-inline,cgscc(inline)", ctx->machine, options);

  cn_strip_restore_layout(ctx, layout);
  LLVMDisposePassBuilderOptions(options);
  return cn_check_llvm_error(ctx, NULL, error);
}

/* Report a statepoint that wraps a call of a leaf, because rewriting would leave this call without a statepoint. */
static void refuse_wrapped_leaf(struct cn_ctx *ctx, LLVMValueRef call)
{
  struct cn_call_class class = cn_classify_call(call);
  char name[160];

  if (class.kind != CN_CALL_PARSE_POINT)
    cn_error(ctx, call, "wrapped-leaf", "%s is wrapped in a statepoint, and would not be again: it is a leaf (%s)",
             cn_calls_describe(call, name, sizeof name), class.why);
}

static bool inline_wrapped_calls(struct cn_ctx *ctx)
{
  struct cn_stripped_calls calls = {0};
  struct cn_ptrmap wrapped = {0};
  struct cn_span_markers marks = cn_span_markers(ctx);
  bool marked = marks.begin || marks.end || LLVMGetNamedFunction(ctx->module, CN_USER_ROOT);
  unsigned errors = ctx->errors;

  cn_strip_module_statepoints(ctx, true, &calls);
  for (size_t i = 0; i < calls.calls.count; i++) {
    refuse_wrapped_leaf(ctx, calls.calls.at[i]);
    cn_ptrmap_add(&wrapped, calls.calls.at[i], NULL);
  }
  cn_free(&calls.calls);
  /* Hide subtractions: without statepoints an optimiser may compute the two addresses of a difference at different
   * places. */
  CN_EACH_FUNCTION(f, ctx->module)
    if (cn_is_managed(f))
      cn_differences_hide_subtractions(ctx, f);
  visit_calls(ctx, forbid_inlining_unless_wrapped, &wrapped);
  cn_ptrmap_free(&wrapped);
  bool ok = ctx->errors == errors && run_inliner(ctx);
  visit_calls(ctx, restore_inlining_visitor, NULL);
  ok = ok && cn_rewrite_statepoints(ctx) && cn_lower_differences(ctx);
  if (!marked) /* stripping made all markers, and rewriting has read them */
    ok = ok && cn_drop_span_and_root_markers(ctx);
  return ok;
}

bool cn_inline_statepoints(struct cn_ctx *ctx)
{
  unsigned errors = ctx->errors;

  if (!has_inlinable_statepoint(ctx->module))
    return true;
  cn_strip_refuse_statepoints(ctx);
  return ctx->errors == errors && cn_dry_run(ctx, inline_wrapped_calls);
}
