/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the lists of operands that rewrite-statepoints appends to a deopt bundle (abi.def, "Points", "Described
 * allocas" and SPAN_MARK). Each list begins with its mark and ends with its length, so the search begins at the end.
 * Part of strip-statepoints. Needs: any bundle. Provides: the number of operands before each list. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/strip/strip.h"

bool cn_strip_read_number(LLVMValueRef operand, uint64_t *number)
{
  CN_ASSERT(operand);
  if (!LLVMIsAConstantInt(operand) || LLVMGetIntTypeWidth(LLVMTypeOf(operand)) != 64)
    return false;
  *number = LLVMConstIntGetZExtValue(operand);
  return true;
}

/* The number of operands before a list that begins with `mark` and ends at operand `count`; `count` if the list is
 * missing. */
static uint32_t operand_count_before_list(LLVMOperandBundleRef bundle, uint32_t count, uint64_t mark)
{
  uint64_t length, found;

  CN_ASSERT(count <= LLVMGetNumOperandBundleArgs(bundle));
  if (count < 3 || !cn_strip_read_number(LLVMGetOperandBundleArgAtIndex(bundle, count - 1), &length) || length < 2 ||
      length > count - 1)
    return count;
  uint32_t first = count - 1 - (uint32_t)length;
  bool ours = cn_strip_read_number(LLVMGetOperandBundleArgAtIndex(bundle, first), &found) && found == mark;
  return ours ? first : count;
}

uint32_t cn_strip_count_before_spans(LLVMOperandBundleRef bundle)
{
  return operand_count_before_list(bundle, LLVMGetNumOperandBundleArgs(bundle), CAIRN_ABI_SPAN_MARK);
}

uint32_t cn_strip_count_own_deopt(LLVMOperandBundleRef bundle)
{
  uint32_t count = operand_count_before_list(bundle, cn_strip_count_before_spans(bundle), CAIRN_ABI_ALLOCA_MARK);

  return operand_count_before_list(bundle, count, CAIRN_ABI_POINT_MARK);
}
