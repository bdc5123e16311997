/* SPDX-License-Identifier: Apache-2.0
 *
 * Which instructions show the address of a reference, and which keep it. Needs, breaks: nothing.
 * Provides: cn_shows_addresses(), cn_keeps_address().
 */
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/names.h"
#include "compile/rewrite/values/refs.h"

bool cn_shows_addresses(const struct cn_cfg *cfg)
{
  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
      if ((cn_takes_address(i) || LLVMIsAAddrSpaceCastInst(i)) &&
          cn_holds_ref(LLVMTypeOf(LLVMGetOperand(i, 0))))
        return true;
  return false;
}

static bool is_noundef(LLVMValueRef value)
{
  LLVMAttributeIndex index = 1;
  unsigned kind = cn_attribute_kind("noundef");

  if (LLVMIsAFreezeInst(value))
    return true;
  if (LLVMIsACallInst(value) || LLVMIsAInvokeInst(value))
    return LLVMGetCallSiteEnumAttribute(value, LLVMAttributeReturnIndex, kind) != NULL;
  if (LLVMIsALoadInst(value)) {
    LLVMContextRef llvm = LLVMGetTypeContext(LLVMTypeOf(value));
    return LLVMHasMetadata(value) &&
           LLVMGetMetadata(value, LLVMGetMDKindIDInContext(llvm, "noundef", 7)) != NULL;
  }
  if (!LLVMIsAArgument(value))
    return false;
  LLVMValueRef function = LLVMGetParamParent(value);
  for (LLVMValueRef p = LLVMGetFirstParam(function); p != value; p = LLVMGetNextParam(p))
    index++;
  return LLVMGetEnumAttributeAtIndex(function, index, kind) != NULL;
}

static bool adds_nothing(LLVMValueRef gep)
{
  CN_ASSERT(LLVMIsAGetElementPtrInst(gep));
  for (int i = 1; i < LLVMGetNumOperands(gep); i++)
    if (!LLVMIsNull(LLVMGetOperand(gep, (unsigned)i)))
      return false;
  return true;
}

bool cn_keeps_address(LLVMValueRef value)
{
  CN_ASSERT(LLVMIsAInstruction(value));
  if (!cn_is_ref(LLVMTypeOf(value)))
    return false;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMGetElementPtr:
    return adds_nothing(value);
  case LLVMBitCast:
    return true;
  case LLVMFreeze:
    return is_noundef(LLVMGetOperand(value, 0));
  case LLVMCall:
    /* strip_attributes.c drops !invariant.group from accesses through references. */
    return cn_calls_intrinsic(value, "llvm.launder.invariant.group") ||
           cn_calls_intrinsic(value, "llvm.strip.invariant.group") ||
           cn_calls_intrinsic(value, "llvm.ssa.copy");
  default:
    return false;
  }
}
