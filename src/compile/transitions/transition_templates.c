/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass lower-transitions: does the lowering that "Garbage Collection Safepoints in LLVM" ("GC Transitions") leaves to
 * each target. A front end marks calls by the bundle "gc-transition", whose operands the front end chooses. Two
 * functions of the module are the templates of the lowering:
 *
 *   define void @cairn.transition.enter(operands)       before the call: managed code is left
 *   define void @cairn.transition.leave(operands)       after it, on its unwind edge too
 *
 *   call @gc.statepoint(...) ["gc-transition"(ops)]  ->   the body of enter
 *                                                         call @gc.statepoint(...)
 *                                                         the body of leave
 *
 * LLVM's own passes split the edges and inline the bodies. A module that lacks both leaves transitions to Cairn's
 * stubs. In both cases the pass removes the bundle, because LLVM 22 ignores the bundle for some targets, and crashes
 * for others (docs/llvm-22.md, "gc-transition").
 *
 * Needs: final, verified statepoints. Provides: IR free of "gc-transition" bundles, or an error if operands do not fit
 * the templates. Breaks: struct cn_cfg.
 */
#include <llvm-c/DebugInfo.h>
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/transitions/rebuild.h"

static const char transition_bundle_tag[] = "gc-transition";
enum { FLAGS_OPERAND = 4, STATEPOINT_TRANSITION_FLAG = 1 }; /* operand of a statepoint; bit */

typedef CN_VECTOR(LLVMValueRef) value_vector;

struct transition_templates {
  LLVMValueRef enter, leave; /* null if absent */
};

/* ---- refusals ---- */

static const char *function_name_of(LLVMValueRef function)
{
  size_t length;

  return LLVMGetValueName2(function, &length);
}

static bool check_template(struct cn_ctx *ctx, LLVMValueRef call, LLVMValueRef template, const value_vector *operands)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(template);
  bool fits = LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind && !LLVMIsFunctionVarArg(type) &&
              LLVMCountParams(template) == operands->count;

  for (unsigned i = 0; fits && i < operands->count; i++)
    fits = LLVMTypeOf(LLVMGetParam(template, i)) == LLVMTypeOf(operands->at[i]);
  if (!fits)
    cn_error(ctx, call, "transition-template",
             "the operands of the call's bundle \"gc-transition\" are not those that @%s takes",
             function_name_of(template));
  return fits;
}

static bool check_bundle_operands(struct cn_ctx *ctx, LLVMValueRef call, const struct transition_templates *templates,
                                  const value_vector *operands)
{
  for (size_t i = 0; i < operands->count; i++)
    if (cn_holds_ref(LLVMTypeOf(operands->at[i]))) {
      cn_error(ctx, call, "transition-reference",
               "operand %u of the call's bundle \"gc-transition\" is a reference: the object may "
               "have moved by the end of the call",
               (unsigned)i + 1);
      return false;
    }
  return check_template(ctx, call, templates->enter, operands) && check_template(ctx, call, templates->leave, operands);
}

/* Check that the landing pad of the call's unwind edge belongs to this call alone. */
static bool check_landing_pad(struct cn_ctx *ctx, LLVMValueRef call, LLVMBasicBlockRef pad)
{
  unsigned ways = 0;

  CN_EACH_USE(use, LLVMBasicBlockAsValue(pad))
    ways += LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL;
  if (ways == 1 && LLVMIsALandingPadInst(cn_first_after_phis(pad)))
    return true;
  cn_error(ctx, call, "transition-unwind",
           "the landing pad of a call with a bundle \"gc-transition\" is that of other calls, too, or "
           "a funclet: give each such call a landing pad of its own");
  return false;
}

/* ---- lowering ---- */

static void call_template_before(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef template,
                                 const value_vector *operands)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  LLVMPositionBuilderBefore(builder, at);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(at));
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(template), template, operands->at, (unsigned)operands->count, "");
  LLVMDisposeBuilder(builder);
}

static bool surround_call(struct cn_ctx *ctx, LLVMValueRef call, const struct transition_templates *templates,
                          const value_vector *operands)
{
  if (!check_bundle_operands(ctx, call, templates, operands))
    return false;
  if (LLVMIsAInvokeInst(call)) {
    LLVMBasicBlockRef pad = LLVMGetUnwindDest(call);
    if (!check_landing_pad(ctx, call, pad))
      return false;
    call_template_before(ctx, LLVMGetNextInstruction(cn_first_after_phis(pad)), templates->leave, operands);
    call_template_before(ctx, cn_first_after_phis(LLVMGetNormalDest(call)), templates->leave, operands);
  } else {
    call_template_before(ctx, LLVMGetNextInstruction(call), templates->leave, operands);
  }
  call_template_before(ctx, call, templates->enter, operands);
  return true;
}

static void drop_transition_bundle(struct cn_ctx *ctx, LLVMValueRef call)
{
  const struct cn_call_target site = cn_call_target_of(call);
  const struct cn_call_change change = {.callee = cn_call_target_callee(&site),
                                        .convention = LLVMGetInstructionCallConv(call),
                                        .keeps_passing = true,
                                        .without = transition_bundle_tag};

  if (site.is_statepoint) {
    LLVMValueRef flags = LLVMGetOperand(call, FLAGS_OPERAND);
    uint64_t rest = LLVMConstIntGetZExtValue(flags) & ~(uint64_t)STATEPOINT_TRANSITION_FLAG;
    LLVMSetOperand(call, FLAGS_OPERAND, LLVMConstInt(LLVMTypeOf(flags), rest, false));
  }
  cn_rebuild_call(ctx, &site, &change);
}

static void lower_transition(struct cn_ctx *ctx, LLVMValueRef call, const struct transition_templates *templates)
{
  value_vector operands = {0};
  uint32_t first, end;

  cn_calls_find_bundle(call, transition_bundle_tag, &first, &end);
  for (uint32_t i = first; i < end; i++)
    cn_push(&operands, LLVMGetOperand(call, i));
  if (!templates->enter || surround_call(ctx, call, templates, &operands))
    drop_transition_bundle(ctx, call);
  cn_free(&operands);
}

static void gather_transition_calls(LLVMModuleRef module, value_vector *calls)
{
  uint32_t first, end;

  CN_EACH_FUNCTION(f, module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (cn_is_call(i) && cn_calls_find_bundle(i, transition_bundle_tag, &first, &end))
          cn_push(calls, i);
}

static LLVMValueRef find_template(struct cn_ctx *ctx, const char *name)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  if (!function || LLVMIsDeclaration(function))
    return NULL;
  if (cn_is_managed(function))
    cn_error(ctx, function, "transition-template", "@%s is managed code", name);
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "alwaysinline", 0);
  return function;
}

bool cn_lower_transitions(struct cn_ctx *ctx)
{
  struct transition_templates templates = {find_template(ctx, CN_TRANSITION_ENTER),
                                           find_template(ctx, CN_TRANSITION_LEAVE)};
  value_vector calls = {0};

  if (!templates.enter != !templates.leave)
    cn_error(ctx, NULL, "transition-template", "the module defines one of @%s and @%s", CN_TRANSITION_ENTER,
             CN_TRANSITION_LEAVE);
  gather_transition_calls(ctx->module, &calls);
  bool lowers = templates.enter && calls.count;
  if (lowers && !ctx->errors)
    cn_run_llvm_passes(ctx, "break-crit-edges");
  for (size_t i = 0; i < calls.count && !ctx->errors; i++)
    lower_transition(ctx, calls.at[i], &templates);
  cn_free(&calls);
  return !ctx->errors && (!lowers || cn_run_llvm_passes(ctx, "always-inline"));
}
