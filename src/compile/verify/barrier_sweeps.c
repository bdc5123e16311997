/* SPDX-License-Identifier: Apache-2.0
 *
 * Proves that a barrier before a loop covers an access in all iterations, for verify-barriers. Needs: struct cn_loops.
 * Breaks: nothing.
 *
 * Addresses and lengths are sums: of values, each so many times, and a constant, modulo 2^64. The loop goes on only at
 * its latch, while a variable's next value differs from `bound`. So the variable takes the values from its start to
 * bound - step, and other variables keep pace. With all of them at their starts, the address is the first; in the last
 * iteration it is the last. The barrier covers both and the memory between if the differences from its ends are
 * constants, and of the right sign. A loop whose bound is no multiple of steps away passes it by and does not end; it
 * would go through all of memory.
 */
#include "base/check.h"
#include "compile/core/memory_types.h"
#include "compile/cost/loops.h"
#include "compile/verify/verify.h"

enum { TERMS = 16, DEPTH = 16 };

enum pass { ANY, FIRST, LAST };

struct sum {
  const struct cn_barred_sweep *sweep;
  enum pass pass; /* the iteration whose values the loop's variables take */
  struct {
    LLVMValueRef value;
    uint64_t times;
  } terms[TERMS];
  unsigned count;
  uint64_t constant;
  uint64_t stride; /* the increase from one iteration to the next */
  bool unknown;
};

/* The loop's step and its condition to go on. */
struct pace {
  struct cn_induction iv;
  LLVMValueRef start, bound;
};

static bool find_pace(const struct cn_barred_sweep *sweep, struct pace *pace)
{
  const struct cn_loops *loops = sweep->loops;
  uint32_t latch = loops->at[sweep->loop].latch, header = loops->at[sweep->loop].header;

  if (latch == CN_NO_BLOCK)
    return false;
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(loops->cfg->blocks[latch].block);
  if (!cn_is_branch(branch) || !LLVMIsConditional(branch))
    return false;
  LLVMValueRef test = LLVMGetCondition(branch);
  bool back_if = LLVMGetSuccessor(branch, 0) == loops->cfg->blocks[header].block;
  if (!LLVMIsAICmpInst(test) || LLVMGetICmpPredicate(test) != (back_if ? LLVMIntNE : LLVMIntEQ) ||
      !cn_loops_induction(loops, sweep->loop, sweep->ctx->layout, LLVMGetOperand(test, 0), &pace->iv))
    return false;
  pace->bound = LLVMGetOperand(test, 1);
  pace->start = cn_loops_start(loops, sweep->loop, pace->iv.phi);
  return pace->start && !pace->iv.by && pace->iv.next == LLVMGetOperand(test, 0) &&
         cn_loops_outside(loops, sweep->loop, pace->bound);
}

static void add(struct sum *sum, LLVMValueRef value, uint64_t times, unsigned depth);

static void add_leaf(struct sum *sum, LLVMValueRef value, uint64_t times)
{
  unsigned t = 0;

  while (t < sum->count && sum->terms[t].value != value)
    t++;
  if (t == TERMS) {
    sum->unknown = true;
    return;
  }
  sum->count += t == sum->count;
  sum->terms[t].value = value;
  sum->terms[t].times += times;
}

/* A variable of the loop, in the iteration that is asked for. */
static void add_variable(struct sum *sum, const struct cn_induction *iv, uint64_t times, unsigned depth)
{
  const struct cn_barred_sweep *sweep = sum->sweep;
  LLVMValueRef start = cn_loops_start(sweep->loops, sweep->loop, iv->phi);
  struct pace pace;

  if (!start || iv->by || !find_pace(sweep, &pace) || iv->step % pace.iv.step) {
    sum->unknown = true;
    return;
  }
  sum->stride += times * (uint64_t)iv->step;
  add(sum, start, times, depth);
  if (sum->pass == LAST) {
    uint64_t paces = times * (uint64_t)(iv->step / pace.iv.step);
    add(sum, pace.bound, paces, depth);
    add(sum, pace.start, -paces, depth);
    sum->constant -= paces * (uint64_t)pace.iv.step;
  }
}

