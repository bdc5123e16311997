/* SPDX-License-Identifier: Apache-2.0
 *
 * What a statepoint lists. Needs: nothing. Provides: diagnostics gc-live-duplicate,
 * relocate-index and wrong-base. Breaks: nothing.
 *
 * The base of each relocate must be the base of its derived pointer (statepoints-later, "Base &
 * Derived Pointers"). Both are followed through GEP, phi, select and earlier relocates; only
 * what is provably another object is an error.
 */
#include <string.h>
#include "compile/calls.h"
#include "compile/verify.h"

/* The statepoint of a relocate: its token operand, or the invoke whose landing pad that is. */
static LLVMValueRef statepoint_of(LLVMValueRef relocate)
{
  LLVMValueRef token = LLVMGetOperand(relocate, 0);

  if (LLVMIsALandingPadInst(token)) {
    LLVMValueRef block = LLVMBasicBlockAsValue(LLVMGetInstructionParent(token));
    for (LLVMUseRef use = LLVMGetFirstUse(block); use; use = LLVMGetNextUse(use))
      if (LLVMIsAInvokeInst(LLVMGetUser(use)))
        token = LLVMGetUser(use);
  }
  return cn_is_call(token) && cn_classify_call(token).kind == CN_CALL_STATEPOINT ? token : NULL;
}

/* The live operand that a relocate's operand 1 (base) or 2 (derived) stands for, or null. */
static LLVMValueRef listed(struct cn_verifier *v, LLVMValueRef relocate, unsigned operand)
{
  LLVMValueRef statepoint = statepoint_of(relocate);
  LLVMValueRef index = LLVMIsAConstantInt(LLVMGetOperand(relocate, operand));
  uint32_t first, end;
  bool fresh;

  if (!statepoint || !index)
    return NULL;
  uint64_t *place = cn_ptrmap_add(&v->live, statepoint, &fresh);
  if (fresh) { /* found once, for each relocate asks */
    cn_calls_bundle(statepoint, "gc-live", &first, &end);
    *place = (uint64_t)first << 32 | (end - first);
  }
  uint64_t i = LLVMConstIntGetZExtValue(index);
  return i < (uint32_t)*place ? LLVMGetOperand(statepoint, (uint32_t)(*place >> 32) + (uint32_t)i)
                              : NULL;
}

static bool is_relocate(LLVMValueRef value)
{
  return LLVMIsACallInst(value) && cn_calls_intrinsic(value, "llvm.experimental.gc.relocate");
}

/* ---- bases ---- */

/* Pairs that are being compared: met again round a loop, they are taken for related. */
struct pairs {
  struct cn_verifier *v;
  CN_VECTOR(LLVMValueRef) base, derived;
};

static LLVMValueRef strip(LLVMValueRef value)
{
  for (;;) {
    if (LLVMIsAGetElementPtrInst(value) || LLVMIsABitCastInst(value) || LLVMIsAFreezeInst(value))
      value = LLVMGetOperand(value, 0);
    else if (LLVMIsACallInst(value) && !is_relocate(value) && cn_values_hands_on(value) &&
             LLVMGetNumArgOperands(value) > 0)
      value = LLVMGetOperand(value, 0);
    else
      return value;
  }
}

/* Something that names one object by itself. */
static bool is_origin(LLVMValueRef value)
{
  return LLVMIsAArgument(value) || LLVMIsALoadInst(value) || LLVMIsAAtomicRMWInst(value) ||
         (cn_is_ref(LLVMTypeOf(value)) && LLVMIsAInstruction(value) && cn_is_call(value) &&
          !is_relocate(value));
}

static bool related(struct pairs *pairs, LLVMValueRef base, LLVMValueRef derived);

