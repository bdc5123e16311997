/* SPDX-License-Identifier: Apache-2.0
 *
 * Describes markers of all kinds to the optimiser by attributes, and deletes markers. Needs, breaks: nothing. Provides:
 * cn_markers_add_attributes(), cn_markers_erase().
 */
#include "compile/markers/markers.h"

#include "base/check.h"
#include "compile/core/emitted_names.h"

void cn_markers_add_attributes(struct cn_ctx *ctx, const char *name)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  if (!function || !LLVMIsDeclaration(function))
    return;
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "nounwind", 0);
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "willreturn", 0);
  /* A merge of two calls with different arguments would give a call with a computed argument. */
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "nomerge", 0);
  LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX,
                          LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_WORK, sizeof CN_ATTR_WORK - 1, "1", 1));
}

void cn_markers_erase(LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  for (LLVMUseRef use; (use = LLVMGetFirstUse(function));) {
    CN_CHECK(LLVMIsACallInst(LLVMGetUser(use))); /* earlier checks refused other uses */
    LLVMInstructionEraseFromParent(LLVMGetUser(use));
  }
  LLVMDeleteFunction(function);
}
