/* SPDX-License-Identifier: Apache-2.0
 *
 * Inserts the module's own poll, @gc.safepoint_poll: "the body of this function is inserted at each poll site desired"
 * (statepoints-later, "PlaceSafepoints"). Checks the function first. Part of pass `place-safepoints`.
 *
 * Needs: any module. Provides: polls, or an error. Breaks: struct cn_cfg.
 *
 * Each poll is first a call of the function, which LLVM's always-inliner then replaces by the body; LLVM-C offers no
 * other inliner. The body itself stays free of polls, and only polls are inlined.
 */
#include "compile/place/poll.h"

#include <string.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/funclets.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

/* ---- refusals ---- */

struct poll_body_counts {
  unsigned points, statepoints, itself, returns;
};

static struct poll_body_counts count_body_instructions(LLVMValueRef poll)
{
  struct poll_body_counts body = {0};

  CN_EACH_BLOCK(b, poll)
    CN_EACH_INSTRUCTION(i, b) {
      enum cn_call_kind kind = cn_classify_call(i).kind;
      body.points += kind == CN_CALL_PARSE_POINT || kind == CN_CALL_MUSTTAIL;
      body.statepoints += kind == CN_CALL_STATEPOINT;
      body.returns += LLVMIsAReturnInst(i) != NULL;
      body.itself += kind != CN_CALL_NONE && cn_direct_callee(i) == poll;
    }
  return body;
}

static void check_poll_body(struct cn_ctx *ctx, LLVMValueRef poll)
{
  struct poll_body_counts body = count_body_instructions(poll);

  if (body.itself)
    cn_error(ctx, poll, "poll-inline",
             "@" CN_USER_POLL " calls itself, so that its body cannot be "
             "inserted in line");
  else if (body.statepoints)
    cn_error(ctx, poll, "poll-body",
             "@" CN_USER_POLL " has statepoints already, which do not list the live references at polls");
  else if (!body.returns)
    cn_error(ctx, poll, "poll-body", "@" CN_USER_POLL " does not return");
  else if (!body.points)
    cn_error(ctx, poll, "poll-body",
             "no call in @" CN_USER_POLL " is a parse point, so that its polls would be no "
             "safepoints");
}

/* The variable or alias with the name gc.safepoint_poll, or null. */
static LLVMValueRef find_other_global_of_name(struct cn_ctx *ctx)
{
  LLVMValueRef global = LLVMGetNamedGlobal(ctx->module, CN_USER_POLL);

  if (!global)
    global = LLVMGetNamedGlobalAlias(ctx->module, CN_USER_POLL, strlen(CN_USER_POLL));
  if (!global)
    global = LLVMGetNamedGlobalIFunc(ctx->module, CN_USER_POLL, strlen(CN_USER_POLL));
  return global;
}

bool cn_user_poll_find(struct cn_ctx *ctx, LLVMValueRef *poll)
{
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), NULL, 0, false);
  LLVMValueRef other = find_other_global_of_name(ctx);

  CN_ASSERT(ctx->errors == 0);
  *poll = LLVMGetNamedFunction(ctx->module, CN_USER_POLL);
  if (other)
    cn_error(ctx, other, "poll-type", "@" CN_USER_POLL " is not a function whose body could be inserted at polls");
  else if (*poll && LLVMGlobalGetValueType(*poll) != type)
    cn_error(ctx, *poll, "poll-type", "@" CN_USER_POLL " must have type void ()");
  else if (*poll && LLVMIsDeclaration(*poll))
    cn_error(ctx, *poll, "poll-body", "@" CN_USER_POLL " is declared but has no body to insert at polls");
  else if (*poll)
    check_poll_body(ctx, *poll);
  return ctx->errors == 0;
}

/* ---- polls ---- */

/* LLVM requires a location of inlinable calls in functions with debug information. */
static void set_debug_location(struct cn_ctx *ctx, LLVMValueRef call)
{
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
  LLVMMetadataRef scope = LLVMGetSubprogram(function);

  if (scope && !LLVMInstructionGetDebugLoc(call))
    LLVMInstructionSetDebugLoc(call, LLVMDIBuilderCreateDebugLocation(ctx->llvm, 0, 0, scope, NULL));
}

