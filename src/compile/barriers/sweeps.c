/* SPDX-License-Identifier: Apache-2.0
 *
 * Sweeps: writes that a loop makes on each of its passes, to places that lie one after another at
 * most a card apart, as it fills, copies or reverses an array. Every card between the first place
 * and the last has one of them, so one barrier before the loop marks what the passes would. Needs:
 * struct cn_safepoint_free; polls placed, so a long loop has been cut into chunks, and each is a loop
 * without a safepoint. Breaks: nothing.
 *
 * The address is taken apart into a sum, of values that the loop does not change and of induction
 * variables. With their starts it is the first place. The last follows from the exit test: of a
 * variable that goes on by `step` until it is `bound`, (bound - start - step) / step passes come
 * after the first.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/barriers/barriers.h"
#include "compile/core/each.h"

enum { DEPTH = 8, CARD = 1 << CAIRN_ABI_CARD_SHIFT };

/* How a loop counts its passes. */
struct cn_sweep_count {
  bool asked, counts;
  struct cn_induction iv;
  LLVMValueRef start, bound;
};

void cn_sweeps_build(struct cn_sweeps *sweeps, struct cn_ctx *ctx, const struct cn_safepoint_free *windows)
{
  *sweeps = (struct cn_sweeps){.ctx = ctx, .windows = windows};
  cn_loops_build(&sweeps->loops, windows->cfg);
  sweeps->counts = cn_alloc((sweeps->loops.count + 1) * sizeof *sweeps->counts);
}

void cn_sweeps_free(struct cn_sweeps *sweeps)
{
  free(sweeps->counts);
  cn_free(&sweeps->at);
  cn_loops_free(&sweeps->loops);
}

/* ---- the loop ---- */

/* The block before the loop, which goes nowhere else; or CN_NO_BLOCK. */
static uint32_t block_before(const struct cn_sweeps *s, uint32_t loop)
{
  const struct cn_block *header = &s->loops.cfg->blocks[s->loops.at[loop].header];
  uint32_t before = CN_NO_BLOCK;

  for (uint32_t p = 0; p < header->pred_count; p++) {
    if (cn_loops_contain(&s->loops, loop, header->preds[p]))
      continue;
    if (before != CN_NO_BLOCK)
      return CN_NO_BLOCK;
    before = header->preds[p];
  }
  if (before == CN_NO_BLOCK || s->loops.cfg->blocks[before].succ_count != 1 ||
      s->windows->out[before] != s->windows->in[s->loops.at[loop].header])
    return CN_NO_BLOCK;
  return before;
}

/* Is the loop left by one test alone, at the end of a pass: is the variable's next value `bound`?
 */
static bool find_count(const struct cn_sweeps *s, uint32_t loop, struct cn_sweep_count *count)
{
  uint32_t latch = s->loops.at[loop].latch;

  if (latch == CN_NO_BLOCK || s->loops.at[loop].exits != 1)
    return false;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(s->loops.cfg->blocks[latch].block);
  if (!cn_is_branch(end) || !LLVMIsConditional(end) || !LLVMIsAICmpInst(LLVMGetCondition(end)))
    return false;
  LLVMValueRef test = LLVMGetCondition(end), tested = LLVMGetOperand(test, 0);
  uint32_t other = cn_cfg_index(s->loops.cfg, LLVMGetSuccessor(end, 0));
  LLVMIntPredicate leaves = cn_loops_contain(&s->loops, loop, other) ? LLVMIntNE : LLVMIntEQ;
  count->bound = LLVMGetOperand(test, 1);
  if (LLVMGetICmpPredicate(test) != leaves || !cn_loops_outside(&s->loops, loop, count->bound) ||
      !cn_loops_induction(&s->loops, loop, s->ctx->layout, tested, &count->iv) || count->iv.by ||
      tested != count->iv.next || LLVMGetTypeKind(LLVMTypeOf(tested)) != LLVMIntegerTypeKind ||
      LLVMGetIntTypeWidth(LLVMTypeOf(tested)) != 64)
    return false;
  count->start = cn_loops_start(&s->loops, loop, count->iv.phi);
  return count->start && !LLVMIsUndef(count->start) && !LLVMIsUndef(count->bound) &&
         block_before(s, loop) != CN_NO_BLOCK;
}

static const struct cn_sweep_count *count_of(struct cn_sweeps *s, uint32_t loop)
{
  struct cn_sweep_count *count = &s->counts[loop];

  CN_ASSERT(loop < s->loops.count);
  if (!count->asked)
    count->counts = find_count(s, loop, count);
  count->asked = true;
  return count->counts ? count : NULL;
}

/* ---- the places ---- */

