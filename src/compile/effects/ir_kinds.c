/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists the known opcodes, types and constants of LLVM 22: every pass handles their effects on references. Passes
 * rewrite-statepoints (refuse_kinds.c) and verify-safepoints refuse all others, which could hide or move a reference.
 * The list omits types that a target defines, because their bits may hide references; all ports use other types. Needs,
 * breaks: nothing. Provides: a test for each kind (cn_is_known_*). The caller has all state: the map of the types and
 * constants that were visited, so that the tests of a function visit each once.
 */
#include "compile/effects/intrinsics.h"

#include "base/check.h"

bool cn_is_known_opcode(LLVMOpcode opcode)
{
  switch (opcode) {
  case LLVMRet:
  CN_CASE_BRANCH:
  case LLVMSwitch:
  case LLVMIndirectBr:
  case LLVMInvoke:
  case LLVMUnreachable:
  case LLVMCallBr:
  case LLVMResume:
  case LLVMCleanupRet:
  case LLVMCatchRet:
  case LLVMCatchSwitch:
  case LLVMFNeg:
  case LLVMAdd:
  case LLVMFAdd:
  case LLVMSub:
  case LLVMFSub:
  case LLVMMul:
  case LLVMFMul:
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMFDiv:
  case LLVMURem:
  case LLVMSRem:
  case LLVMFRem:
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMAlloca:
  case LLVMLoad:
  case LLVMStore:
  case LLVMGetElementPtr:
  case LLVMFence:
  case LLVMAtomicCmpXchg:
  case LLVMAtomicRMW:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMFPToUI:
  case LLVMFPToSI:
  case LLVMUIToFP:
  case LLVMSIToFP:
  case LLVMFPTrunc:
  case LLVMFPExt:
  case LLVMPtrToInt:
  case LLVMPtrToAddr:
  case LLVMIntToPtr:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
  case LLVMCleanupPad:
  case LLVMCatchPad:
  case LLVMICmp:
  case LLVMFCmp:
  case LLVMPHI:
  case LLVMCall:
  case LLVMSelect:
  case LLVMVAArg:
  case LLVMExtractElement:
  case LLVMInsertElement:
  case LLVMShuffleVector:
  case LLVMExtractValue:
  case LLVMInsertValue:
  case LLVMLandingPad:
  case LLVMFreeze:
    return true;
  default:
    return false;
  }
}

bool cn_is_known_type_kind(LLVMTypeKind kind)
{
  switch (kind) {
  case LLVMVoidTypeKind:
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMX86_FP80TypeKind:
  case LLVMFP128TypeKind:
  case LLVMPPC_FP128TypeKind:
  case LLVMLabelTypeKind:
  case LLVMIntegerTypeKind:
  case LLVMFunctionTypeKind:
  case LLVMStructTypeKind:
  case LLVMArrayTypeKind:
  case LLVMPointerTypeKind:
  case LLVMVectorTypeKind:
  case LLVMScalableVectorTypeKind:
  case LLVMMetadataTypeKind:
  case LLVMTokenTypeKind:
  case LLVMX86_AMXTypeKind: /* intrinsics load such values from integers */
    return true;
  default:
    return false;
  }
}

bool cn_is_known_type(struct cn_ptrmap *met, LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  bool known = cn_is_known_type_kind(kind), fresh;

  cn_ptrmap_add(met, type, &fresh);
  if (!fresh)
    return true;
  if (kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind || kind == LLVMArrayTypeKind)
    return cn_is_known_type(met, LLVMGetElementType(type));
  unsigned count = kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 0;
  for (unsigned i = 0; i < count && known; i++)
    known = cn_is_known_type(met, LLVMStructGetTypeAtIndex(type, i));
  return known;
}

bool cn_is_known_constant_expression(LLVMOpcode opcode)
{
  switch (opcode) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMXor:
  case LLVMTrunc:
  case LLVMPtrToInt:
  case LLVMPtrToAddr:
  case LLVMIntToPtr:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
  case LLVMGetElementPtr:
  case LLVMExtractElement:
  case LLVMInsertElement:
  case LLVMShuffleVector:
    return true;
  default:
    return false;
  }
}

bool cn_is_known_value_kind(LLVMValueKind kind, LLVMTypeKind type)
{
  if (cn_is_null_splat(kind, type))
    return false;
  switch (kind) {
  case LLVMFunctionValueKind:
  case LLVMGlobalAliasValueKind:
  case LLVMGlobalIFuncValueKind:
  case LLVMGlobalVariableValueKind:
  case LLVMBlockAddressValueKind:
  case LLVMConstantArrayValueKind:
  case LLVMConstantStructValueKind:
  case LLVMConstantVectorValueKind:
  case LLVMUndefValueValueKind:
  case LLVMPoisonValueValueKind:
  case LLVMConstantAggregateZeroValueKind:
  case LLVMConstantDataArrayValueKind:
  case LLVMConstantDataVectorValueKind:
  case LLVMConstantIntValueKind:
  case LLVMConstantFPValueKind:
  case LLVMConstantPointerNullValueKind:
  case LLVMConstantTokenNoneValueKind:
  case LLVMConstantExprValueKind:
    return true;
  default:
    return false;
  }
}

static bool is_known_constant_kind(LLVMValueRef constant)
{
  LLVMValueKind kind = LLVMGetValueKind(constant);

  return cn_is_known_value_kind(kind, LLVMGetTypeKind(LLVMTypeOf(constant))) &&
         (kind != LLVMConstantExprValueKind || cn_is_known_constant_expression(LLVMGetConstOpcode(constant)));
}

bool cn_is_known_constant(struct cn_ptrmap *met, LLVMValueRef constant)
{
  bool known = is_known_constant_kind(constant), fresh;
  bool made = LLVMIsAConstantExpr(constant) || LLVMIsAConstantStruct(constant) || LLVMIsAConstantArray(constant) ||
              LLVMIsAConstantVector(constant);

  CN_ASSERT(LLVMIsConstant(constant));
  cn_ptrmap_add(met, constant, &fresh);
  if (!fresh)
    return true;
  for (int o = 0; made && known && o < LLVMGetNumOperands(constant); o++)
    known = cn_is_known_constant(met, LLVMGetOperand(constant, (unsigned)o));
  return known;
}
