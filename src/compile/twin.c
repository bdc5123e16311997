/* SPDX-License-Identifier: Apache-2.0
 *
 * Twins: a loop that chunks (chunk.c) would slow down where it makes few trips is not cut into
 * them, but gets a copy without polls, which runs if one chunk would hold all trips. The copy is,
 * to the instruction, the loop that the optimiser made; the original polls on each trip.
 *
 *            before                                        after
 *   outside:  br head                        outside: br twin
 *                                            twin:    i0 = phi [start, outside]
 *                                                     br far(bound - i0), head, copy
 *   head:     i = phi [start, outside],      copy:    i' = phi [i0, twin], [i.next', latch']
 *                     [i.next, latch]        head:    i = phi [i0, twin], [i.next, latch]
 *
 * That goes for small innermost loops of two kinds: with products of the counter, which the code
 * generator turns into sums in a register each (chunks need twice as many), and with several
 * exits, which tend to be left early.
 *
 * Needs: nothing. Provides: bounded copies of loops. Breaks: struct cn_cfg, struct cn_loops.
 */
#include "compile/twin.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/calls.h"
#include "compile/emit.h"

/* Instructions in a loop that is worth a copy. */
#define TWIN_SIZE 64

struct twin {
  struct cn_ctx *ctx;
  struct cn_chunk_candidate *c;
  struct cn_ptrmap in;     /* the loop's blocks */
  struct cn_ptrmap copies; /* values, and blocks as values, to their copies */
  LLVMBuilderRef builder;
  LLVMDIBuilderRef records;
  LLVMBasicBlockRef guard;
  LLVMValueRef start; /* the induction variable's phi in `guard` */
};

/* ---- which loops ---- */

static bool is_copyable(LLVMValueRef i)
{
  LLVMValueRef callee = LLVMIsACallInst(i) ? cn_direct_callee(i) : NULL;

  if (LLVMIsATerminatorInst(i))
    return LLVMIsABranchInst(i) || LLVMIsASwitchInst(i);
  if (cn_is_call(i) && (!callee || !LLVMGetIntrinsicID(callee) || cn_calls_have(i, "convergent") ||
                        cn_calls_have(i, "noduplicate")))
    return false;
  return !LLVMIsAAllocaInst(i) && LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMTokenTypeKind;
}

/* Can the uses of `i` outside the loop be served from two loops? With one exit, always (see
 * merge_at_exit()); else they must be phis that the exits feed. */
static bool is_used_well(const struct cn_loops *loops, uint32_t loop, LLVMValueRef i, bool one_exit)
{
  for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAInstruction(user))
      return false;
    uint32_t at = cn_cfg_index(loops->cfg, LLVMGetInstructionParent(user));
    if (at == CN_NO_BLOCK)
      return false;
    if (one_exit || cn_loops_contain(loops, loop, at))
      continue;
    if (!LLVMIsAPHINode(user))
      return false;
    for (unsigned k = 0; k < LLVMCountIncoming(user); k++) {
      uint32_t from = cn_cfg_index(loops->cfg, LLVMGetIncomingBlock(user, k));
      if (LLVMGetIncomingValue(user, k) == i &&
          (from == CN_NO_BLOCK || !cn_loops_contain(loops, loop, from)))
        return false;
    }
  }
  return true;
}

bool cn_twin_fits(const struct cn_loops *loops, uint32_t loop, bool products,
                  struct cn_chunk_candidate *c)
{
  const struct cn_loop *l = &loops->at[loop];
  uint32_t exits = 0, last = CN_NO_BLOCK;

  if (l->inner || l->size > TWIN_SIZE || c->iv.by)
    return false;
  for (uint32_t b = 0; b < l->count; b++) {
    const struct cn_block *block = &loops->cfg->blocks[l->blocks[b]];
    for (uint32_t s = 0; s < block->succ_count; s++)
      if (!cn_loops_contain(loops, loop, block->succs[s])) {
        exits++;
        last = block->succs[s];
      }
  }
  bool one_exit = exits == 1 && loops->cfg->blocks[last].pred_count == 1;
  if (exits < 2 && !products)
    return false;
  for (uint32_t b = 0; b < l->count; b++) {
    LLVMValueRef i = LLVMGetFirstInstruction(loops->cfg->blocks[l->blocks[b]].block);
    for (; i; i = LLVMGetNextInstruction(i))
      if (!is_copyable(i) || !is_used_well(loops, loop, i, one_exit))
        return false;
  }
  c->exit = one_exit ? loops->cfg->blocks[last].block : NULL;
  c->blocks = cn_alloc(l->count * sizeof(LLVMBasicBlockRef));
  c->count = l->count;
  for (uint32_t b = 0; b < l->count; b++)
    c->blocks[b] = loops->cfg->blocks[l->blocks[b]].block;
  return true;
}

/* ---- the copy ---- */

static bool is_in(const struct twin *t, LLVMBasicBlockRef block)
{
  return cn_ptrmap_find(&t->in, block) != NULL;
}

