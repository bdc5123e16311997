/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the references that statepoints list. Needs: struct cn_object_graph. Provides: diagnostics gc-live-duplicate,
 * relocate-index, wrong-base and managed-alloca. Breaks: nothing.
 *
 * The base of each relocate must be the start of the object that the derived pointer points into (statepoints-later,
 * "Base & Derived Pointers"). The checks prove this rule for each scalar. A derived reference among the deopt values
 * must have a relocate.
 */
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/verify/verify.h"

/* Maximum number of reported wrong bases per function. */
#define MAX_FUNCTION_REPORTS 10

static void check_duplicate_live_refs(struct cn_verifier *v, LLVMValueRef statepoint)
{
  struct cn_ptrmap seen = {0};
  uint32_t i, end;
  char name[120];

  for (cn_calls_find_bundle(statepoint, "gc-live", &i, &end); i < end; i++) {
    LLVMValueRef live = LLVMGetOperand(statepoint, i);
    bool fresh;
    cn_ptrmap_add(&seen, live, &fresh);
    if (fresh || LLVMIsConstant(live))
      continue;
    cn_error(v->ctx, statepoint, "gc-live-duplicate", "%s is listed twice as live",
             cn_value_name(live, name, sizeof name));
    break;
  }
  cn_ptrmap_free(&seen);
}

static void report_wrong_base(struct cn_verifier *v, LLVMValueRef relocate, LLVMValueRef base, LLVMValueRef derived,
                              const char *format)
{
  char base_name[120], derived_name[120], call[160];
  const struct cn_finding finding = {.value = derived, .other = base};

  cn_verify_name_statepoint(cn_verify_statepoint_of(relocate), call, sizeof call);
  cn_report_finding(v->ctx, relocate, "wrong-base", &finding, "%s is relocated with %s%s, at %s",
                    cn_value_name(derived, derived_name, sizeof derived_name),
                    cn_value_name(base, base_name, sizeof base_name), format, call);
}

/* True for the address of an alloca in the managed address space, or of an alloca that is cast to that space. */
static bool is_address_of_local(LLVMValueRef reference)
{
  while (LLVMIsAGetElementPtrInst(reference) || LLVMIsABitCastInst(reference) || LLVMIsAAddrSpaceCastInst(reference))
    reference = LLVMGetOperand(reference, 0);
  return LLVMIsAAllocaInst(reference) != NULL;
}

/* The code generator lists an alloca among the pairs of references in another form, so that readers of the stack map
 * would misread or refuse the values after it. */
static void report_relocated_local(struct cn_verifier *v, LLVMValueRef relocate, LLVMValueRef local)
{
  char name[120], call[160];
  const struct cn_finding finding = {.value = local};

  cn_verify_name_statepoint(cn_verify_statepoint_of(relocate), call, sizeof call);
  cn_report_finding(v->ctx, relocate, "managed-alloca", &finding,
                    "%s is the address of a local, which does not move, but is relocated at %s: "
                    "list it nowhere, and use it as it is",
                    cn_value_name(local, name, sizeof name), call);
}

/* Check each scalar, because a vector of references is relocated with a vector of bases. False if a base is wrong. */
static bool check_relocate(struct cn_verifier *v, LLVMValueRef relocate)
{
  LLVMValueRef base = cn_verify_listed_operand_of(v, relocate, 1),
               derived = cn_verify_listed_operand_of(v, relocate, 2);
  char name[120];

  if (!cn_verify_statepoint_of(relocate))
    return true; /* LLVM's verifier accepts an undefined token only in unreachable code */
  if (!base || !derived) {
    cn_error(v->ctx, relocate, "relocate-index", "%s does not name live references of a statepoint",
             cn_value_name(relocate, name, sizeof name));
    return false;
  }
  if (is_address_of_local(derived) || is_address_of_local(base)) {
    report_relocated_local(v, relocate, is_address_of_local(derived) ? derived : base);
    return false;
  }
  LLVMValueRef statepoint = cn_verify_statepoint_of(relocate);
  uint32_t b = cn_cfg_index_of(&v->cfg, LLVMGetInstructionParent(statepoint));
  CN_CHECK(b != CN_NO_BLOCK);
  for (uint32_t l = 0, scalars = cn_scalar_count(LLVMTypeOf(derived)); l < scalars; l++) {
    const struct cn_object_node *of_base = cn_objects_find_node(&v->objects, base, l);
    const struct cn_object_node *of_derived = cn_objects_find_node(&v->objects, derived, l);
    CN_CHECK(of_base && of_derived);
    if (!cn_objects_prove_same(&v->objects, of_base, of_derived, b)) {
      report_wrong_base(v, relocate, base, derived, ", which is not its base");
      return false;
    }
    if (of_base->inside) {
      report_wrong_base(v, relocate, base, derived, " as its base, which points into an object");
      return false;
    }
  }
  return true;
}

/* True if a relocate of the statepoint has `value` as its derived reference. */
static bool is_relocated_at(struct cn_verifier *v, LLVMValueRef statepoint, LLVMValueRef value)
{
  for (LLVMUseRef use = LLVMGetFirstUse(statepoint); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef relocate = LLVMGetUser(use);
    if (cn_is_relocate(relocate) && cn_verify_listed_operand_of(v, relocate, 2) == value)
      return true;
  }
  return false;
}

/* The code generator lists a reference of deoptimisation state without a relocate as a base. */
static bool check_deopt_references(struct cn_verifier *v, LLVMValueRef statepoint)
{
  char value_name[120], call[160];
  uint32_t i, end;

  for (cn_calls_find_bundle(statepoint, "deopt", &i, &end); i < end; i++) {
    LLVMValueRef value = LLVMGetOperand(statepoint, i);
    if (!cn_is_ref(LLVMTypeOf(value)) || LLVMIsAConstant(value) || is_address_of_local(value))
      continue;
    const struct cn_object_node *node = cn_objects_find_node(&v->objects, value, 0);
    if (!node || !node->inside || is_relocated_at(v, statepoint, value))
      continue;
    const struct cn_finding finding = {.value = value};
    cn_report_finding(v->ctx, statepoint, "wrong-base", &finding,
                      "%s may point into an object, and is among the deopt values without a relocate that names its "
                      "base, at %s",
                      cn_value_name(value, value_name, sizeof value_name),
                      cn_verify_name_statepoint(statepoint, call, sizeof call));
    return false;
  }
  return true;
}

/* The optimiser may merge two live references, so duplicates are wrong only before the optimiser. */
static bool may_have_been_optimised(const struct cn_verifier *v)
{
  return v->ctx->options && v->ctx->options->safepoints == CAIRN_SAFEPOINTS_EARLY;
}

void cn_verify_relocates(struct cn_verifier *v)
{
  unsigned wrong = 0;

  for (uint32_t b = 0; b < v->cfg.count; b++)
    CN_EACH_INSTRUCTION(i, v->cfg.blocks[b].block) {
      bool statepoint = cn_classify_call(i).kind == CN_CALL_STATEPOINT;
      if (statepoint && !may_have_been_optimised(v))
        check_duplicate_live_refs(v, i);
      if (statepoint && wrong < MAX_FUNCTION_REPORTS)
        wrong += !check_deopt_references(v, i);
      else if (cn_is_relocate(i) && wrong < MAX_FUNCTION_REPORTS)
        wrong += !check_relocate(v, i);
    }
}