void cn_user_poll_emit_call(struct cn_ctx *ctx, LLVMValueRef poll, LLVMValueRef at, LLVMValueRef pad)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_CHECK(LLVMGetBasicBlockParent(LLVMGetInstructionParent(at)) != poll);
  CN_ASSERT(!LLVMIsAPHINode(at) && !LLVMIsALandingPadInst(at));
  CN_ASSERT(!pad || LLVMIsAFuncletPadInst(pad));
  LLVMPositionBuilderBefore(builder, at);
  LLVMValueRef call = cn_funclet_build_call(builder, poll, pad);
  LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(poll));
  LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX, cn_enum_attribute_of_name(ctx, "alwaysinline"));
  set_debug_location(ctx, call);
  LLVMDisposeBuilder(builder);
}

/* ---- inlining ---- */

typedef CN_VECTOR(LLVMValueRef) value_vector;

/* Remove "alwaysinline" from all functions and from all calls except the polls, and list the functions and calls that
 * had it. @gc.safepoint_poll itself must not have the attribute: LLVM would delete the function with its last call. */
static void remove_alwaysinline(struct cn_ctx *ctx, LLVMValueRef poll, value_vector *functions, value_vector *calls)
{
  unsigned kind = cn_attribute_kind("alwaysinline");

  CN_EACH_FUNCTION(f, ctx->module) {
    if (LLVMGetEnumAttributeAtIndex(f, CN_FUNCTION_INDEX, kind))
      cn_push(functions, f);
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (cn_is_call(i) && cn_direct_callee(i) != poll && LLVMGetCallSiteEnumAttribute(i, CN_FUNCTION_INDEX, kind))
          cn_push(calls, i);
  }
  for (size_t i = 0; i < functions->count; i++)
    LLVMRemoveEnumAttributeAtIndex(functions->at[i], CN_FUNCTION_INDEX, kind);
  for (size_t i = 0; i < calls->count; i++)
    LLVMRemoveCallSiteEnumAttribute(calls->at[i], CN_FUNCTION_INDEX, kind);
}

static void restore_alwaysinline(struct cn_ctx *ctx, value_vector *functions, value_vector *calls)
{
  LLVMAttributeRef attribute = cn_enum_attribute_of_name(ctx, "alwaysinline");

  for (size_t i = 0; i < functions->count; i++)
    LLVMAddAttributeAtIndex(functions->at[i], CN_FUNCTION_INDEX, attribute);
  for (size_t i = 0; i < calls->count; i++)
    LLVMAddCallSiteAttribute(calls->at[i], CN_FUNCTION_INDEX, attribute);
  cn_free(functions);
  cn_free(calls);
}

/* The program's own calls of @gc.safepoint_poll may stay. */
static bool check_polls_are_inlined(struct cn_ctx *ctx, LLVMValueRef poll)
{
  unsigned kind = cn_attribute_kind("alwaysinline");

  CN_EACH_USE(use, poll) {
    LLVMValueRef user = LLVMGetUser(use);
    if (cn_is_call(user) && cn_direct_callee(user) == poll &&
        LLVMGetCallSiteEnumAttribute(user, CN_FUNCTION_INDEX, kind)) {
      cn_error(ctx, user, "poll-inline", "the body of @" CN_USER_POLL " cannot be inserted in line");
      return false;
    }
  }
  return true;
}

bool cn_user_poll_inline(struct cn_ctx *ctx, LLVMValueRef poll)
{
  value_vector functions = {0}, calls = {0};
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();

  CN_CHECK(!LLVMIsDeclaration(poll));
  remove_alwaysinline(ctx, poll, &functions, &calls);
  LLVMErrorRef error = LLVMRunPasses(ctx->module, "always-inline", NULL, options);
  restore_alwaysinline(ctx, &functions, &calls);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return check_polls_are_inlined(ctx, poll);
  char *message = LLVMGetErrorMessage(error);
  cn_error(ctx, poll, "poll-inline", "cannot insert @" CN_USER_POLL ": %s", message);
  LLVMDisposeErrorMessage(message);
  return false;
}
