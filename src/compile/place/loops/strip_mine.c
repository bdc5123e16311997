/* SPDX-License-Identifier: Apache-2.0
 *
 * Strip-mines loops (late-insertion-slides-2014, future work: "Inner loop chunking"): a poll in every iteration of a
 * tight or vectorised loop costs as much as the loop's work. The loop gets another end, some ten thousand instructions
 * away, and a new outer loop, which polls and sets the next end. Part of pass `place-safepoints`.
 *
 *            before                                        after
 *   outside:  br head                        outside: br chunk
 *                                            chunk:   i0 = phi [start, outside], [i.next, poll]
 *                                                     end = far(bound - i0) ? i0 + K*step : bound
 *   head:     i = phi [start, outside],      head:    i = phi [i0, chunk], [i.next, latch]
 *                     [i.next, latch]
 *   latch:    i.next = i + step              latch:   i.next = i + step
 *             br (i.next != bound), head,             br (i.next != end), head, check
 *                                   exit     check:   br (i.next != bound), poll, exit
 *                                            poll:    br chunk
 *
 * The two loops make exactly the old iterations for every start, bound and step: the induction variable reaches `end`
 * after K iterations, before it reaches the bound. If the bound comes first, `end` is the bound and the inner loop is
 * the old loop. With a test of equality the bound comes first if it is a whole number of steps ahead, at most K, modulo
 * the width. Loops that wrap or never meet their bound are thus correct, and poll.
 *
 * Control reaches the poll after exactly K iterations, so every induction variable of the loop has advanced by a
 * constant, and the code generator can treat the outer loop like the inner one.
 *
 * Pointers are induction variables like integers. The distance of two references and the address `end` are computed
 * after a safepoint and are dead at the next.
 *
 * A loop with inner loops gets chunks too if some of its iterations skip the inner loops. Each entry into an inner loop
 * then polls before the first inner chunk, so a chunk of the outer loop does at most the work of its iterations without
 * inner loops, and of one inner chunk.
 *
 * Needs: a countable loop. Provides: bounded inner loops. Breaks: struct cn_cfg, struct cn_loops.
 */
#include "compile/place/loops/loop_forms.h"

#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/cost/loops.h"
#include "compile/cost/cost.h"

/* The phi of an induction variable in `chunk`, and the advance of the variable per iteration. */
struct phi_advance {
  LLVMValueRef outer;
  int64_t step;
};

struct strip_miner {
  struct cn_ctx *ctx;
  const struct cn_countable_loop *c;
  LLVMBuilderRef builder;
  LLVMBasicBlockRef chunk, check, poll;
  LLVMValueRef start; /* the phi of the loop's induction variable in `chunk` */
  CN_VECTOR(struct phi_advance) advances;
};

/* The constant step of an integer phi of the header; 0 if the step varies, or if the poll may come after another number
 * of iterations than K. */
static int64_t constant_step_of(const struct strip_miner *r, LLVMValueRef phi)
{
  if (r->c->iv.by || LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind ||
      LLVMGetIntTypeWidth(LLVMTypeOf(phi)) > 64)
    return 0;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef next = LLVMGetIncomingValue(phi, i);
    if (LLVMGetIncomingBlock(phi, i) != r->check || !LLVMIsABinaryOperator(next) ||
        LLVMGetInstructionOpcode(next) != LLVMAdd || LLVMGetOperand(next, 0) != phi)
      continue;
    LLVMValueRef by = LLVMIsAConstantInt(LLVMGetOperand(next, 1));
    return by ? LLVMConstIntGetSExtValue(by) : 0;
  }
  return 0;
}

/* Build the values after a chunk of the variables with constant steps: K steps, or one more if the test reads the old
 * value. */
