/* SPDX-License-Identifier: Apache-2.0
 *
 * Which epoch's addresses each value has. Needs: struct cn_epochs. Provides: struct cn_values.
 * Breaks: nothing.
 *
 * A reference that is loaded, passed in, returned or relocated has the addresses of the epoch
 * that is current there. GEP, phi, select and the like hand on those of their operands; if these
 * differ, the result is of no one epoch and stale everywhere. What an address is computed into is
 * followed the same way (stale_integers.c). All that scalar by scalar: putting a fresh reference
 * in the place of an old one in a struct makes the struct no staler.
 *
 * Loops are treated optimistically: a value is taken for never stale until an operand shows
 * otherwise, and passes over the function go on until the phis of its loops do not change.
 */
#include <stdlib.h>
#include <string.h>
#include "compile/verify/verify.h"
#include "compile/core/each.h"

static const struct cn_stale never = {CN_EPOCH_NONE, 0};

/* ---- the map: value -> its cells, index and number packed into a word ---- */

struct cn_stale cn_values_leaf(const struct cn_values *values, LLVMValueRef value, uint32_t leaf)
{
  const uint64_t *packed = cn_ptrmap_find(&values->map, value);

  if (!packed)
    return never;
  /* A scalar operand of a vector instruction stands for every lane. */
  uint32_t leaves = (uint32_t)*packed;
  return values->cells.at[(*packed >> 32) + (leaf < leaves ? leaf : 0)];
}

struct cn_stale cn_values_of(const struct cn_values *values, LLVMValueRef value)
{
  const uint64_t *packed = cn_ptrmap_find(&values->map, value);
  struct cn_stale all = never;

  for (uint32_t l = 0; packed && l < (uint32_t)*packed; l++)
    all = cn_stale_join(all, values->cells.at[(*packed >> 32) + l]);
  return all;
}

static void set(struct cn_values *values, LLVMValueRef value, uint32_t leaf, uint32_t leaves,
                struct cn_stale stale)
{
  bool fresh;

  if (stale.epoch == CN_EPOCH_NONE && !cn_ptrmap_find(&values->map, value))
    return;
  uint64_t *packed = cn_ptrmap_add(&values->map, value, &fresh);
  if (fresh) {
    *packed = (uint64_t)values->cells.count << 32 | leaves;
    for (uint32_t l = 0; l < leaves; l++)
      cn_push(&values->cells, never);
  }
  values->cells.at[(*packed >> 32) + leaf] = stale;
}

bool cn_values_valid_at(const struct cn_stale *stale, uint32_t epoch)
{
  return stale->epoch == CN_EPOCH_NONE || stale->epoch == epoch;
}

/* ---- phis ---- */

/* What comes along the edge from block `from` into `b`. */
void cn_join_edge(const struct cn_values *values, struct cn_join *join, uint32_t from, uint32_t b,
                  struct cn_stale stale)
{
  if (stale.epoch == CN_EPOCH_NONE) {
    join->plain |= !values->first_pass || !cn_cfg_retreats(from, b);
    return;
  }
  join->invalid |= stale.epoch != values->epochs->out[from];
  join->loops |= cn_cfg_retreats(from, b);
  join->all = cn_stale_join(join->all, stale);
}

/* What is joined lives in its block's epoch if each incoming value does at the end of its edge.
 * Else it has the addresses of its incoming values, if they are of one epoch and come from above:
 * round a loop "the same epoch" means another pass. */
struct cn_stale cn_stale_joined(const struct cn_values *values, const struct cn_join *join,
                                uint32_t b)
{
  struct cn_stale all = join->all;

  if (all.epoch != CN_EPOCH_NONE && !join->invalid)
    all.epoch = values->epochs->in[b];
  else if (all.epoch != CN_EPOCH_NONE && join->loops)
    all.epoch = CN_EPOCH_MIXED;
  return join->plain ? cn_stale_mangle(all) : all;
}

static struct cn_stale evaluate_phi(const struct cn_values *values, LLVMValueRef phi, uint32_t b,
                                    uint32_t leaf)
{
  const struct cn_epochs *e = values->epochs;
  struct cn_join join = {0};
  bool ref = cn_scalar_is_ref(LLVMTypeOf(phi), leaf);

  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    uint32_t from = cn_cfg_index(e->cfg, LLVMGetIncomingBlock(phi, i));
    struct cn_stale incoming = cn_values_leaf(values, LLVMGetIncomingValue(phi, i), leaf);
    if (from == CN_NO_BLOCK ||
        (incoming.epoch == CN_EPOCH_NONE && (ref || LLVMIsUndef(LLVMGetIncomingValue(phi, i)))))
      continue;
    if (incoming.epoch != e->out[from] && incoming.weight == 1 &&
        cn_null_facts_spare(values, LLVMGetIncomingValue(phi, i), NULL, from))
      incoming.epoch = e->out[from];
    cn_join_edge(values, &join, from, b, incoming);
  }
  for (uint32_t p = 0; values->control && !ref && p < e->cfg->blocks[b].pred_count; p++)
    cn_join_edge(values, &join, e->cfg->blocks[b].preds[p], b, values->control[b]);
  return cn_stale_joined(values, &join, b);
}

