/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that every safepoint describes the allocas that contain references. Needs: nothing. Provides: diagnostic
 * undescribed-alloca. Breaks: nothing.
 *
 * An alloca contains references if its type does, or if an instruction accesses a reference at an address computed from
 * the alloca. The rewriter uses a more complex rule (alloca_layout.c).
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/effects/intrinsics.h"
#include "compile/verify/verify.h"

typedef CN_VECTOR(LLVMValueRef) value_vector;

static bool accesses_ref_at(LLVMValueRef user, LLVMValueRef pointer)
{
  if (LLVMIsALoadInst(user))
    return cn_holds_ref(LLVMTypeOf(user));
  if (LLVMIsAStoreInst(user))
    return LLVMGetOperand(user, 1) == pointer && cn_holds_ref(LLVMTypeOf(LLVMGetOperand(user, 0)));
  if (LLVMIsAAtomicRMWInst(user) || LLVMIsAAtomicCmpXchgInst(user))
    return LLVMGetOperand(user, 0) == pointer && cn_holds_ref(LLVMTypeOf(LLVMGetOperand(user, 1)));
  if (cn_intrinsic_has_effect(user, CN_EFFECT_LOAD))
    return cn_holds_ref(LLVMTypeOf(user));
  if (cn_intrinsic_has_effect(user, CN_EFFECT_STORE) || cn_intrinsic_has_effect(user, CN_EFFECT_PATTERN)) {
    const struct cn_intrinsic *row = cn_intrinsic_row_of_call(user);
    return LLVMGetArgOperand(user, (unsigned)row->place) == pointer &&
           cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(user, (unsigned)row->value)));
  }
  return false;
}

static bool propagates_address(LLVMValueRef user)
{
  return LLVMIsAGetElementPtrInst(user) || LLVMIsABitCastInst(user) || LLVMIsASelectInst(user) ||
         LLVMIsAPHINode(user) || LLVMIsAFreezeInst(user) || LLVMIsAAddrSpaceCastInst(user) ||
         cn_intrinsic_has_effect(user, CN_EFFECT_SAME) || cn_intrinsic_has_effect(user, CN_EFFECT_INSIDE);
}

/* True if an instruction accesses a reference at the alloca's address, or at an address computed from it. */
static bool has_ref_accesses(LLVMValueRef alloca)
{
  value_vector work = {0};
  struct cn_ptrmap seen = {0};
  bool found = false, fresh;

  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  cn_push(&work, alloca);
  while (work.count && !found) {
    LLVMValueRef pointer = work.at[--work.count];
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use && !found; use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      found = accesses_ref_at(user, pointer);
      if (!propagates_address(user))
        continue;
      cn_ptrmap_add(&seen, user, &fresh);
      if (fresh)
        cn_push(&work, user);
    }
  }
  cn_free(&work);
  cn_ptrmap_free(&seen);
  return found;
}

static bool alloca_holds_refs(LLVMValueRef alloca)
{
  return cn_holds_ref(LLVMGetAllocatedType(alloca)) || has_ref_accesses(alloca);
}

static void gather_allocas_and_statepoints(struct cn_verifier *v, value_vector *allocas, value_vector *statepoints)
{
  for (uint32_t b = 0; b < v->cfg.count; b++)
    CN_EACH_INSTRUCTION(i, v->cfg.blocks[b].block) {
      if (LLVMIsAAllocaInst(i) && alloca_holds_refs(i))
        cn_push(allocas, i);
      else if (cn_classify_call(i).kind == CN_CALL_STATEPOINT)
        cn_push(statepoints, i);
    }
}

static void gather_listed_allocas(LLVMValueRef statepoint, const char *tag, struct cn_ptrmap *listed)
{
  uint32_t i, end;

  for (cn_calls_find_bundle(statepoint, tag, &i, &end); i < end; i++)
    if (LLVMIsAAllocaInst(LLVMGetOperand(statepoint, i)))
      cn_ptrmap_add(listed, LLVMGetOperand(statepoint, i), NULL);
}

/* Report each alloca at the first statepoint that lacks a description of the alloca. */
static void check_statepoint_allocas(struct cn_verifier *v, const value_vector *allocas, uint8_t *reported,
                                     LLVMValueRef statepoint)
{
  struct cn_ptrmap listed = {0};
  char name[120], call[160];

  gather_listed_allocas(statepoint, "deopt", &listed);
  gather_listed_allocas(statepoint, "gc-live", &listed);
  for (size_t a = 0; a < allocas->count; a++) {
    const struct cn_finding finding = {.value = allocas->at[a]};
    if (reported[a] || cn_ptrmap_find(&listed, allocas->at[a]))
      continue;
    reported[a] = 1;
    cn_report_finding(v->ctx, allocas->at[a], "undescribed-alloca", &finding,
                      "%s holds references that the collector is not told of at %s",
                      cn_value_name(allocas->at[a], name, sizeof name),
                      cn_verify_name_statepoint(statepoint, call, sizeof call));
  }
  cn_ptrmap_free(&listed);
}

void cn_verify_allocas(struct cn_verifier *v)
{
  value_vector allocas = {0}, statepoints = {0};

  gather_allocas_and_statepoints(v, &allocas, &statepoints);
  uint8_t *reported = cn_alloc(allocas.count);
  bool tolerated = v->ctx->options->tolerated >> CAIRN_TOLERATE_STACK_REFERENCES & 1;
  for (size_t s = 0; s < statepoints.count; s++) {
    if (allocas.count && !tolerated)
      check_statepoint_allocas(v, &allocas, reported, statepoints.at[s]);
    cn_verify_descriptions(v, statepoints.at[s]);
    cn_verify_listed_operands(v, statepoints.at[s]);
  }
  free(reported);
  cn_free(&allocas);
  cn_free(&statepoints);
}
