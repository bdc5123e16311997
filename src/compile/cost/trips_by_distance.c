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

#define MAX_DEPTH 6   /* levels of operands that are searched for a bound or a test */
#define GUARD_LIMIT 4 /* branches on the way in that are searched */

struct exit_test {
  const struct cn_loops *loops;
  uint32_t loop;
  struct cn_induction iv;
  LLVMIntPredicate stay; /* of the tested value to the bound: the loop goes on */
  bool next;             /* the tested value is the advanced one */
  LLVMValueRef start, bound;
  unsigned width;
};

struct distance {
  uint64_t most; /* or UINT64_MAX */
  bool whole;    /* a whole number of steps */
  bool some;     /* nonzero */
  /* an unknown step is at most this, or the first test ends the loop; or UINT64_MAX */
  uint64_t step;
};

static const struct distance anything = {.most = UINT64_MAX, .step = UINT64_MAX};
static const struct distance not_ahead = {.most = 0, .whole = true, .step = UINT64_MAX};
static const struct distance ends_at_once = {.most = 0, .whole = true, .step = 0};

/* The facts of `a` and `b` together: they are of one distance. */
static struct distance intersect_facts(struct distance a, struct distance b)
{
  return (struct distance){.most = a.most < b.most ? a.most : b.most,
                           .whole = a.whole || b.whole,
                           .some = a.some || b.some,
                           .step = a.step < b.step ? a.step : b.step};
}

static struct distance unite_facts(struct distance a, struct distance b)
{
  return (struct distance){.most = a.most > b.most ? a.most : b.most,
                           .whole = a.whole && b.whole,
                           .some = a.some && b.some,
                           .step = a.step > b.step ? a.step : b.step};
}

static uint64_t mask_of(const struct exit_test *t)
{
  return UINT64_MAX >> (64 - t->width);
}

static uint64_t step_size(const struct exit_test *t)
{
  if (t->iv.by)
    return 1;
  return t->iv.step < 0 ? 0 - (uint64_t)t->iv.step : (uint64_t)t->iv.step;
}

static bool is_order(const struct exit_test *t)
{
  return t->stay != LLVMIntNE;
}

static bool is_upward(const struct exit_test *t)
{
  return t->iv.by || t->iv.step > 0;
}

static struct distance at_most(uint64_t most)
{
  struct distance d = anything;

  d.most = most;
  return d;
}

static struct distance exact_distance(const struct exit_test *t, uint64_t forward)
{
  struct distance d = at_most((is_upward(t) ? forward : 0 - forward) & mask_of(t));

  d.whole = d.most % step_size(t) == 0;
  d.some = d.most != 0;
  return d;
}

/* ---- facts from a test of the distance ---- */

/* True for this binary operation. Sets its operands `*a` and `*b`. */
static bool is_binary(LLVMValueRef value, LLVMOpcode opcode, LLVMValueRef *a, LLVMValueRef *b)
{
  if (!LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != opcode)
    return false;
  *a = LLVMGetOperand(value, 0);
  *b = LLVMGetOperand(value, 1);
  return true;
}

/* Pointers are subtracted as integers. */
static bool is_same(LLVMValueRef value, LLVMValueRef as)
{
  if (value == as)
    return true;
  return LLVMIsAPtrToIntInst(value) && LLVMGetOperand(value, 0) == as && LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
}

/* Flags are irrelevant: where it is poison, so are start or bound, and the first test ends all. */
static bool is_distance(const struct exit_test *t, LLVMValueRef value, LLVMValueRef bound)
{
  LLVMValueRef to, from;

  if (!is_binary(value, LLVMSub, &to, &from) || LLVMGetNSW(value) || LLVMGetNUW(value))
    return false;
  return is_upward(t) ? is_same(to, bound) && is_same(from, t->start) : is_same(from, bound) && is_same(to, t->start);
}

static bool is_constant(LLVMValueRef value, uint64_t *number)
{
  if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
    return false;
  *number = LLVMConstIntGetZExtValue(value);
  return true;
}