/* ---- instructions ---- */

static const char *const pure_intrinsics[] = {
    "llvm.ptrmask.",
    "llvm.launder.invariant.group.",
    "llvm.strip.invariant.group.",
    "llvm.ssa.copy.",
    "llvm.ptr.annotation.",
    "llvm.vector.",
    "llvm.experimental.gc.get.pointer.base.",
};

static bool is_pure_intrinsic(LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);
  size_t length;

  if (!callee || !LLVMGetIntrinsicID(callee))
    return false;
  const char *name = LLVMGetValueName2(callee, &length);
  for (size_t i = 0; i < sizeof pure_intrinsics / sizeof *pure_intrinsics; i++)
    if (strncmp(name, pure_intrinsics[i], strlen(pure_intrinsics[i])) == 0)
      return strstr(name, "vector.reduce") == NULL;
  return false;
}

static bool is_result(LLVMValueRef call)
{
  return cn_is_relocate(call) || cn_calls_intrinsic(call, "llvm.experimental.gc.result");
}

bool cn_values_hands_on(LLVMValueRef i)
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
    return is_pure_intrinsic(i) || is_result(i);
  default:
    return cn_stale_computes(i);
  }
}

/* Of leaves [first, last) of the operands, whichever. */
static struct cn_stale join_operands(const struct cn_values *values, LLVMValueRef i, unsigned first,
                                     unsigned last)
{
  struct cn_stale all = never;

  for (unsigned o = first; o < last; o++)
    all = cn_stale_join(all, cn_values_of(values, LLVMGetOperand(i, o)));
  return all;
}

static struct cn_stale join_leaves(const struct cn_values *values, LLVMValueRef i, unsigned first,
                                   unsigned last, uint32_t leaf)
{
  struct cn_stale all = never;

  for (unsigned o = first; o < last; o++)
    all = cn_stale_join(all, cn_values_leaf(values, LLVMGetOperand(i, o), leaf));
  return all;
}

/* The least of two addresses is one, too, and a leaf may return what it was given (what else is
 * called may not be given any: check_escapes.c). What it loads through a reference is none. */
static struct cn_stale call_of_integers(const struct cn_values *values, LLVMValueRef call)
{
  bool intrinsic = cn_calls_some_intrinsic(call);
  struct cn_stale all = never;

  if (cn_classify_call(call).kind != CN_CALL_LEAF)
    return never;
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, a));
    if (!cn_holds_ref(type) && LLVMGetTypeKind(type) != LLVMTokenTypeKind &&
        (intrinsic || LLVMGetTypeKind(type) != LLVMPointerTypeKind))
      all = cn_stale_join(all, cn_values_of(values, LLVMGetOperand(call, a)));
  }
  return cn_stale_mangle(all);
}

static struct cn_stale evaluate_call(const struct cn_values *values, LLVMValueRef call,
                                     uint32_t leaf, uint32_t epoch)
{
  bool ref = cn_scalar_is_ref(LLVMTypeOf(call), leaf);

  if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMTokenTypeKind)
    return (struct cn_stale){epoch, 1};
  /* Of an older statepoint than the last one, a relocate or result is stale from the start. Where
   * another address space than 1 is managed, a relocate still returns a pointer in that. */
  if (cn_is_relocate(call) || (ref && is_result(call)))
    return cn_values_leaf(values, LLVMGetOperand(call, 0), 0);
  if (LLVMIsACallInst(call) && is_pure_intrinsic(call)) {
    struct cn_stale all = join_operands(values, call, 0, LLVMGetNumArgOperands(call));
    return ref ? all : cn_stale_mangle(all);
  }
  return ref ? (struct cn_stale){epoch, 1} : call_of_integers(values, call);
}

static struct cn_stale evaluate_part(const struct cn_values *values, LLVMValueRef i, uint32_t leaf)
{
  struct cn_scalar_source source = cn_scalar_source(i, leaf);

