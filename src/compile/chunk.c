/* SPDX-License-Identifier: Apache-2.0
 *
 * Strip-mining (late-insertion-slides-2014, future work: "Inner loop chunking"): a poll on every
 * trip of a tight or vectorised loop costs as much as its work. So the loop is given an end of
 * its own, some ten thousand instructions away, and an outer loop, which polls, gives it the
 * next.
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
 * Exact for every start, bound and step: `end` is a value that the induction variable takes
 * after K trips and before it takes (or, for an order, passes) the bound; where the distance to
 * the bound is not more than that, `end` is the bound itself and the inner loop is the old one.
 * The distance is taken modulo the width, so wrapping loops are right, too.
 *
 * Pointers are induction variables like integers. For references the distance is formed between
 * two safepoints and dies at once, and so does `end`.
 *
 * Needs: nothing. Provides: bounded inner loops. Breaks: struct cn_cfg, struct cn_loops.
 */
#include "compile/chunk.h"

#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/loops.h"

/* Instructions between two polls: some ten microseconds, and thousands of times the cost of a
 * poll. */
#define CHUNK_WORK 40000
#define CHUNK_MIN_TRIPS 16

/* A loop that fits. The bound is named by operand: transforming an earlier loop may replace the
 * value. */
struct candidate {
  LLVMBasicBlockRef header, latch;
  LLVMValueRef compare, phi;
  unsigned bound; /* operand of compare */
  LLVMIntPredicate stay; /* induction variable against bound: stay in the loop */
  int64_t step;
  uint64_t trips; /* per chunk */
};
typedef CN_VECTOR(struct candidate) candidate_vector;

/* ---- finding ---- */

static LLVMIntPredicate swapped(LLVMIntPredicate p)
{
  switch (p) {
  case LLVMIntUGT: return LLVMIntULT;
  case LLVMIntUGE: return LLVMIntULE;
  case LLVMIntULT: return LLVMIntUGT;
  case LLVMIntULE: return LLVMIntUGE;
  case LLVMIntSGT: return LLVMIntSLT;
  case LLVMIntSGE: return LLVMIntSLE;
  case LLVMIntSLT: return LLVMIntSGT;
  case LLVMIntSLE: return LLVMIntSGE;
  default: return p;
  }
}

static LLVMIntPredicate inverse(LLVMIntPredicate p)
{
  switch (p) {
  case LLVMIntEQ: return LLVMIntNE;
  case LLVMIntNE: return LLVMIntEQ;
  case LLVMIntUGT: return LLVMIntULE;
  case LLVMIntUGE: return LLVMIntULT;
  case LLVMIntULT: return LLVMIntUGE;
  case LLVMIntULE: return LLVMIntUGT;
  case LLVMIntSGT: return LLVMIntSLE;
  case LLVMIntSGE: return LLVMIntSLT;
  case LLVMIntSLT: return LLVMIntSGE;
  default: return LLVMIntSGT;
  }
}

static bool is_upward(LLVMIntPredicate p)
{
  return p == LLVMIntULT || p == LLVMIntULE || p == LLVMIntSLT || p == LLVMIntSLE;
}

static bool is_downward(LLVMIntPredicate p)
{
  return p == LLVMIntUGT || p == LLVMIntUGE || p == LLVMIntSGT || p == LLVMIntSGE;
}

static bool is_invariant(const struct cn_loops *loops, uint32_t loop, LLVMValueRef value)
{
  if (!LLVMIsAInstruction(value))
    return true;
  uint32_t block = cn_cfg_index(loops->cfg, LLVMGetInstructionParent(value));
  return block != CN_NO_BLOCK && !cn_loops_contain(loops, loop, block);
}

/* The test at the end of the latch: an induction variable against an invariant, in the order
 * that its step leads to. */
static bool fits_test(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop,
                      bool stay_if_true, struct candidate *out)
{
  for (unsigned o = 0; o < 2; o++) {
    struct cn_induction iv;
    LLVMIntPredicate p = LLVMGetICmpPredicate(out->compare);
    if (!is_invariant(loops, loop, LLVMGetOperand(out->compare, 1 - o)) ||
        !cn_loops_induction(loops, loop, ctx->layout, LLVMGetOperand(out->compare, o), &iv))
      continue;
    p = o == 0 ? p : swapped(p);
    out->stay = stay_if_true ? p : inverse(p);
    out->bound = 1 - o;
    out->phi = iv.phi;
    out->step = iv.step;
    return out->stay == LLVMIntNE || (is_upward(out->stay) && iv.step > 0) ||
           (is_downward(out->stay) && iv.step < 0);
  }
  return false;
}

