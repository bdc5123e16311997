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
#include "compile/calls.h"
#include "compile/verify.h"

/* Findings per function; the rest says nothing new. */
#define REPORT_LIMIT 10
/* Values that an explanation goes back over. */
#define EXPLAIN_LIMIT 64

/* ---- explaining ---- */

/* Where a value went stale: the value that is handed on in the end, and the safepoint it did not
 * survive. */
struct cause {
  LLVMValueRef origin, statepoint;
};

/* Look back from `from` (itself left out) in its block for a statepoint or for `def`. True: that
 * ends the path. */
static bool scan_back(LLVMValueRef from, LLVMValueRef def, LLVMValueRef *statepoint)
{
  for (LLVMValueRef i = from; i; i = LLVMGetPreviousInstruction(i)) {
    if (i == def)
      return true;
    if (cn_classify_call(i).kind == CN_CALL_STATEPOINT) {
      *statepoint = i;
      return true;
    }
  }
  return false;
}

/* A statepoint on some path from `def` (an instruction or parameter) to just after `last` in
 * block `b`, or null. */
static LLVMValueRef find_statepoint(const struct cn_cfg *cfg, LLVMValueRef def, LLVMValueRef last,
                                    uint32_t b)
{
  uint8_t *seen = cn_alloc(cfg->count);
  CN_VECTOR(uint32_t) work = {0};
  LLVMValueRef found = NULL;

  if (!last || !scan_back(last, def, &found))
    cn_push(&work, b);
  while (work.count && !found) {
    const struct cn_block *block = &cfg->blocks[work.at[--work.count]];
    for (uint32_t p = 0; p < block->pred_count && !found; p++) {
      uint32_t pred = block->preds[p];
      if (seen[pred])
        continue;
      seen[pred] = 1;
      if (!scan_back(LLVMGetBasicBlockTerminator(cfg->blocks[pred].block), def, &found))
        cn_push(&work, pred);
    }
  }
  free(seen);
  cn_free(&work);
  return found;
}

/* The operand through which `i` is stale although no statepoint follows it; its place goes to
 * *last and *b. */
static LLVMValueRef stale_operand(const struct cn_verifier *v, LLVMValueRef i, LLVMValueRef *last,
                                  uint32_t *b)
{
  if (LLVMIsAPHINode(i)) {
    for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
      uint32_t from = cn_cfg_index(&v->cfg, LLVMGetIncomingBlock(i, k));
      struct cn_stale stale = cn_values_of(&v->values, LLVMGetIncomingValue(i, k));
      if (from == CN_NO_BLOCK || cn_values_valid_at(&stale, v->epochs.out[from]))
        continue;
      *b = from;
      *last = LLVMGetBasicBlockTerminator(v->cfg.blocks[from].block);
      return LLVMGetIncomingValue(i, k);
    }
    return NULL;
  }
  *last = LLVMGetPreviousInstruction(i);
  for (int o = 0; o < LLVMGetNumOperands(i); o++) {
    struct cn_stale stale = cn_values_of(&v->values, LLVMGetOperand(i, (unsigned)o));
    if (!cn_values_valid_at(&stale, cn_epochs_at(&v->epochs, i)))
      return LLVMGetOperand(i, (unsigned)o);
  }
  return NULL;
}

static struct cause explain(const struct cn_verifier *v, LLVMValueRef value, LLVMValueRef last,
                            uint32_t b)
{
  struct cause cause = {value, NULL};

  for (int depth = 0; depth < EXPLAIN_LIMIT; depth++) {
    cause.origin = value;
    cause.statepoint = find_statepoint(&v->cfg, value, last, b);
    if (cause.statepoint || !LLVMIsAInstruction(value) || !cn_values_hands_on(value))
      break;
    b = cn_cfg_index(&v->cfg, LLVMGetInstructionParent(value));
    LLVMValueRef next = stale_operand(v, value, &last, &b);
    if (!next)
      break;
    value = next;
  }
  return cause;
}

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
  struct cause cause = explain(v, value, LLVMGetPreviousInstruction(user), b);
  bool is_ref = cn_holds_ref(LLVMTypeOf(value));
  char *text = LLVMPrintValueToString(user);
  char derived[160] = "";

  snprintf(use, sizeof use, "%s", text + strspn(text, " "));
  use[strcspn(use, "\n")] = 0;
  LLVMDisposeMessage(text);
  cn_value_name(value, name, sizeof name);
  if (cause.origin != value)
    snprintf(derived, sizeof derived, ", which comes from %s,",
             cn_value_name(cause.origin, origin_name, sizeof origin_name));
  cn_error(v->ctx, user, is_ref ? "stale-reference" : "integer-of-reference",
           is_ref ? "%s%s is used after the object may have moved at %s: %s"
                  : "%s%s holds an address that may have changed at %s, and is used after it: %s",
           name, derived,
           cause.statepoint ? cn_verify_name_statepoint(cause.statepoint, call, sizeof call)
                            : "different safepoints on different paths",
           use);
}

/* Comparisons that a move cannot change. */
static bool is_indifferent(const struct cn_verifier *v, LLVMValueRef compare)
{
  struct cn_stale a = cn_values_of(&v->values, LLVMGetOperand(compare, 0));
  struct cn_stale b = cn_values_of(&v->values, LLVMGetOperand(compare, 1));
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
  bool equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;

  if (a.epoch != CN_EPOCH_NONE && b.epoch != CN_EPOCH_NONE)
    return a.epoch == b.epoch && a.epoch != CN_EPOCH_MIXED;
  const struct cn_stale *stale = a.epoch != CN_EPOCH_NONE ? &a : &b;
  LLVMValueRef other = LLVMGetOperand(compare, a.epoch != CN_EPOCH_NONE ? 1 : 0);
  return equality && stale->weight == 1 && LLVMIsConstant(other);
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
    if (cn_null_spares(&v->values, value, i, b))
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