  switch (source.which) {
  case CN_LEAF_NONE:
    return never;
  case CN_LEAF_ONE:
    return cn_values_leaf(values, LLVMGetOperand(i, source.operand), source.leaf);
  case CN_LEAF_ALL:
    break;
  }
  /* Of a lump of references and others, the others are taken for plain. */
  if (cn_holds_ref(LLVMTypeOf(LLVMGetOperand(i, 0))) && !cn_scalar_is_ref(LLVMTypeOf(i), leaf))
    return never;
  return join_operands(values, i, 0, (unsigned)LLVMGetNumOperands(i));
}

bool cn_is_in_local(LLVMValueRef pointer)
{
  while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer))
    pointer = LLVMGetOperand(pointer, 0);
  return LLVMIsAAllocaInst(pointer) != NULL;
}

/* From an address or to one. */
static struct cn_stale evaluate_cast(const struct cn_values *values, LLVMValueRef i, uint32_t leaf,
                                     uint32_t epoch)
{
  struct cn_stale stale = cn_values_leaf(values, LLVMGetOperand(i, 0), leaf);
  bool same_leaves = cn_scalars(LLVMTypeOf(i)) == cn_scalars(LLVMTypeOf(LLVMGetOperand(i, 0)));
  bool made = LLVMIsAIntToPtrInst(i) || !cn_is_ref(LLVMTypeOf(LLVMGetOperand(i, 0)));

  if (!same_leaves)
    return cn_stale_mangle(cn_values_of(values, LLVMGetOperand(i, 0)));
  if (stale.epoch == CN_EPOCH_NONE && !LLVMIsABitCastInst(i) && made &&
      cn_scalar_is_ref(LLVMTypeOf(i), leaf) && !LLVMIsConstant(LLVMGetOperand(i, 0)) &&
      !cn_is_in_local(LLVMGetOperand(i, 0)))
    return (struct cn_stale){epoch, 1}; /* a reference, wherever it is from */
  return stale;
}

/* What is chosen by a residue of an address is one, too, unless it is a reference. */
static struct cn_stale evaluate_select(const struct cn_values *values, LLVMValueRef i,
                                       uint32_t leaf)
{
  struct cn_stale by = cn_values_leaf(values, LLVMGetOperand(i, 0), leaf);
  struct cn_stale a = cn_values_leaf(values, LLVMGetOperand(i, 1), leaf);
  struct cn_stale b = cn_values_leaf(values, LLVMGetOperand(i, 2), leaf);
  struct cn_stale all = cn_stale_join(a, b);

  if (cn_scalar_is_ref(LLVMTypeOf(i), leaf))
    return all;
  bool alike =
      by.epoch == CN_EPOCH_NONE && (a.epoch == CN_EPOCH_NONE) == (b.epoch == CN_EPOCH_NONE);
  return alike ? all : cn_stale_mangle(cn_stale_join(all, by));
}

static struct cn_stale evaluate(const struct cn_values *values, LLVMValueRef i, uint32_t leaf,
                                uint32_t b, uint32_t epoch)
{
  unsigned operands = (unsigned)LLVMGetNumOperands(i);

  if (cn_is_immovable(i))
    return never;
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMPHI:
    return evaluate_phi(values, i, b, leaf);
  case LLVMExtractElement:
  case LLVMExtractValue:
  case LLVMInsertElement:
  case LLVMInsertValue:
  case LLVMShuffleVector:
    return evaluate_part(values, i, leaf);
  case LLVMGetElementPtr:
  case LLVMFreeze:
    return join_leaves(values, i, 0, operands, leaf);
  case LLVMSelect:
    return evaluate_select(values, i, leaf);
  case LLVMICmp:
  case LLVMFCmp:
    return cn_stale_compare(values, i, leaf);
  case LLVMPtrToInt:
  case LLVMPtrToAddr:
  case LLVMIntToPtr:
  case LLVMAddrSpaceCast:
  case LLVMBitCast:
    return evaluate_cast(values, i, leaf, epoch);
  case LLVMCall:
  case LLVMInvoke:
  case LLVMCallBr:
    return evaluate_call(values, i, leaf, epoch);
  case LLVMLandingPad:
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMTokenTypeKind)
      return (struct cn_stale){epoch, 1};
    break;
  case LLVMAlloca: /* in the managed address space: stays where it is */
    return never;
  case LLVMLoad:
    if (values->locals.count)
      return cn_stale_locals_load(values, i, leaf, epoch);
    break;
  default:
    if (cn_stale_computes(i))
      return cn_stale_compute(values, i, leaf);
    break;
  }
  return cn_scalar_is_ref(LLVMTypeOf(i), leaf) ? (struct cn_stale){epoch, 1} : never;
}

/* ---- passes ---- */

/* More than this many passes means that values chase each other round nested loops: mixed
 * settles it. */
#define PASSES 64

static bool is_equal(struct cn_stale a, struct cn_stale b)
{
  return a.epoch == b.epoch && a.weight == b.weight;
}

