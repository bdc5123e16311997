/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses comparisons of an object's header with the layout static that names the object's type in allocation calls.
 * Pass `layouts` replaces the static by a layout that types of equal form share, so the comparison would be false for
 * every object. `prepare` calls this rule before the optimiser, which would fold the comparison because the word before
 * an object is outside the object.
 *
 * Needs: any function; finds more comparisons in functions with promoted locals. Provides: diagnostic layout-compare.
 * Breaks: nothing.
 */
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/allocation/layout_constants.h"
#include "compile/source/rules.h"

/* True if an allocation call names its type by the static `value`. */
static bool is_layout_static(LLVMValueRef value)
{
  if (!LLVMIsAGlobalVariable(value))
    return false;
  CN_EACH_USE(use, value) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAInstruction(user) && cn_layouts_called_allocator(user) && LLVMGetOperand(user, 0) == value)
      return true;
  }
  return false;
}

static LLVMValueRef strip_casts(LLVMValueRef value)
{
  while (LLVMIsACastInst(value) || (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMPtrToInt))
    value = LLVMGetOperand(value, 0);
  return value;
}

/* True if `value` was loaded from the word before an object. */
static bool is_header_load(struct cn_ctx *ctx, LLVMValueRef value)
{
  LLVMValueRef address = LLVMIsALoadInst(value) ? LLVMGetOperand(value, 0) : NULL;
  uint64_t offset = 0;

  if (!address || !cn_is_ref(LLVMTypeOf(address)))
    return false;
  for (; LLVMIsAGetElementPtrInst(address); address = LLVMGetOperand(address, 0))
    if (!cn_types_gep_offset(ctx, address, &offset))
      return false;
  return (int64_t)offset < 0;
}

void cn_rules_check_layout_compares(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      if (!LLVMIsAICmpInst(i))
        continue;
      LLVMValueRef left = strip_casts(LLVMGetOperand(i, 0));
      LLVMValueRef right = strip_casts(LLVMGetOperand(i, 1));
      if ((is_layout_static(left) && is_header_load(ctx, right)) ||
          (is_layout_static(right) && is_header_load(ctx, left)))
        cn_error(ctx, i, "layout-compare",
                 "an object's header never holds the address of the static that names its type: give the object a "
                 "member with its kind");
    }
}
