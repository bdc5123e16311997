/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds calls in tail position for tail_calls.c: after such a call the frame only serves to return the call's result.
 * Part of rewrite-statepoints. Needs: any call. Provides: cn_is_in_tail_position(). Breaks: nothing.
 */
#include "compile/tail/tail.h"

#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"

static bool are_both_or_neither_set(LLVMAttributeRef caller, LLVMAttributeRef callee)
{
  return !caller == !callee;
}

bool cn_tail_results_agree(LLVMValueRef call, LLVMTypeRef type)
{
  static const char *const names[] = {"zeroext", "signext", "inreg"};
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
  LLVMTypeRef own = LLVMGetReturnType(LLVMGlobalGetValueType(function));

  CN_ASSERT(cn_is_call(call));
  if (!cn_is_returned_in_registers(LLVMGetGlobalParent(function), type) || cn_is_returned_on_x87_stack(type))
    return false;
  if (LLVMGetTypeKind(own) == LLVMVoidTypeKind)
    return true;
  if (own != type)
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    unsigned kind = cn_attribute_kind(names[i]);
    if (!are_both_or_neither_set(LLVMGetEnumAttributeAtIndex(function, LLVMAttributeReturnIndex, kind),
                                 LLVMGetCallSiteEnumAttribute(call, LLVMAttributeReturnIndex, kind)))
      return false;
  }
  return true;
}

/* True if the call needs a record, or if state of the caller's frame must exist during the call. */
static bool needs_caller_frame(LLVMValueRef call)
{
  return LLVMGetNumOperandBundles(call) != 0 || cn_statepoint_has_directive(call) || cn_calls_lists_operands(call) ||
         cn_calls_has_attribute(call, "returns_twice");
}

/* True for the end of a local's lifetime, which may come before a tail call because the callee does not access the
 * local. */
static bool is_end_of_local_lifetime(LLVMValueRef i)
{
  return cn_calls_intrinsic(i, "llvm.lifetime.end") &&
         LLVMIsAAllocaInst(LLVMGetOperand(i, (unsigned)LLVMGetNumArgOperands(i) - 1));
}

LLVMValueRef cn_tail_terminator_after(LLVMValueRef call)
{
  LLVMValueRef i = LLVMGetNextInstruction(call);

  CN_ASSERT(cn_is_call(call));
  while (i && is_end_of_local_lifetime(i))
    i = LLVMGetNextInstruction(i);
  return i && LLVMIsATerminatorInst(i) ? i : NULL;
}

/* The return of the block that `end` branches to, if this block has only phis and a return; or null. */
static LLVMValueRef shared_return_of(LLVMValueRef end)
{
  if (!cn_is_branch(end) || LLVMGetNumSuccessors(end) != 1)
    return NULL;
  LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetSuccessor(end, 0));
  while (LLVMIsAPHINode(i))
    i = LLVMGetNextInstruction(i);
  return LLVMIsAReturnInst(i) ? i : NULL;
}

/* The value that `ret` returns on the path from block `from`; null for void. */
static LLVMValueRef returned_value_of(LLVMValueRef ret, LLVMBasicBlockRef from)
{
  LLVMValueRef value = LLVMGetNumOperands(ret) ? LLVMGetOperand(ret, 0) : NULL;

  if (!value || !LLVMIsAPHINode(value) || LLVMGetInstructionParent(value) != LLVMGetInstructionParent(ret))
    return value;
  for (unsigned n = 0; n < LLVMCountIncoming(value); n++)
    if (LLVMGetIncomingBlock(value, n) == from)
      return LLVMGetIncomingValue(value, n);
  return value;
}

LLVMValueRef cn_tail_return_of(LLVMValueRef call)
{
  LLVMValueRef end = cn_tail_terminator_after(call);
  LLVMValueRef ret = !end ? NULL : LLVMIsAReturnInst(end) ? end : shared_return_of(end);

  if (!ret)
    return NULL;
  LLVMValueRef value = returned_value_of(ret, LLVMGetInstructionParent(call));
  return !value || value == call ? ret : NULL;
}

static bool has_tail_calls_disabled(LLVMValueRef function)
{
  LLVMAttributeRef attribute =
      LLVMGetStringAttributeAtIndex(function, CN_FUNCTION_INDEX, "disable-tail-calls", sizeof "disable-tail-calls" - 1);
  unsigned length;

  return attribute && strcmp(LLVMGetStringAttributeValue(attribute, &length), "true") == 0;
}

bool cn_is_in_tail_position(LLVMValueRef call)
{
  if (!LLVMIsACallInst(call) || LLVMGetTailCallKind(call) != LLVMTailCallKindTail ||
      cn_classify_call(call).kind != CN_CALL_PARSE_POINT)
    return false;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
  LLVMValueRef callee = cn_direct_callee(call);
  return !has_tail_calls_disabled(function) && !(callee && LLVMGetIntrinsicID(callee)) &&
         !LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call)) && !needs_caller_frame(call) &&
         cn_tail_return_of(call) && cn_tail_results_agree(call, LLVMTypeOf(call));
}
