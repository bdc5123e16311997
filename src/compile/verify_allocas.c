/* SPDX-License-Identifier: Apache-2.0
 *
 * Locals in memory that hold references are told to the collector at every safepoint. Needs:
 * nothing. Provides: diagnostic undescribed-alloca. Breaks: nothing.
 *
 * Which allocas hold references is decided here anew, by a simpler rule than the rewriter's
 * (areas.c): by type, or because a reference is stored or loaded at an address computed from
 * them.
 */
#include "compile/calls.h"
#include "compile/verify.h"

/* Is a reference accessed at `pointer`, or at an address computed from it? */
static bool carries_refs(LLVMValueRef pointer, struct cn_ptrmap *seen)
{
  bool fresh;

  cn_ptrmap_add(seen, pointer, &fresh);
  if (!fresh)
    return false;
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsALoadInst(user) && cn_holds_ref(LLVMTypeOf(user)))
      return true;
    if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer &&
        cn_holds_ref(LLVMTypeOf(LLVMGetOperand(user, 0))))
      return true;
    bool address = LLVMIsAGetElementPtrInst(user) || LLVMIsABitCastInst(user) ||
                   LLVMIsASelectInst(user) || LLVMIsAPHINode(user) || LLVMIsAFreezeInst(user);
    if (address && carries_refs(user, seen))
      return true;
  }
  return false;
}

static bool holds_refs(LLVMValueRef alloca)
{
  struct cn_ptrmap seen = {0};

  if (LLVMGetPointerAddressSpace(LLVMTypeOf(alloca)) != 0)
    return false;
  bool holds = cn_holds_ref(LLVMGetAllocatedType(alloca)) || carries_refs(alloca, &seen);
  cn_ptrmap_free(&seen);
  return holds;
}

static bool lists(LLVMValueRef statepoint, const char *tag, LLVMValueRef alloca)
{
  uint32_t i, end;

  for (cn_calls_bundle(statepoint, tag, &i, &end); i < end; i++)
    if (LLVMGetOperand(statepoint, i) == alloca)
      return true;
  return false;
}

typedef CN_VECTOR(LLVMValueRef) value_vector;

static void collect(struct cn_verifier *v, value_vector *allocas, value_vector *statepoints)
{
  for (uint32_t b = 0; b < v->cfg.count; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(v->cfg.blocks[b].block); i;
         i = LLVMGetNextInstruction(i)) {
      if (LLVMIsAAllocaInst(i) && holds_refs(i))
        cn_push(allocas, i);
      else if (cn_classify_call(i).kind == CN_CALL_STATEPOINT)
        cn_push(statepoints, i);
    }
}

void cn_verify_allocas(struct cn_verifier *v)
{
  value_vector allocas = {0}, statepoints = {0};
  char name[120], call[160];

  collect(v, &allocas, &statepoints);
  for (size_t a = 0; a < allocas.count; a++)
    for (size_t s = 0; s < statepoints.count; s++) {
      if (lists(statepoints.at[s], "deopt", allocas.at[a]) ||
          lists(statepoints.at[s], "gc-live", allocas.at[a]))
        continue;
      cn_error(v->ctx, allocas.at[a], "undescribed-alloca",
               "%s holds references that the collector is not told of at %s",
               cn_value_name(allocas.at[a], name, sizeof name),
               cn_verify_name_statepoint(statepoints.at[s], call, sizeof call));
      break;
    }
  cn_free(&allocas);
  cn_free(&statepoints);
}
