/* SPDX-License-Identifier: Apache-2.0
 *
 * Undefined references become null: a step of rewrite-statepoints.
 *
 * Needs: managed functions. Provides: no undef or poison of a type that holds references is an
 * operand in them. Breaks: nothing: null is one of the values that undef may have.
 *
 * A phi of a reference and undef is what promotion makes of a local that is set in a loop only.
 * The code generator leaves such a reference in whatever register it likes, so the collector
 * would read what lay there before: a stale reference, or no reference at all.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/pass.h"
#include "compile/rewrite/normalise/normalise.h"

/* `constant` without undefined parts. Constant expressions and globals have none. */
static LLVMValueRef defined(LLVMValueRef constant)
{
  LLVMTypeRef type = LLVMTypeOf(constant);
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  bool changed = false;

  if (LLVMIsUndef(constant) || LLVMIsPoison(constant))
    return LLVMConstNull(type);
  if (!LLVMIsAConstantStruct(constant) && !LLVMIsAConstantVector(constant) &&
      !LLVMIsAConstantArray(constant))
    return constant;
  int count = LLVMGetNumOperands(constant);
  LLVMValueRef *parts = cn_alloc((size_t)count * sizeof *parts);
  for (int i = 0; i < count; i++) {
    LLVMValueRef part = LLVMGetOperand(constant, (unsigned)i);
    parts[i] = cn_holds_ref(LLVMTypeOf(part)) ? defined(part) : part;
    changed |= parts[i] != part;
  }
  if (changed && kind == LLVMVectorTypeKind)
    constant = LLVMConstVector(parts, (unsigned)count);
  else if (changed && kind == LLVMArrayTypeKind)
    constant = LLVMConstArray2(LLVMGetElementType(type), parts, (uint64_t)count);
  else if (changed && LLVMIsLiteralStruct(type))
    constant = LLVMConstStructInContext(LLVMGetTypeContext(type), parts, (unsigned)count,
                                        LLVMIsPackedStruct(type));
  else if (changed)
    constant = LLVMConstNamedStruct(type, parts, (unsigned)count);
  free(parts);
  return constant;
}

void cn_undef_define(LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      int operands = LLVMGetNumOperands(i);
      for (int o = 0; o < operands; o++) {
        LLVMValueRef operand = LLVMGetOperand(i, (unsigned)o);
        if (!operand || !LLVMIsConstant(operand) || !cn_holds_ref(LLVMTypeOf(operand)))
          continue;
        LLVMValueRef whole = defined(operand);
        if (whole != operand)
          LLVMSetOperand(i, (unsigned)o, whole);
      }
    }
}
