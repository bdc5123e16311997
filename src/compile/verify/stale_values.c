/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the epoch of each value's addresses: the last safepoint, or join of paths with safepoints, after which they
 * were valid (epochs.c). Needs: struct cn_epochs. Provides: struct cn_value_states. Breaks: nothing.
 *
 * A reference that is loaded, passed in or returned has the epoch that is current at this instruction; a load from a
 * local has the epoch of the local's content (cn_stale_locals_of_load()). A relocated reference has the epoch that its
 * statepoint starts. A GEP, phi or select has the epoch of its operands; if their epochs differ, the result's epoch is
 * mixed, and the result is stale everywhere. Numbers computed from an address have epochs, too (stale_integers.c). Each
 * scalar of a value has a separate epoch, so that a new reference in a struct replaces the epoch of the old one.
 *
 * The algorithm is an optimistic fixed point. A value counts as valid until an operand shows that it is stale, and
 * rounds over the function continue until the phis of its loops are stable.
 */
#include <stdlib.h>
#include "compile/verify/verify.h"
#include "compile/core/each.h"
#include "compile/effects/intrinsics.h"

static const struct cn_stale_state never_stale = {CN_EPOCH_NONE, 0};

/* ---- phis ---- */

static struct cn_stale_state evaluate_phi(const struct cn_value_states *values, LLVMValueRef phi, uint32_t b,
                                          uint32_t scalar)
{
  const struct cn_epochs *e = values->epochs;
  struct cn_edge_join join = {0};
  bool ref = cn_scalar_is_ref(LLVMTypeOf(phi), scalar);

  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    uint32_t from = cn_cfg_index_of(e->cfg, LLVMGetIncomingBlock(phi, i));
    struct cn_stale_state incoming = cn_values_state_of_scalar(values, LLVMGetIncomingValue(phi, i), scalar);
    if (from == CN_NO_BLOCK || (incoming.epoch == CN_EPOCH_NONE && (ref || LLVMIsUndef(LLVMGetIncomingValue(phi, i)))))
      continue;
    if (incoming.epoch != e->out[from] && incoming.weight == 1 &&
        cn_null_facts_excuse_use(values, LLVMGetIncomingValue(phi, i), NULL, from))
      incoming.epoch = e->out[from];
    cn_join_add_edge(values, &join, from, b, incoming);
  }
  for (uint32_t p = 0; values->control && !ref && p < e->cfg->blocks[b].pred_count; p++)
    cn_join_add_edge(values, &join, e->cfg->blocks[b].preds[p], b, values->control[b]);
  return cn_join_result_of(values, &join, b);
}

/* ---- instructions ---- */

/* True if the result is an operand, an address within an operand's object, or lanes of operands. */
static bool is_forwarding_intrinsic(LLVMValueRef call)
{
  return cn_intrinsic_has_effect(call, CN_EFFECT_SAME) || cn_intrinsic_has_effect(call, CN_EFFECT_INSIDE) ||
         cn_intrinsic_has_effect(call, CN_EFFECT_LANES) ||
         cn_calls_intrinsic(call, "llvm.experimental.gc.get.pointer.base");
}

static bool is_relocate_or_result(LLVMValueRef call)
{
  return cn_is_relocate(call) || cn_calls_intrinsic(call, "llvm.experimental.gc.result");
}

bool cn_values_only_propagates(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMGetElementPtr:
  case LLVMBitCast:
  case LLVMFreeze:
  case LLVMPHI:
  case LLVMSelect:
  case LLVMExtractElement:
  case LLVMInsertElement:
  case LLVMShuffleVector:
  case LLVMExtractValue:
  case LLVMInsertValue:
  case LLVMPtrToInt:
  case LLVMPtrToAddr:
  case LLVMIntToPtr:
  case LLVMAddrSpaceCast:
    return true;
  case LLVMCall:
    return is_forwarding_intrinsic(i) || is_relocate_or_result(i);
  default:
    return cn_stale_is_arithmetic(i);
  }
}

static struct cn_stale_state join_operand_states(const struct cn_value_states *values, LLVMValueRef i, unsigned first,
                                                 unsigned last)
{
  struct cn_stale_state all = never_stale;

  for (unsigned o = first; o < last; o++)
    all = cn_stale_join_states(all, cn_values_state_of(values, LLVMGetOperand(i, o)));
  return all;
}

