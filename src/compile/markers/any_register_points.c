/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns calls of the marker CN_ANY_REGISTER_POINT into patchpoints whose arguments and result are in any registers: C
 * has no name for this convention. Part of pass `prepare`. Needs: any module. Provides: calls of
 * llvm.experimental.patchpoint with convention anyregcc. Breaks: nothing.
 */
#include "compile/core/convention.h"
#include "compile/core/emitted_names.h"
#include "compile/markers/markers.h"

void cn_markers_lower_points(struct cn_ctx *ctx)
{
  LLVMValueRef marker = LLVMGetNamedFunction(ctx->module, CN_ANY_REGISTER_POINT);
  LLVMTypeRef word = LLVMInt64TypeInContext(ctx->llvm);

  if (marker == NULL)
    return;
  LLVMValueRef patchpoint = cn_intrinsic(ctx, "llvm.experimental.patchpoint", &word, 1);
  if (LLVMGlobalGetValueType(marker) != LLVMGlobalGetValueType(patchpoint)) {
    cn_error(ctx, marker, "patch-point", "@" CN_ANY_REGISTER_POINT " is not declared as in <cairn/patched_cache.h>");
    return;
  }
  for (LLVMUseRef use = LLVMGetFirstUse(marker); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    if (LLVMIsACallInst(call))
      LLVMSetInstructionCallConv(call, CN_CONVENTION_ANY_REGISTER);
  }
  LLVMReplaceAllUsesWith(marker, patchpoint);
  LLVMDeleteFunction(marker);
}