static void build_advances(struct strip_miner *r)
{
  uint64_t trips = r->c->trips + (r->c->tests_next ? 0 : 1);

  LLVMPositionBuilderBefore(r->builder, LLVMGetBasicBlockTerminator(r->chunk));
  LLVMSetCurrentDebugLocation2(r->builder, LLVMInstructionGetDebugLoc(r->c->compare));
  for (size_t i = 0; i < r->advances.count; i++) {
    LLVMValueRef outer = r->advances.at[i].outer;
    uint64_t distance = trips * (uint64_t)r->advances.at[i].step;
    LLVMValueRef by = LLVMConstInt(LLVMTypeOf(outer), distance, false);
    LLVMValueRef next = LLVMBuildAdd(r->builder, outer, by, "chunk.after");
    LLVMAddIncoming(outer, &next, &r->poll, 1);
  }
  cn_free(&r->advances);
}

/* Split a phi of the header: the new phi in `chunk` has the inputs from outside and from `poll`, the header's phi has
 * the inputs from `chunk` and the latch. */
static void split_header_phi(struct strip_miner *r, LLVMValueRef old)
{
  size_t length;
  char *name = cn_strdup(LLVMGetValueName2(old, &length));
  LLVMPositionBuilderAtEnd(r->builder, r->chunk);
  LLVMValueRef outer = cn_build_phi_like(r->builder, old, "chunk.start");
  int64_t step = constant_step_of(r, old);
  LLVMPositionBuilderBefore(r->builder, old);
  LLVMSetValueName2(old, "", 0);
  LLVMValueRef inner = cn_build_phi_like(r->builder, old, name), next = NULL;

  for (unsigned i = 0; i < LLVMCountIncoming(old); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(old, i);
    LLVMValueRef value = LLVMGetIncomingValue(old, i);
    if (from == r->check) {
      next = value;
      from = r->poll;
      if (step)
        continue; /* build_advances() */
    }
    LLVMAddIncoming(outer, &value, &from, 1);
  }
  CN_CHECK(next);
  LLVMAddIncoming(inner, &outer, &r->chunk, 1);
  LLVMAddIncoming(inner, &next, (LLVMBasicBlockRef *)&r->c->latch, 1);
  if (old == r->c->iv.phi)
    r->start = outer;
  if (step)
    cn_push(&r->advances, (struct phi_advance){outer, step});
  LLVMReplaceAllUsesWith(old, inner);
  LLVMInstructionEraseFromParent(old);
  free(name);
}

static void split_header_phis(struct strip_miner *r)
{
  CN_VECTOR(LLVMValueRef) phis = {0};

  for (LLVMValueRef i = LLVMGetFirstInstruction(r->c->header); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
    cn_push(&phis, i);
  for (size_t i = 0; i < phis.count; i++)
    split_header_phi(r, phis.at[i]);
  cn_free(&phis);
}

static LLVMValueRef build_integer_of(struct cn_ctx *ctx, LLVMBuilderRef b, LLVMValueRef value)
{
  if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind)
    return value;
  return LLVMBuildPtrToInt(b, value, LLVMInt64TypeInContext(ctx->llvm), "chunk.at");
}

/* Build a test that is true if the bound of an equality is more than `distance` ahead, or is not a whole number of
 * steps ahead. If the test reads the new value and the bound equals the start, the loop meets the bound only after a
 * wrap. No-wrap flags exclude a wrap and an incomplete last step. */