/* Trips per chunk: a power of two, and no longer than half of what the variable can count. */
static uint64_t trips_for(struct cn_ctx *ctx, const struct cn_loop *loop, const struct candidate *c)
{
  LLVMTypeRef type = LLVMTypeOf(c->phi);
  unsigned width = LLVMGetTypeKind(type) == LLVMPointerTypeKind
                       ? 8 * LLVMPointerSizeForAS(ctx->layout, LLVMGetPointerAddressSpace(type))
                       : LLVMGetIntTypeWidth(type);
  uint64_t step = c->step < 0 ? 0 - (uint64_t)c->step : (uint64_t)c->step;
  uint64_t half = UINT64_C(1) << (width - 1), trips = CHUNK_MIN_TRIPS;

  while (2 * trips * loop->size <= CHUNK_WORK)
    trips *= 2;
  while (trips >= CHUNK_MIN_TRIPS && step >= half / trips)
    trips /= 2;
  return trips >= CHUNK_MIN_TRIPS ? trips : 0;
}

static bool has_parse_point(const struct cn_loops *loops, uint32_t loop)
{
  const struct cn_loop *l = &loops->at[loop];

  for (uint32_t b = 0; b < l->count; b++) {
    LLVMValueRef i = LLVMGetFirstInstruction(loops->cfg->blocks[l->blocks[b]].block);
    for (; i; i = LLVMGetNextInstruction(i)) {
      enum cn_call_kind kind = cn_classify_call(i).kind;
      if (kind != CN_CALL_NOT && kind != CN_CALL_LEAF)
        return true;
    }
  }
  return false;
}

/* Edges into the header that can be led elsewhere: no computed jumps. */
static bool has_plain_entries(const struct cn_cfg *cfg, uint32_t header)
{
  for (uint32_t p = 0; p < cfg->blocks[header].pred_count; p++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[cfg->blocks[header].preds[p]].block);
    if (!LLVMIsABranchInst(end) && !LLVMIsASwitchInst(end) && !LLVMIsAInvokeInst(end))
      return false;
  }
  return true;
}

static bool fits(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop,
                 uint64_t small_work, struct candidate *out)
{
  const struct cn_loop *l = &loops->at[loop];
  const struct cn_cfg *cfg = loops->cfg;

  if (l->inner || l->latch == CN_NO_BLOCK || l->work <= small_work ||
      has_parse_point(loops, loop) || !has_plain_entries(cfg, l->header))
    return false;
  out->header = cfg->blocks[l->header].block;
  out->latch = cfg->blocks[l->latch].block;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(out->latch);
  if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end))
    return false;
  bool stay_if_true = LLVMGetSuccessor(end, 0) == out->header;
  uint32_t exit = cn_cfg_index(cfg, LLVMGetSuccessor(end, stay_if_true ? 1 : 0));
  out->compare = LLVMIsAICmpInst(LLVMGetCondition(end));
  if (!out->compare || LLVMGetInstructionParent(out->compare) != out->latch ||
      LLVMGetNextUse(LLVMGetFirstUse(out->compare)) || cn_loops_contain(loops, loop, exit))
    return false;
  if (!fits_test(ctx, loops, loop, stay_if_true, out))
    return false;
  out->trips = trips_for(ctx, l, out);
  return out->trips > 0;
}

/* ---- rebuilding ---- */

struct rebuild {
  struct cn_ctx *ctx;
  const struct candidate *c;
  LLVMBuilderRef builder;
  LLVMBasicBlockRef chunk, check, poll;
  LLVMValueRef start; /* the induction variable's phi in `chunk` */
};

/* Lead every edge into the header but the one from `check` to `chunk`. */
static void take_over_entries(struct rebuild *r)
{
  LLVMValueRef header = LLVMBasicBlockAsValue(r->c->header);
  CN_VECTOR(LLVMValueRef) ends = {0};

  for (LLVMUseRef use = LLVMGetFirstUse(header); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsATerminatorInst(user) && LLVMGetInstructionParent(user) != r->check)
      cn_push(&ends, user);
  }
  for (size_t i = 0; i < ends.count; i++)
    for (unsigned s = 0; s < LLVMGetNumSuccessors(ends.at[i]); s++)
      if (LLVMGetSuccessor(ends.at[i], s) == r->c->header)
        LLVMSetSuccessor(ends.at[i], s, r->chunk);
  cn_free(&ends);
}

