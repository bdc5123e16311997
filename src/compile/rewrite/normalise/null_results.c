/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives null results of leaves the base null. A leaf such as memchr returns a pointer into its argument, or null. The
 * argument is the base of the result, and a relocation adds the base's move to the result, so null would become a small
 * number. A select of null or the result gets a base that is null with it. The optimiser folds such a select, so it
 * comes after the optimiser, as a part of rewrite-statepoints.
 *
 * Needs: managed functions. Provides: a result with a base argument has two users, the select and its condition.
 * Breaks: nothing.
 */
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/pass.h"
#include "compile/rewrite/normalise/normalise.h"

static bool has_one_predecessor(LLVMBasicBlockRef block)
{
  unsigned edges = 0;

  CN_EACH_USE(use, LLVMBasicBlockAsValue(block))
    edges += LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL;
  return edges == 1;
}

/* The instruction before which the result of the call can be used, or null. */
static LLVMValueRef first_use_place(LLVMValueRef call)
{
  if (LLVMIsACallInst(call))
    return LLVMGetNextInstruction(call);
  LLVMBasicBlockRef normal = LLVMGetNormalDest(call);
  LLVMValueRef first = LLVMGetFirstInstruction(normal);
  return has_one_predecessor(normal) && !LLVMIsAPHINode(first) ? first : NULL;
}

/* True if only a choice of this form, and its condition, use the result: the module was rewritten before. */
static bool is_chosen(LLVMValueRef call)
{
  CN_EACH_USE(use, call) {
    LLVMValueRef user = LLVMGetUser(use), condition = LLVMIsASelectInst(user) ? LLVMGetOperand(user, 0) : user;
    if (!LLVMIsAICmpInst(condition) || LLVMGetICmpPredicate(condition) != LLVMIntEQ ||
        LLVMGetOperand(condition, 0) != call || !LLVMIsNull(LLVMGetOperand(condition, 1)))
      return false;
    if (user != condition && !LLVMIsNull(LLVMGetOperand(user, 1)))
      return false;
  }
  return true;
}

static void choose_null_or_result(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef call)
{
  LLVMValueRef place = first_use_place(call), null = LLVMConstNull(LLVMTypeOf(call));

  if (!place) {
    cn_error(ctx, call, "invoke",
             "the result of this invoke points into an argument; its normal destination has other "
             "predecessors");
    return;
  }
  LLVMPositionBuilderBefore(builder, place);
  LLVMValueRef is_null = LLVMBuildICmp(builder, LLVMIntEQ, call, null, "");
  LLVMValueRef result = LLVMBuildSelect(builder, is_null, null, call, "");
  LLVMReplaceAllUsesWith(call, result);
  LLVMSetOperand(is_null, 0, call);
  LLVMSetOperand(result, 2, call);
}

void cn_null_results_choose(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i) && cn_is_ref(LLVMTypeOf(i)) && cn_calls_enclosing_argument(i) && !is_chosen(i))
        choose_null_or_result(ctx, builder, i);
  LLVMDisposeBuilder(builder);
}
