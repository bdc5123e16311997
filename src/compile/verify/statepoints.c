/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds a relocate's statepoint and listed operands, tells whether a statepoint must list the references that it
 * passes, and names statepoints for messages, for the verifier's checks. Needs: nothing. Provides: cn_is_relocate(),
 * cn_must_list_operands() and other functions of verify.h. Breaks: nothing.
 */
#include <stdio.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/verify/verify.h"

bool cn_is_relocate(LLVMValueRef value)
{
  return LLVMIsACallInst(value) && cn_calls_intrinsic(value, "llvm.experimental.gc.relocate");
}

LLVMValueRef cn_verify_statepoint_of(LLVMValueRef relocate)
{
  LLVMValueRef token = LLVMGetOperand(relocate, 0);

  if (LLVMIsALandingPadInst(token)) {
    LLVMValueRef block = LLVMBasicBlockAsValue(LLVMGetInstructionParent(token));
    CN_EACH_USE(use, block)
      if (LLVMIsAInvokeInst(LLVMGetUser(use)))
        token = LLVMGetUser(use);
  }
  return LLVMIsAInstruction(token) && cn_is_call(token) && cn_classify_call(token).kind == CN_CALL_STATEPOINT ? token
                                                                                                              : NULL;
}

LLVMValueRef cn_verify_listed_operand_of(struct cn_verifier *v, LLVMValueRef relocate, unsigned operand)
{
  LLVMValueRef statepoint = cn_verify_statepoint_of(relocate);
  LLVMValueRef index = LLVMIsAConstantInt(LLVMGetOperand(relocate, operand));
  uint32_t first, end;
  bool fresh;

  CN_ASSERT(cn_is_relocate(relocate) && (operand == 1 || operand == 2));
  if (!statepoint || !index)
    return NULL;
  uint64_t *place = cn_ptrmap_add(&v->live, statepoint, &fresh);
  if (fresh) { /* search once, because each relocate needs the result */
    cn_calls_find_bundle(statepoint, "gc-live", &first, &end);
    CN_CHECK(first <= end);
    *place = (uint64_t)first << 32 | (end - first);
  }
  uint64_t i = LLVMConstIntGetZExtValue(index);
  return i < (uint32_t)*place ? LLVMGetOperand(statepoint, (uint32_t)(*place >> 32) + (uint32_t)i) : NULL;
}

const char *cn_verify_name_statepoint(LLVMValueRef statepoint, char *buffer, size_t size)
{
  CN_ASSERT(cn_classify_call(statepoint).kind == CN_CALL_STATEPOINT);
  LLVMValueRef callee = LLVMGetOperand(statepoint, 2);
  unsigned line = LLVMGetDebugLocLine(statepoint);
  char name[120];
  int end = LLVMIsAGlobalValue(callee)
                ? snprintf(buffer, size, "the call to %s", cn_value_name(callee, name, sizeof name))
                : snprintf(buffer, size, "an indirect call");

  if (line && end > 0 && (size_t)end < size)
    snprintf(buffer + end, size - (size_t)end, " in line %u", line);
  return buffer;
}

bool cn_must_list_operands(LLVMValueRef statepoint)
{
  return LLVMGetCallSiteStringAttribute(statepoint, CN_FUNCTION_INDEX, CN_ATTR_LIVE_OPERANDS,
                                        sizeof CN_ATTR_LIVE_OPERANDS - 1) != NULL;
}