static LLVMValueRef build_equality_far_test(const struct cn_countable_loop *c, LLVMBuilderRef b, LLVMValueRef ahead,
                                            uint64_t distance)
{
  LLVMTypeRef type = LLVMTypeOf(ahead);
  LLVMValueRef one = LLVMConstInt(type, 1, false), limit = LLVMConstInt(type, distance, false);
  uint64_t step = cn_strip_mine_step_magnitude(c->iv.step);
  bool power = (step & (step - 1)) == 0;

  CN_CHECK(step && c->stay == LLVMIntNE);
  if (c->no_wrap)
    return LLVMBuildICmp(b, LLVMIntUGT, ahead, limit, "chunk.far");
  LLVMValueRef far = c->tests_next
                         ? LLVMBuildICmp(b, LLVMIntUGE, LLVMBuildSub(b, ahead, one, "chunk.before"), limit, "chunk.far")
                         : LLVMBuildICmp(b, LLVMIntUGT, ahead, limit, "chunk.far");
  if (step == 1)
    return far;
  LLVMValueRef over = power ? LLVMBuildAnd(b, ahead, LLVMConstInt(type, step - 1, false), "chunk.over")
                            : LLVMBuildURem(b, ahead, LLVMConstInt(type, step, false), "chunk.over");
  LLVMValueRef misses = LLVMBuildICmp(b, LLVMIntNE, over, LLVMConstInt(type, 0, false), "chunk.misses");
  return LLVMBuildOr(b, far, misses, "chunk.far");
}

static uint64_t chunk_distance_of(const struct cn_countable_loop *c)
{
  uint64_t distance;

  CN_CHECK(c->trips && c->iv.step);
  CN_CHECK(!__builtin_mul_overflow(c->trips, cn_strip_mine_step_magnitude(c->iv.step), &distance));
  return distance;
}

LLVMValueRef cn_strip_mine_build_distance(struct cn_ctx *ctx, LLVMBuilderRef b, const struct cn_countable_loop *c,
                                          LLVMValueRef start)
{
  LLVMValueRef from = build_integer_of(ctx, b, start);
  LLVMValueRef to = build_integer_of(ctx, b, LLVMGetOperand(c->compare, c->bound));

  return c->iv.step > 0 ? LLVMBuildSub(b, to, from, "chunk.left") : LLVMBuildSub(b, from, to, "chunk.left");
}

LLVMValueRef cn_strip_mine_build_far_test(struct cn_ctx *ctx, LLVMBuilderRef b, const struct cn_countable_loop *c,
                                          LLVMValueRef start)
{
  LLVMValueRef from = build_integer_of(ctx, b, start);
  LLVMValueRef to = build_integer_of(ctx, b, LLVMGetOperand(c->compare, c->bound));
  uint64_t distance = chunk_distance_of(c);
  LLVMValueRef ahead =
      c->iv.step > 0 ? LLVMBuildSub(b, to, from, "chunk.left") : LLVMBuildSub(b, from, to, "chunk.left");

  if (c->stay == LLVMIntNE)
    return build_equality_far_test(c, b, ahead, distance);
  LLVMValueRef limit = LLVMConstInt(LLVMTypeOf(from), distance, false);
  LLVMValueRef far = LLVMBuildICmp(b, LLVMIntUGT, ahead, limit, "chunk.far");
  return LLVMBuildAnd(b, LLVMBuildICmp(b, c->stay, from, to, "chunk.short"), far, "chunk.far");
}

static LLVMValueRef build_chunk_end_constant_step(struct strip_miner *r, LLVMValueRef bound)
{
  LLVMBuilderRef b = r->builder;
  LLVMValueRef far = cn_strip_mine_build_far_test(r->ctx, b, r->c, r->start), end;
  uint64_t distance = chunk_distance_of(r->c);
  bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(bound)) == LLVMPointerTypeKind;
  LLVMValueRef move = LLVMConstInt(is_pointer ? LLVMInt64TypeInContext(r->ctx->llvm) : LLVMTypeOf(bound),
                                   r->c->iv.step > 0 ? distance : 0 - distance, false);

  if (is_pointer)
    end = LLVMBuildGEP2(b, LLVMInt8TypeInContext(r->ctx->llvm), r->start, &move, 1, "chunk.next");
  else
    end = LLVMBuildAdd(b, r->start, move, "chunk.next");
  return LLVMBuildSelect(b, far, end, bound, "chunk.end");
}

/* Build the chunk's end for an unknown step. If the step is zero, negative, or so large that a chunk would wrap, every
 * chunk is one iteration: the end is the least value of the type, so that the latch always leaves the inner loop. */
