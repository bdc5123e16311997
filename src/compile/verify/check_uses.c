/* SPDX-License-Identifier: Apache-2.0
 *
 * No use of a stale value (statepoints-later, "Safepoint Semantics & Verification"). Needs:
 * struct cn_values. Provides: diagnostics stale-reference and integer-of-reference. Breaks:
 * nothing.
 *
 * A computation that only hands a stale value on is no error; what is done with it at the end
 * is: load, store, call, return, conversion, branch. Comparisons that cannot tell whether a move
 * has happened are right: with null, and of two values of the same epoch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/verify/verify.h"

/* Findings per function; the rest says nothing new. */
#define REPORT_LIMIT 10
const char *cn_verify_name_statepoint(LLVMValueRef statepoint, char *buffer, size_t size)
{
  LLVMValueRef callee = LLVMGetOperand(statepoint, 2);
  unsigned line = LLVMGetDebugLocLine(statepoint);
  char name[120];
  int end = LLVMIsAGlobalValue(callee)
                ? snprintf(buffer, size, "the call to %s", cn_value_name(callee, name, sizeof name))
                : snprintf(buffer, size, "an indirect call");

  if (line && end > 0 && (size_t)end < size)
    snprintf(buffer + end, size - (size_t)end, " in line %u", line);
  return buffer;
}

/* ---- checking ---- */

static void report(struct cn_verifier *v, LLVMValueRef value, LLVMValueRef user, uint32_t b)
{
  char name[120], origin_name[120], use[160], call[160];
  struct cn_witness trail;
  bool is_ref = cn_holds_ref(LLVMTypeOf(value));
  char *text = LLVMPrintValueToString(user);
  char derived[160] = "";

  cn_witness_find(&trail, v, value, LLVMGetPreviousInstruction(user), b);
  struct cn_finding finding = {value, trail.origin != value ? trail.origin : NULL, trail.blocks.at,
                               trail.blocks.count};
  text[strcspn(text, "\n")] = 0;
  if (snprintf(use, sizeof use, "%s", text + strspn(text, " ")) >= (int)sizeof use)
    memcpy(use + sizeof use - 4, "...", 4);
  LLVMDisposeMessage(text);
  cn_value_name(value, name, sizeof name);
  if (trail.origin != value)
    snprintf(derived, sizeof derived, ", which comes from %s,",
             cn_value_name(trail.origin, origin_name, sizeof origin_name));
  cn_error_finding(v->ctx, user, is_ref ? "stale-reference" : "integer-of-reference", &finding,
                   is_ref ? "%s%s is used after the object may have moved at %s: %s"
                          : "%s%s holds an address that may have changed at %s, and is used after "
                            "it: %s",
                   name, derived,
                   trail.statepoint ? cn_verify_name_statepoint(trail.statepoint, call, sizeof call)
                                    : "different safepoints on different paths",
                   use);
  cn_witness_free(&trail);
}

/* Comparisons that a move cannot change. */
static bool is_indifferent(const struct cn_verifier *v, LLVMValueRef compare)
{
  return cn_stale_indifferent(compare, cn_values_of(&v->values, LLVMGetOperand(compare, 0)),
                              cn_values_of(&v->values, LLVMGetOperand(compare, 1)));
}

static unsigned check_operands(struct cn_verifier *v, LLVMValueRef i, uint32_t b, uint32_t epoch)
{
  for (int o = 0; o < LLVMGetNumOperands(i); o++) {
    LLVMValueRef value = LLVMGetOperand(i, (unsigned)o);
    struct cn_stale stale = cn_values_of(&v->values, value);
    if (cn_values_valid_at(&stale, epoch))
      continue;
    if (LLVMIsAICmpInst(i) && is_indifferent(v, i))
      continue;
    if (cn_null_facts_spare(&v->values, value, i, b))
      continue;
    report(v, value, i, b);
    return 1;
  }
  return 0;
}

void cn_verify_uses(struct cn_verifier *v)
{
  unsigned reports = 0;

  for (uint32_t b = 0; b < v->cfg.count; b++) {
    uint32_t epoch = v->epochs.in[b];
    LLVMValueRef i = LLVMGetFirstInstruction(v->cfg.blocks[b].block);
    for (; i && reports < REPORT_LIMIT; i = LLVMGetNextInstruction(i)) {
      if (!cn_values_hands_on(i))
        reports += check_operands(v, i, b, epoch);
      epoch = cn_epochs_after(&v->epochs, i, epoch);
    }
  }
}
