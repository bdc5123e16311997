/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the largest trip counts of loops, from the test of an exit that runs in each iteration. Needs: struct
 * cn_loops without trip counts. Provides: cn_trip_count_by_exit(). Breaks: nothing.
 *
 * Short loops matter most. For short loops, the analysis steps through the values of the induction variable up to the
 * bound, which is fast, exact and right for every predicate. Long loops get a trip count by subtraction, but only if
 * they advance by one. Loops that halve a number in each iteration, or clear a bit, run at most once per bit.
 */
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/cost/cost.h"
#include "compile/cost/loops.h"

/* The most iterations that are counted one by one. */
#define MAX_COUNTED_TRIPS 4096

static bool is_predicate_true(LLVMIntPredicate predicate, uint64_t a, uint64_t b, unsigned width)
{
  int64_t sa = (int64_t)(a << (64 - width)), sb = (int64_t)(b << (64 - width));

  switch (predicate) {
  case LLVMIntEQ:
    return a == b;
  case LLVMIntNE:
    return a != b;
  case LLVMIntUGT:
    return a > b;
  case LLVMIntUGE:
    return a >= b;
  case LLVMIntULT:
    return a < b;
  case LLVMIntULE:
    return a <= b;
  case LLVMIntSGT:
    return sa > sb;
  case LLVMIntSGE:
    return sa >= sb;
  case LLVMIntSLT:
    return sa < sb;
  case LLVMIntSLE:
    return sa <= sb;
  default:
    return false;
  }
}

/* ---- trips ---- */

static LLVMIntPredicate zero_test_predicate_of(LLVMValueRef user, LLVMValueRef value)
{
  bool tests = LLVMIsAICmpInst(user) && LLVMGetOperand(user, 0) == value && LLVMIsConstant(LLVMGetOperand(user, 1)) &&
               LLVMIsNull(LLVMGetOperand(user, 1));
  LLVMIntPredicate p = tests ? LLVMGetICmpPredicate(user) : LLVMIntSGE;

  return p == LLVMIntEQ || p == LLVMIntNE ? p : LLVMIntSGE;
}

/* True if an assumption, or a branch that dominates the loop's header, proves that the comparison `test` with zero
 * equals `wanted`. */
static bool is_proved_before_loop(const struct cn_loops *loops, uint32_t header, LLVMValueRef test, bool wanted)
{
  const struct cn_cfg *cfg = loops->cfg;

  CN_EACH_USE(use, test) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAInstruction(user))
      continue;
    uint32_t b = cn_cfg_index_of(cfg, LLVMGetInstructionParent(user));
    if (b == CN_NO_BLOCK || !cn_cfg_dominates(cfg, b, header))
      continue;
    if (wanted && b != header && cn_calls_intrinsic(user, "llvm.assume"))
      return true;
    if (cn_is_branch(user) && cfg->blocks[b].succ_count == 2) {
      uint32_t to = cfg->blocks[b].succs[wanted ? 0 : 1];
      if (cfg->blocks[to].pred_count == 1 && cn_cfg_dominates(cfg, to, header))
        return true;
    }
  }
  return false;
}

static bool is_nonzero_before_loop(const struct cn_loops *loops, uint32_t header, LLVMValueRef value)
{
  if (!LLVMIsAInstruction(value) && !LLVMIsAArgument(value))
    return false;
  CN_EACH_USE(use, value) {
    LLVMValueRef user = LLVMGetUser(use);
    LLVMIntPredicate p = zero_test_predicate_of(user, value);
    if (p != LLVMIntSGE && is_proved_before_loop(loops, header, user, p == LLVMIntNE))
      return true;
  }
  return false;
}

/* Bound the trips of remainder loops of unrolling, which count from 0 in steps of 1 to a small nonzero bound. */
static uint64_t bound_remainder_loop_trips(const struct cn_loops *loops, uint32_t loop, const struct cn_induction *iv,
                                           LLVMValueRef start, LLVMValueRef tested, LLVMValueRef bound)
{
  uint64_t most = cn_largest_value(bound, 3);

  CN_ASSERT(loop < loops->count);
  if (iv->step != 1 || !LLVMIsNull(start) || tested != iv->next || most > MAX_COUNTED_TRIPS ||
      !is_nonzero_before_loop(loops, loops->at[loop].header, bound))
    return CN_WORK_UNKNOWN;
  return most;
}

/* An exit test that compares an induction variable with a constant; the variable starts from a constant. */
struct constant_exit_test {
  LLVMIntPredicate predicate;
  bool leaves; /* the loop ends if the test holds; false: if it fails */
  bool next;   /* the test uses the advanced value */
  unsigned width;
  uint64_t start, end; /* numbers of `width` bits */
  int64_t step;
};

static bool exits_at_value(const struct constant_exit_test *c, uint64_t value)
{
  return is_predicate_true(c->predicate, value, c->end, c->width) == c->leaves;
}

