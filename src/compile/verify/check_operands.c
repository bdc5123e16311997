/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls whose operands are to be listed while they run (live_operands.c): each reference that such a
 * statepoint passes must be listed, or computed from what is. Needs: nothing. Provides: diagnostic
 * unlisted-operand. Breaks: nothing.
 */
#include "compile/analysis/calls.h"
#include "compile/core/names.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/verify/verify.h"

enum { MOST_STEPS = 16 }; /* from an operand to what is listed */

static bool is_marked(LLVMValueRef statepoint)
{
  return LLVMGetCallSiteStringAttribute(statepoint, CN_FUNCTION_INDEX, CN_LIVE_OPERANDS,
                                        sizeof CN_LIVE_OPERANDS - 1) != NULL;
}

/* What a statepoint lists. */
struct listing {
  LLVMValueRef statepoint;
  uint32_t first, end;
  struct cn_ptrmap live;
};

/* What `value` is computed from in its own object, or itself. */
static LLVMValueRef start_of(LLVMValueRef value)
{
  while (LLVMIsAGetElementPtrInst(value) || LLVMIsABitCastInst(value) ||
         LLVMIsAFreezeInst(value) || LLVMIsAAddrSpaceCastInst(value) ||
         cn_calls_intrinsic(value, "llvm.ptrmask"))
    value = LLVMGetOperand(value, 0);
  return value;
}

/* Were they relocated by one statepoint with one base? */
static bool have_one_base(LLVMValueRef a, LLVMValueRef b)
{
  return cn_is_relocate(a) && cn_is_relocate(b) && LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0) &&
         LLVMGetOperand(a, 1) == LLVMGetOperand(b, 1);
}

static LLVMValueRef input_from(LLVMValueRef phi, LLVMBasicBlockRef from)
{
  unsigned k = 0;

  while (LLVMGetIncomingBlock(phi, k) != from)
    k++;
  return LLVMGetIncomingValue(phi, k);
}

/* Is `value` in the object of `base`: computed from it, or chosen from what is, or a phi as it is
 * one, of which both inputs over each edge are? `asked`: what is being asked already. */
static bool goes_with(LLVMValueRef value, LLVMValueRef base, struct cn_ptrmap *asked)
{
  bool fresh;

  value = start_of(value);
  base = start_of(base);
  if (value == base || have_one_base(value, base))
    return true;
  if (LLVMIsASelectInst(value))
    return goes_with(LLVMGetOperand(value, 1), base, asked) &&
           goes_with(LLVMGetOperand(value, 2), base, asked);
  if (!LLVMIsAPHINode(value) || !LLVMIsAPHINode(base) ||
      LLVMGetInstructionParent(value) != LLVMGetInstructionParent(base))
    return false;
  uint64_t *with = cn_ptrmap_add(asked, value, &fresh);
  if (!fresh)
    return *with == (uint64_t)(uintptr_t)base;
  *with = (uint64_t)(uintptr_t)base;
  for (unsigned k = 0; k < LLVMCountIncoming(value); k++)
    if (!goes_with(LLVMGetIncomingValue(value, k),
                   input_from(base, LLVMGetIncomingBlock(value, k)), asked))
      return false;
  return true;
}

static bool goes_with_one(const struct listing *list, LLVMValueRef value)
{
  bool found = false;

  for (uint32_t i = list->first; i < list->end && !found; i++) {
    struct cn_ptrmap asked = {0};
    found = goes_with(value, LLVMGetOperand(list->statepoint, i), &asked);
    cn_ptrmap_free(&asked);
  }
  return found;
}

/* Is `value` in the object of something listed, or of none that moves? */
static bool is_listed(const struct listing *list, LLVMValueRef value, unsigned steps)
{
  value = start_of(value);
  if (LLVMIsConstant(value) || cn_is_immovable(value) || cn_ptrmap_find(&list->live, value))
    return true;
  if (steps && LLVMIsASelectInst(value))
    return is_listed(list, LLVMGetOperand(value, 1), steps - 1) &&
           is_listed(list, LLVMGetOperand(value, 2), steps - 1);
  return goes_with_one(list, value);
}

void cn_verify_operands(struct cn_verifier *v, LLVMValueRef statepoint)
{
  struct listing list = {.statepoint = statepoint};
  char name[120], call[160];

  if (!is_marked(statepoint))
    return;
  cn_calls_bundle(statepoint, "gc-live", &list.first, &list.end);
  for (uint32_t i = list.first; i < list.end; i++)
    cn_ptrmap_add(&list.live, start_of(LLVMGetOperand(statepoint, i)), NULL);
  uint64_t arguments = LLVMConstIntGetZExtValue(LLVMGetOperand(statepoint, 3));
  for (uint32_t a = 0; a < arguments; a++) {
    LLVMValueRef value = LLVMGetOperand(statepoint, CN_STATEPOINT_FIXED_ARGS + a);
    const struct cn_finding finding = {.value = value};
    if (cn_is_ref(LLVMTypeOf(value)) && !is_listed(&list, value, MOST_STEPS))
      cn_error_finding(v->ctx, statepoint, "unlisted-operand", &finding,
                       "%s is given to what may collect while it uses it, and is not listed at %s",
                       cn_value_name(value, name, sizeof name),
                       cn_verify_name_statepoint(statepoint, call, sizeof call));
  }
  cn_ptrmap_free(&list.live);
}