static void add_gep(struct sum *sum, LLVMValueRef gep, uint64_t times, unsigned depth)
{
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  uint64_t offset = 0;

  add(sum, LLVMGetOperand(gep, 0), times, depth);
  if (cn_types_gep_offset(sum->sweep->ctx, gep, &offset))
    sum->constant += times * offset;
  else if (LLVMGetNumOperands(gep) == 2 && LLVMTypeIsSized(type) && !cn_is_scalable(type))
    add(sum, LLVMGetOperand(gep, 1), times * LLVMABISizeOfType(sum->sweep->ctx->layout, type), depth);
  else
    sum->unknown = true;
}

/* An instruction that computes a sum. False for any other. */
static bool add_sum(struct sum *sum, LLVMValueRef value, uint64_t times, unsigned depth)
{
  LLVMValueRef a = LLVMGetOperand(value, 0), b = LLVMGetOperand(value, 1);
  bool by = LLVMIsAConstantInt(b);
  uint64_t n = by ? LLVMConstIntGetZExtValue(b) : 0;

  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMOr:
    if (!LLVMGetIsDisjoint(value))
      return false;
    /* fall through */
  case LLVMAdd:
    add(sum, a, times, depth);
    add(sum, b, times, depth);
    return true;
  case LLVMSub:
    add(sum, a, times, depth);
    add(sum, b, -times, depth);
    return true;
  case LLVMMul:
    if (by)
      add(sum, a, times * n, depth);
    return by;
  case LLVMShl:
    if (by && n < 64)
      add(sum, a, times << n, depth);
    return by && n < 64;
  case LLVMXor: /* with all ones: the negative, less one */
    if (!by || n != UINT64_MAX)
      return false;
    add(sum, a, -times, depth);
    sum->constant -= times;
    return true;
  default:
    return false;
  }
}

static void add(struct sum *sum, LLVMValueRef value, uint64_t times, unsigned depth)
{
  const struct cn_barred_sweep *sweep = sum->sweep;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
  struct cn_induction iv;

  if (kind != LLVMPointerTypeKind && (kind != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(value)) != 64))
    sum->unknown = true;
  else if (LLVMIsAConstantInt(value))
    sum->constant += times * (uint64_t)LLVMConstIntGetSExtValue(value);
  else if (!depth)
    add_leaf(sum, value, times);
  else if (LLVMIsAPHINode(value) && cn_loops_induction(sweep->loops, sweep->loop, sweep->ctx->layout, value, &iv) &&
           iv.phi == value && sum->pass != ANY)
    add_variable(sum, &iv, times, depth - 1);
  else if (LLVMIsAGetElementPtrInst(value))
    add_gep(sum, value, times, depth - 1);
  else if (!LLVMIsABinaryOperator(value) || !add_sum(sum, value, times, depth - 1))
    add_leaf(sum, value, times);
}

/* True if the access of that iteration lies after the barrier's start, or before its end, by a constant. */
static bool is_ahead(const struct cn_barred_sweep *sweep, enum pass pass, bool at_end)
{
  struct sum sum = {.sweep = sweep, .pass = pass};
  uint64_t sign = at_end ? -(uint64_t)1 : 1;

  add(&sum, sweep->slot, sign, DEPTH);
  sum.pass = ANY;
  add(&sum, sweep->to, -sign, DEPTH);
  if (at_end) {
    add(&sum, sweep->bytes, 1, DEPTH);
    sum.constant -= sweep->size;
  }
  for (unsigned t = 0; t < sum.count; t++)
    sum.unknown |= sum.terms[t].times != 0;
  return !sum.unknown && (int64_t)sum.constant >= 0;
}

bool cn_barred_is_swept(const struct cn_barred_sweep *sweep)
{
  struct sum first = {.sweep = sweep, .pass = FIRST};

  CN_ASSERT(sweep->loop < sweep->loops->count);
  add(&first, sweep->slot, 1, DEPTH);
  if (first.unknown || !first.stride)
    return false;
  bool up = (int64_t)first.stride > 0;
  return is_ahead(sweep, up ? FIRST : LAST, false) && is_ahead(sweep, up ? LAST : FIRST, true);
}