static struct cn_stale_state join_scalar_states(const struct cn_value_states *values, LLVMValueRef i, unsigned first,
                                                unsigned last, uint32_t scalar)
{
  struct cn_stale_state all = never_stale;

  for (unsigned o = first; o < last; o++)
    all = cn_stale_join_states(all, cn_values_state_of_scalar(values, LLVMGetOperand(i, o), scalar));
  return all;
}

/* The state of an integer that a leaf returns. The minimum of two addresses is an address, and a leaf may return its
 * argument; check_escapes.c reports addresses that other callees get. A value that the leaf loads through a reference
 * counts as a plain number. */
static struct cn_stale_state evaluate_integer_call(const struct cn_value_states *values, LLVMValueRef call)
{
  bool intrinsic = cn_calls_some_intrinsic(call);
  struct cn_stale_state all = never_stale;

  if (cn_classify_call(call).kind != CN_CALL_LEAF)
    return never_stale;
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, a));
    if (!cn_holds_ref(type) && LLVMGetTypeKind(type) != LLVMTokenTypeKind &&
        (intrinsic || LLVMGetTypeKind(type) != LLVMPointerTypeKind))
      all = cn_stale_join_states(all, cn_values_state_of(values, LLVMGetOperand(call, a)));
  }
  return cn_stale_drop_weight(all);
}

static struct cn_stale_state evaluate_call(const struct cn_value_states *values, LLVMValueRef call, uint32_t scalar,
                                           uint32_t epoch)
{
  bool ref = cn_scalar_is_ref(LLVMTypeOf(call), scalar);

  if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMTokenTypeKind)
    return (struct cn_stale_state){epoch, 1};
  /* A relocate or result of an older statepoint than the last one is stale at its definition. A relocate returns a
   * pointer in address space 1 even if another address space is managed. */
  if (cn_is_relocate(call) || (ref && is_relocate_or_result(call)))
    return cn_values_state_of_scalar(values, LLVMGetOperand(call, 0), 0);
  if (LLVMIsACallInst(call) && is_forwarding_intrinsic(call)) {
    struct cn_stale_state all = join_operand_states(values, call, 0, LLVMGetNumArgOperands(call));
    return ref ? all : cn_stale_drop_weight(all);
  }
  return ref ? (struct cn_stale_state){epoch, 1} : evaluate_integer_call(values, call);
}

static struct cn_stale_state evaluate_element(const struct cn_value_states *values, LLVMValueRef i, uint32_t scalar)
{
  struct cn_scalar_source source = cn_scalar_source(i, scalar);

  switch (source.which) {
  case CN_SCALAR_UNDEFINED:
    return never_stale;
  case CN_SCALAR_ONE_SOURCE:
    return cn_values_state_of_scalar(values, LLVMGetOperand(i, source.operand), source.scalar);
  case CN_SCALAR_ANY_SOURCE:
    break;
  }
  /* In an aggregate with references, all other scalars count as plain numbers. */
  if (cn_holds_ref(LLVMTypeOf(LLVMGetOperand(i, 0))) && !cn_scalar_is_ref(LLVMTypeOf(i), scalar))
    return never_stale;
  return join_operand_states(values, i, 0, (unsigned)LLVMGetNumOperands(i));
}

bool cn_is_address_in_local(LLVMValueRef pointer)
{
  while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer))
    pointer = LLVMGetOperand(pointer, 0);
  return LLVMIsAAllocaInst(pointer) != NULL;
}

static struct cn_stale_state evaluate_cast(const struct cn_value_states *values, LLVMValueRef i, uint32_t scalar,
                                           uint32_t epoch)
{
  struct cn_stale_state stale = cn_values_state_of_scalar(values, LLVMGetOperand(i, 0), scalar);
  bool same_scalars = cn_scalar_count(LLVMTypeOf(i)) == cn_scalar_count(LLVMTypeOf(LLVMGetOperand(i, 0)));
  bool made = LLVMIsAIntToPtrInst(i) || !cn_is_ref(LLVMTypeOf(LLVMGetOperand(i, 0)));

  if (!same_scalars)
    return cn_stale_drop_weight(cn_values_state_of(values, LLVMGetOperand(i, 0)));
  if (stale.epoch == CN_EPOCH_NONE && !LLVMIsABitCastInst(i) && made && cn_scalar_is_ref(LLVMTypeOf(i), scalar) &&
      !LLVMIsConstant(LLVMGetOperand(i, 0)) && !cn_is_address_in_local(LLVMGetOperand(i, 0)))
    return (struct cn_stale_state){epoch, 1}; /* a reference of unknown origin */
  return stale;
}

