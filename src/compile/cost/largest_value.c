/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes an upper bound of an integer from its operands. Needs, breaks: nothing. Provides: cn_largest_value().
 */
#include "compile/cost/loops.h"

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* True if the select is the unsigned minimum of two values, such as x < y ? x : y. */
static bool is_minimum(LLVMValueRef select)
{
  LLVMValueRef test = LLVMIsAICmpInst(LLVMGetOperand(select, 0));

  if (!test)
    return false;
  LLVMIntPredicate p = LLVMGetICmpPredicate(test);
  bool less = p == LLVMIntULT || p == LLVMIntULE;
  LLVMValueRef lesser = LLVMGetOperand(test, less ? 0 : 1);
  LLVMValueRef greater = LLVMGetOperand(test, less ? 1 : 0);
  return (less || p == LLVMIntUGT || p == LLVMIntUGE) && LLVMGetOperand(select, 1) == lesser &&
         LLVMGetOperand(select, 2) == greater;
}

static uint64_t largest_value_of_select(LLVMValueRef select, unsigned depth)
{
  uint64_t a = cn_largest_value(LLVMGetOperand(select, 1), depth);
  uint64_t b = cn_largest_value(LLVMGetOperand(select, 2), depth);

  return (a < b) == is_minimum(select) ? a : b;
}

uint64_t cn_largest_value(LLVMValueRef value, unsigned depth)
{
  if (LLVMIsAConstantInt(value))
    return LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64 ? LLVMConstIntGetZExtValue(value) : UINT64_MAX;
  if (depth == 0 || !LLVMIsAInstruction(value) || LLVMGetNumOperands(value) == 0)
    return UINT64_MAX;
  LLVMValueRef first = LLVMGetOperand(value, 0);
  LLVMValueRef second = LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : NULL;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMZExt: {
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(first));
    return smaller_of(cn_largest_value(first, depth - 1), width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX);
  }
  case LLVMFreeze:
    return cn_largest_value(first, depth - 1);
  case LLVMAnd:
    return smaller_of(cn_largest_value(first, depth - 1), cn_largest_value(second, depth - 1));
  case LLVMURem: {
    uint64_t divisor = LLVMIsAConstantInt(second) ? cn_largest_value(second, depth) : 0;
    return divisor && divisor != UINT64_MAX ? divisor - 1 : UINT64_MAX;
  }
  case LLVMSelect:
    return largest_value_of_select(value, depth - 1);
  case LLVMCall:
    return cn_calls_intrinsic(value, "llvm.umin")
               ? smaller_of(cn_largest_value(first, depth - 1), cn_largest_value(second, depth - 1))
               : UINT64_MAX;
  default:
    return UINT64_MAX;
  }
}
