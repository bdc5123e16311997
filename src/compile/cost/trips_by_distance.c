/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the largest trip count of a loop if the distance from the induction variable's start to its bound is known,
 * although start and bound are variable. Strip-mining (place/loops) and tiling make such loops. Needs: struct cn_loops
 * without trip counts. Provides: cn_trip_count_by_distance(). Breaks: nothing.
 *
 * The distance leads from the start to the bound in the direction of the steps, modulo the width. For a test of order,
 * the distance is zero if the start is already past the bound. Facts about the distance come from the computation of
 * the bound (start + constant, a select, a minimum), from the conditions of such selects, and from branches before the
 * loop.
 *
 * If the step is variable, the unit of distances is the step: the distance is at most a multiple of the step, and a
 * test proves that the step is too small for the multiple to wrap.
 */
#include "base/check.h"
#include "compile/analysis/predicates.h"
#include "compile/cost/cost.h"
#include "compile/cost/loops.h"

#define MAX_OPERAND_DEPTH 6  /* operand levels of a search for bounds and tests */
#define MAX_GUARD_BRANCHES 4 /* branches before the loop that are searched */

struct exit_test {
  const struct cn_loops *loops;
  uint32_t loop;
  struct cn_induction iv;
  LLVMIntPredicate stay; /* the loop continues if the tested value and the bound satisfy it */
  bool next;             /* the test uses the advanced value */
  LLVMValueRef start, bound;
  unsigned width;
};

struct distance_facts {
  uint64_t most; /* or UINT64_MAX */
  bool whole;    /* the distance is a multiple of the step */
  bool some;     /* the distance is nonzero */
  /* a variable step is at most this number, unless the first test ends the loop; or UINT64_MAX */
  uint64_t step;
};

static const struct distance_facts unknown_distance = {.most = UINT64_MAX, .step = UINT64_MAX};
static const struct distance_facts zero_distance = {.most = 0, .whole = true, .step = UINT64_MAX};
static const struct distance_facts immediate_exit = {.most = 0, .whole = true, .step = 0};

/* The facts that hold if both `a` and `b` hold for a distance. */
static struct distance_facts intersect_facts(struct distance_facts a, struct distance_facts b)
{
  return (struct distance_facts){.most = a.most < b.most ? a.most : b.most,
                                 .whole = a.whole || b.whole,
                                 .some = a.some || b.some,
                                 .step = a.step < b.step ? a.step : b.step};
}

static struct distance_facts unite_facts(struct distance_facts a, struct distance_facts b)
{
  return (struct distance_facts){.most = a.most > b.most ? a.most : b.most,
                                 .whole = a.whole && b.whole,
                                 .some = a.some && b.some,
                                 .step = a.step > b.step ? a.step : b.step};
}

static uint64_t width_mask_of(const struct exit_test *t)
{
  return UINT64_MAX >> (64 - t->width);
}

static uint64_t step_size(const struct exit_test *t)
{
  if (t->iv.by)
    return 1;
  return t->iv.step < 0 ? 0 - (uint64_t)t->iv.step : (uint64_t)t->iv.step;
}

static bool is_order_test(const struct exit_test *t)
{
  return t->stay != LLVMIntNE;
}

static bool counts_upward(const struct exit_test *t)
{
  return t->iv.by || t->iv.step > 0;
}

static struct distance_facts distance_at_most(uint64_t most)
{
  struct distance_facts d = unknown_distance;

  d.most = most;
  return d;
}

static struct distance_facts exact_distance(const struct exit_test *t, uint64_t forward)
{
  struct distance_facts d = distance_at_most((counts_upward(t) ? forward : 0 - forward) & width_mask_of(t));

  d.whole = d.most % step_size(t) == 0;
  d.some = d.most != 0;
  return d;
}

/* ---- facts from a test of the distance ---- */

static bool match_binary_operation(LLVMValueRef value, LLVMOpcode opcode, LLVMValueRef *a, LLVMValueRef *b)
{
  if (!LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != opcode)
    return false;
  *a = LLVMGetOperand(value, 0);
  *b = LLVMGetOperand(value, 1);
  return true;
}

