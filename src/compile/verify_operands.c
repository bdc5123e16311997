/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls whose operands are to be listed while they run (operands.c): each reference that such a
 * statepoint passes must be listed, or computed from what is. Needs: nothing. Provides: diagnostic
 * unlisted-operand. Breaks: nothing.
 */
#include "compile/calls.h"
#include "compile/names.h"
#include "compile/statepoints.h"
#include "compile/verify.h"

enum { MOST_STEPS = 16 }; /* from an operand to what is listed */

static bool is_marked(LLVMValueRef statepoint)
{
  return LLVMGetCallSiteStringAttribute(statepoint, CN_FUNCTION_INDEX, CN_LIVE_OPERANDS,
                                        sizeof CN_LIVE_OPERANDS - 1) != NULL;
}

/* Is `value` in the object of something listed, or of none that moves? */
static bool is_listed(const struct cn_ptrmap *live, LLVMValueRef value, unsigned steps)
{
  if (LLVMIsConstant(value) || cn_is_immovable(value) || cn_ptrmap_find(live, value))
    return true;
  if (!steps)
    return false;
  if (LLVMIsASelectInst(value))
    return is_listed(live, LLVMGetOperand(value, 1), steps - 1) &&
           is_listed(live, LLVMGetOperand(value, 2), steps - 1);
  if (LLVMIsAGetElementPtrInst(value) || LLVMIsABitCastInst(value) || LLVMIsAFreezeInst(value) ||
      LLVMIsAAddrSpaceCastInst(value) || cn_calls_intrinsic(value, "llvm.ptrmask"))
    return is_listed(live, LLVMGetOperand(value, 0), steps - 1);
  return false;
}

void cn_verify_operands(struct cn_verifier *v, LLVMValueRef statepoint)
{
  struct cn_ptrmap live = {0};
  uint32_t i, end;
  char name[120], call[160];

  if (!is_marked(statepoint))
    return;
  for (cn_calls_bundle(statepoint, "gc-live", &i, &end); i < end; i++) {
    LLVMValueRef listed = LLVMGetOperand(statepoint, i);
    cn_ptrmap_add(&live, listed, NULL);
    if (LLVMIsAAddrSpaceCastInst(listed)) /* references of other spaces are listed in space 1 */
      cn_ptrmap_add(&live, LLVMGetOperand(listed, 0), NULL);
  }
  uint64_t arguments = LLVMConstIntGetZExtValue(LLVMGetOperand(statepoint, 3));
  for (uint32_t a = 0; a < arguments; a++) {
    LLVMValueRef value = LLVMGetOperand(statepoint, CN_STATEPOINT_FIXED_ARGS + a);
    const struct cn_finding finding = {.value = value};
    if (cn_is_ref(LLVMTypeOf(value)) && !is_listed(&live, value, MOST_STEPS))
      cn_error_finding(v->ctx, statepoint, "unlisted-operand", &finding,
                       "%s is given to what may collect while it uses it, and is not listed at %s",
                       cn_value_name(value, name, sizeof name),
                       cn_verify_name_statepoint(statepoint, call, sizeof call));
  }
  cn_ptrmap_free(&live);
}
