/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes a breakage one: which values may move, and which uses need a valid address.
 */
#include <string.h>
#include "base/vector.h"
#include "mutate/mutate.h"

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

typedef CN_VECTOR(LLVMValueRef) value_vector;

static void add_once(value_vector *work, struct cn_ptrmap *seen, LLVMValueRef value)
{
  bool fresh;

  cn_ptrmap_add(seen, value, &fresh);
  if (fresh)
    cn_push(work, value);
}

/* Does it come, through phis and relocates, from something that moves? */
static bool moves(LLVMValueRef start)
{
  value_vector work = {0};
  struct cn_ptrmap seen = {0};
  bool found = false;

  add_once(&work, &seen, start);
  for (size_t at = 0; at < work.count && !found; at++) {
    LLVMValueRef value = work.at[at];
    while (is_adjustment(value))
      value = LLVMGetOperand(value, 0);
    if (cn_is_immovable(value))
      continue;
    found = LLVMIsAArgument(value) || LLVMIsALoadInst(value) || is_result(value);
    if (is_relocate(value) && listed(value, 2))
      add_once(&work, &seen, listed(value, 2));
    if (LLVMIsAPHINode(value) || LLVMIsASelectInst(value))
      for (int o = LLVMIsASelectInst(value) ? 1 : 0; o < LLVMGetNumOperands(value); o++)
        add_once(&work, &seen, LLVMGetOperand(value, (unsigned)o));
  }
  cn_free(&work);
  cn_ptrmap_free(&seen);
  return found;
}

bool may_move(LLVMValueRef value)
{
  LLVMValueRef root = value;

  if (!cn_is_ref(LLVMTypeOf(value)))
    return false;
  while (is_adjustment(root))
    root = LLVMGetOperand(root, 0);
  return !is_tested(value) && !is_tested(root) && moves(value);
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
  return cn_cfg_index_of(&p->cfg, LLVMGetInstructionParent(instruction)) != CN_NO_BLOCK;
}

/* A use of `value` that needs it; the others that hand it on are added to `work`. */
static bool look_at_use(struct place *p, value_vector *work, struct cn_ptrmap *seen,
                        LLVMValueRef value, LLVMValueRef user)
{
  if (!is_reached(p, user))
    return false;
  for (int o = 0; o < LLVMGetNumOperands(user); o++) {
    if (LLVMGetOperand(user, (unsigned)o) != value)
      continue;
    if (is_real_use(user, (unsigned)o))
      return true;
    if (LLVMIsAPHINode(user) || is_adjustment(user) || (LLVMIsASelectInst(user) && o > 0))
      add_once(work, seen, user);
  }
  return false;
}

bool is_needed(struct place *p, LLVMValueRef start)
{
  value_vector work = {0};
  struct cn_ptrmap seen = {0};
  bool found = false;

  add_once(&work, &seen, start);
  for (size_t at = 0; at < work.count && !found; at++)
    for (LLVMUseRef use = LLVMGetFirstUse(work.at[at]); use && !found; use = LLVMGetNextUse(use))
      found = look_at_use(p, &work, &seen, work.at[at], LLVMGetUser(use));
  cn_free(&work);
  cn_ptrmap_free(&seen);
  return found;
}

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