/* True if `value` is `as`, perhaps converted to an integer, because IR subtracts pointers as integers. */
static bool is_same_address(LLVMValueRef value, LLVMValueRef as)
{
  if (value == as)
    return true;
  return LLVMIsAPtrToIntInst(value) && LLVMGetOperand(value, 0) == as && LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
}

/* True if `value` is the distance of `bound` from the start. If `value` is poison, then start or bound is poison too,
 * and the loop's first test is undefined. */
static bool is_distance_to_bound(const struct exit_test *t, LLVMValueRef value, LLVMValueRef bound)
{
  LLVMValueRef to, from;

  if (!match_binary_operation(value, LLVMSub, &to, &from) || LLVMGetNSW(value) || LLVMGetNUW(value))
    return false;
  return counts_upward(t) ? is_same_address(to, bound) && is_same_address(from, t->start)
                          : is_same_address(from, bound) && is_same_address(to, t->start);
}

static bool match_small_constant(LLVMValueRef value, uint64_t *number)
{
  if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
    return false;
  *number = LLVMConstIntGetZExtValue(value);
  return true;
}

static bool is_distance_less_one(const struct exit_test *t, LLVMValueRef value, LLVMValueRef bound)
{
  LLVMValueRef a, b;
  uint64_t number;

  if (match_binary_operation(value, LLVMSub, &a, &b))
    return !LLVMGetNSW(value) && !LLVMGetNUW(value) && is_distance_to_bound(t, a, bound) &&
           match_small_constant(b, &number) && number == 1;
  return match_binary_operation(value, LLVMAdd, &a, &b) && !LLVMGetNSW(value) && !LLVMGetNUW(value) &&
         is_distance_to_bound(t, a, bound) && match_small_constant(b, &number) && number == width_mask_of(t);
}

/* True if `value` is the remainder of the distance divided by the step. */
static bool is_distance_remainder(const struct exit_test *t, LLVMValueRef value, LLVMValueRef bound)
{
  uint64_t step = step_size(t), number;
  LLVMValueRef a, b;

  if (match_binary_operation(value, LLVMAnd, &a, &b))
    return is_distance_to_bound(t, a, bound) && match_small_constant(b, &number) && (step & (step - 1)) == 0 &&
           number == step - 1;
  return match_binary_operation(value, LLVMURem, &a, &b) && is_distance_to_bound(t, a, bound) &&
         match_small_constant(b, &number) && number == step;
}

/* True if `value` is a multiple of the variable step, modulo the width. Sets `*number` to the factor. */
static bool match_step_multiple(const struct exit_test *t, LLVMValueRef value, uint64_t *number)
{
  LLVMValueRef a, b;

  return t->iv.by && match_binary_operation(value, LLVMMul, &a, &b) && a == t->iv.by && match_small_constant(b, number);
}

static struct distance_facts learn_from_step_compare(const struct exit_test *t, LLVMIntPredicate p, LLVMValueRef left,
                                                     LLVMValueRef right, LLVMValueRef bound)
{
  struct distance_facts d = unknown_distance;
  uint64_t number;

  if (p == LLVMIntULE && is_distance_to_bound(t, left, bound) && match_step_multiple(t, right, &number))
    d.most = number;
  if (p == LLVMIntULT && left == t->iv.by && match_small_constant(right, &number) && number > 0)
    d.step = number - 1;
  return d;
}

static struct distance_facts learn_from_compare(const struct exit_test *t, LLVMIntPredicate p, LLVMValueRef left,
                                                LLVMValueRef right, LLVMValueRef bound)
{
  struct distance_facts d = unknown_distance;
  LLVMIntPredicate leave = cn_predicate_inverse(t->stay);
  uint64_t number;

  if (is_order_test(t) &&
      ((p == leave && is_same_address(left, t->start) && is_same_address(right, bound)) ||
       (p == cn_predicate_swapped(leave) && is_same_address(right, t->start) && is_same_address(left, bound))))
    return zero_distance;
  if (t->iv.by)
    return learn_from_step_compare(t, p, left, right, bound);
  if (!match_small_constant(right, &number))
    return d;
  if (p == LLVMIntEQ && number == 0 && is_distance_remainder(t, left, bound))
    d.whole = true;
  if (p == LLVMIntULT && number > 0) {
    p = LLVMIntULE;
    number--;
  }
  if (p == LLVMIntULE && is_distance_to_bound(t, left, bound))
    d.most = number;
  if (p == LLVMIntULE && number < width_mask_of(t) && is_distance_less_one(t, left, bound)) {
    d.most = number + 1;
    d.some = true;
  }
  return d;
}