/* At the builder's place. */
static LLVMValueRef new_phi(struct rebuild *r, LLVMValueRef old, const char *name)
{
  LLVMValueRef phi = LLVMBuildPhi(r->builder, LLVMTypeOf(old), name);
  if (LLVMCanValueUseFastMathFlags(old))
    LLVMSetFastMathFlags(phi, LLVMGetFastMathFlags(old));
  LLVMInstructionSetDebugLoc(phi, LLVMInstructionGetDebugLoc(old));
  return phi;
}

/* One phi of the header becomes two: of the chunk, fed from outside and from the poll; of the
 * header, fed from the chunk and from the latch. */
static void split_phi(struct rebuild *r, LLVMValueRef old)
{
  size_t length;
  char *name = cn_strdup(LLVMGetValueName2(old, &length));
  LLVMPositionBuilderAtEnd(r->builder, r->chunk);
  LLVMValueRef outer = new_phi(r, old, "chunk.start");
  LLVMPositionBuilderBefore(r->builder, old);
  LLVMSetValueName2(old, "", 0);
  LLVMValueRef inner = new_phi(r, old, name), next = NULL;

  for (unsigned i = 0; i < LLVMCountIncoming(old); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(old, i);
    LLVMValueRef value = LLVMGetIncomingValue(old, i);
    if (from == r->check) {
      next = value;
      from = r->poll;
    }
    LLVMAddIncoming(outer, &value, &from, 1);
  }
  CN_CHECK(next);
  LLVMAddIncoming(inner, &outer, &r->chunk, 1);
  LLVMAddIncoming(inner, &next, (LLVMBasicBlockRef *)&r->c->latch, 1);
  if (old == r->c->phi)
    r->start = outer;
  LLVMReplaceAllUsesWith(old, inner);
  LLVMInstructionEraseFromParent(old);
  free(name);
}

static void split_phis(struct rebuild *r)
{
  CN_VECTOR(LLVMValueRef) phis = {0};

  for (LLVMValueRef i = LLVMGetFirstInstruction(r->c->header); i && LLVMIsAPHINode(i);
       i = LLVMGetNextInstruction(i))
    cn_push(&phis, i);
  for (size_t i = 0; i < phis.count; i++)
    split_phi(r, phis.at[i]);
  cn_free(&phis);
}

static LLVMValueRef as_integer(struct rebuild *r, LLVMValueRef value)
{
  if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind)
    return value;
  return LLVMBuildPtrToInt(r->builder, value, LLVMInt64TypeInContext(r->ctx->llvm), "chunk.at");
}

/* end = (bound lies more than `trips` steps ahead) ? start + trips * step : bound */
static LLVMValueRef build_end(struct rebuild *r)
{
  LLVMBuilderRef b = r->builder;
  bool up = r->c->step > 0;
  LLVMValueRef bound = LLVMGetOperand(r->c->compare, r->c->bound);

  LLVMPositionBuilderAtEnd(b, r->chunk);
  LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(r->c->compare));
  LLVMValueRef from = as_integer(r, r->start), to = as_integer(r, bound);
  LLVMTypeRef type = LLVMTypeOf(from);
  uint64_t distance = r->c->trips * (up ? (uint64_t)r->c->step : 0 - (uint64_t)r->c->step);
  LLVMValueRef ahead =
      up ? LLVMBuildSub(b, to, from, "chunk.left") : LLVMBuildSub(b, from, to, "chunk.left");
  LLVMValueRef far =
      LLVMBuildICmp(b, LLVMIntUGT, ahead, LLVMConstInt(type, distance, false), "chunk.far");
  if (r->c->stay != LLVMIntNE)
    far = LLVMBuildAnd(b, LLVMBuildICmp(b, r->c->stay, from, to, "chunk.short"), far, "chunk.far");
  LLVMValueRef move = LLVMConstInt(type, up ? distance : 0 - distance, false);
  LLVMValueRef end;
  if (LLVMGetTypeKind(LLVMTypeOf(bound)) == LLVMPointerTypeKind)
    end = LLVMBuildGEP2(b, LLVMInt8TypeInContext(r->ctx->llvm), r->start, &move, 1, "chunk.next");
  else
    end = LLVMBuildAdd(b, r->start, move, "chunk.next");
  return LLVMBuildSelect(b, far, end, bound, "chunk.end");
}