static void update(struct cn_values *values, LLVMValueRef i, uint32_t b, uint32_t epoch,
                   bool settle)
{
  for (uint32_t l = 0, leaves = cn_scalars(LLVMTypeOf(i)); l < leaves; l++) {
    struct cn_stale stale = evaluate(values, i, l, b, epoch);
    struct cn_stale old = cn_values_leaf(values, i, l);
    /* The sum of an address and what the last trip summed up is no sum of so many addresses. */
    if (LLVMIsAPHINode(i) && old.epoch != CN_EPOCH_NONE && stale.weight != old.weight)
      stale = cn_stale_mangle(stale);
    if (settle && old.epoch != CN_EPOCH_NONE && !is_equal(stale, old))
      stale = (struct cn_stale){CN_EPOCH_MIXED, CN_BLOCK_FREQUENCY_OTHER};
    set(values, i, l, leaves, stale);
  }
}

/* A phi that reads what is defined below it. */
static bool loops(const struct cn_values *values, LLVMValueRef phi, uint32_t b)
{
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    uint32_t from = cn_cfg_index(values->epochs->cfg, LLVMGetIncomingBlock(phi, i));
    if (from != CN_NO_BLOCK && cn_cfg_retreats(from, b))
      return true;
  }
  return false;
}

/* A reference, or a pointer that a relocate may have been cast to; tokens tell their epoch. */
static bool is_reference(LLVMValueRef i)
{
  LLVMTypeRef type = LLVMTypeOf(i);
  LLVMTypeKind kind = LLVMGetTypeKind(type);

  return kind == LLVMTokenTypeKind || kind == LLVMPointerTypeKind || cn_holds_ref(type);
}

static void pass_over(struct cn_values *values, bool integers, bool settle)
{
  const struct cn_epochs *e = values->epochs;

  for (uint32_t b = 0; b < e->cfg->count; b++) {
    uint32_t epoch = e->in[b];
    cn_stale_locals_enter(values, b);
    CN_EACH_INSTRUCTION(i, e->cfg->blocks[b].block) {
      epoch = cn_epochs_after(e, i, epoch);
      if (values->locals.count && LLVMIsAStoreInst(i))
        cn_stale_locals_store(values, i);
      if (integers || is_reference(i))
        update(values, i, b, epoch, settle);
    }
    cn_stale_locals_leave(values, b);
  }
}

/* Would another pass change a phi at the head of a loop, and so anything? */
static bool is_settled(const struct cn_values *values, bool integers)
{
  const struct cn_cfg *cfg = values->epochs->cfg;

  for (uint32_t b = 0; b < cfg->count; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].block); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
      bool read = (integers || is_reference(i)) && loops(values, i, b);
      for (uint32_t l = 0, leaves = read ? cn_scalars(LLVMTypeOf(i)) : 0; l < leaves; l++) {
        struct cn_stale old = cn_values_leaf(values, i, l);
        struct cn_stale now = evaluate_phi(values, i, b, l);
        if (old.epoch != now.epoch ||
            (old.weight != now.weight && old.weight != CN_BLOCK_FREQUENCY_OTHER))
          return false;
      }
    }
  return cn_stale_locals_settled(values);
}

static void settle_integers(struct cn_values *values, bool first)
{
  unsigned pass = 0;

  do {
    values->first_pass = first && pass == 0;
    pass_over(values, true, pass++ > PASSES);
    values->first_pass = false;
  } while (!is_settled(values, true));
}

void cn_values_build(struct cn_values *values, const struct cn_epochs *epochs)
{
  LLVMValueRef function = epochs->cfg->function;
  unsigned pass = 0;

  *values = (struct cn_values){.epochs = epochs};
  for (LLVMValueRef p = LLVMGetFirstParam(function); p; p = LLVMGetNextParam(p))
    for (uint32_t l = 0, leaves = cn_scalars(LLVMTypeOf(p)); l < leaves; l++)
      if (cn_scalar_is_ref(LLVMTypeOf(p), l) && !cn_is_immovable(p))
        set(values, p, l, leaves, (struct cn_stale){CN_EPOCH_ENTRY, 1});
  /* References first: a difference of which one address is not known yet would look like no
   * difference, make stale what is computed from it, and round a loop itself. */
  do
    pass_over(values, false, pass++ > PASSES);
  while (!is_settled(values, false));
  settle_integers(values, true);
  if (cn_stale_locals_find(values))
    settle_integers(values, false);
  while (cn_stale_control_mark(values))
    settle_integers(values, false);
}

void cn_values_free(struct cn_values *values)
{
  cn_ptrmap_free(&values->map);
  cn_free(&values->cells);
  cn_stale_locals_free(values);
  free(values->control);
}