/* True for an `and` or `or` of one bit, as an operation or as a select. */
static bool match_and_or_or(LLVMValueRef condition, bool *conjunction, LLVMValueRef *a, LLVMValueRef *b)
{
  *conjunction = true;
  if (match_binary_operation(condition, LLVMAnd, a, b))
    return true;
  *conjunction = false;
  if (match_binary_operation(condition, LLVMOr, a, b))
    return true;
  if (!LLVMIsASelectInst(condition))
    return false;
  LLVMValueRef yes = LLVMGetOperand(condition, 1), no = LLVMGetOperand(condition, 2);
  uint64_t number;
  *conjunction = match_small_constant(no, &number) && number == 0;
  *a = LLVMGetOperand(condition, 0);
  *b = *conjunction ? yes : no;
  return *conjunction || (match_small_constant(yes, &number) && number == 1);
}

static bool is_unknown_distance(struct distance_facts d)
{
  return d.most == UINT64_MAX && d.step == UINT64_MAX && !d.whole && !d.some;
}

/* The facts about the distance of `bound` if `condition` equals `value`. A frozen condition may have any value if a
 * part is poison. So all its parts must depend on start and bound, because the loop's own test is poison if start or
 * bound is. */
static struct distance_facts learn_from_condition_parts(const struct exit_test *t, LLVMValueRef condition, bool value,
                                                        LLVMValueRef bound, bool frozen, unsigned depth)
{
  bool conjunction;
  LLVMValueRef a, b;

  if (depth == 0)
    return unknown_distance;
  if (LLVMIsAICmpInst(condition)) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(condition);
    return learn_from_compare(t, value ? p : cn_predicate_inverse(p), LLVMGetOperand(condition, 0),
                              LLVMGetOperand(condition, 1), bound);
  }
  if (!match_and_or_or(condition, &conjunction, &a, &b))
    return unknown_distance;
  struct distance_facts first = learn_from_condition_parts(t, a, value, bound, frozen, depth - 1);
  struct distance_facts second = learn_from_condition_parts(t, b, value, bound, frozen, depth - 1);
  if (frozen && (is_unknown_distance(first) || is_unknown_distance(second)))
    return unknown_distance;
  return conjunction == value ? intersect_facts(first, second) : unite_facts(first, second);
}

static struct distance_facts learn_from_condition(const struct exit_test *t, LLVMValueRef condition, bool value,
                                                  LLVMValueRef bound)
{
  bool frozen = LLVMIsAFreezeInst(condition);

  if (frozen)
    condition = LLVMGetOperand(condition, 0);
  return learn_from_condition_parts(t, condition, value, bound, frozen, MAX_OPERAND_DEPTH);
}

/* ---- facts from the computation of the bound ---- */

static struct distance_facts distance_of_bound(const struct exit_test *t, LLVMValueRef bound, unsigned depth);

/* True if the bound is the least value in the order of the test, so that the loop ends at its first test. */
static bool is_least_bound(const struct exit_test *t, LLVMValueRef bound)
{
  uint64_t number;

  if (!match_small_constant(bound, &number))
    return false;
  return (t->stay == LLVMIntULT && number == 0) || (t->stay == LLVMIntSLT && number == UINT64_C(1) << (t->width - 1));
}

static struct distance_facts distance_of_sum(const struct exit_test *t, LLVMValueRef by)
{
  uint64_t number;

  if (t->iv.by)
    return match_step_multiple(t, by, &number) ? distance_at_most(number) : unknown_distance;
  if (match_small_constant(by, &number))
    return exact_distance(t, number);
  return counts_upward(t) ? distance_at_most(cn_largest_value(by, CN_DEFAULT_VALUE_DEPTH)) : unknown_distance;
}

