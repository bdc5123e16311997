/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses uncleared objects with references: a collection would read the old contents of their memory as references.
 * Part of pass `prepare`.
 *
 * Needs: promoted locals, so that each allocation call names its layout static. Provides: diagnostic uninit-references.
 * Breaks: nothing.
 */
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/allocation/layout_constants.h"
#include "compile/source/rules.h"

void cn_rules_check_uninit(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      const struct cn_allocator *allocator = cn_layouts_called_allocator(i);
      LLVMValueRef type = allocator && allocator->uninit && LLVMGetNumArgOperands(i) != 0
                              ? LLVMIsAGlobalVariable(LLVMGetOperand(i, 0))
                              : NULL;
      if (type && cn_holds_ref(LLVMGlobalGetValueType(type)))
        cn_error(ctx, i, "uninit-references",
                 "an array that is not cleared is of a type with references, which would keep the memory's old "
                 "contents; use cairn_new_array(), cairn_new_flex() or cairn_resize_array()");
    }
}