/* A select by a residue of an address is itself a residue, unless it selects references. */
static struct cn_stale_state evaluate_select(const struct cn_value_states *values, LLVMValueRef i, uint32_t scalar)
{
  struct cn_stale_state by = cn_values_state_of_scalar(values, LLVMGetOperand(i, 0), scalar);
  struct cn_stale_state a = cn_values_state_of_scalar(values, LLVMGetOperand(i, 1), scalar);
  struct cn_stale_state b = cn_values_state_of_scalar(values, LLVMGetOperand(i, 2), scalar);
  struct cn_stale_state all = cn_stale_join_states(a, b);

  if (cn_scalar_is_ref(LLVMTypeOf(i), scalar))
    return all;
  bool alike = by.epoch == CN_EPOCH_NONE && (a.epoch == CN_EPOCH_NONE) == (b.epoch == CN_EPOCH_NONE);
  return alike ? all : cn_stale_drop_weight(cn_stale_join_states(all, by));
}

static struct cn_stale_state evaluate_instruction(const struct cn_value_states *values, LLVMValueRef i, uint32_t scalar,
                                                  uint32_t b, uint32_t epoch)
{
  unsigned operands = (unsigned)LLVMGetNumOperands(i);

  if (cn_is_immovable(i))
    return never_stale;
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMPHI:
    return evaluate_phi(values, i, b, scalar);
  case LLVMExtractElement:
  case LLVMExtractValue:
  case LLVMInsertElement:
  case LLVMInsertValue:
  case LLVMShuffleVector:
    return evaluate_element(values, i, scalar);
  case LLVMGetElementPtr:
  case LLVMFreeze:
    return join_scalar_states(values, i, 0, operands, scalar);
  case LLVMSelect:
    return evaluate_select(values, i, scalar);
  case LLVMICmp:
  case LLVMFCmp:
    return cn_stale_of_comparison(values, i, scalar);
  case LLVMPtrToInt:
  case LLVMPtrToAddr:
  case LLVMIntToPtr:
  case LLVMAddrSpaceCast:
  case LLVMBitCast:
    return evaluate_cast(values, i, scalar, epoch);
  case LLVMCall:
  case LLVMInvoke:
  case LLVMCallBr:
    return evaluate_call(values, i, scalar, epoch);
  case LLVMLandingPad:
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMTokenTypeKind)
      return (struct cn_stale_state){epoch, 1};
    break;
  case LLVMAlloca: /* an alloca in the managed address space stays in place */
    return never_stale;
  case LLVMLoad:
    if (values->locals.count)
      return cn_stale_locals_of_load(values, i, scalar, epoch);
    break;
  default:
    if (cn_stale_is_arithmetic(i))
      return cn_stale_of_arithmetic(values, i, scalar);
    break;
  }
  return cn_scalar_is_ref(LLVMTypeOf(i), scalar) ? (struct cn_stale_state){epoch, 1} : never_stale;
}

/* ---- passes ---- */

/* After this number of rounds, values of nested loops that still change get a mixed epoch. */
#define MAX_EVALUATION_ROUNDS 64

static bool is_equal_state(struct cn_stale_state a, struct cn_stale_state b)
{
  return a.epoch == b.epoch && a.weight == b.weight;
}

static void update_scalar_states(struct cn_value_states *values, LLVMValueRef i, uint32_t b, uint32_t epoch,
                                 bool settle)
{
  for (uint32_t l = 0, scalars = cn_scalar_count(LLVMTypeOf(i)); l < scalars; l++) {
    struct cn_stale_state stale = evaluate_instruction(values, i, l, b, epoch);
    struct cn_stale_state old = cn_values_state_of_scalar(values, i, l);
    /* A sum that grows in each iteration has no constant number of addresses. */
    if (LLVMIsAPHINode(i) && old.epoch != CN_EPOCH_NONE && stale.weight != old.weight)
      stale = cn_stale_drop_weight(stale);
    if (settle && old.epoch != CN_EPOCH_NONE && !is_equal_state(stale, old))
      stale = (struct cn_stale_state){CN_EPOCH_MIXED, CN_WEIGHT_OTHER};
    cn_values_set_scalar(values, i, l, scalars, stale);
  }
}