static bool add_term(struct cn_sweep *sweep, LLVMValueRef value, uint64_t times)
{
  if (LLVMIsAConstantInt(value)) {
    sweep->low += times * (uint64_t)LLVMConstIntGetSExtValue(value);
    return true;
  }
  if (LLVMIsUndef(value))
    return false;
  for (unsigned t = 0; t < sweep->count; t++)
    if (sweep->terms[t].value == value) {
      sweep->terms[t].times += times;
      return true;
    }
  if (sweep->count == CN_SWEEP_TERMS)
    return false;
  sweep->terms[sweep->count].value = value;
  sweep->terms[sweep->count++].times = times;
  return true;
}

/* Add a variable of the loop: where it starts, and how it goes on. */
static bool add_induction(struct cn_sweeps *s, struct cn_sweep *sweep, const struct cn_induction *iv, uint64_t times)
{
  const struct cn_sweep_count *count = count_of(s, sweep->loop);
  LLVMValueRef start = cn_loops_start(&s->loops, sweep->loop, iv->phi);

  CN_ASSERT(count);
  if (!start || iv->by || iv->step % count->iv.step)
    return false;
  sweep->stride += times * (uint64_t)iv->step;
  if (LLVMGetTypeKind(LLVMTypeOf(iv->phi)) == LLVMIntegerTypeKind)
    return add_term(sweep, start, times);
  sweep->root = start;
  return true;
}

static bool add_integer(struct cn_sweeps *s, struct cn_sweep *sweep, LLVMValueRef value, uint64_t times,
                        unsigned depth);

static bool add_scaled(struct cn_sweeps *s, struct cn_sweep *sweep, LLVMValueRef value, uint64_t times, unsigned depth)
{
  LLVMValueRef operand = LLVMGetOperand(value, 0), constant = LLVMGetOperand(value, 1);
  uint64_t by = LLVMIsAConstantInt(constant) ? LLVMConstIntGetZExtValue(constant) : 0;

  switch (by ? LLVMGetInstructionOpcode(value) : LLVMRet) {
  case LLVMMul:
    return add_integer(s, sweep, operand, times * by, depth);
  case LLVMShl:
    return by < 64 && add_integer(s, sweep, operand, times << by, depth);
  case LLVMXor: /* ~x is -x - 1 */
    sweep->low -= times;
    return by == UINT64_MAX && add_integer(s, sweep, operand, -times, depth);
  default:
    return false;
  }
}

/* Sums, and multiples by constants. */
static bool add_result(struct cn_sweeps *s, struct cn_sweep *sweep, LLVMValueRef value, uint64_t times, unsigned depth)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(value);

  if (opcode != LLVMAdd && opcode != LLVMSub && (opcode != LLVMOr || !LLVMGetIsDisjoint(value)))
    return add_scaled(s, sweep, value, times, depth);
  return add_integer(s, sweep, LLVMGetOperand(value, 0), times, depth) &&
         add_integer(s, sweep, LLVMGetOperand(value, 1), opcode == LLVMSub ? -times : times, depth);
}

static bool add_integer(struct cn_sweeps *s, struct cn_sweep *sweep, LLVMValueRef value, uint64_t times, unsigned depth)
{
  struct cn_induction iv;

  if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) != 64)
    return false;
  if (cn_loops_outside(&s->loops, sweep->loop, value))
    return add_term(sweep, value, times);
  if (LLVMIsAPHINode(value))
    return cn_loops_induction(&s->loops, sweep->loop, s->ctx->layout, value, &iv) && iv.phi == value &&
           add_induction(s, sweep, &iv, times);
  return depth && LLVMIsABinaryOperator(value) && add_result(s, sweep, value, times, depth - 1);
}

/* Add the indices of a GEP. */
static bool add_indices(struct cn_sweeps *s, struct cn_sweep *sweep, LLVMValueRef gep)
{
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  uint64_t offset = 0;

  if (cn_types_gep_offset(s->ctx, gep, &offset)) {
    sweep->low += offset;
    return true;
  }
  return LLVMGetNumOperands(gep) == 2 && LLVMTypeIsSized(type) && !cn_is_scalable(type) &&
         LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(gep, 1))) == LLVMIntegerTypeKind &&
         add_integer(s, sweep, LLVMGetOperand(gep, 1), LLVMABISizeOfType(s->ctx->layout, type), DEPTH);
}

static bool add_address(struct cn_sweeps *s, struct cn_sweep *sweep, LLVMValueRef address)
{
  struct cn_induction iv;

  for (; !cn_loops_outside(&s->loops, sweep->loop, address); address = LLVMGetOperand(address, 0)) {
    if (LLVMIsAPHINode(address))
      return cn_loops_induction(&s->loops, sweep->loop, s->ctx->layout, address, &iv) && iv.phi == address &&
             add_induction(s, sweep, &iv, 1);
    if (!LLVMIsAGetElementPtrInst(address) || !add_indices(s, sweep, address))
      return false;
  }
  sweep->root = address;
  return true;
}

