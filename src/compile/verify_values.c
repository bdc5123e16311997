/* SPDX-License-Identifier: Apache-2.0
 *
 * Which epoch's addresses each value has. Needs: struct cn_epochs. Provides: struct cn_values.
 * Breaks: nothing.
 *
 * A reference that is loaded, passed in, returned or relocated has the addresses of the epoch
 * that is current there. GEP, phi, select and the like hand on those of their operands; if these
 * differ, the result is of no one epoch and stale everywhere. Integers made of references are
 * followed the same way, with a weight: in `ptrtoint a - ptrtoint b` the two addresses cancel,
 * and a difference of one epoch is as good in any other.
 *
 * Loops are treated optimistically: a value is taken for never stale until an operand shows
 * otherwise, and passes over the function go on until nothing changes.
 */
#include <stdlib.h>
#include <string.h>
#include "compile/verify.h"

static const struct cn_stale never = {CN_EPOCH_NONE, 0};

/* ---- the map: epoch and weight packed into a word ---- */

struct cn_stale cn_values_of(const struct cn_values *values, LLVMValueRef value)
{
  const uint64_t *packed = cn_ptrmap_find(&values->map, value);

  if (!packed)
    return never;
  return (struct cn_stale){(uint32_t)*packed, (int)(*packed >> 32) - CN_WEIGHT_OTHER};
}

/* True if that is new. */
static bool set(struct cn_values *values, LLVMValueRef value, struct cn_stale stale)
{
  uint64_t packed = (uint64_t)(stale.weight + CN_WEIGHT_OTHER) << 32 | stale.epoch;

  if (stale.epoch == CN_EPOCH_NONE && !cn_ptrmap_find(&values->map, value))
    return false;
  uint64_t *old = cn_ptrmap_add(&values->map, value, NULL);
  bool changed = *old != packed;
  *old = packed;
  return changed;
}

bool cn_values_valid_at(const struct cn_stale *stale, uint32_t epoch)
{
  return stale->epoch == CN_EPOCH_NONE || stale->epoch == epoch;
}

/* ---- combining operands ---- */

/* What holds both: of one epoch, if both are. Weights must agree, or the value is no plain sum
 * any more. */
static struct cn_stale join(struct cn_stale a, struct cn_stale b)
{
  if (a.epoch == CN_EPOCH_NONE)
    return b;
  if (b.epoch == CN_EPOCH_NONE)
    return a;
  return (struct cn_stale){a.epoch == b.epoch ? a.epoch : CN_EPOCH_MIXED,
                           a.weight == b.weight ? a.weight : CN_WEIGHT_OTHER};
}

static struct cn_stale add(struct cn_stale a, struct cn_stale b, int sign)
{
  struct cn_stale sum = join(a, b);

  if (a.weight == CN_WEIGHT_OTHER || b.weight == CN_WEIGHT_OTHER)
    sum.weight = CN_WEIGHT_OTHER;
  else
    sum.weight = a.weight + sign * b.weight;
  if (abs(sum.weight) > CN_WEIGHT_OTHER / 2)
    sum.weight = CN_WEIGHT_OTHER;
  /* The addresses cancel: a distance, which no safepoint changes. */
  if (sum.weight == 0 && sum.epoch != CN_EPOCH_MIXED)
    return never;
  if (sum.epoch == CN_EPOCH_MIXED)
    sum.weight = CN_WEIGHT_OTHER;
  return sum;
}

static struct cn_stale join_operands(const struct cn_values *values, LLVMValueRef i, unsigned first,
                                     unsigned last)
{
  struct cn_stale all = never;

  for (unsigned o = first; o < last; o++)
    all = join(all, cn_values_of(values, LLVMGetOperand(i, o)));
  return all;
}

static struct cn_stale mangle(struct cn_stale stale)
{
  if (stale.epoch != CN_EPOCH_NONE)
    stale.weight = CN_WEIGHT_OTHER;
  return stale;
}

/* `p & 7`: objects are 8-aligned wherever they move, so the low bits of an address do not
 * change. */
static bool keeps_low_bits_only(LLVMValueRef i)
{
  LLVMValueRef mask = LLVMIsAConstantInt(LLVMGetOperand(i, 1));

  return mask && LLVMGetIntTypeWidth(LLVMTypeOf(mask)) <= 64 &&
         LLVMConstIntGetZExtValue(mask) < CAIRN_ABI_OBJECT_ALIGN;
}

/* ---- phis ---- */

/* A phi lives in its block's epoch if each incoming value does at the end of its edge. Else it
 * has the addresses of its incoming values, if they are of one epoch and come from above: round
 * a loop "the same epoch" means another pass. */
