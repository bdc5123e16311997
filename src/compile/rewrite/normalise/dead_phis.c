/* SPDX-License-Identifier: Apache-2.0
 *
 * Drops phis of references that only phis of this kind read, cycles included: each would be relocated in every
 * iteration without being used. Part of rewrite-statepoints. Needs: any function. Provides: each phi of references
 * reaches a use other than phis, unless optimisation `liveness` of relocation is off. Breaks: every analysis of the
 * function.
 */
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/rewrite/normalise/normalise.h"

struct phi_liveness {
  CN_VECTOR(LLVMValueRef) phis; /* candidates: only phis read them */
  CN_VECTOR(LLVMValueRef) work; /* live candidates with unvisited inputs */
  struct cn_ptrmap live;        /* candidate -> 1 if the phi is live */
};

static bool is_read_by_phis_only(LLVMValueRef phi)
{
  CN_ASSERT(LLVMIsAPHINode(phi));
  CN_EACH_USE(use, phi)
    if (!LLVMIsAPHINode(LLVMGetUser(use)))
      return false;
  return true;
}

static bool is_dead_phi(const struct phi_liveness *d, LLVMValueRef phi)
{
  const uint64_t *live = cn_ptrmap_find(&d->live, phi);

  return live && !*live;
}

static void mark_phi_live(struct phi_liveness *d, LLVMValueRef phi)
{
  CN_ASSERT(LLVMIsAPHINode(phi));
  CN_CHECK(is_dead_phi(d, phi));
  *cn_ptrmap_find(&d->live, phi) = 1;
  cn_push(&d->work, phi);
}

static void delete_dead_phis(struct phi_liveness *d)
{
  for (size_t i = 0; i < d->phis.count; i++)
    cn_ptrmap_add(&d->live, d->phis.at[i], NULL);
  for (size_t i = 0; i < d->phis.count; i++) {
    LLVMUseRef use = LLVMGetFirstUse(d->phis.at[i]);
    while (use && cn_ptrmap_find(&d->live, LLVMGetUser(use)))
      use = LLVMGetNextUse(use);
    if (use)
      mark_phi_live(d, d->phis.at[i]);
  }
  while (d->work.count) {
    LLVMValueRef phi = d->work.at[--d->work.count];
    for (unsigned n = 0; n < LLVMCountIncoming(phi); n++)
      if (is_dead_phi(d, LLVMGetIncomingValue(phi, n)))
        mark_phi_live(d, LLVMGetIncomingValue(phi, n));
  }
  for (size_t i = 0; i < d->phis.count; i++)
    if (is_dead_phi(d, d->phis.at[i])) {
      CN_ASSERT(is_read_by_phis_only(d->phis.at[i]));
      LLVMReplaceAllUsesWith(d->phis.at[i], LLVMGetPoison(LLVMTypeOf(d->phis.at[i])));
    }
  for (size_t i = 0; i < d->phis.count; i++)
    if (is_dead_phi(d, d->phis.at[i]))
      LLVMInstructionEraseFromParent(d->phis.at[i]);
}

void cn_dead_phis_drop(const struct cn_ctx *ctx, LLVMValueRef function)
{
  struct phi_liveness d = {0};

  CN_ASSERT(LLVMIsAFunction(function));
  if (!cn_is_relocation_option_on(ctx, CAIRN_RELOCATION_LIVENESS))
    return;
  CN_EACH_BLOCK(b, function)
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
      if (cn_holds_ref(LLVMTypeOf(i)) && is_read_by_phis_only(i))
        cn_push(&d.phis, i);
  if (d.phis.count)
    delete_dead_phis(&d);
  cn_free(&d.phis);
  cn_free(&d.work);
  cn_ptrmap_free(&d.live);
}
