/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the largest trip count of a loop whose bound is at a known distance from the start of its induction
 * variable, though both are unknown: loops of strip-mining (place/loops), and tiled loops. Needs: struct cn_loops
 * without trip counts. Provides: trip counts. Breaks: nothing.
 *
 * The distance is that of the bound from the start in the direction of the steps, modulo the width. A test of order
 * sees no distance if the bound is not ahead at all. Facts about it come from the computation of the bound (start +
 * constant, a choice, a minimum) and from tests of the distance: those that choose the bound, and those on the way into
 * the loop.
 *
 * If the step is unknown, distances are counted in steps: the bound is some products of the step away, and a test says
 * that the step is so small that they do not wrap.
 */
#include "base/check.h"
#include "compile/analysis/predicates.h"
#include "compile/core/each.h"
#include "compile/cost/cost.h"
#include "compile/cost/loops.h"

#define MAX_OPERAND_DEPTH 6  /* levels of operands that are searched for a bound or a test */
#define MAX_GUARD_BRANCHES 4 /* branches on the way in that are searched */

struct exit_test {
  const struct cn_loops *loops;
  uint32_t loop;
  struct cn_induction iv;
  LLVMIntPredicate stay; /* of the tested value to the bound: the loop goes on */
  bool next;             /* the tested value is the advanced one */
  LLVMValueRef start, bound;
  unsigned width;
};

struct distance_facts {
  uint64_t most; /* or UINT64_MAX */
  bool whole;    /* a whole number of steps */
  bool some;     /* nonzero */
  /* an unknown step is at most this, or the first test ends the loop; or UINT64_MAX */
  uint64_t step;
};

static const struct distance_facts unknown_distance = {.most = UINT64_MAX, .step = UINT64_MAX};
static const struct distance_facts zero_distance = {.most = 0, .whole = true, .step = UINT64_MAX};
static const struct distance_facts immediate_exit = {.most = 0, .whole = true, .step = 0};

/* The facts of `a` and `b` together: they are of one distance. */
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

/* True for this binary operation. Sets its operands `*a` and `*b`. */
static bool match_binary_operation(LLVMValueRef value, LLVMOpcode opcode, LLVMValueRef *a, LLVMValueRef *b)
{
  if (!LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != opcode)
    return false;
  *a = LLVMGetOperand(value, 0);
  *b = LLVMGetOperand(value, 1);
  return true;
}

/* Pointers are subtracted as integers. */
static bool is_same_address(LLVMValueRef value, LLVMValueRef as)
{
  if (value == as)
    return true;
  return LLVMIsAPtrToIntInst(value) && LLVMGetOperand(value, 0) == as && LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
}

/* Flags are irrelevant: where it is poison, so are start or bound, and the first test ends all. */
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

/* True if `value` is the distance less one. */
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

/* True if `value` is the remainder of the distance after whole steps. */
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

/* True if `value` is a number of unknown steps, modulo the width. */
static bool match_step_multiple(const struct exit_test *t, LLVMValueRef value, uint64_t *number)
{
  LLVMValueRef a, b;

  return t->iv.by && match_binary_operation(value, LLVMMul, &a, &b) && a == t->iv.by && match_small_constant(b, number);
}

/* Learn from `left` p `right`, for unknown steps. */
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

/* Learn from `left` p `right`. */
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

/* True for an `and` or `or` of one bit, in either form. */
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

/* The distance of `bound` where `condition` is `value`. A frozen condition may have any value if a part of it is
 * poison, so all its parts must be made of start and bound: if these are poison, so is the loop's own test. */
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

/* True if the bound is the least value in the order of the test, so the loop ends whatever the step. */
static bool is_least_bound(const struct exit_test *t, LLVMValueRef bound)
{
  uint64_t number;

  if (!match_small_constant(bound, &number))
    return false;
  return (t->stay == LLVMIntULT && number == 0) || (t->stay == LLVMIntSLT && number == UINT64_C(1) << (t->width - 1));
}

/* start + something. */
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

/* The smaller of two, in the order of the test and the direction of the steps. */
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

/* Learn from the branches that lead into the loop. */
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

/* True if the flags of the advance say that it wraps only after the test has ended the loop. */
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

/* True if the loop is left by this test or never: it has no other exit, and calls only functions that return. */
static bool is_only_exit(const struct exit_test *t)
{
  const struct cn_loop *l = &t->loops->at[t->loop];

  return l->exits == 1 && !l->leaves;
}

/* True if the loop also ends if the distance is a fraction of steps off, or the bound lies behind. A test of order does
 * where the steps lead past the bound. A test of equality does not; missing the bound is then undefined if the advance
 * must not wrap. */
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

/* True if an unknown step is at least 0, and so small that the distance stays below a wrap. */
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