static struct cn_stale evaluate_phi(const struct cn_values *values, LLVMValueRef phi, uint32_t b)
{
  const struct cn_epochs *e = values->epochs;
  struct cn_stale all = never;
  bool valid = true, loops = false;

  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    uint32_t from = cn_cfg_index(e->cfg, LLVMGetIncomingBlock(phi, i));
    struct cn_stale incoming = cn_values_of(values, LLVMGetIncomingValue(phi, i));
    if (from == CN_NO_BLOCK || incoming.epoch == CN_EPOCH_NONE)
      continue;
    bool spared = incoming.epoch != e->out[from] && incoming.weight == 1 &&
                  cn_null_spares(values, LLVMGetIncomingValue(phi, i), NULL, from);
    if (spared)
      incoming.epoch = e->out[from];
    valid &= incoming.epoch == e->out[from];
    loops |= cn_cfg_retreats(from, b);
    all = join(all, incoming);
  }
  if (all.epoch == CN_EPOCH_NONE)
    return all;
  if (valid)
    all.epoch = e->in[b];
  else if (loops)
    all.epoch = CN_EPOCH_MIXED;
  return all;
}

/* ---- instructions ---- */

static const char *const pure_intrinsics[] = {
    "llvm.ptrmask.",
    "llvm.launder.invariant.group.",
    "llvm.strip.invariant.group.",
    "llvm.ssa.copy.",
    "llvm.vector.",
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

bool cn_values_hands_on(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMGetElementPtr: case LLVMBitCast: case LLVMFreeze: case LLVMPHI: case LLVMSelect:
  case LLVMExtractElement: case LLVMInsertElement: case LLVMShuffleVector:
  case LLVMExtractValue: case LLVMInsertValue:
  case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMShl: case LLVMLShr: case LLVMAShr:
  case LLVMAnd: case LLVMOr: case LLVMXor:
  case LLVMUDiv: case LLVMSDiv: case LLVMURem: case LLVMSRem:
  case LLVMTrunc: case LLVMZExt: case LLVMSExt: case LLVMUIToFP: case LLVMSIToFP:
  case LLVMPtrToInt: case LLVMPtrToAddr: case LLVMAddrSpaceCast:
    return true;
  case LLVMCall:
    return is_pure_intrinsic(i) || cn_calls_intrinsic(i, "llvm.experimental.gc.relocate") ||
           cn_calls_intrinsic(i, "llvm.experimental.gc.result");
  default:
    return false;
  }
}

/* The least of two addresses is one, too. What an intrinsic loads through a reference is none. */
static struct cn_stale intrinsic_of_integers(const struct cn_values *values, LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);
  struct cn_stale all = never;

  if (!callee || !LLVMGetIntrinsicID(callee))
    return never;
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, a));
    if (!cn_holds_ref(type) && LLVMGetTypeKind(type) != LLVMTokenTypeKind)
      all = join(all, cn_values_of(values, LLVMGetOperand(call, a)));
  }
  return mangle(all);
}

static struct cn_stale evaluate_call(const struct cn_values *values, LLVMValueRef call,
                                     uint32_t epoch)
{
  struct cn_stale fresh = {epoch, 1};
  bool holds = cn_holds_ref(LLVMTypeOf(call));

  /* Of an older statepoint than the last one, a relocate or result is stale from the start. */
  if (holds && (cn_calls_intrinsic(call, "llvm.experimental.gc.relocate") ||
                cn_calls_intrinsic(call, "llvm.experimental.gc.result")))
    return cn_values_of(values, LLVMGetOperand(call, 0));
  if (is_pure_intrinsic(call)) {
    struct cn_stale all = join_operands(values, call, 0, LLVMGetNumArgOperands(call));
    return holds ? all : mangle(all);
  }
  return holds ? fresh : intrinsic_of_integers(values, call);
}

static struct cn_stale evaluate_integer(const struct cn_values *values, LLVMValueRef i)
{
  struct cn_stale a = cn_values_of(values, LLVMGetOperand(i, 0));
  struct cn_stale b =
      LLVMGetNumOperands(i) > 1 ? cn_values_of(values, LLVMGetOperand(i, 1)) : never;

  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMAdd: return add(a, b, 1);
  case LLVMSub: return add(a, b, -1);
  case LLVMTrunc: case LLVMZExt: case LLVMSExt: return a;
  case LLVMAnd: return keeps_low_bits_only(i) ? never : mangle(join(a, b));
  default: return mangle(join(a, b));
  }
}