/* The sweep of the write alone. False: it is none. */
static bool take_apart(struct cn_sweeps *s, const struct cn_pending *write, LLVMValueRef slot, struct cn_sweep *sweep)
{
  uint32_t b = cn_cfg_index(s->loops.cfg, LLVMGetInstructionParent(write->at));
  uint32_t loop = s->loops.of[b];

  *sweep = (struct cn_sweep){.loop = loop, .at = write->at};
  if (loop == CN_NO_BLOCK || !write->bytes || write->bytes > CARD || !count_of(s, loop) ||
      !cn_cfg_dominates(s->loops.cfg, b, s->loops.at[loop].latch) ||
      write->window != s->windows->in[s->loops.at[loop].header])
    return false;
  if (!add_address(s, sweep, slot) || LLVMIsConstant(sweep->root))
    return false; /* LLVM folds places at a distance from undef and the like */
  sweep->high = sweep->low + write->bytes;
  return sweep->stride && sweep->stride + CARD <= 2 * CARD;
}

/* ---- several that are one ---- */

static bool same_terms(const struct cn_sweep *a, const struct cn_sweep *b)
{
  if (a->count != b->count)
    return false;
  for (unsigned t = 0; t < a->count; t++)
    if (a->terms[t].value != b->terms[t].value || a->terms[t].times != b->terms[t].times)
      return false;
  return true;
}

/* Make one of both, if they go on side by side. */
static bool merge(struct cn_sweep *a, const struct cn_sweep *b)
{
  if (a->loop != b->loop || a->root != b->root || a->stride != b->stride || !same_terms(a, b) ||
      b->low - a->low + CARD > 2 * CARD)
    return false;
  if ((int64_t)(b->low - a->low) < 0)
    a->low = b->low;
  if ((int64_t)(b->high - a->high) > 0)
    a->high = b->high;
  return true;
}

bool cn_sweeps_take(struct cn_sweeps *sweeps, const struct cn_pending *write, LLVMValueRef slot)
{
  struct cn_sweep sweep;

  if (!take_apart(sweeps, write, slot, &sweep))
    return false;
  for (size_t i = sweeps->at.count; i-- > 0 && sweeps->at.at[i].loop == sweep.loop;)
    if (merge(&sweeps->at.at[i], &sweep))
      return true;
  cn_push(&sweeps->at, sweep);
  return true;
}

/* ---- its barrier ---- */

static LLVMValueRef times(LLVMBuilderRef b, LLVMValueRef value, uint64_t by)
{
  return LLVMBuildMul(b, value, LLVMConstInt(LLVMTypeOf(value), by, false), "");
}

static LLVMValueRef plus(LLVMBuilderRef b, LLVMValueRef value, uint64_t more)
{
  return LLVMBuildAdd(b, value, LLVMConstInt(LLVMTypeOf(value), more, false), "");
}

LLVMValueRef cn_sweep_place(const struct cn_sweeps *sweeps, const struct cn_sweep *sweep)
{
  uint32_t before = block_before(sweeps, sweep->loop);

  CN_CHECK(before != CN_NO_BLOCK);
  return LLVMGetBasicBlockTerminator(sweeps->loops.cfg->blocks[before].block);
}

struct cn_access cn_sweep_access(struct cn_sweeps *sweeps, LLVMBuilderRef b, const struct cn_sweep *sweep)
{
  const struct cn_sweep_count *count = count_of(sweeps, sweep->loop);
  LLVMTypeRef byte = LLVMInt8TypeInContext(sweeps->ctx->llvm);
  LLVMValueRef offset = LLVMConstInt(LLVMTypeOf(count->bound), sweep->low, false);
  uint64_t paces = (uint64_t)((int64_t)sweep->stride / count->iv.step);
  LLVMValueRef all = LLVMBuildSub(b, count->bound, count->start, "");
  /* From the first place to the last: upwards, or downwards. */
  LLVMValueRef on = times(b, plus(b, all, -(uint64_t)count->iv.step), paces);
  bool down = (int64_t)sweep->stride < 0;

  for (unsigned t = 0; t < sweep->count; t++)
    offset = LLVMBuildAdd(b, times(b, sweep->terms[t].value, sweep->terms[t].times), offset, "");
  if (down)
    offset = LLVMBuildAdd(b, offset, on, "");
  LLVMValueRef bytes = down ? LLVMBuildNeg(b, on, "") : on;
  return (struct cn_access){.kind = CN_ACCESS_BULK,
                            .slot = LLVMBuildGEP2(b, byte, sweep->root, &offset, 1, "swept"),
                            .bytes = plus(b, bytes, sweep->high - sweep->low)};
}
