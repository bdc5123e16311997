/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces undefined references by null: a step of rewrite-statepoints.
 *
 * Needs: managed functions. Provides: operands of types that hold references are free of undef and poison. Breaks:
 * nothing: null is one of the values that undef allows.
 *
 * The promotion of a local that is set only in a loop makes a phi of a reference and undef. The code generator may
 * choose any register for undef, so the collector would read the old contents of a register: a stale reference, or any
 * other word.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/pass.h"
#include "compile/rewrite/normalise/normalise.h"

/* `constant` with null for its undefined parts. Constant expressions and globals are always defined. */
static LLVMValueRef replace_undef_parts(LLVMValueRef constant)
{
  LLVMTypeRef type = LLVMTypeOf(constant);
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  bool changed = false;

  if (LLVMIsUndef(constant) || LLVMIsPoison(constant))
    return LLVMConstNull(type);
  if (!LLVMIsAConstantStruct(constant) && !LLVMIsAConstantVector(constant) && !LLVMIsAConstantArray(constant))
    return constant;
  CN_CHECK(kind == LLVMVectorTypeKind || kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind);
  int count = LLVMGetNumOperands(constant);
  LLVMValueRef *parts = cn_alloc((size_t)count * sizeof *parts);
  for (int i = 0; i < count; i++) {
    LLVMValueRef part = LLVMGetOperand(constant, (unsigned)i);
    parts[i] = cn_holds_ref(LLVMTypeOf(part)) ? replace_undef_parts(part) : part;
    changed |= parts[i] != part;
  }
  if (changed && kind == LLVMVectorTypeKind)
    constant = LLVMConstVector(parts, (unsigned)count);
  else if (changed && kind == LLVMArrayTypeKind)
    constant = LLVMConstArray2(LLVMGetElementType(type), parts, (uint64_t)count);
  else if (changed && LLVMIsLiteralStruct(type))
    constant = LLVMConstStructInContext(LLVMGetTypeContext(type), parts, (unsigned)count, LLVMIsPackedStruct(type));
  else if (changed)
    constant = LLVMConstNamedStruct(type, parts, (unsigned)count);
  free(parts);
  CN_CHECK(LLVMTypeOf(constant) == type);
  return constant;
}

void cn_undef_replace_references(LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      int operands = LLVMGetNumOperands(i);
      for (int o = 0; o < operands; o++) {
        LLVMValueRef operand = LLVMGetOperand(i, (unsigned)o);
        if (!operand || !LLVMIsConstant(operand) || !cn_holds_ref(LLVMTypeOf(operand)))
          continue;
        LLVMValueRef whole = replace_undef_parts(operand);
        if (whole != operand)
          LLVMSetOperand(i, (unsigned)o, whole);
      }
    }
}