static bool incoming_related(struct pairs *pairs, LLVMValueRef base, LLVMValueRef derived)
{
  bool parallel = LLVMIsAPHINode(base) && LLVMIsAPHINode(derived) &&
                  LLVMGetInstructionParent(base) == LLVMGetInstructionParent(derived);
  LLVMValueRef phi = LLVMIsAPHINode(derived) ? derived : base;

  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef incoming = LLVMGetIncomingValue(phi, i), other = base;
    if (parallel) {
      for (unsigned k = 0; k < LLVMCountIncoming(base); k++)
        if (LLVMGetIncomingBlock(base, k) == LLVMGetIncomingBlock(derived, i))
          other = LLVMGetIncomingValue(base, k);
    }
    bool fine =
        phi == derived ? related(pairs, other, incoming) : related(pairs, incoming, derived);
    if (!fine)
      return false;
  }
  return true;
}

static bool select_related(struct pairs *pairs, LLVMValueRef base, LLVMValueRef derived)
{
  bool of_base = LLVMIsASelectInst(base), of_derived = LLVMIsASelectInst(derived);
  bool parallel = of_base && of_derived && LLVMGetOperand(base, 0) == LLVMGetOperand(derived, 0);

  for (unsigned o = 1; o <= 2; o++) {
    LLVMValueRef b = of_base && (parallel || !of_derived) ? LLVMGetOperand(base, o) : base;
    LLVMValueRef d = of_derived ? LLVMGetOperand(derived, o) : derived;
    if (!related(pairs, b, d))
      return false;
  }
  return true;
}

static bool relocates_related(struct pairs *pairs, LLVMValueRef base, LLVMValueRef derived)
{
  if (is_relocate(base) && is_relocate(derived)) {
    if (LLVMGetOperand(base, 0) != LLVMGetOperand(derived, 0))
      return true; /* of different safepoints: stale, which is another rule's finding */
    LLVMValueRef b = listed(pairs->v, base, 2), d = listed(pairs->v, derived, 2);
    return !b || !d || related(pairs, b, d);
  }
  return true;
}

/* False only if the two are provably of different objects. */
static bool related(struct pairs *pairs, LLVMValueRef base, LLVMValueRef derived)
{
  base = strip(base);
  derived = strip(derived);
  if (base == derived || LLVMIsConstant(derived) || LLVMIsAAllocaInst(derived) ||
      cn_is_immovable(derived))
    return true;
  for (size_t i = 0; i < pairs->base.count; i++)
    if (pairs->base.at[i] == base && pairs->derived.at[i] == derived)
      return true;
  if (pairs->base.count > 1000)
    return true;
  cn_push(&pairs->base, base);
  cn_push(&pairs->derived, derived);
  if (LLVMIsConstant(base))
    return !is_origin(derived) || LLVMIsUndef(base) || LLVMIsPoison(base);
  /* A select of pointers with one base has a phi beside it as little as a GEP has: what it
   * chooses from is compared. */
  if (LLVMIsAPHINode(derived) || (LLVMIsAPHINode(base) && !LLVMIsASelectInst(derived)))
    return incoming_related(pairs, base, derived);
  if (LLVMIsASelectInst(base) || LLVMIsASelectInst(derived))
    return select_related(pairs, base, derived);
  if (is_origin(base) && is_origin(derived))
    return LLVMIsALoadInst(base) &&
           LLVMIsALoadInst(derived); /* may be the same field, read twice */
  return relocates_related(pairs, base, derived);
}

/* ---- values that point into their object ---- */

static bool adds_nothing(LLVMValueRef gep)
{
  for (int i = 1; i < LLVMGetNumOperands(gep); i++)
    if (!LLVMIsNull(LLVMGetOperand(gep, (unsigned)i)))
      return false;
  return true;
}

static bool is_inside(const struct cn_ptrmap *inside, LLVMValueRef value)
{
  return cn_ptrmap_find(inside, value) != NULL;
}

