/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions about types, functions and calls that must have one answer (the seeds'
 * "Distinguishing references").
 */
#include <string.h>
#include "base/check.h"
#include "compile/pass.h"

bool cn_is_ref(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
         LLVMGetPointerAddressSpace(type) == CAIRN_ABI_ADDRESS_SPACE;
}

bool cn_is_ref_vector(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);

  return (kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind) &&
         cn_is_ref(LLVMGetElementType(type));
}

bool cn_holds_ref(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMPointerTypeKind:
    return cn_is_ref(type);
  case LLVMVectorTypeKind:
  case LLVMScalableVectorTypeKind:
  case LLVMArrayTypeKind:
    return cn_holds_ref(LLVMGetElementType(type));
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      if (cn_holds_ref(LLVMStructGetTypeAtIndex(type, i)))
        return true;
    return false;
  default:
    return false;
  }
}

bool cn_takes_address(LLVMValueRef instruction)
{
  if (!LLVMIsAInstruction(instruction))
    return false;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
  return opcode == LLVMPtrToInt || opcode == LLVMPtrToAddr;
}

bool cn_is_managed(LLVMValueRef function)
{
  const char *gc = LLVMGetGC(function);

  if (gc && (strcmp(gc, "statepoint-example") == 0 || strcmp(gc, "coreclr") == 0))
    return true;
  return LLVMGetStringAttributeAtIndex(function, CN_FUNCTION_INDEX, "cairn", 5) != NULL;
}

LLVMValueRef cn_intrinsic(struct cn_ctx *ctx, const char *name, LLVMTypeRef *types, size_t count)
{
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));

  CN_CHECK(id != 0);
  return LLVMGetIntrinsicDeclaration(ctx->module, id, types, count);
}

LLVMValueRef cn_direct_callee(LLVMValueRef call)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);

  return LLVMIsAFunction(callee);
}

bool cn_calls_intrinsic(LLVMValueRef instruction, const char *name)
{
  if (!LLVMIsACallInst(instruction) && !LLVMIsAInvokeInst(instruction))
    return false;
  LLVMValueRef callee = cn_direct_callee(instruction);
  return callee && LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, strlen(name)) &&
         LLVMGetIntrinsicID(callee) != 0;
}
