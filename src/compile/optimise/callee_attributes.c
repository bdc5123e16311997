/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns assertions of C programs that a callee is managed into an attribute. The C code cairn_managed_callee(f)(x)
 * calls the result of cairn.managed.callee(f). Each call of that function is replaced by its argument, and calls
 * through its result get the attribute that other front ends write directly (call_targets.c).
 *
 * Part of pass prepare. Needs: promoted locals. Provides: the attribute; the function is deleted; an error for uses of
 * the function other than calls. Breaks: nothing.
 */
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/optimise/prepare.h"

static void mark_managed_callee_calls(struct cn_ctx *ctx, LLVMValueRef promise)
{
  LLVMAttributeRef attribute =
      LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_MANAGED_CALLEE, (unsigned)strlen(CN_ATTR_MANAGED_CALLEE), "", 0);

  CN_EACH_USE(use, promise) {
    LLVMValueRef call = LLVMGetUser(use);
    if (cn_is_call(call) && LLVMGetCalledValue(call) == promise)
      LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX, attribute);
  }
}

void cn_callee_attributes_add(struct cn_ctx *ctx)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, CN_MANAGED_CALLEE_MARKER);

  if (!function)
    return;
  for (LLVMUseRef use; (use = LLVMGetFirstUse(function));) {
    LLVMValueRef call = LLVMGetUser(use);
    if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != function || LLVMGetNumArgOperands(call) != 1 ||
        LLVMTypeOf(LLVMGetOperand(call, 0)) != LLVMTypeOf(call)) {
      cn_error(ctx, function, "reserved-name", "@%s is used other than by calling it", CN_MANAGED_CALLEE_MARKER);
      return;
    }
    mark_managed_callee_calls(ctx, call);
    LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
    LLVMInstructionEraseFromParent(call);
  }
  CN_CHECK(!LLVMGetFirstUse(function));
  LLVMDeleteFunction(function);
}
