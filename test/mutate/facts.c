/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes a breakage one: which values may move, and which uses need a valid address.
 */
#include <string.h>
#include "mutate/mutate.h"

#define DEPTH 8

static bool calls(LLVMValueRef value, const char *intrinsic)
{
  return LLVMIsAInstruction(value) && cn_calls_intrinsic(value, intrinsic);
}

bool is_statepoint(LLVMValueRef value) { return calls(value, "llvm.experimental.gc.statepoint"); }
bool is_relocate(LLVMValueRef value) { return calls(value, "llvm.experimental.gc.relocate"); }
bool is_result(LLVMValueRef value) { return calls(value, "llvm.experimental.gc.result"); }

LLVMValueRef statepoint_of(LLVMValueRef projection)
{
  LLVMValueRef token = LLVMGetOperand(projection, 0);

  if (LLVMIsALandingPadInst(token)) {
    LLVMValueRef pad = LLVMBasicBlockAsValue(LLVMGetInstructionParent(token));
    for (LLVMUseRef use = LLVMGetFirstUse(pad); use; use = LLVMGetNextUse(use))
      if (LLVMIsAInvokeInst(LLVMGetUser(use)))
        token = LLVMGetUser(use);
  }
  return is_statepoint(token) ? token : NULL;
}

void bundle(LLVMValueRef statepoint, const char *tag, uint32_t *first, uint32_t *end)
{
  uint32_t at = LLVMGetNumArgOperands(statepoint);

  *first = *end = 0;
  for (unsigned i = 0; i < LLVMGetNumOperandBundles(statepoint); i++) {
    LLVMOperandBundleRef found = LLVMGetOperandBundleAtIndex(statepoint, i);
    size_t length;
    const char *name = LLVMGetOperandBundleTag(found, &length);
    uint32_t operands = LLVMGetNumOperandBundleArgs(found);
    if (length == strlen(tag) && memcmp(name, tag, length) == 0) {
      *first = at;
      *end = at + operands;
    }
    at += operands;
    LLVMDisposeOperandBundle(found);
  }
}

LLVMValueRef listed(LLVMValueRef relocate, unsigned operand)
{
  LLVMValueRef statepoint = statepoint_of(relocate);
  uint32_t first, end;

  if (!statepoint)
    return NULL;
  bundle(statepoint, "gc-live", &first, &end);
  uint32_t i = first + (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(relocate, operand));
  return i < end ? LLVMGetOperand(statepoint, i) : NULL;
}

static bool is_adjustment(LLVMValueRef value)
{
  return LLVMIsAGetElementPtrInst(value) || LLVMIsABitCastInst(value) || LLVMIsAFreezeInst(value);
}

LLVMValueRef origin(LLVMValueRef value)
{
  while (value && (is_adjustment(value) || is_relocate(value)))
    value = is_relocate(value) ? listed(value, 2) : LLVMGetOperand(value, 0);
  if (!value || cn_is_immovable(value))
    return NULL;
  return LLVMIsAArgument(value) || LLVMIsALoadInst(value) || is_result(value) ? value : NULL;
}

/* Compared with null, or with anything that might be. */
static bool is_tested(LLVMValueRef value)
{
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
    if (LLVMIsAICmpInst(LLVMGetUser(use)))
      return true;
  return false;
}

static bool moves(LLVMValueRef value, int depth)
{
  while (is_adjustment(value))
    value = LLVMGetOperand(value, 0);
  if (cn_is_immovable(value) || depth == 0)
    return false;
  if (is_relocate(value)) {
    LLVMValueRef before = listed(value, 2);
    return before && moves(before, depth - 1);
  }
  if (LLVMIsAPHINode(value) || LLVMIsASelectInst(value)) {
    for (int o = LLVMIsASelectInst(value) ? 1 : 0; o < LLVMGetNumOperands(value); o++)
      if (moves(LLVMGetOperand(value, (unsigned)o), depth - 1))
        return true;
    return false;
  }
  return LLVMIsAArgument(value) || LLVMIsALoadInst(value) || is_result(value);
}

bool may_move(LLVMValueRef value)
{
  LLVMValueRef root = value;

  if (!cn_is_ref(LLVMTypeOf(value)))
    return false;
  while (is_adjustment(root))
    root = LLVMGetOperand(root, 0);
  return !is_tested(value) && !is_tested(root) && moves(value, DEPTH);
}

bool is_real_use(LLVMValueRef user, unsigned operand)
{
  if (LLVMIsALoadInst(user) || LLVMIsAStoreInst(user) || LLVMIsAReturnInst(user) ||
      LLVMIsAAtomicRMWInst(user) || LLVMIsAAtomicCmpXchgInst(user) || is_statepoint(user))
    return true;
  if (!LLVMIsACallInst(user) || operand >= LLVMGetNumArgOperands(user))
    return false;
  LLVMValueRef callee = cn_direct_callee(user);
  return !callee || !LLVMGetIntrinsicID(callee);
}

bool is_reached(struct place *p, LLVMValueRef instruction)
{
  return cn_cfg_index(&p->cfg, LLVMGetInstructionParent(instruction)) != CN_NO_BLOCK;
}

static bool needs(struct place *p, LLVMValueRef value, int depth)
{
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!is_reached(p, user))
      continue;
    for (int o = 0; o < LLVMGetNumOperands(user); o++) {
      if (LLVMGetOperand(user, (unsigned)o) != value)
        continue;
      if (is_real_use(user, (unsigned)o))
        return true;
      bool hands_on = LLVMIsAPHINode(user) || is_adjustment(user) ||
                      (LLVMIsASelectInst(user) && o > 0);
      if (hands_on && depth && needs(p, user, depth - 1))
        return true;
    }
  }
  return false;
}

bool is_needed(struct place *p, LLVMValueRef value) { return needs(p, value, DEPTH); }

LLVMValueRef statepoint_after(LLVMValueRef instruction)
{
  for (LLVMValueRef i = LLVMGetNextInstruction(instruction); i; i = LLVMGetNextInstruction(i))
    if (is_statepoint(i) && LLVMIsACallInst(i))
      return i;
  return NULL;
}

bool comes_before(LLVMValueRef a, LLVMValueRef b)
{
  if (LLVMGetInstructionParent(a) != LLVMGetInstructionParent(b))
    return false;
  for (LLVMValueRef i = LLVMGetNextInstruction(a); i; i = LLVMGetNextInstruction(i))
    if (i == b)
      return true;
  return false;
}
