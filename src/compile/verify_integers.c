/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of addresses in arithmetic. Needs: struct cn_values. Provides: struct cn_stale of
 * computed values. Breaks: nothing.
 *
 * A number made of a reference is as old as the reference, with a weight: in `ptrtoint a - ptrtoint
 * b` the two addresses cancel, and a distance of one epoch is as good in any other (that a and b
 * point into one object is the source's business: ISO C17, 6.5.6; others have no distance).
 */
#include <stdlib.h>
#include "compile/verify.h"

static const struct cn_stale never = {CN_EPOCH_NONE, 0};

/* What holds both: of one epoch, if both are. Weights must agree, or the value is no plain sum
 * any more. */
struct cn_stale cn_stale_join(struct cn_stale a, struct cn_stale b)
{
  if (a.epoch == CN_EPOCH_NONE)
    return b;
  if (b.epoch == CN_EPOCH_NONE)
    return a;
  return (struct cn_stale){a.epoch == b.epoch ? a.epoch : CN_EPOCH_MIXED,
                           a.weight == b.weight ? a.weight : CN_WEIGHT_OTHER};
}

struct cn_stale cn_stale_mangle(struct cn_stale stale)
{
  if (stale.epoch != CN_EPOCH_NONE)
    stale.weight = CN_WEIGHT_OTHER;
  return stale;
}

static struct cn_stale add(struct cn_stale a, struct cn_stale b, int sign)
{
  struct cn_stale sum = cn_stale_join(a, b);

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

/* `p & 7`: objects are 8-aligned wherever they move, so the low bits of an address do not
 * change. */
static bool keeps_low_bits_only(LLVMValueRef i)
{
  for (unsigned o = 0; o < 2; o++) {
    LLVMValueRef mask = LLVMIsAConstantInt(LLVMGetOperand(i, o));
    if (mask && LLVMGetIntTypeWidth(LLVMTypeOf(mask)) <= 64 &&
        LLVMConstIntGetZExtValue(mask) < CAIRN_ABI_OBJECT_ALIGN)
      return true;
  }
  return false;
}

bool cn_stale_computes(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMTrunc: case LLVMZExt: case LLVMSExt: case LLVMUIToFP: case LLVMSIToFP:
  case LLVMFPToUI: case LLVMFPToSI: case LLVMFPTrunc: case LLVMFPExt: case LLVMFNeg:
    return true;
  default:
    return LLVMIsABinaryOperator(i) != NULL;
  }
}

struct cn_stale cn_stale_compute(const struct cn_values *values, LLVMValueRef i, uint32_t leaf)
{
  struct cn_stale a = cn_values_leaf(values, LLVMGetOperand(i, 0), leaf);
  struct cn_stale b =
      LLVMGetNumOperands(i) > 1 ? cn_values_leaf(values, LLVMGetOperand(i, 1), leaf) : never;

  if (a.epoch == CN_EPOCH_NONE && b.epoch == CN_EPOCH_NONE)
    return never;
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMAdd: return add(a, b, 1);
  case LLVMSub: return add(a, b, -1);
  case LLVMTrunc: case LLVMZExt: case LLVMSExt: return a;
  case LLVMAnd: return keeps_low_bits_only(i) ? never : cn_stale_mangle(cn_stale_join(a, b));
  default: return cn_stale_mangle(cn_stale_join(a, b));
  }
}
