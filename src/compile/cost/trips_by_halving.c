/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds the trip counts of binary searches, which halve the distance of two integers in each iteration. Needs: struct
 * cn_loops. Provides: cn_trip_count_by_halving(). Breaks: nothing.
 *
 *   low = phi [.., entry], [low', latch]       middle = low + (high - low) / 2, or (low + high) / 2
 *   high = phi [.., entry], [high', latch]     (low', high') = (middle + 1, high) or (low, middle)
 *   stay if low' < high'
 *
 * With d = high - low, the next distance is d / 2 or d - d / 2 - 1, which is at most d / 2, rounded down. So d is 0
 * after as many iterations as it has bits, and 0 ends the loop. With unsigned halves the distances are right modulo
 * 2^bits, and a loop that is entered with d = 0 makes its iterations from 2^bits - 1 on. A signed half needs a signed
 * test, and sums that do not wrap. A search up to and with `high` has (low, middle - 1), and stays if low' <= high';
 * its distance is counted plus one. If each iteration reads an array at `middle`, the distance has fewer bits than the
 * integers, because the places that are read lie in one range of addresses.
 */
#include "base/check.h"
#include "compile/analysis/predicates.h"
#include "compile/core/each.h"
#include "compile/cost/loops.h"

/* The most selects and phis through which a next value is followed. */
#define MAX_DEPTH 4
/* The iterations with distances that wrap, or that the test ends late. */
#define MORE_TRIPS 3
/* The bits of a distance between two addresses of a process, and of the wrapped distances of elements. */
#define DISTANCE_BITS (48 + 3)

struct halving {
  const struct cn_loops *loops;
  uint32_t loop;
  LLVMValueRef low, high;           /* phis of the header */
  LLVMValueRef next_low, next_high; /* their values from the latch */
  LLVMIntPredicate stay;            /* the loop continues if this holds for low and high */
};

static bool is_binary(LLVMValueRef value, LLVMOpcode opcode)
{
  return LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == opcode;
}

static bool is_constant(LLVMValueRef value, int64_t number)
{
  return LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64 &&
         LLVMConstIntGetSExtValue(value) == number;
}

/* The operand of a division by two, or null; `is_signed` tells its kind. */
static LLVMValueRef operand_of_half(LLVMValueRef value, bool *is_signed)
{
  *is_signed = false;
  if (!LLVMIsABinaryOperator(value))
    return NULL;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
  bool shift = opcode == LLVMLShr || opcode == LLVMAShr, division = opcode == LLVMUDiv || opcode == LLVMSDiv;

  *is_signed = opcode == LLVMAShr || opcode == LLVMSDiv;
  return (shift && is_constant(LLVMGetOperand(value, 1), 1)) || (division && is_constant(LLVMGetOperand(value, 1), 2))
             ? LLVMGetOperand(value, 0)
             : NULL;
}

static bool is_signed_test(LLVMIntPredicate p)
{
  return p == LLVMIntSLT || p == LLVMIntSLE;
}

/* True if `value` is (high - low) / 2. */
static bool is_half_of_distance(const struct halving *h, LLVMValueRef value)
{
  bool is_signed;
  LLVMValueRef distance = operand_of_half(value, &is_signed);

  if (!distance || !is_binary(distance, LLVMSub) || LLVMGetOperand(distance, 0) != h->high ||
      LLVMGetOperand(distance, 1) != h->low)
    return false;
  return is_signed || h->stay == LLVMIntSLE ? is_signed_test(h->stay) && LLVMGetNSW(distance) : true;
}

static bool is_middle(const struct halving *h, LLVMValueRef value)
{
  bool is_signed;
  LLVMValueRef sum = operand_of_half(value, &is_signed);

  if (is_binary(value, LLVMAdd))
    return (LLVMGetOperand(value, 0) == h->low && is_half_of_distance(h, LLVMGetOperand(value, 1))) ||
           (LLVMGetOperand(value, 1) == h->low && is_half_of_distance(h, LLVMGetOperand(value, 0)));
  if (!sum || !is_binary(sum, LLVMAdd) || (LLVMGetOperand(sum, 0) != h->low && LLVMGetOperand(sum, 1) != h->low) ||
      (LLVMGetOperand(sum, 0) != h->high && LLVMGetOperand(sum, 1) != h->high))
    return false;
  return is_signed ? is_signed_test(h->stay) && LLVMGetNSW(sum) : h->stay == LLVMIntULT && LLVMGetNUW(sum);
}

/* True if `value` is the middle plus `distance`; the sum must not wrap in a search with `high`. */
static bool is_beside_middle(const struct halving *h, LLVMValueRef value, int64_t distance)
{
  return is_binary(value, LLVMAdd) && is_constant(LLVMGetOperand(value, 1), distance) &&
         is_middle(h, LLVMGetOperand(value, 0)) && (h->stay != LLVMIntSLE || LLVMGetNSW(value));
}

static bool is_half(const struct halving *h, LLVMValueRef low, LLVMValueRef high)
{
  if (high == h->high)
    return is_beside_middle(h, low, 1);
  return low == h->low && (h->stay == LLVMIntSLE ? is_beside_middle(h, high, -1) : is_middle(h, high));
}

static bool is_inner_phi(const struct halving *h, LLVMValueRef value)
{
  uint32_t b = LLVMIsAPHINode(value) ? cn_cfg_index_of(h->loops->cfg, LLVMGetInstructionParent(value)) : CN_NO_BLOCK;

  return b != CN_NO_BLOCK && b != h->loops->at[h->loop].header && cn_loop_contains_block(h->loops, h->loop, b);
}

/* The value of a phi from block `from`, or the value itself if it is no phi of that block. */
static LLVMValueRef value_from(LLVMValueRef value, LLVMValueRef phi, LLVMBasicBlockRef from)
{
  if (!LLVMIsAPHINode(value) || LLVMGetInstructionParent(value) != LLVMGetInstructionParent(phi))
    return value;
  for (unsigned k = 0; k < LLVMCountIncoming(value); k++)
    if (LLVMGetIncomingBlock(value, k) == from)
      return LLVMGetIncomingValue(value, k);
  return value;
}

/* The arm of a select, or the value itself if it is no select by `condition`. */
static LLVMValueRef arm_of(LLVMValueRef value, LLVMValueRef condition, unsigned arm)
{
  return LLVMIsASelectInst(value) && LLVMGetOperand(value, 0) == condition ? LLVMGetOperand(value, arm) : value;
}

/* True if each pair of values that `low` and `high` may have together is one half of the old pair. */
static bool halves(const struct halving *h, LLVMValueRef low, LLVMValueRef high, unsigned depth)
{
  LLVMValueRef phi = is_inner_phi(h, low) ? low : is_inner_phi(h, high) ? high : NULL;
  LLVMValueRef select = LLVMIsASelectInst(low) ? low : LLVMIsASelectInst(high) ? high : NULL;
  bool all = depth > 0;

  if (!phi && !select)
    return is_half(h, low, high);
  for (unsigned k = 0; phi && k < LLVMCountIncoming(phi) && all; k++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
    all = halves(h, value_from(low, phi, from), value_from(high, phi, from), depth - 1);
  }
  for (unsigned arm = 1; !phi && arm <= 2 && all; arm++) {
    LLVMValueRef condition = LLVMGetOperand(select, 0);
    all = halves(h, arm_of(low, condition, arm), arm_of(high, condition, arm), depth - 1);
  }
  return all;
}

/* True if each iteration loads an element at the middle of an array that stays the same. */
static bool reads_middle(const struct halving *h)
{
  const struct cn_loop *l = &h->loops->at[h->loop];
  const struct cn_cfg *cfg = h->loops->cfg;

  for (uint32_t n = 0; n < l->count; n++) {
    if (!cn_cfg_dominates(cfg, l->blocks[n], l->latch))
      continue;
    CN_EACH_INSTRUCTION(i, cfg->blocks[l->blocks[n]].block) {
      LLVMValueRef place = LLVMIsALoadInst(i) ? LLVMGetOperand(i, 0) : NULL;
      if (place && LLVMIsAGetElementPtrInst(place) && LLVMGetNumOperands(place) == 2 &&
          cn_is_defined_outside_loop(h->loops, h->loop, LLVMGetOperand(place, 0)) &&
          is_middle(h, LLVMGetOperand(place, 1)))
        return true;
    }
  }
  return false;
}

/* Find the phi of the header that is `tested`, or whose value from the latch is `tested`. */
static bool find_phi(const struct halving *h, LLVMValueRef tested, LLVMValueRef *phi, LLVMValueRef *next)
{
  const struct cn_cfg *cfg = h->loops->cfg;
  LLVMBasicBlockRef latch = cfg->blocks[h->loops->at[h->loop].latch].block;

  for (*phi = LLVMGetFirstInstruction(cfg->blocks[h->loops->at[h->loop].header].block); LLVMIsAPHINode(*phi);
       *phi = LLVMGetNextInstruction(*phi))
    for (unsigned k = 0; k < LLVMCountIncoming(*phi); k++) {
      *next = LLVMGetIncomingValue(*phi, k);
      if (LLVMGetIncomingBlock(*phi, k) == latch && (*phi == tested || *next == tested))
        return true;
    }
  return false;
}

uint64_t cn_trip_count_by_halving(const struct cn_loops *loops, uint32_t loop, LLVMValueRef compare, bool leaves)
{
  struct halving h = {.loops = loops, .loop = loop};
  LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
  unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(compare, 0)));

  CN_CHECK(loops->at[loop].latch != CN_NO_BLOCK);
  h.stay = leaves ? cn_predicate_inverse(p) : p;
  bool swapped = h.stay == LLVMIntSGT || h.stay == LLVMIntUGT || h.stay == LLVMIntSGE;
  if (swapped)
    h.stay = cn_predicate_swapped(h.stay);
  if (h.stay != LLVMIntSLT && h.stay != LLVMIntULT && h.stay != LLVMIntSLE)
    return CN_WORK_UNKNOWN;
  LLVMValueRef low = LLVMGetOperand(compare, swapped), high = LLVMGetOperand(compare, !swapped);
  if (bits > 64 || !find_phi(&h, low, &h.low, &h.next_low) || !find_phi(&h, high, &h.high, &h.next_high) ||
      (low == h.low) != (high == h.high))
    return CN_WORK_UNKNOWN;
  if (!halves(&h, h.next_low, h.next_high, MAX_DEPTH))
    return CN_WORK_UNKNOWN;
  return (bits > DISTANCE_BITS && reads_middle(&h) ? DISTANCE_BITS : bits) + MORE_TRIPS;
}
