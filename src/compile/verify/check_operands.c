/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks calls that must list their operands while the callee runs (live_operands.c). Such a statepoint must list each
 * reference that it passes, or a reference into the same object. Needs: nothing. Provides: diagnostic unlisted-operand.
 * Breaks: nothing.
 */
#include "compile/analysis/calls.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/verify/verify.h"

enum { MAX_SELECT_STEPS = 16 }; /* number of selects between an operand and a listed reference */

/* The references that a statepoint lists. */
struct listed_references {
  struct cn_verifier *v;
  LLVMValueRef statepoint;
  uint32_t first, end, block;
};

/* The value that `value` is computed from within its object, or `value` itself. */
static LLVMValueRef derivation_root_of(LLVMValueRef value)
{
  while (LLVMIsAGetElementPtrInst(value) || LLVMIsABitCastInst(value) || LLVMIsAFreezeInst(value) ||
         LLVMIsAAddrSpaceCastInst(value) || cn_calls_intrinsic(value, "llvm.ptrmask"))
    value = LLVMGetOperand(value, 0);
  return value;
}

/* True if `value` is proved to point into the object of a listed reference, or into immovable memory. Compare classes
 * first, because proofs take longer. */
static bool shares_listed_object(const struct listed_references *list, LLVMValueRef value)
{
  struct cn_object_graph *objects = &list->v->objects;
  const struct cn_object_node *of_value = cn_objects_find_node(objects, value, 0), *of_listed;

  if (!of_value || cn_objects_is_fixed(of_value))
    return of_value != NULL;
  for (int proofs = 0; proofs < 2; proofs++)
    for (uint32_t i = list->first; i < list->end; i++) {
      LLVMValueRef listed = LLVMGetOperand(list->statepoint, i);
      for (uint32_t l = 0, scalars = cn_scalar_count(LLVMTypeOf(listed)); l < scalars; l++) {
        of_listed = cn_objects_find_node(objects, listed, l);
        CN_CHECK(of_listed);
        if (proofs ? cn_objects_prove_same(objects, of_listed, of_value, list->block)
                   : of_listed->class == of_value->class)
          return true;
      }
    }
  return false;
}

static bool is_listed_or_immovable(const struct listed_references *list, LLVMValueRef value, unsigned steps)
{
  LLVMValueRef start = derivation_root_of(value);

  if (LLVMIsConstant(start) || cn_is_immovable(start) || shares_listed_object(list, value))
    return true;
  return steps && LLVMIsASelectInst(start) && is_listed_or_immovable(list, LLVMGetOperand(start, 1), steps - 1) &&
         is_listed_or_immovable(list, LLVMGetOperand(start, 2), steps - 1);
}

void cn_verify_listed_operands(struct cn_verifier *v, LLVMValueRef statepoint)
{
  struct listed_references list = {.v = v, .statepoint = statepoint};
  char name[120], call[160];

  if (!cn_must_list_operands(statepoint))
    return;
  cn_calls_find_bundle(statepoint, "gc-live", &list.first, &list.end);
  list.block = cn_cfg_index_of(&v->cfg, LLVMGetInstructionParent(statepoint));
  CN_CHECK(list.block != CN_NO_BLOCK && list.first <= list.end);
  uint64_t arguments = LLVMConstIntGetZExtValue(LLVMGetOperand(statepoint, 3));
  for (uint32_t a = 0; a < arguments; a++) {
    LLVMValueRef value = LLVMGetOperand(statepoint, CN_STATEPOINT_FIXED_ARGS + a);
    const struct cn_finding finding = {.value = value};
    if (cn_is_ref(LLVMTypeOf(value)) && !is_listed_or_immovable(&list, value, MAX_SELECT_STEPS))
      cn_report_finding(v->ctx, statepoint, "unlisted-operand", &finding,
                        "%s is given to a call that may collect while it uses the reference, and is not listed at %s",
                        cn_value_name(value, name, sizeof name),
                        cn_verify_name_statepoint(statepoint, call, sizeof call));
  }
}