static LLVMValueRef copy_of(const struct twin *t, LLVMValueRef value)
{
  uint64_t *copy = cn_ptrmap_find(&t->copies, value);

  return copy ? (LLVMValueRef)(uintptr_t)*copy : value;
}

static LLVMBasicBlockRef copy_of_block(const struct twin *t, LLVMBasicBlockRef block)
{
  return LLVMValueAsBasicBlock(copy_of(t, LLVMBasicBlockAsValue(block)));
}

static void set_copy(struct twin *t, LLVMValueRef value, LLVMValueRef copy)
{
  *cn_ptrmap_add(&t->copies, value, NULL) = (uint64_t)(uintptr_t)copy;
}

static void copy_block(struct twin *t, LLVMBasicBlockRef block)
{
  LLVMPositionBuilderAtEnd(t->builder, copy_of_block(t, block));
  LLVMSetCurrentDebugLocation2(t->builder, NULL);
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
    size_t length;
    LLVMValueRef copy;
    if (LLVMIsAPHINode(i)) {
      copy = cn_build_phi_like(t->builder, i, LLVMGetValueName2(i, &length));
    } else {
      copy = LLVMInstructionClone(i);
      LLVMInsertIntoBuilderWithName(t->builder, copy, LLVMGetValueName2(i, &length));
    }
    set_copy(t, i, copy);
  }
}

/* What the debugger is told of variables. A value that is made of several, which the C interface
 * does not show, is lost. */
static void copy_records(struct twin *t, LLVMValueRef i)
{
  for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r)) {
    if (LLVMDbgRecordGetKind(r) != LLVMDbgRecordValue)
      continue;
    char *text = LLVMPrintDbgRecordToString(r);
    bool list = strstr(text, "DIArgList") != NULL;
    LLVMDisposeMessage(text);
    LLVMValueRef value = list ? NULL : LLVMDbgVariableRecordGetValue(r, 0);
    LLVMMetadataRef expression = LLVMDbgVariableRecordGetExpression(r);
    if (!value) {
      value = LLVMGetPoison(LLVMInt1TypeInContext(t->ctx->llvm));
      expression = LLVMDIBuilderCreateExpression(t->records, NULL, 0);
    }
    LLVMDIBuilderInsertDbgValueRecordBefore(t->records, copy_of(t, value),
                                            LLVMDbgVariableRecordGetVariable(r), expression,
                                            LLVMDbgRecordGetDebugLoc(r), copy_of(t, i));
  }
}

/* The copies name copies. */
static void connect(struct twin *t, LLVMBasicBlockRef block)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
    LLVMValueRef copy = copy_of(t, i);
    copy_records(t, i);
    if (!LLVMIsAPHINode(i)) {
      for (int k = 0; k < LLVMGetNumOperands(copy); k++)
        LLVMSetOperand(copy, (unsigned)k, copy_of(t, LLVMGetOperand(copy, (unsigned)k)));
      continue;
    }
    for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
      LLVMValueRef value = copy_of(t, LLVMGetIncomingValue(i, k));
      LLVMBasicBlockRef from = copy_of_block(t, LLVMGetIncomingBlock(i, k));
      LLVMAddIncoming(copy, &value, &from, 1);
    }
  }
}

/* ---- the way in ---- */

/* One phi of the header becomes two: of the guard, fed from outside; of the header, fed from the
 * guard and from the latch. */
static void split_phi(struct twin *t, LLVMValueRef old)
{
  LLVMPositionBuilderAtEnd(t->builder, t->guard);
  LLVMValueRef outer = cn_build_phi_like(t->builder, old, "twin.start");
  LLVMPositionBuilderBeforeInstrAndDbgRecords(t->builder, old);
  LLVMValueRef inner = cn_build_phi_like(t->builder, old, "");

  LLVMAddIncoming(inner, &outer, &t->guard, 1);
  for (unsigned i = 0; i < LLVMCountIncoming(old); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(old, i);
    LLVMValueRef value = LLVMGetIncomingValue(old, i);
    LLVMAddIncoming(is_in(t, from) ? inner : outer, &value, &from, 1);
  }
  if (old == t->c->iv.phi) {
    t->c->iv.phi = inner;
    t->start = outer;
  }
  cn_emit_instead(old, inner);
}

static void build_guard(struct twin *t)
{
  CN_VECTOR(LLVMValueRef) phis = {0};

  t->guard = LLVMInsertBasicBlockInContext(t->ctx->llvm, t->c->header, "twin");
  cn_redirect_entries(t->c->header, t->guard, &t->in);
  for (LLVMValueRef i = LLVMGetFirstInstruction(t->c->header); i && LLVMIsAPHINode(i);
       i = LLVMGetNextInstruction(i))
    cn_push(&phis, i);
  for (size_t i = 0; i < phis.count; i++)
    split_phi(t, phis.at[i]);
  cn_free(&phis);
}

/* ---- the ways out ---- */

