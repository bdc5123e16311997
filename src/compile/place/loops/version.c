/* SPDX-License-Identifier: Apache-2.0
 *
 * Loop versioning: a loop that chunks (strip_mine.c) would slow down when it makes few trips gets a
 * copy without polls instead, which runs if one chunk would hold all trips. The copy is, to the
 * instruction, the loop that the optimiser made; the original polls on each trip.
 *
 *            before                                        after
 *   outside:  br head                        outside: br twin
 *                                            twin:    i0 = phi [start, outside]
 *                                                     br far(bound - i0), head, copy
 *   head:     i = phi [start, outside],      copy:    i' = phi [i0, twin], [i.next', latch']
 *                     [i.next, latch]        head:    i = phi [i0, twin], [i.next, latch]
 *
 * Small innermost loops get versions: those with products of the counter, which the code generator
 * turns into sums in a register each (chunks need twice as many), and those with several exits,
 * whose original is unrolled if it is small (unroll.c). So do nests (version_nest.c).
 *
 * Needs: LCSSA form. Provides: bounded copies
 * of loops. Breaks: struct cn_cfg, struct cn_loops.
 */
#include "compile/place/loops/version.h"

#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/emit.h"
#include "compile/cost/steps.h"
#include "compile/place/loops/clone.h"
#include "compile/place/loops/version_nest.h"

/* Most instructions in a loop that is worth a version. */
#define VERSION_SIZE 64

struct version {
  struct cn_ctx *ctx;
  struct cn_countable_loop *c;
  struct cn_clone clone;
  LLVMBuilderRef builder;
  LLVMBasicBlockRef guard;
  LLVMValueRef start; /* the induction variable's phi in `guard` */
};

/* ---- which loops ---- */

bool cn_version_fits(const struct cn_loops *loops, uint32_t loop, bool products,
                     struct cn_countable_loop *c)
{
  const struct cn_loop *l = &loops->at[loop];
  uint32_t exits = cn_loops_exits(loops, loop, NULL);

  if (l->inner || c->iv.by || cn_clone_size(loops, loop) > VERSION_SIZE)
    return false;
  if (exits < 2 && !products)
    return false;
  CN_CHECK(exits && !c->blocks);
  c->one_exit = exits == 1;
  c->blocks = cn_alloc(l->count * sizeof(LLVMBasicBlockRef));
  c->count = l->count;
  for (uint32_t b = 0; b < l->count; b++)
    c->blocks[b] = loops->cfg->blocks[l->blocks[b]].block;
  return true;
}

/* ---- the guard ---- */

/* One phi of the header becomes two: of the guard, fed from outside; of the header, fed from the
 * guard and from the latch. */
static void split_phi(struct version *t, LLVMValueRef old)
{
  LLVMPositionBuilderAtEnd(t->builder, t->guard);
  LLVMValueRef outer = cn_build_phi_like(t->builder, old, "twin.start");
  LLVMPositionBuilderBeforeInstrAndDbgRecords(t->builder, old);
  LLVMValueRef inner = cn_build_phi_like(t->builder, old, "");

  LLVMAddIncoming(inner, &outer, &t->guard, 1);
  for (unsigned i = 0; i < LLVMCountIncoming(old); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(old, i);
    LLVMValueRef value = LLVMGetIncomingValue(old, i);
    LLVMAddIncoming(cn_clone_has(&t->clone, from) ? inner : outer, &value, &from, 1);
  }
  if (old == t->c->iv.phi) {
    t->c->iv.phi = inner;
    t->start = outer;
  }
  CN_CHECK(LLVMCountIncoming(outer) && LLVMCountIncoming(inner) > 1);
  cn_emit_instead(old, inner);
}

static void build_guard(struct version *t)
{
  CN_VECTOR(LLVMValueRef) phis = {0};

  t->guard = LLVMInsertBasicBlockInContext(t->ctx->llvm, t->c->header, "twin");
  cn_redirect_entries(t->c->header, t->guard, &t->clone.in);
  for (LLVMValueRef i = LLVMGetFirstInstruction(t->c->header); i && LLVMIsAPHINode(i);
       i = LLVMGetNextInstruction(i))
    cn_push(&phis, i);
  for (size_t i = 0; i < phis.count; i++)
    split_phi(t, phis.at[i]);
  cn_free(&phis);
}

/* ---- all of it ---- */

void cn_version_build(struct cn_ctx *ctx, struct cn_countable_loop *c, struct cn_strip_mines *out)
{
  struct version t = {.ctx = ctx, .c = c, .builder = LLVMCreateBuilderInContext(ctx->llvm)};

  CN_CHECK(c->count && c->blocks[0] == c->header);
  const struct cn_step_loop is = {.header = c->header, .latch = c->latch, .blocks = c->count};
  cn_step_expect(ctx, LLVMGetBasicBlockParent(c->header), "twin", &is, 1);
  cn_clone_begin(&t.clone, ctx, c->blocks, c->count, c->header);
  build_guard(&t);
  LLVMMoveBasicBlockBefore(t.guard, cn_clone_of_block(&t.clone, c->blocks[0]));
  cn_clone_fill(&t.clone);
  CN_CHECK(c->nest || t.start);
  LLVMPositionBuilderAtEnd(t.builder, t.guard);
  LLVMSetCurrentDebugLocation2(t.builder, LLVMInstructionGetDebugLoc(c->compare));
  LLVMValueRef far = c->nest ? cn_version_nest_build_far(ctx, t.builder, c->nest)
                             : cn_strip_mine_build_far(ctx, t.builder, c, t.start);
  if (!c->one_exit)
    far = LLVMBuildFreeze(t.builder, far, "twin.far");
  LLVMBasicBlockRef copy = cn_clone_of_block(&t.clone, c->header);
  cn_emit_unlikely(ctx, LLVMBuildCondBr(t.builder, far, c->header, copy));
  if (c->nest)
    cn_version_nest_bound(c->nest, &t.clone, out);
  else
    *cn_ptrmap_add(&out->bounded, cn_clone_of_block(&t.clone, c->latch), NULL) =
        cn_strip_mine_work(c);
  if (c->polls_first)
    cn_ptrmap_add(&out->first, t.guard, NULL);
  const struct cn_step_loop made[] = {
      {.header = c->header, .latch = c->latch, .blocks = c->count},
      {.header = copy, .blocks = c->count},
  };
  cn_step_done(ctx, LLVMGetBasicBlockParent(copy), c->nest ? "nest" : "twin", made, 2);
  cn_clone_end(&t.clone);
  LLVMDisposeBuilder(t.builder);
}
