/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls by which programs mark spans, words of their own and regions without polls: what the
 * optimiser may know of them, and pass drop-markers, which deletes them.
 *
 * Needs: what the marks ask for is done. Provides: no marker. Breaks: nothing.
 */
#include "compile/markers.h"

#include "compile/names.h"
#include "compile/regions.h"
#include "compile/spans.h"
#include "compile/user_roots.h"
#include "compile/work.h"

void cn_markers_describe(struct cn_ctx *ctx, const char *name)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  if (!function || !LLVMIsDeclaration(function))
    return;
  cn_add_attribute(ctx, function, CN_FUNCTION_INDEX, "nounwind", 0);
  cn_add_attribute(ctx, function, CN_FUNCTION_INDEX, "willreturn", 0);
  /* Two calls with different arguments would be one with a computed one. */
  cn_add_attribute(ctx, function, CN_FUNCTION_INDEX, "nomerge", 0);
  LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX,
                          LLVMCreateStringAttribute(ctx->llvm, CN_WORK_SAID,
                                                    sizeof CN_WORK_SAID - 1, "1", 1));
}

void cn_markers_erase(LLVMValueRef function)
{
  for (LLVMUseRef use; (use = LLVMGetFirstUse(function));)
    LLVMInstructionEraseFromParent(LLVMGetUser(use));
  LLVMDeleteFunction(function);
}

bool cn_markers_drop(struct cn_ctx *ctx)
{
  static const char *const names[] = {CN_SPAN_BEGIN, CN_SPAN_END, CN_USER_ROOT};

  cn_spans_check_markers(ctx);
  cn_user_roots_check_marker(ctx);
  if (ctx->errors)
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    LLVMValueRef function = LLVMGetNamedFunction(ctx->module, names[i]);
    if (!function)
      continue;
    cn_markers_erase(function);
  }
  return true;
}

bool cn_markers(struct cn_ctx *ctx)
{
  return cn_regions_drop(ctx) && cn_markers_drop(ctx);
}