/* True if `value` is the distance less one. */
static bool is_one_before(const struct exit_test *t, LLVMValueRef value, LLVMValueRef bound)
{
  LLVMValueRef a, b;
  uint64_t number;

  if (is_binary(value, LLVMSub, &a, &b))
    return !LLVMGetNSW(value) && !LLVMGetNUW(value) && is_distance(t, a, bound) && is_constant(b, &number) &&
           number == 1;
  return is_binary(value, LLVMAdd, &a, &b) && !LLVMGetNSW(value) && !LLVMGetNUW(value) && is_distance(t, a, bound) &&
         is_constant(b, &number) && number == mask_of(t);
}

/* True if `value` is the remainder of the distance after whole steps. */
static bool is_rest(const struct exit_test *t, LLVMValueRef value, LLVMValueRef bound)
{
  uint64_t step = step_size(t), number;
  LLVMValueRef a, b;

  if (is_binary(value, LLVMAnd, &a, &b))
    return is_distance(t, a, bound) && is_constant(b, &number) && (step & (step - 1)) == 0 && number == step - 1;
  return is_binary(value, LLVMURem, &a, &b) && is_distance(t, a, bound) && is_constant(b, &number) && number == step;
}

/* True if `value` is a number of unknown steps, modulo the width. */
static bool is_steps(const struct exit_test *t, LLVMValueRef value, uint64_t *number)
{
  LLVMValueRef a, b;

  return t->iv.by && is_binary(value, LLVMMul, &a, &b) && a == t->iv.by && is_constant(b, number);
}

/* Learn from `left` p `right`, for unknown steps. */
static struct distance by_steps(const struct exit_test *t, LLVMIntPredicate p, LLVMValueRef left, LLVMValueRef right,
                                LLVMValueRef bound)
{
  struct distance d = anything;
  uint64_t number;

  if (p == LLVMIntULE && is_distance(t, left, bound) && is_steps(t, right, &number))
    d.most = number;
  if (p == LLVMIntULT && left == t->iv.by && is_constant(right, &number) && number > 0)
    d.step = number - 1;
  return d;
}

/* Learn from `left` p `right`. */
static struct distance by_compare(const struct exit_test *t, LLVMIntPredicate p, LLVMValueRef left, LLVMValueRef right,
                                  LLVMValueRef bound)
{
  struct distance d = anything;
  LLVMIntPredicate leave = cn_predicate_inverse(t->stay);
  uint64_t number;

  if (is_order(t) && ((p == leave && is_same(left, t->start) && is_same(right, bound)) ||
                      (p == cn_predicate_swapped(leave) && is_same(right, t->start) && is_same(left, bound))))
    return not_ahead;
  if (t->iv.by)
    return by_steps(t, p, left, right, bound);
  if (!is_constant(right, &number))
    return d;
  if (p == LLVMIntEQ && number == 0 && is_rest(t, left, bound))
    d.whole = true;
  if (p == LLVMIntULT && number > 0) {
    p = LLVMIntULE;
    number--;
  }
  if (p == LLVMIntULE && is_distance(t, left, bound))
    d.most = number;
  if (p == LLVMIntULE && number < mask_of(t) && is_one_before(t, left, bound)) {
    d.most = number + 1;
    d.some = true;
  }
  return d;
}

/* True for an `and` or `or` of one bit, in either form. */
static bool is_junction(LLVMValueRef condition, bool *conjunction, LLVMValueRef *a, LLVMValueRef *b)
{
  *conjunction = true;
  if (is_binary(condition, LLVMAnd, a, b))
    return true;
  *conjunction = false;
  if (is_binary(condition, LLVMOr, a, b))
    return true;
  if (!LLVMIsASelectInst(condition))
    return false;
  LLVMValueRef yes = LLVMGetOperand(condition, 1), no = LLVMGetOperand(condition, 2);
  uint64_t number;
  *conjunction = is_constant(no, &number) && number == 0;
  *a = LLVMGetOperand(condition, 0);
  *b = *conjunction ? yes : no;
  return *conjunction || (is_constant(yes, &number) && number == 1);
}