static bool match_start_sum(const struct exit_test *t, LLVMValueRef bound, LLVMValueRef *by)
{
  LLVMValueRef a, b;

  if (LLVMIsAGetElementPtrInst(bound)) {
    *by = LLVMGetNumOperands(bound) == 2 ? LLVMGetOperand(bound, 1) : NULL;
    LLVMTypeRef element = LLVMGetGEPSourceElementType(bound);
    return *by && LLVMGetOperand(bound, 0) == t->start && LLVMGetTypeKind(element) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(element) == 8 && LLVMGetTypeKind(LLVMTypeOf(*by)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMTypeOf(*by)) == 64;
  }
  if (!match_binary_operation(bound, LLVMAdd, &a, &b) || (a != t->start && b != t->start))
    return false;
  *by = a == t->start ? b : a;
  return true;
}

/* True if `bound` is the nearer of two bounds, in the order of the test and the direction of the steps. */
static bool chooses_nearer_bound(const struct exit_test *t, LLVMValueRef bound)
{
  switch (t->stay) {
  case LLVMIntULT:
    return cn_calls_intrinsic(bound, "llvm.umin");
  case LLVMIntSLT:
    return cn_calls_intrinsic(bound, "llvm.smin");
  case LLVMIntUGT:
    return cn_calls_intrinsic(bound, "llvm.umax");
  case LLVMIntSGT:
    return cn_calls_intrinsic(bound, "llvm.smax");
  default:
    return false;
  }
}

static struct distance_facts distance_of_bound(const struct exit_test *t, LLVMValueRef bound, unsigned depth)
{
  LLVMValueRef by;

  if (LLVMIsAFreezeInst(bound)) /* a loop that tests a poisoned bound is undefined */
    bound = LLVMGetOperand(bound, 0);
  if (is_least_bound(t, bound))
    return immediate_exit;
  if (bound == t->start)
    return zero_distance;
  if (depth == 0 || !LLVMIsAInstruction(bound))
    return unknown_distance;
  if (match_start_sum(t, bound, &by))
    return distance_of_sum(t, by);
  if (chooses_nearer_bound(t, bound)) {
    uint64_t a = distance_of_bound(t, LLVMGetOperand(bound, 0), depth - 1).most;
    uint64_t b = distance_of_bound(t, LLVMGetOperand(bound, 1), depth - 1).most;
    return distance_at_most(a < b ? a : b);
  }
  if (!LLVMIsASelectInst(bound))
    return unknown_distance;
  LLVMValueRef condition = LLVMGetOperand(bound, 0);
  LLVMValueRef yes = LLVMGetOperand(bound, 1), no = LLVMGetOperand(bound, 2);
  return unite_facts(
      intersect_facts(distance_of_bound(t, yes, depth - 1), learn_from_condition(t, condition, true, yes)),
      intersect_facts(distance_of_bound(t, no, depth - 1), learn_from_condition(t, condition, false, no)));
}

static struct distance_facts learn_from_entry_branches(const struct exit_test *t)
{
  const struct cn_cfg *cfg = t->loops->cfg;
  uint32_t to = t->loops->at[t->loop].header;
  struct distance_facts d = unknown_distance;

  for (unsigned n = 0; n < MAX_GUARD_BRANCHES; n++) {
    uint32_t from = CN_NO_BLOCK;
    for (uint32_t p = 0; p < cfg->blocks[to].pred_count; p++) {
      uint32_t pred = cfg->blocks[to].preds[p];
      if (n == 0 && cn_loop_contains_block(t->loops, t->loop, pred))
        continue;
      if (from != CN_NO_BLOCK)
        return d;
      from = pred;
    }
    if (from == CN_NO_BLOCK)
      return d;
    const struct cn_cfg_block *block = &cfg->blocks[from];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block->block);
    if (block->succ_count == 2 && cn_is_branch(end) && block->succs[0] != block->succs[1])
      d = intersect_facts(d, learn_from_condition(t, LLVMGetCondition(end), block->succs[0] == to, t->bound));
    to = from;
  }
  return d;
}

/* ---- trips ---- */