static bool has_back_edge_input(const struct cn_value_states *values, LLVMValueRef phi, uint32_t b)
{
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    uint32_t from = cn_cfg_index_of(values->epochs->cfg, LLVMGetIncomingBlock(phi, i));
    if (from != CN_NO_BLOCK && cn_cfg_is_retreating_edge(from, b))
      return true;
  }
  return false;
}

/* True for a value with an epoch: a reference, a pointer that a relocate may have been cast to, or a token. */
static bool carries_epoch(LLVMValueRef i)
{
  LLVMTypeRef type = LLVMTypeOf(i);
  LLVMTypeKind kind = LLVMGetTypeKind(type);

  return kind == LLVMTokenTypeKind || kind == LLVMPointerTypeKind || cn_holds_ref(type);
}

static void evaluate_all_blocks(struct cn_value_states *values, bool integers, bool settle)
{
  const struct cn_epochs *e = values->epochs;

  for (uint32_t b = 0; b < e->cfg->count; b++) {
    uint32_t epoch = e->in[b];
    cn_stale_locals_enter_block(values, b);
    CN_EACH_INSTRUCTION(i, e->cfg->blocks[b].block) {
      epoch = cn_epoch_after(e, i, epoch);
      if (values->locals.count && LLVMIsAStoreInst(i))
        cn_stale_locals_apply_store(values, i);
      if (integers || carries_epoch(i))
        update_scalar_states(values, i, b, epoch, settle);
    }
    CN_ASSERT(epoch == e->out[b]);
    cn_stale_locals_leave_block(values, b);
  }
}

/* True if another round would leave the phis of all loop headers, and thus all values, unchanged. */
static bool are_loop_phis_stable(const struct cn_value_states *values, bool integers)
{
  const struct cn_cfg *cfg = values->epochs->cfg;

  for (uint32_t b = 0; b < cfg->count; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].block); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
      bool read = (integers || carries_epoch(i)) && has_back_edge_input(values, i, b);
      for (uint32_t l = 0, scalars = read ? cn_scalar_count(LLVMTypeOf(i)) : 0; l < scalars; l++) {
        struct cn_stale_state old = cn_values_state_of_scalar(values, i, l);
        struct cn_stale_state now = evaluate_phi(values, i, b, l);
        if (old.epoch != now.epoch || (old.weight != now.weight && old.weight != CN_WEIGHT_OTHER))
          return false;
      }
    }
  return cn_stale_locals_are_stable(values);
}

static void stabilise_integers(struct cn_value_states *values, bool first)
{
  unsigned pass = 0;

  do {
    values->first_pass = first && pass == 0;
    evaluate_all_blocks(values, true, pass++ > MAX_EVALUATION_ROUNDS);
    values->first_pass = false;
  } while (!are_loop_phis_stable(values, true));
}

void cn_values_build(struct cn_value_states *values, const struct cn_epochs *epochs)
{
  LLVMValueRef function = epochs->cfg->function;
  unsigned pass = 0;

  CN_ASSERT_VALID(cn_epochs_wrong(epochs));
  *values = (struct cn_value_states){.epochs = epochs};
  for (LLVMValueRef p = LLVMGetFirstParam(function); p; p = LLVMGetNextParam(p))
    for (uint32_t l = 0, scalars = cn_scalar_count(LLVMTypeOf(p)); l < scalars; l++)
      if (cn_scalar_is_ref(LLVMTypeOf(p), l) && !cn_is_immovable(p))
        cn_values_set_scalar(values, p, l, scalars, (struct cn_stale_state){CN_EPOCH_ENTRY, 1});
  /* Evaluate references first. Before the states of both addresses are final, a difference of addresses would seem to
   * be a residue, and would make the values computed from the difference stale. */
  do
    evaluate_all_blocks(values, false, pass++ > MAX_EVALUATION_ROUNDS);
  while (!are_loop_phis_stable(values, false));
  stabilise_integers(values, true);
  if (cn_stale_locals_find(values))
    stabilise_integers(values, false);
  while (cn_stale_update_control(values))
    stabilise_integers(values, false);
  CN_ASSERT_VALID(cn_values_wrong(values));
}

void cn_values_free(struct cn_value_states *values)
{
  cn_ptrmap_free(&values->map);
  cn_free(&values->cells);
  cn_stale_locals_free(values);
  free(values->control);
}
