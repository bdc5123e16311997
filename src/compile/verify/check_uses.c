/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds uses of stale values (statepoints-later, "Safepoint Semantics & Verification"). Needs: struct cn_value_states.
 * Provides: diagnostics stale-reference and integer-of-reference. Breaks: nothing.
 *
 * A computation may pass on a stale value; the error is the final use, such as a load, store, call, return, conversion
 * or branch. A comparison is correct if its result stays the same when the object moves: a comparison with null, or of
 * two values of the same epoch.
 */
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "compile/verify/verify.h"

/* Maximum number of findings per function. */
#define MAX_FUNCTION_REPORTS 10

static void report_stale_use(struct cn_verifier *v, LLVMValueRef value, LLVMValueRef user, uint32_t b)
{
  char name[120], origin_name[120], use[160], call[160];
  struct cn_stale_witness witness;
  bool is_ref = cn_holds_ref(LLVMTypeOf(value));
  char *text = LLVMPrintValueToString(user);
  char derived[160] = "";

  cn_witness_find(&witness, v, value, LLVMGetPreviousInstruction(user), b);
  struct cn_finding finding = {value, witness.origin != value ? witness.origin : NULL, witness.blocks.at,
                               witness.blocks.count};
  text[strcspn(text, "\n")] = 0;
  if (snprintf(use, sizeof use, "%s", text + strspn(text, " ")) >= (int)sizeof use)
    memcpy(use + sizeof use - 4, "...", 4);
  LLVMDisposeMessage(text);
  cn_value_name(value, name, sizeof name);
  if (witness.origin != value)
    snprintf(derived, sizeof derived, ", which comes from %s,",
             cn_value_name(witness.origin, origin_name, sizeof origin_name));
  cn_report_finding(v->ctx, user, is_ref ? "stale-reference" : "integer-of-reference", &finding,
                    is_ref ? "%s%s is used after the object may have moved at %s: %s"
                           : "%s%s holds an address that may have changed at %s, and is used after "
                             "it: %s",
                    name, derived,
                    witness.statepoint ? cn_verify_name_statepoint(witness.statepoint, call, sizeof call)
                                       : "different safepoints on different paths",
                    use);
  cn_witness_free(&witness);
}

static bool is_move_invariant_compare(const struct cn_verifier *v, LLVMValueRef compare)
{
  return cn_stale_is_move_invariant(compare, cn_values_state_of(&v->values, LLVMGetOperand(compare, 0)),
                                    cn_values_state_of(&v->values, LLVMGetOperand(compare, 1)));
}

static unsigned check_operand_epochs(struct cn_verifier *v, LLVMValueRef i, uint32_t b, uint32_t epoch)
{
  for (int o = 0; o < LLVMGetNumOperands(i); o++) {
    LLVMValueRef value = LLVMGetOperand(i, (unsigned)o);
    struct cn_stale_state stale = cn_values_state_of(&v->values, value);
    if (cn_values_is_valid_at(&stale, epoch))
      continue;
    if (LLVMIsAICmpInst(i) && is_move_invariant_compare(v, i))
      continue;
    if (cn_null_facts_excuse_use(&v->values, value, i, b))
      continue;
    report_stale_use(v, value, i, b);
    return 1;
  }
  return 0;
}

void cn_verify_stale_uses(struct cn_verifier *v)
{
  unsigned reports = 0;

  for (uint32_t b = 0; b < v->cfg.count; b++) {
    uint32_t epoch = v->epochs.in[b];
    LLVMValueRef i = LLVMGetFirstInstruction(v->cfg.blocks[b].block);
    for (; i && reports < MAX_FUNCTION_REPORTS; i = LLVMGetNextInstruction(i)) {
      if (!cn_values_only_propagates(i))
        reports += check_operand_epochs(v, i, b, epoch);
      epoch = cn_epoch_after(&v->epochs, i, epoch);
    }
    CN_ASSERT(i || epoch == v->epochs.out[b]);
  }
}
