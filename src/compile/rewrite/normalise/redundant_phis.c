/* SPDX-License-Identifier: Apache-2.0
 *
 * Folds phis of references whose inputs are all one value or the phi itself. Phis of one value appear after loops in
 * LCSSA form, and in blocks that several edges of a switch enter. The phi always has the address of its one input,
 * which can replace the phi (late-insertion-slides-2014, "Terminology: Derived Pointers"). Part of rewrite-statepoints.
 * Needs: all blocks reachable. Provides: every phi of references has two different inputs. Breaks: every analysis of
 * the function.
 */
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/rewrite/normalise/normalise.h"

void cn_redundant_phis_fold(LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_VECTOR(LLVMValueRef) work = {0};
  struct cn_ptrmap gone = {0};

  CN_EACH_BLOCK(b, function)
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
      if (cn_holds_ref(LLVMTypeOf(i)) && cn_phi_only_input(i))
        cn_push(&work, i);
  for (size_t next = 0; next < work.count; next++) {
    LLVMValueRef phi = work.at[next];
    LLVMValueRef only = cn_ptrmap_find(&gone, phi) ? NULL : cn_phi_only_input(phi);
    if (!only)
      continue;
    CN_EACH_USE(use, phi)
      if (LLVMIsAPHINode(LLVMGetUser(use)) && LLVMGetUser(use) != phi)
        cn_push(&work, LLVMGetUser(use));
    CN_CHECK(only != phi && LLVMTypeOf(only) == LLVMTypeOf(phi));
    LLVMReplaceAllUsesWith(phi, only);
    LLVMInstructionEraseFromParent(phi);
    *cn_ptrmap_add(&gone, phi, NULL) = 1;
  }
  cn_ptrmap_free(&gone);
  cn_free(&work);
}