static LLVMValueRef build_chunk_end_variable_step(struct strip_miner *r, LLVMValueRef to)
{
  LLVMBuilderRef b = r->builder;
  LLVMValueRef from = r->start;
  LLVMTypeRef type = LLVMTypeOf(from);
  unsigned width = LLVMGetIntTypeWidth(type);
  uint64_t half = UINT64_C(1) << (width - 1);
  /* Read the step from iv.next: the transformation of an earlier loop may have replaced iv.by. */
  LLVMValueRef first = LLVMGetOperand(r->c->iv.next, 0);
  CN_ASSERT(LLVMGetInstructionOpcode(r->c->iv.next) == LLVMAdd);
  CN_ASSERT(r->c->trips && r->c->trips <= half);
  bool is_phi = LLVMIsAPHINode(first) && LLVMGetInstructionParent(first) == r->c->header;
  LLVMValueRef step = LLVMGetOperand(r->c->iv.next, is_phi ? 1 : 0);
  LLVMValueRef small = LLVMBuildICmp(b, LLVMIntULT, step, LLVMConstInt(type, half / r->c->trips, false), "chunk.step");
  LLVMValueRef trips = LLVMConstInt(type, r->c->trips, false);
  LLVMValueRef distance = LLVMBuildMul(b, step, trips, "chunk.size");
  LLVMValueRef left = LLVMBuildSub(b, to, from, "chunk.left");
  LLVMValueRef far = LLVMBuildICmp(b, LLVMIntUGT, left, distance, "chunk.far");
  LLVMValueRef next = LLVMBuildAdd(b, from, distance, "chunk.next");
  LLVMValueRef end = LLVMBuildSelect(b, far, next, to, "chunk.end");
  LLVMValueRef fits = LLVMBuildAnd(b, small, LLVMBuildICmp(b, r->c->stay, from, to, "chunk.short"), "chunk.fits");
  uint64_t least = r->c->stay == LLVMIntSLT ? half : 0;
  return LLVMBuildSelect(b, fits, end, LLVMConstInt(type, least, false), "chunk.end");
}

/* In a loop that calls functions, a frozen end prevents LLVM's loop-reduce from counting the iterations of a chunk in a
 * further variable: over the calls the loop would lack a register for it. */
static LLVMValueRef build_chunk_end(struct strip_miner *r)
{
  LLVMValueRef bound = LLVMGetOperand(r->c->compare, r->c->bound);

  LLVMPositionBuilderAtEnd(r->builder, r->chunk);
  LLVMSetCurrentDebugLocation2(r->builder, LLVMInstructionGetDebugLoc(r->c->compare));
  LLVMValueRef end = r->c->iv.by ? build_chunk_end_variable_step(r, bound) : build_chunk_end_constant_step(r, bound);
  return r->c->leaves ? LLVMBuildFreeze(r->builder, end, "chunk.end") : end;
}