/* Does `i` point into an object, and not at its start, on some path? */
static bool points_inside(struct cn_verifier *v, const struct cn_ptrmap *inside, LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMGetElementPtr:
    if (LLVMIsConstant(strip(i)))
      return false; /* the collector knows no object there */
    return !adds_nothing(i) || is_inside(inside, LLVMGetOperand(i, 0));
  case LLVMBitCast: case LLVMFreeze:
    return is_inside(inside, LLVMGetOperand(i, 0));
  case LLVMSelect:
    return is_inside(inside, LLVMGetOperand(i, 1)) || is_inside(inside, LLVMGetOperand(i, 2));
  case LLVMPHI:
    for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
      if (is_inside(inside, LLVMGetIncomingValue(i, k)))
        return true;
    return false;
  case LLVMCall:
    return is_relocate(i) && is_inside(inside, listed(v, i, 2));
  default:
    return false;
  }
}

/* All such values; passes go on until there are no more, round loops. */
static void find_inside(struct cn_verifier *v, struct cn_ptrmap *inside)
{
  bool changed = true, fresh;

  while (changed) {
    changed = false;
    for (uint32_t b = 0; b < v->cfg.count; b++)
      for (LLVMValueRef i = LLVMGetFirstInstruction(v->cfg.blocks[b].block); i;
           i = LLVMGetNextInstruction(i)) {
        if (!cn_is_ref(LLVMTypeOf(i)) || is_inside(inside, i) || !points_inside(v, inside, i))
          continue;
        cn_ptrmap_add(inside, i, &fresh);
        changed = true;
      }
  }
}

/* ---- one statepoint, one relocate ---- */

static void check_duplicates(struct cn_verifier *v, LLVMValueRef statepoint)
{
  struct cn_ptrmap seen = {0};
  uint32_t i, end;
  char name[120];

  for (cn_calls_bundle(statepoint, "gc-live", &i, &end); i < end; i++) {
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

static void check_relocate(struct cn_verifier *v, const struct cn_ptrmap *inside,
                           LLVMValueRef relocate)
{
  LLVMValueRef base = listed(v, relocate, 1), derived = listed(v, relocate, 2);
  char base_name[120], derived_name[120], call[160];
  struct pairs pairs = {.v = v};

  if (!base || !derived) {
    cn_error(v->ctx, relocate, "relocate-index", "%s does not name live references of a statepoint",
             cn_value_name(relocate, base_name, sizeof base_name));
    return;
  }
  if (cn_is_ref(LLVMTypeOf(derived)) && cn_is_ref(LLVMTypeOf(base)) &&
      !related(&pairs, base, derived))
    cn_error(v->ctx, relocate, "wrong-base",
             "%s is relocated with %s, which is not its base, at %s",
             cn_value_name(derived, derived_name, sizeof derived_name),
             cn_value_name(base, base_name, sizeof base_name),
             cn_verify_name_statepoint(statepoint_of(relocate), call, sizeof call));
  else if (is_inside(inside, base))
    cn_error(v->ctx, relocate, "wrong-base",
             "%s is relocated with %s as its base, which points into an object, at %s",
             cn_value_name(derived, derived_name, sizeof derived_name),
             cn_value_name(base, base_name, sizeof base_name),
             cn_verify_name_statepoint(statepoint_of(relocate), call, sizeof call));
  cn_free(&pairs.base);
  cn_free(&pairs.derived);
}

/* The optimiser may make two live references one, so duplicates say something only where it has
 * not run since. */
static bool ran_optimiser(const struct cn_verifier *v)
{
  return v->ctx->options && v->ctx->options->safepoints == CAIRN_SAFEPOINTS_EARLY;
}

void cn_verify_relocates(struct cn_verifier *v)
{
  struct cn_ptrmap inside = {0};

  find_inside(v, &inside);
  for (uint32_t b = 0; b < v->cfg.count; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(v->cfg.blocks[b].block); i;
         i = LLVMGetNextInstruction(i)) {
      if (cn_classify_call(i).kind == CN_CALL_STATEPOINT && !ran_optimiser(v))
        check_duplicates(v, i);
      else if (is_relocate(i))
        check_relocate(v, &inside, i);
    }
  cn_ptrmap_free(&inside);
}