static uint64_t count_by_stepping(const struct constant_exit_test *c)
{
  uint64_t mask = UINT64_MAX >> (64 - c->width), value = c->start;

  for (uint64_t trips = 1; trips <= MAX_COUNTED_TRIPS; trips++) {
    uint64_t next = (value + (uint64_t)c->step) & mask;
    if (exits_at_value(c, c->next ? next : value))
      return trips;
    value = next;
  }
  return CN_WORK_UNKNOWN;
}

/* Count many steps of one, up or down. The variable takes each value, so the loop ends at the bound or one step after
 * it. The start cannot lie beyond the bound, because count_by_stepping() would have found the exit. */
static uint64_t count_by_distance_to_bound(const struct constant_exit_test *c)
{
  uint64_t mask = UINT64_MAX >> (64 - c->width);

  if (c->step != 1 && c->step != -1)
    return CN_WORK_UNKNOWN;
  uint64_t ahead = (c->step > 0 ? c->end - c->start : c->start - c->end) & mask;
  for (uint64_t over = 0; over < 2; over++) {
    uint64_t distance = ahead + over;
    if (distance > MAX_COUNTED_TRIPS / 2 && distance <= mask &&
        exits_at_value(c, (c->start + distance * (uint64_t)c->step) & mask))
      return distance + 1;
  }
  return CN_WORK_UNKNOWN;
}

/* The largest trip count of a loop that ends if `compare`, of an induction variable with a bound, equals `leaves`. */
static uint64_t count_induction_trips(const struct cn_loops *loops, uint32_t loop, LLVMValueRef compare, bool leaves)
{
  struct cn_induction iv;
  LLVMValueRef tested = LLVMGetOperand(compare, 0), bound = LLVMGetOperand(compare, 1);

  CN_ASSERT(LLVMIsACmpInst(compare));
  CN_ASSERT(loop < loops->count);
  if (LLVMGetIntTypeWidth(LLVMTypeOf(bound)) > 64 || !cn_loop_match_induction(loops, loop, NULL, tested, &iv) || iv.by)
    return CN_WORK_UNKNOWN;
  LLVMValueRef start = cn_loop_start_value_of(loops, loop, iv.phi);
  if (!start || !LLVMIsAConstantInt(start))
    return CN_WORK_UNKNOWN;
  if (!LLVMIsAConstantInt(bound))
    return LLVMGetICmpPredicate(compare) == (leaves ? LLVMIntEQ : LLVMIntNE)
               ? bound_remainder_loop_trips(loops, loop, &iv, start, tested, bound)
               : CN_WORK_UNKNOWN;
  unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(bound));
  uint64_t mask = UINT64_MAX >> (64 - width);
  struct constant_exit_test c = {.predicate = LLVMGetICmpPredicate(compare),
                                 .leaves = leaves,
                                 .next = tested != iv.phi,
                                 .width = width,
                                 .start = LLVMConstIntGetZExtValue(start) & mask,
                                 .end = LLVMConstIntGetZExtValue(bound) & mask,
                                 .step = iv.step};
  uint64_t trips = count_by_stepping(&c);
  return trips != CN_WORK_UNKNOWN ? trips : count_by_distance_to_bound(&c);
}

/* ---- values that shrink ---- */

static LLVMValueRef next_value_of_phi(const struct cn_loops *loops, uint32_t loop, LLVMValueRef phi)
{
  LLVMBasicBlockRef latch = loops->cfg->blocks[loops->at[loop].latch].block;

  CN_ASSERT(LLVMIsAPHINode(phi));
  CN_ASSERT(loop < loops->count);
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (LLVMGetIncomingBlock(phi, i) == latch)
      return LLVMGetIncomingValue(phi, i);
  return NULL;
}

static bool is_decrement_of_phi(LLVMValueRef value, LLVMValueRef phi)
{
  CN_ASSERT(LLVMIsAPHINode(phi));
  return LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == LLVMAdd &&
         LLVMGetOperand(value, 0) == phi && LLVMIsAConstantInt(LLVMGetOperand(value, 1)) &&
         LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1)) == -1;
}

/* The number of iterations after which `phi`, whose next value is `next`, is zero for every start value. A shift, a
 * division and x & (x - 1) remove at least one bit per iteration; Euclid's remainder removes at least one bit per two
 * iterations. */