static bool says_nothing(struct distance d)
{
  return d.most == UINT64_MAX && d.step == UINT64_MAX && !d.whole && !d.some;
}

/* The distance of `bound` where `condition` is `value`. A frozen condition may have any value if a part of it is
 * poison, so all its parts must be made of start and bound: if these are poison, so is the loop's own test. */
static struct distance by_parts(const struct exit_test *t, LLVMValueRef condition, bool value, LLVMValueRef bound,
                                bool frozen, unsigned depth)
{
  bool conjunction;
  LLVMValueRef a, b;

  if (depth == 0)
    return anything;
  if (LLVMIsAICmpInst(condition)) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(condition);
    return by_compare(t, value ? p : cn_predicate_inverse(p), LLVMGetOperand(condition, 0),
                      LLVMGetOperand(condition, 1), bound);
  }
  if (!is_junction(condition, &conjunction, &a, &b))
    return anything;
  struct distance first = by_parts(t, a, value, bound, frozen, depth - 1);
  struct distance second = by_parts(t, b, value, bound, frozen, depth - 1);
  if (frozen && (says_nothing(first) || says_nothing(second)))
    return anything;
  return conjunction == value ? intersect_facts(first, second) : unite_facts(first, second);
}

static struct distance by_condition(const struct exit_test *t, LLVMValueRef condition, bool value, LLVMValueRef bound)
{
  bool frozen = LLVMIsAFreezeInst(condition);

  if (frozen)
    condition = LLVMGetOperand(condition, 0);
  return by_parts(t, condition, value, bound, frozen, MAX_DEPTH);
}

/* ---- facts from the computation of the bound ---- */

static struct distance of_bound(const struct exit_test *t, LLVMValueRef bound, unsigned depth);

/* True if the bound is the least value in the order of the test, so the loop ends whatever the step. */
static bool is_least(const struct exit_test *t, LLVMValueRef bound)
{
  uint64_t number;

  if (!is_constant(bound, &number))
    return false;
  return (t->stay == LLVMIntULT && number == 0) || (t->stay == LLVMIntSLT && number == UINT64_C(1) << (t->width - 1));
}

/* start + something. */
static struct distance of_sum(const struct exit_test *t, LLVMValueRef by)
{
  uint64_t number;

  if (t->iv.by)
    return is_steps(t, by, &number) ? at_most(number) : anything;
  if (is_constant(by, &number))
    return exact_distance(t, number);
  return is_upward(t) ? at_most(cn_largest_value(by, CN_LARGEST_DEPTH)) : anything;
}

static bool adds_to_start(const struct exit_test *t, LLVMValueRef bound, LLVMValueRef *by)
{
  LLVMValueRef a, b;

  if (LLVMIsAGetElementPtrInst(bound)) {
    *by = LLVMGetNumOperands(bound) == 2 ? LLVMGetOperand(bound, 1) : NULL;
    LLVMTypeRef element = LLVMGetGEPSourceElementType(bound);
    return *by && LLVMGetOperand(bound, 0) == t->start && LLVMGetTypeKind(element) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(element) == 8 && LLVMGetTypeKind(LLVMTypeOf(*by)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMTypeOf(*by)) == 64;
  }
  if (!is_binary(bound, LLVMAdd, &a, &b) || (a != t->start && b != t->start))
    return false;
  *by = a == t->start ? b : a;
  return true;
}

/* The smaller of two, in the order of the test and the direction of the steps. */
static bool takes_nearer(const struct exit_test *t, LLVMValueRef bound)
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

static struct distance of_bound(const struct exit_test *t, LLVMValueRef bound, unsigned depth)
{
  LLVMValueRef by;