/* A pointer or integer made of a reference. */
static struct cn_stale evaluate_cast(const struct cn_values *values, LLVMValueRef i)
{
  struct cn_stale stale = cn_values_of(values, LLVMGetOperand(i, 0));

  if (stale.epoch != CN_EPOCH_NONE && cn_takes_address(i) && !stale.weight)
    stale.weight = 1;
  return stale;
}

static struct cn_stale evaluate(const struct cn_values *values, LLVMValueRef i, uint32_t b,
                                uint32_t epoch)
{
  struct cn_stale fresh = {epoch, 1};
  unsigned operands = (unsigned)LLVMGetNumOperands(i);

  if (cn_is_immovable(i))
    return never;
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMPHI:
    return evaluate_phi(values, i, b);
  case LLVMExtractElement: case LLVMExtractValue:
    /* A plain member of a struct with references is plain. */
    if (cn_holds_ref(LLVMTypeOf(LLVMGetOperand(i, 0))) && !cn_holds_ref(LLVMTypeOf(i)))
      return never;
    return join_operands(values, i, 0, 1);
  case LLVMGetElementPtr: case LLVMBitCast: case LLVMFreeze:
  case LLVMInsertElement: case LLVMShuffleVector: case LLVMInsertValue:
    return join_operands(values, i, 0, operands);
  case LLVMSelect:
    return join_operands(values, i, 1, operands);
  case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMShl: case LLVMLShr: case LLVMAShr:
  case LLVMAnd: case LLVMOr: case LLVMXor:
  case LLVMUDiv: case LLVMSDiv: case LLVMURem: case LLVMSRem:
  case LLVMTrunc: case LLVMZExt: case LLVMSExt: case LLVMUIToFP: case LLVMSIToFP:
    return evaluate_integer(values, i);
  case LLVMPtrToInt: case LLVMPtrToAddr: case LLVMAddrSpaceCast:
    return evaluate_cast(values, i);
  case LLVMCall: case LLVMInvoke:
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMTokenTypeKind)
      return fresh;
    return evaluate_call(values, i, epoch);
  case LLVMLandingPad:
    return LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMTokenTypeKind ? fresh : never;
  case LLVMAlloca: /* in the managed address space: stays where it is */
    return never;
  default:
    return cn_holds_ref(LLVMTypeOf(i)) ? fresh : never;
  }
}

/* More than this many passes means that values chase each other round nested loops: mixed
 * settles it. */
#define PASSES 16

static bool is_reference(LLVMValueRef i)
{
  LLVMTypeRef type = LLVMTypeOf(i);

  return LLVMGetTypeKind(type) == LLVMTokenTypeKind || cn_holds_ref(type);
}

static bool pass_over(struct cn_values *values, bool integers, bool settle)
{
  const struct cn_epochs *e = values->epochs;
  bool changed = false;

  for (uint32_t b = 0; b < e->cfg->count; b++) {
    uint32_t epoch = e->in[b];
    for (LLVMValueRef i = LLVMGetFirstInstruction(e->cfg->blocks[b].block); i;
         i = LLVMGetNextInstruction(i)) {
      epoch = cn_epochs_after(e, i, epoch);
      if (!integers && !is_reference(i))
        continue;
      struct cn_stale stale = evaluate(values, i, b, epoch);
      struct cn_stale old = cn_values_of(values, i);
      if (settle && old.epoch != CN_EPOCH_NONE &&
          (stale.epoch != old.epoch || stale.weight != old.weight))
        stale = (struct cn_stale){CN_EPOCH_MIXED, CN_WEIGHT_OTHER};
      changed |= set(values, i, stale);
    }
  }
  return changed;
}

void cn_values_build(struct cn_values *values, const struct cn_epochs *epochs)
{
  LLVMValueRef function = epochs->cfg->function;

  *values = (struct cn_values){.epochs = epochs};
  for (LLVMValueRef p = LLVMGetFirstParam(function); p; p = LLVMGetNextParam(p))
    if (cn_holds_ref(LLVMTypeOf(p)) && !cn_is_immovable(p))
      set(values, p, (struct cn_stale){CN_EPOCH_ENTRY, 1});
  /* References first: a difference of which one address is not known yet would look like no
   * difference, make stale what is computed from it, and round a loop itself. */
  for (unsigned pass = 0; pass_over(values, false, pass > PASSES); pass++)
    ;
  for (unsigned pass = 0; pass_over(values, true, pass > PASSES); pass++)
    ;
}

void cn_values_free(struct cn_values *values)
{
  cn_ptrmap_free(&values->map);
}
