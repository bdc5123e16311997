/* SPDX-License-Identifier: Apache-2.0
 *
 * Phis of references that nothing but such phis read, round loops too. Each would be relocated in
 * every round for nobody. Needs: nothing. Provides: no such phi. Breaks: every analysis of the
 * function.
 */
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/rewrite/normalise/normalise.h"
#include "compile/rewrite/values/refs.h"

struct idle {
  CN_VECTOR(LLVMValueRef) phis; /* that phis alone read */
  CN_VECTOR(LLVMValueRef) work; /* of these, those that are read all the same */
  struct cn_ptrmap read;        /* phi of phis -> 1 if it is */
};

static bool only_phis_read(LLVMValueRef phi)
{
  CN_ASSERT(LLVMIsAPHINode(phi));
  CN_EACH_USE(use, phi)
    if (!LLVMIsAPHINode(LLVMGetUser(use)))
      return false;
  return true;
}

static bool is_idle(const struct idle *idle, LLVMValueRef phi)
{
  const uint64_t *read = cn_ptrmap_find(&idle->read, phi);

  return read && !*read;
}

static void mark(struct idle *idle, LLVMValueRef phi)
{
  CN_ASSERT(LLVMIsAPHINode(phi));
  *cn_ptrmap_find(&idle->read, phi) = 1;
  cn_push(&idle->work, phi);
}

static void drop_idle(struct idle *idle)
{
  for (size_t i = 0; i < idle->phis.count; i++)
    cn_ptrmap_add(&idle->read, idle->phis.at[i], NULL);
  for (size_t i = 0; i < idle->phis.count; i++) {
    LLVMUseRef use = LLVMGetFirstUse(idle->phis.at[i]);
    while (use && cn_ptrmap_find(&idle->read, LLVMGetUser(use)))
      use = LLVMGetNextUse(use);
    if (use)
      mark(idle, idle->phis.at[i]);
  }
  while (idle->work.count) {
    LLVMValueRef phi = idle->work.at[--idle->work.count];
    for (unsigned n = 0; n < LLVMCountIncoming(phi); n++)
      if (is_idle(idle, LLVMGetIncomingValue(phi, n)))
        mark(idle, LLVMGetIncomingValue(phi, n));
  }
  for (size_t i = 0; i < idle->phis.count; i++)
    if (is_idle(idle, idle->phis.at[i]))
      LLVMReplaceAllUsesWith(idle->phis.at[i], LLVMGetPoison(LLVMTypeOf(idle->phis.at[i])));
  for (size_t i = 0; i < idle->phis.count; i++)
    if (is_idle(idle, idle->phis.at[i]))
      LLVMInstructionEraseFromParent(idle->phis.at[i]);
}

void cn_dead_phis_drop(const struct cn_ctx *ctx, LLVMValueRef function)
{
  struct idle idle = {0};

  CN_ASSERT(LLVMIsAFunction(function));
  if (!cn_relocation_on(ctx, CAIRN_RELOCATION_LIVENESS))
    return;
  CN_EACH_BLOCK(b, function)
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
      if (cn_holds_ref(LLVMTypeOf(i)) && only_phis_read(i))
        cn_push(&idle.phis, i);
  if (idle.phis.count)
    drop_idle(&idle);
  cn_free(&idle.phis);
  cn_free(&idle.work);
  cn_ptrmap_free(&idle.read);
}