static void build_latch_test(struct strip_miner *r, LLVMValueRef end)
{
  LLVMValueRef compare = r->c->compare, asks = LLVMGetBasicBlockTerminator(r->check);
  LLVMValueRef old = LLVMGetBasicBlockTerminator(r->c->latch), operands[2];
  bool stay_if_true = LLVMGetSuccessor(asks, 0) == r->poll;
  unsigned loop_kind = LLVMGetMDKindIDInContext(r->ctx->llvm, "llvm.loop", 9);
  unsigned prof_kind = LLVMGetMDKindIDInContext(r->ctx->llvm, "prof", 4);

  CN_CHECK(LLVMTypeOf(end) == LLVMTypeOf(LLVMGetOperand(compare, r->c->bound)));
  CN_CHECK(stay_if_true || LLVMGetSuccessor(asks, 1) == r->poll);
  for (unsigned o = 0; o < 2; o++)
    operands[o] = o == r->c->bound ? end : LLVMGetOperand(compare, o);
  LLVMPositionBuilderAtEnd(r->builder, r->c->latch);
  LLVMSetCurrentDebugLocation2(r->builder, LLVMInstructionGetDebugLoc(compare));
  LLVMValueRef test = LLVMBuildICmp(r->builder, LLVMGetICmpPredicate(compare), operands[0], operands[1], "chunk.ends");
  LLVMSetCurrentDebugLocation2(r->builder, LLVMInstructionGetDebugLoc(asks));
  LLVMValueRef branch = stay_if_true ? LLVMBuildCondBr(r->builder, test, r->c->header, r->check)
                                     : LLVMBuildCondBr(r->builder, test, r->check, r->c->header);
  LLVMSetMetadata(branch, loop_kind, LLVMGetMetadata(asks, loop_kind));
  LLVMSetMetadata(branch, prof_kind, LLVMGetMetadata(asks, prof_kind));
  LLVMSetMetadata(asks, loop_kind, NULL);
  LLVMSetMetadata(asks, prof_kind, NULL);
  LLVMInstructionEraseFromParent(old);
}

void cn_strip_mine_loop(struct cn_ctx *ctx, const struct cn_countable_loop *c, struct cn_loop_form_polls *out)
{
  struct strip_miner r = {.ctx = ctx, .c = c, .builder = LLVMCreateBuilderInContext(ctx->llvm)};
  const struct cn_step_loop_claim is = {.header = c->header, .latch = c->latch};
  cn_step_check_before(ctx, LLVMGetBasicBlockParent(c->header), "chunks", &is, 1);
  struct cn_ptrmap kept = {0}; /* the edge from `check` already goes to `chunk` through `poll` */

  CN_CHECK(LLVMGetInstructionParent(c->compare) == c->latch);
  cn_move_instruction_before(ctx, c->compare, LLVMGetBasicBlockTerminator(c->latch));
  r.check = cn_split_block_before(ctx, c->compare, "chunk.check");
  r.chunk = LLVMInsertBasicBlockInContext(ctx->llvm, c->header, "chunk");
  r.poll = LLVMInsertBasicBlockInContext(ctx->llvm, r.check, "chunk.poll");
  LLVMMoveBasicBlockAfter(r.poll, r.check);
  cn_ptrmap_add(&kept, r.check, NULL);
  cn_redirect_incoming_edges(c->header, r.chunk, &kept);
  cn_ptrmap_free(&kept);
  LLVMValueRef asks = LLVMGetBasicBlockTerminator(r.check);
  for (unsigned s = 0; s < 2; s++)
    if (LLVMGetSuccessor(asks, s) == c->header)
      LLVMSetSuccessor(asks, s, r.poll);
  LLVMPositionBuilderAtEnd(r.builder, r.poll);
  LLVMSetCurrentDebugLocation2(r.builder, LLVMInstructionGetDebugLoc(asks));
  LLVMBuildBr(r.builder, r.chunk);
  split_header_phis(&r);
  CN_CHECK(r.start);
  LLVMValueRef end = build_chunk_end(&r);
  LLVMBuildBr(r.builder, c->header);
  build_advances(&r);
  build_latch_test(&r, end);
  LLVMDisposeBuilder(r.builder);
  const struct cn_step_loop_claim made[] = {
      {.header = c->header, .latch = c->latch, .outer = r.chunk},
      {.header = r.chunk, .latch = r.poll},
  };
  cn_step_check_after(ctx, LLVMGetBasicBlockParent(c->header), "chunks", made, 2);
  *cn_ptrmap_add(&out->bounded, c->latch, NULL) = cn_strip_mine_chunk_work(c);
  if (c->trips >= CN_STRIP_MINE_MANY)
    cn_ptrmap_add(&out->seldom, r.poll, NULL);
  if (c->polls_first) {
    cn_ptrmap_add(&out->polled, r.poll, NULL);
    cn_ptrmap_add(&out->first, r.chunk, NULL);
  }
}
