/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the records of deopt values in bundles "deopt" (abi.def, DEOPT_FRAME). Needs, breaks: nothing. Provides: the
 * functions of deopt_records.h.
 */
#include "compile/effects/deopt_records.h"

bool cn_deopt_read_word(LLVMValueRef operand, uint64_t *word)
{
  if (!LLVMIsAConstantInt(operand) || LLVMGetIntTypeWidth(LLVMTypeOf(operand)) != 64)
    return false;
  *word = LLVMConstIntGetZExtValue(operand);
  return true;
}

bool cn_deopt_is_record(const LLVMValueRef *operands, size_t count)
{
  uint64_t word;

  return count && cn_deopt_read_word(operands[0], &word) &&
         (word >> CAIRN_ABI_DEOPT_MAGIC_SHIFT == CAIRN_ABI_DEOPT_FRAME ||
          word >> CAIRN_ABI_DEOPT_MAGIC_SHIFT == CAIRN_ABI_DEOPT_OBJECTS);
}