  if (is_least(t, bound))
    return ends_at_once;
  if (bound == t->start)
    return not_ahead;
  if (depth == 0 || !LLVMIsAInstruction(bound))
    return anything;
  if (adds_to_start(t, bound, &by))
    return of_sum(t, by);
  if (takes_nearer(t, bound)) {
    uint64_t a = of_bound(t, LLVMGetOperand(bound, 0), depth - 1).most;
    uint64_t b = of_bound(t, LLVMGetOperand(bound, 1), depth - 1).most;
    return at_most(a < b ? a : b);
  }
  if (!LLVMIsASelectInst(bound))
    return anything;
  LLVMValueRef condition = LLVMGetOperand(bound, 0);
  LLVMValueRef yes = LLVMGetOperand(bound, 1), no = LLVMGetOperand(bound, 2);
  return unite_facts(intersect_facts(of_bound(t, yes, depth - 1), by_condition(t, condition, true, yes)),
                     intersect_facts(of_bound(t, no, depth - 1), by_condition(t, condition, false, no)));
}

/* Learn from the branches that lead into the loop. */
static struct distance of_entry(const struct exit_test *t)
{
  const struct cn_cfg *cfg = t->loops->cfg;
  uint32_t to = t->loops->at[t->loop].header;
  struct distance d = anything;

  for (unsigned n = 0; n < GUARD_LIMIT; n++) {
    uint32_t from = CN_NO_BLOCK;
    for (uint32_t p = 0; p < cfg->blocks[to].pred_count; p++) {
      uint32_t pred = cfg->blocks[to].preds[p];
      if (n == 0 && cn_loops_contain(t->loops, t->loop, pred))
        continue;
      if (from != CN_NO_BLOCK)
        return d;
      from = pred;
    }
    if (from == CN_NO_BLOCK)
      return d;
    const struct cn_block *block = &cfg->blocks[from];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block->block);
    if (block->succ_count == 2 && cn_is_branch(end) && block->succs[0] != block->succs[1])
      d = intersect_facts(d, by_condition(t, LLVMGetCondition(end), block->succs[0] == to, t->bound));
    to = from;
  }
  return d;
}

/* ---- trips ---- */

/* True if the flags of the advance say that it wraps only after the test has ended the loop. */
static bool cannot_wrap(const struct exit_test *t)
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
static bool need_not_meet(const struct exit_test *t)
{
  switch (t->stay) {
  case LLVMIntULT:
  case LLVMIntSLT:
    return is_upward(t) && cannot_wrap(t);
  case LLVMIntUGT:
  case LLVMIntSGT:
    return !is_upward(t) && cannot_wrap(t);
  default:
    return t->stay == LLVMIntNE && cannot_wrap(t) && is_only_exit(t);
  }
}

/* True if an unknown step is at least 0, and so small that the distance stays below a wrap. */
static bool is_small(const struct exit_test *t, struct distance d)
{
  uint64_t half = mask_of(t) >> 1, all;

  return d.step <= half && !__builtin_mul_overflow(d.step, d.most, &all) && all <= half;
}

static uint64_t trips_of(const struct exit_test *t)
{
  bool any = need_not_meet(t);

  if (is_order(t) ? !any : t->iv.by != NULL)
    return CN_WORK_UNKNOWN;
  struct distance d = intersect_facts(of_bound(t, t->bound, MAX_DEPTH), of_entry(t));
  uint64_t step = step_size(t);
  bool meets = (d.whole || step == 1) && (d.some || !t->next);
  if (d.most == UINT64_MAX || (!any && !meets) || (t->iv.by && !is_small(t, d)))
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
    if (!cn_loops_outside(loops, loop, t.bound) || !cn_loops_induction(loops, loop, layout, tested, &t.iv) ||
        (t.iv.by && !cn_loops_outside(loops, loop, t.iv.by)))
      continue;
    t.width = pointer ? 8 * LLVMPointerSizeForAS(layout, LLVMGetPointerAddressSpace(type)) : LLVMGetIntTypeWidth(type);
    t.next = tested == t.iv.next;
    t.stay = o == 0 ? p : cn_predicate_swapped(p);
    t.stay = leaves ? cn_predicate_inverse(t.stay) : t.stay;
    t.start = cn_loops_start(loops, loop, t.iv.phi);
    return t.start && t.width <= 64 && (!pointer || t.width == 64) ? trips_of(&t) : CN_WORK_UNKNOWN;
  }
  return CN_WORK_UNKNOWN;
}