static uint64_t iterations_to_zero(const struct cn_loops *loops, uint32_t loop, LLVMValueRef phi, LLVMValueRef next)
{
  uint64_t bits = LLVMGetIntTypeWidth(LLVMTypeOf(phi));

  CN_ASSERT(LLVMIsAPHINode(phi));
  CN_ASSERT(loop < loops->count);
  if (!next || !LLVMIsABinaryOperator(next) || bits > 64)
    return CN_WORK_UNKNOWN;
  LLVMValueRef first = LLVMGetOperand(next, 0), second = LLVMGetOperand(next, 1);
  int64_t by = LLVMIsAConstantInt(second) ? LLVMConstIntGetSExtValue(second) : 0;
  switch (LLVMGetInstructionOpcode(next)) {
  case LLVMLShr:
    return first == phi && by > 0 ? bits : CN_WORK_UNKNOWN;
  case LLVMUDiv:
    return first == phi && by != 0 && by != 1 ? bits : CN_WORK_UNKNOWN;
  case LLVMSDiv:
    return first == phi && (by > 1 || by < -1) ? bits : CN_WORK_UNKNOWN;
  case LLVMAnd:
    return (first == phi && is_decrement_of_phi(second, phi)) || (second == phi && is_decrement_of_phi(first, phi))
               ? bits
               : CN_WORK_UNKNOWN;
  case LLVMURem:
  case LLVMSRem:
    return second == phi && LLVMIsAPHINode(first) && LLVMGetInstructionParent(first) == LLVMGetInstructionParent(phi) &&
                   next_value_of_phi(loops, loop, first) == phi
               ? 2 * bits + 1
               : CN_WORK_UNKNOWN;
  default:
    return CN_WORK_UNKNOWN;
  }
}

/* The integer phi of the loop's header that equals `tested`, or whose next value is `tested`. */
static LLVMValueRef tested_phi_of(const struct cn_loops *loops, uint32_t loop, LLVMValueRef tested)
{
  LLVMBasicBlockRef header = loops->cfg->blocks[loops->at[loop].header].block;

  CN_ASSERT(loop < loops->count);
  for (LLVMValueRef i = LLVMGetFirstInstruction(header); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
    if (LLVMTypeOf(i) == LLVMTypeOf(tested) && (i == tested || next_value_of_phi(loops, loop, i) == tested))
      return i;
  return NULL;
}

/* The largest trip count of a loop that ends if `compare` equals `leaves`, for a value that shrinks to zero and stays
 * zero. The test compares the value, perhaps plus a constant, with a constant, and zero must end the loop. */
static uint64_t count_shrinking_value_trips(const struct cn_loops *loops, uint32_t loop, LLVMValueRef compare,
                                            bool leaves)
{
  LLVMValueRef tested = LLVMGetOperand(compare, 0), bound = LLVMGetOperand(compare, 1);
  LLVMValueRef added = NULL;
  unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(bound));

  CN_ASSERT(LLVMIsACmpInst(compare));
  CN_ASSERT(loop < loops->count);
  if (width > 64 || !LLVMIsAConstantInt(bound))
    return CN_WORK_UNKNOWN;
  LLVMValueRef phi = tested_phi_of(loops, loop, tested);
  if (!phi && LLVMIsABinaryOperator(tested) && LLVMGetInstructionOpcode(tested) == LLVMAdd &&
      LLVMIsAConstantInt(LLVMGetOperand(tested, 1))) {
    added = LLVMGetOperand(tested, 1);
    phi = tested_phi_of(loops, loop, LLVMGetOperand(tested, 0));
  }
  uint64_t mask = UINT64_MAX >> (64 - width);
  if (!phi || is_predicate_true(LLVMGetICmpPredicate(compare), added ? LLVMConstIntGetZExtValue(added) & mask : 0,
                                LLVMConstIntGetZExtValue(bound) & mask, width) != leaves)
    return CN_WORK_UNKNOWN;
  return cn_work_add(iterations_to_zero(loops, loop, phi, next_value_of_phi(loops, loop, phi)), 1);
}

uint64_t cn_trip_count_by_exit(const struct cn_loops *loops, uint32_t loop, uint32_t b)
{
  const struct cn_cfg_block *block = &loops->cfg->blocks[b];
  uint32_t latch = loops->at[loop].latch;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block->block);

  if (latch == CN_NO_BLOCK || block->succ_count != 2 || !cn_is_branch(end))
    return CN_WORK_UNKNOWN;
  LLVMValueRef compare = LLVMIsAICmpInst(LLVMGetCondition(end));
  LLVMTypeKind kind = compare ? LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(compare, 0))) : LLVMVoidTypeKind;
  if (kind != LLVMIntegerTypeKind && kind != LLVMPointerTypeKind)
    return CN_WORK_UNKNOWN;
  bool stays[2];
  for (unsigned s = 0; s < 2; s++)
    stays[s] = cn_loop_contains_block(loops, loop, block->succs[s]);
  if (stays[0] == stays[1] || !cn_cfg_dominates(loops->cfg, b, latch))
    return CN_WORK_UNKNOWN;
  uint64_t trips = CN_WORK_UNKNOWN;
  if (kind == LLVMIntegerTypeKind)
    trips = count_induction_trips(loops, loop, compare, !stays[0]);
  if (kind == LLVMIntegerTypeKind && trips == CN_WORK_UNKNOWN)
    trips = count_shrinking_value_trips(loops, loop, compare, !stays[0]);
  if (kind == LLVMIntegerTypeKind && trips == CN_WORK_UNKNOWN)
    trips = cn_trip_count_by_halving(loops, loop, compare, !stays[0]);
  return trips != CN_WORK_UNKNOWN ? trips : cn_trip_count_by_distance(loops, loop, compare, !stays[0]);
}