/* True if the flags of the advance exclude that it wraps before the test ends the loop. */
static bool is_advance_wrap_free(const struct exit_test *t)
{
  LLVMValueRef next = t->iv.next;

  if (LLVMIsAGetElementPtrInst(next)) {
    unsigned flags = LLVMGEPGetNoWrapFlags(next);
    return (t->stay == LLVMIntNE || t->stay == LLVMIntULT || t->stay == LLVMIntUGT) &&
           (flags & (LLVMGEPFlagInBounds | LLVMGEPFlagNUSW) || (t->iv.step > 0 && flags & LLVMGEPFlagNUW));
  }
  switch (t->stay) {
  case LLVMIntNE:
    return LLVMGetNUW(next) || LLVMGetNSW(next);
  case LLVMIntULT:
    return LLVMGetNUW(next);
  case LLVMIntSLT:
  case LLVMIntSGT:
    return LLVMGetNSW(next);
  default:
    return false;
  }
}

/* True if only this test ends the loop: the loop has no other exit, and calls only functions that return. */
static bool is_only_exit(const struct exit_test *t)
{
  const struct cn_loop *l = &t->loops->at[t->loop];

  return l->exits == 1 && !l->leaves;
}

/* True if the loop also ends if the steps miss the bound, or if the bound lies behind the start. A test of order ends
 * the loop after a step past the bound. A test of equality fails to end it; the behaviour is then undefined if the
 * advance must not wrap. */
static bool may_step_past_bound(const struct exit_test *t)
{
  switch (t->stay) {
  case LLVMIntULT:
  case LLVMIntSLT:
    return counts_upward(t) && is_advance_wrap_free(t);
  case LLVMIntUGT:
  case LLVMIntSGT:
    return !counts_upward(t) && is_advance_wrap_free(t);
  default:
    return t->stay == LLVMIntNE && is_advance_wrap_free(t) && is_only_exit(t);
  }
}

/* True if a variable step is at least 0, and so small that the multiple that bounds the distance never wraps. */
static bool is_step_too_small_to_wrap(const struct exit_test *t, struct distance_facts d)
{
  uint64_t half = width_mask_of(t) >> 1, all;

  return d.step <= half && !__builtin_mul_overflow(d.step, d.most, &all) && all <= half;
}

static uint64_t trip_count_of_test(const struct exit_test *t)
{
  bool any = may_step_past_bound(t);

  if (is_order_test(t) ? !any : t->iv.by != NULL)
    return CN_WORK_UNKNOWN;
  struct distance_facts d =
      intersect_facts(distance_of_bound(t, t->bound, MAX_OPERAND_DEPTH), learn_from_entry_branches(t));
  uint64_t step = step_size(t);
  bool meets = (d.whole || step == 1) && (d.some || !t->next);
  if (d.most == UINT64_MAX || (!any && !meets) || (t->iv.by && !is_step_too_small_to_wrap(t, d)))
    return CN_WORK_UNKNOWN;
  uint64_t steps = d.most / step + (d.most % step != 0);
  return t->next ? steps + !steps : steps + 1;
}

uint64_t cn_trip_count_by_distance(const struct cn_loops *loops, uint32_t loop, LLVMValueRef compare, bool leaves)
{
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(loops->cfg->function));
  LLVMIntPredicate p = LLVMGetICmpPredicate(compare);

  CN_ASSERT(LLVMIsACmpInst(compare));
  for (unsigned o = 0; o < 2; o++) {
    struct exit_test t = {.loops = loops, .loop = loop, .bound = LLVMGetOperand(compare, 1 - o)};
    LLVMValueRef tested = LLVMGetOperand(compare, o);
    LLVMTypeRef type = LLVMTypeOf(tested);
    bool pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    if (!cn_is_defined_outside_loop(loops, loop, t.bound) ||
        !cn_loop_match_induction(loops, loop, layout, tested, &t.iv) ||
        (t.iv.by && !cn_is_defined_outside_loop(loops, loop, t.iv.by)))
      continue;
    t.width = pointer ? 8 * LLVMPointerSizeForAS(layout, LLVMGetPointerAddressSpace(type)) : LLVMGetIntTypeWidth(type);
    t.next = tested == t.iv.next;
    t.stay = o == 0 ? p : cn_predicate_swapped(p);
    t.stay = leaves ? cn_predicate_inverse(t.stay) : t.stay;
    t.start = cn_loop_start_value_of(loops, loop, t.iv.phi);
    return t.start && t.width <= 64 && (!pointer || t.width == 64) ? trip_count_of_test(&t) : CN_WORK_UNKNOWN;
  }
  return CN_WORK_UNKNOWN;
}
