/* SPDX-License-Identifier: Apache-2.0
 *
 * Small helpers around types and attributes.
 */
#include "compile/names.h"

#include <string.h>
#include "base/check.h"

LLVMTypeRef cn_ref_type(struct cn_ctx *ctx)
{
  return LLVMPointerTypeInContext(ctx->llvm, CAIRN_ABI_ADDRESS_SPACE);
}

void cn_add_attribute(struct cn_ctx *ctx, LLVMValueRef function, LLVMAttributeIndex index,
                      const char *name, uint64_t value)
{
  LLVMAddAttributeAtIndex(function, index,
                          LLVMCreateEnumAttribute(ctx->llvm, cn_attribute_kind(name), value));
}

bool cn_has_statepoints(LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (cn_calls_intrinsic(i, "llvm.experimental.gc.statepoint"))
        return true;
  return false;
}