/* Uses outside the loop of what it computes, where it has but one exit: they get a phi. The phis
 * at the exit have it already. */
static void merge_at_exit(struct twin *t, LLVMValueRef value)
{
  CN_VECTOR(LLVMValueRef) users = {0};

  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    LLVMBasicBlockRef at = LLVMGetInstructionParent(user);
    if (!is_in(t, at) && !(LLVMIsAPHINode(user) && at == t->c->exit))
      cn_push(&users, user);
  }
  if (users.count) {
    LLVMValueRef values[] = {value, copy_of(t, value)};
    LLVMBasicBlockRef from[] = {t->c->latch, copy_of_block(t, t->c->latch)};
    LLVMPositionBuilderBeforeInstrAndDbgRecords(t->builder, LLVMGetFirstInstruction(t->c->exit));
    LLVMValueRef phi = LLVMBuildPhi(t->builder, LLVMTypeOf(value), "twin.after");
    LLVMAddIncoming(phi, values, from, 2);
    for (size_t i = 0; i < users.count; i++)
      for (int k = 0; k < LLVMGetNumOperands(users.at[i]); k++)
        if (LLVMGetOperand(users.at[i], (unsigned)k) == value)
          LLVMSetOperand(users.at[i], (unsigned)k, phi);
  }
  cn_free(&users);
}

/* The phis of a block behind the loop: they are also reached from the copy. */
static void feed_phis(struct twin *t, LLVMBasicBlockRef block)
{
  for (LLVMValueRef phi = LLVMGetFirstInstruction(block); phi && LLVMIsAPHINode(phi);
       phi = LLVMGetNextInstruction(phi)) {
    unsigned count = LLVMCountIncoming(phi);
    for (unsigned k = 0; k < count; k++) {
      LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
      if (!is_in(t, from))
        continue;
      LLVMValueRef value = copy_of(t, LLVMGetIncomingValue(phi, k));
      from = copy_of_block(t, from);
      LLVMAddIncoming(phi, &value, &from, 1);
    }
  }
}

static void join_exits(struct twin *t)
{
  CN_VECTOR(LLVMBasicBlockRef) exits = {0};
  struct cn_ptrmap seen = {0};

  for (uint32_t b = 0; b < t->c->count; b++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(t->c->blocks[b]);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
      LLVMBasicBlockRef to = LLVMGetSuccessor(end, s);
      bool added = false;
      if (!is_in(t, to))
        cn_ptrmap_add(&seen, to, &added);
      if (added)
        cn_push(&exits, to);
    }
  }
  for (size_t e = 0; e < exits.count; e++)
    feed_phis(t, exits.at[e]);
  for (uint32_t b = 0; t->c->exit && b < t->c->count; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(t->c->blocks[b]); i;
         i = LLVMGetNextInstruction(i))
      merge_at_exit(t, i);
  cn_ptrmap_free(&seen);
  cn_free(&exits);
}

/* ---- all of it ---- */

static void copy_blocks(struct twin *t)
{
  for (uint32_t b = 0; b < t->c->count; b++) {
    LLVMBasicBlockRef copy = LLVMInsertBasicBlockInContext(
        t->ctx->llvm, t->c->header, LLVMGetBasicBlockName(t->c->blocks[b]));
    set_copy(t, LLVMBasicBlockAsValue(t->c->blocks[b]), LLVMBasicBlockAsValue(copy));
  }
  for (uint32_t b = 0; b < t->c->count; b++)
    copy_block(t, t->c->blocks[b]);
  for (uint32_t b = 0; b < t->c->count; b++)
    connect(t, t->c->blocks[b]);
}

void cn_twin_build(struct cn_ctx *ctx, struct cn_chunk_candidate *c, struct cn_chunks *out)
{
  struct twin t = {.ctx = ctx, .c = c, .builder = LLVMCreateBuilderInContext(ctx->llvm)};

  t.records = LLVMCreateDIBuilder(ctx->module);
  for (uint32_t b = 0; b < c->count; b++)
    cn_ptrmap_add(&t.in, c->blocks[b], NULL);
  build_guard(&t);
  copy_blocks(&t);
  join_exits(&t);
  LLVMPositionBuilderAtEnd(t.builder, t.guard);
  LLVMSetCurrentDebugLocation2(t.builder, LLVMInstructionGetDebugLoc(c->compare));
  LLVMValueRef far = cn_chunk_build_far(ctx, t.builder, c, t.start);
  cn_emit_unlikely(ctx, LLVMBuildCondBr(t.builder, far, c->header, copy_of_block(&t, c->header)));
  *cn_ptrmap_add(&out->bounded, copy_of_block(&t, c->latch), NULL) = cn_chunk_work(c);
  if (c->polls_first)
    cn_ptrmap_add(&out->first, t.guard, NULL);
  LLVMDisposeDIBuilder(t.records);
  LLVMDisposeBuilder(t.builder);
  cn_ptrmap_free(&t.in);
  cn_ptrmap_free(&t.copies);
}