/* The latch asks for the chunk's end with the test that asked for the bound. */
static void build_latch(struct rebuild *r, LLVMValueRef end)
{
  LLVMValueRef compare = r->c->compare, asks = LLVMGetBasicBlockTerminator(r->check);
  LLVMValueRef old = LLVMGetBasicBlockTerminator(r->c->latch), operands[2];
  bool stay_if_true = LLVMGetSuccessor(asks, 0) == r->poll;
  unsigned loop_kind = LLVMGetMDKindIDInContext(r->ctx->llvm, "llvm.loop", 9);
  unsigned prof_kind = LLVMGetMDKindIDInContext(r->ctx->llvm, "prof", 4);

  for (unsigned o = 0; o < 2; o++)
    operands[o] = o == r->c->bound ? end : LLVMGetOperand(compare, o);
  LLVMPositionBuilderAtEnd(r->builder, r->c->latch);
  LLVMSetCurrentDebugLocation2(r->builder, LLVMInstructionGetDebugLoc(compare));
  LLVMValueRef test = LLVMBuildICmp(r->builder, LLVMGetICmpPredicate(compare), operands[0],
                                    operands[1], "chunk.ends");
  LLVMSetCurrentDebugLocation2(r->builder, LLVMInstructionGetDebugLoc(asks));
  LLVMValueRef branch = stay_if_true ? LLVMBuildCondBr(r->builder, test, r->c->header, r->check)
                                     : LLVMBuildCondBr(r->builder, test, r->check, r->c->header);
  LLVMSetMetadata(branch, loop_kind, LLVMGetMetadata(asks, loop_kind));
  LLVMSetMetadata(branch, prof_kind, LLVMGetMetadata(asks, prof_kind));
  LLVMSetMetadata(asks, loop_kind, NULL);
  LLVMSetMetadata(asks, prof_kind, NULL);
  LLVMInstructionEraseFromParent(old);
}

static void rebuild(struct cn_ctx *ctx, const struct candidate *c)
{
  struct rebuild r = {.ctx = ctx, .c = c, .builder = LLVMCreateBuilderInContext(ctx->llvm)};

  cn_move_before(ctx, c->compare, LLVMGetBasicBlockTerminator(c->latch));
  r.check = cn_split_before(ctx, c->compare, "chunk.check");
  r.chunk = LLVMInsertBasicBlockInContext(ctx->llvm, c->header, "chunk");
  r.poll = LLVMInsertBasicBlockInContext(ctx->llvm, r.check, "chunk.poll");
  LLVMMoveBasicBlockAfter(r.poll, r.check);
  take_over_entries(&r);
  LLVMValueRef asks = LLVMGetBasicBlockTerminator(r.check);
  for (unsigned s = 0; s < 2; s++)
    if (LLVMGetSuccessor(asks, s) == c->header)
      LLVMSetSuccessor(asks, s, r.poll);
  LLVMPositionBuilderAtEnd(r.builder, r.poll);
  LLVMSetCurrentDebugLocation2(r.builder, LLVMInstructionGetDebugLoc(asks));
  LLVMBuildBr(r.builder, r.chunk);
  split_phis(&r);
  LLVMValueRef end = build_end(&r);
  LLVMBuildBr(r.builder, c->header);
  build_latch(&r, end);
  LLVMDisposeBuilder(r.builder);
}

void cn_chunk_loops(struct cn_ctx *ctx, LLVMValueRef function, uint64_t small_work,
                    struct cn_ptrmap *bounded)
{
  candidate_vector candidates = {0};
  struct cn_cfg cfg;
  struct cn_loops loops;

  cn_cfg_build(&cfg, function);
  cn_loops_find(&loops, &cfg);
  for (uint32_t l = 0; l < loops.count; l++) {
    struct candidate c = {0};
    if (fits(ctx, &loops, l, small_work, &c))
      cn_push(&candidates, c);
  }
  cn_loops_free(&loops);
  cn_cfg_free(&cfg);
  for (size_t i = 0; i < candidates.count; i++) {
    rebuild(ctx, &candidates.at[i]);
    cn_ptrmap_add(bounded, candidates.at[i].latch, NULL);
  }
  cn_free(&candidates);
}
