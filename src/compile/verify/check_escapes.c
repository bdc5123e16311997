/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds integers computed from addresses of objects that escape the verifier's checks: into memory other than the
 * locals of stale_locals.c, to the caller, into a callee that may reach a safepoint, or into a statepoint's
 * description. A reader of such an integer cannot know that the object's move invalidates it.
 *
 * Needs: struct cn_value_states. Provides: diagnostics integer-of-reference. Breaks: nothing.
 *
 * check_uses.c reports integers that are stale before they escape; this file reports integers that are valid when they
 * escape.
 */
#include "compile/analysis/calls.h"
#include "compile/effects/intrinsics.h"
#include "compile/verify/verify.h"

#define MAX_FUNCTION_REPORTS 10

/* True if an integer in `value` is computed from an address of epoch `epoch`. */
static bool holds_current_address(const struct cn_verifier *v, LLVMValueRef value, uint32_t epoch)
{
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  bool found = false;

  if (kind == LLVMVoidTypeKind || kind == LLVMTokenTypeKind || kind == LLVMMetadataTypeKind ||
      kind == LLVMLabelTypeKind || cn_is_ref(type))
    return false;
  for (uint32_t l = 0, scalars = cn_scalar_count(type); l < scalars; l++) {
    struct cn_stale_state stale = cn_values_state_of_scalar(&v->values, value, l);
    found |= stale.epoch == epoch && !cn_scalar_is_ref(type, l);
  }
  return found;
}

static bool is_pointer(LLVMValueRef value)
{
  return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

/* True for a tail call whose signature differs from the callee's signature, as pass tail-calls makes it. An integer
 * argument of this call is a reference in the callee. */
static bool is_widened_tail_call(LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  return callee && LLVMGlobalGetValueType(callee) != LLVMGetCalledFunctionType(call);
}

static int stored_operand_of_intrinsic(LLVMValueRef call)
{
  const struct cn_intrinsic *row = cn_intrinsic_row_of_call(call);

  return row ? row->value : -1;
}

/* The operand of a call that contains an address as an integer, or null. An unmanaged pointer is allowed, because the
 * callee uses it at once. */
static LLVMValueRef passed_address_of(const struct cn_verifier *v, LLVMValueRef call, uint32_t epoch)
{
  enum cn_call_kind kind = cn_classify_call(call).kind;
  int stored = stored_operand_of_intrinsic(call);
  CN_ASSERT(stored < LLVMGetNumOperands(call) - 1);

  if (stored >= 0 && holds_current_address(v, LLVMGetOperand(call, (unsigned)stored), epoch))
    return LLVMGetOperand(call, (unsigned)stored);
  if (kind != CN_CALL_PARSE_POINT && kind != CN_CALL_STATEPOINT &&
      (kind != CN_CALL_MUSTTAIL || is_widened_tail_call(call)))
    return NULL;
  for (int o = 0; o < LLVMGetNumOperands(call) - 1; o++) {
    LLVMValueRef value = LLVMGetOperand(call, (unsigned)o);
    if (!is_pointer(value) && holds_current_address(v, value, epoch))
      return value;
  }
  return NULL;
}

static LLVMValueRef escaping_value_of(const struct cn_verifier *v, LLVMValueRef i, uint32_t epoch, const char **how)
{
  LLVMValueRef value = NULL;

  *how = "stored in a place that the proof cannot follow";
  if (LLVMIsAStoreInst(i) && !cn_stale_locals_is_followed(&v->values, LLVMGetOperand(i, 1)))
    value = LLVMGetOperand(i, 0);
  else if (LLVMIsAAtomicRMWInst(i))
    value = LLVMGetOperand(i, 1);
  else if (LLVMIsAAtomicCmpXchgInst(i))
    value = LLVMGetOperand(i, 2);
  else if (LLVMIsAReturnInst(i) && LLVMGetNumOperands(i))
    *how = "returned", value = LLVMGetOperand(i, 0);
  else if (cn_is_call(i))
    *how = "given to a call that may move the object", value = passed_address_of(v, i, epoch);
  return value && holds_current_address(v, value, epoch) ? value : NULL;
}

static void report_escape(struct cn_verifier *v, LLVMValueRef value, LLVMValueRef at, const char *how)
{
  const struct cn_finding finding = {.value = value};
  char name[120];

  cn_report_finding(
      v->ctx, at, "integer-of-reference", &finding,
      "%s is made of an address, and %s: it stays as it is when the object moves; keep the reference, and "
      "make the integer from it where that is used",
      cn_value_name(value, name, sizeof name), how);
}

void cn_verify_escapes(struct cn_verifier *v)
{
  unsigned reports = 0;

  for (uint32_t b = 0; b < v->cfg.count; b++) {
    uint32_t epoch = v->epochs.in[b];
    LLVMValueRef i = LLVMGetFirstInstruction(v->cfg.blocks[b].block);
    for (; i && reports < MAX_FUNCTION_REPORTS; i = LLVMGetNextInstruction(i)) {
      const char *how;
      LLVMValueRef value = escaping_value_of(v, i, epoch, &how);
      if (value && ++reports)
        report_escape(v, value, i, how);
      epoch = cn_epoch_after(&v->epochs, i, epoch);
    }
    CN_ASSERT(i || epoch == v->epochs.out[b]);
  }
}
