/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies nests of loops. If the inner loops of a nest make few iterations, the tests of chunks are a large part of
 * their work, and polls in the inner loops cost registers for references. If the bounds of the inner loops are
 * available before the outer loop, the outer loop gets a copy whose inner loops are free of polls and which polls in
 * each iteration. One test before the outer loop chooses the copy if the inner loops together stay within the budget in
 * each iteration.
 *
 *            before                                        after
 *   outside:  br head                        outside: br nest
 *                                            nest:    i0 = phi [start, outside]
 *                                                     br far, head, copy
 *   head:     i = phi [start, outside],      copy:    i' = phi [i0, nest], [i.next', latch']
 *                     [i.next, latch]        head:    i = phi [i0, nest], [i.next, latch]
 *
 * Needs: struct cn_loops, LCSSA form. Provides: copies of nests. Breaks: struct cn_cfg, struct cn_loops.
 */
#include "compile/place/loops/loop_forms.h"

#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/core/emit.h"
#include "compile/cost/cost.h"

/* The most instructions in a nest that gets a copy, and the least number of inner iterations that must fit between two
 * polls. */
#define MAX_NEST_INSTRUCTIONS 200
#define MIN_NEST_TRIP_COUNT 32

/* ---- choice of nests ---- */

/* True if the start of the induction variable is available before `loop`. For a counter that only rises to an unsigned
 * bound the start counts as 0. */
static bool find_counter_start(const struct cn_loops *loops, uint32_t loop, struct cn_nest_inner_loop *inner)
{
  const struct cn_countable_loop *c = &inner->test;
  LLVMValueRef start = NULL, phi = c->iv.phi;

  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    uint32_t from = cn_cfg_index_of(loops->cfg, LLVMGetIncomingBlock(phi, i));
    if (from == CN_NO_BLOCK || cn_loop_contains_block(loops, c->loop, from))
      continue;
    if (start && start != LLVMGetIncomingValue(phi, i))
      return false;
    start = LLVMGetIncomingValue(phi, i);
    inner->start = i;
  }
  if (start && cn_is_defined_outside_loop(loops, loop, start))
    return true;
  bool rises = LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMIntegerTypeKind && c->iv.step > 0 && LLVMGetNUW(c->iv.next) &&
               c->no_wrap && (c->stay == LLVMIntNE || c->stay == LLVMIntULT);
  inner->from_zero = rises ? LLVMConstNull(LLVMTypeOf(phi)) : NULL;
  return rises;
}

static LLVMValueRef counter_start_of(const struct cn_nest_inner_loop *inner)
{
  CN_ASSERT(inner->from_zero || inner->start < LLVMCountIncoming(inner->test.iv.phi));
  return inner->from_zero ? inner->from_zero : LLVMGetIncomingValue(inner->test.iv.phi, inner->start);
}

/* Add the inner loop `l` if values from before `loop` bound its iterations. The bound of a loop that may leave early
 * says little about its iterations, so such a loop is refused. */
static bool add_bounded_inner_loop(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, uint32_t l,
                                   struct cn_nest *nest)
{
  struct cn_nest_inner_loop inner = {.parent = loops->at[l].parent};

  if (!cn_countable_find_counter(ctx, loops, l, &inner.test) || inner.test.iv.by ||
      cn_unroll_loop_leaves_early(loops, l))
    return false;
  if (!find_counter_start(loops, loop, &inner) ||
      !cn_is_defined_outside_loop(loops, loop, LLVMGetOperand(inner.test.compare, inner.test.bound)))
    return false;
  cn_push(&nest->inner, inner);
  return true;
}

/* Add all inner loops that do more than `small_work`. Two levels of inner loops are allowed if a loop is around `loop`,
 * since all then probably make few iterations; a third level is refused. */
static bool add_long_inner_loops(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, uint64_t small_work,
                                 struct cn_nest *nest)
{
  bool deep = loops->at[loop].parent != CN_NO_BLOCK;

  nest->work = loops->at[loop].size;
  for (uint32_t l = loop + 1 - loops->at[loop].below; l < loop; l++) {
    uint32_t parent = loops->at[l].parent;
    CN_CHECK(parent != CN_NO_BLOCK);
    bool third = parent != loop && loops->at[parent].parent != loop;
    if (loops->at[l].work <= small_work)
      nest->work = cn_work_add(nest->work, loops->at[l].work);
    else if (third || (parent != loop && !deep) || !add_bounded_inner_loop(ctx, loops, loop, l, nest))
      return false;
  }
  return nest->inner.count && nest->work != CN_WORK_UNKNOWN;
}

static bool has_redirectable_entries(const struct cn_cfg *cfg, uint32_t header)
{
  for (uint32_t p = 0; p < cfg->blocks[header].pred_count; p++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[cfg->blocks[header].preds[p]].block);
    if (!cn_is_branch(end) && !LLVMIsASwitchInst(end))
      return false;
  }
  return true;
}

/* Set the total number of iterations of the inner loops that fits between two polls. */
static bool set_inner_trip_counts(struct cn_ctx *ctx, struct cn_nest *nest)
{
  CN_CHECK(nest->work);
  uint64_t trips = cn_work_budget(ctx) / 2 / nest->work;

  if (trips < MIN_NEST_TRIP_COUNT)
    return false;
  for (size_t i = 0; i < nest->inner.count; i++) {
    struct cn_countable_loop *c = &nest->inner.at[i].test;
    LLVMTypeRef type = LLVMTypeOf(c->iv.phi);
    unsigned width = LLVMGetTypeKind(type) == LLVMPointerTypeKind ? 64 : LLVMGetIntTypeWidth(type);
    if (cn_strip_mine_step_magnitude(c->iv.step) >= (UINT64_C(1) << (width - 1)) / trips)
      return false;
    c->trips = trips;
    c->work = nest->work;
  }
  return true;
}

bool cn_nest_is_worth_copy(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, uint64_t small_work,
                           struct cn_nest *nest)
{
  const struct cn_loop *l = &loops->at[loop];

  if (!l->inner || l->irreducible || l->calls ||
      cn_clone_size(loops, loop, MAX_NEST_INSTRUCTIONS) > MAX_NEST_INSTRUCTIONS ||
      !has_redirectable_entries(loops->cfg, l->header) || !add_long_inner_loops(ctx, loops, loop, small_work, nest) ||
      !set_inner_trip_counts(ctx, nest)) {
    cn_free(&nest->inner);
    return false;
  }
  nest->count = l->count;
  nest->blocks = cn_alloc(l->count * sizeof *nest->blocks);
  for (uint32_t b = 0; b < l->count; b++)
    nest->blocks[b] = loops->cfg->blocks[l->blocks[b]].block;
  CN_CHECK(nest->blocks[0] == loops->cfg->blocks[l->header].block);
  return true;
}

/* ---- the test ---- */

/* Build an upper bound of the iterations of an inner loop, valid if the test of cn_strip_mine_build_far_test() is
 * false. */
static LLVMValueRef build_max_trip_count(struct cn_ctx *ctx, LLVMBuilderRef b, const struct cn_nest_inner_loop *inner)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm);
  uint64_t step = cn_strip_mine_step_magnitude(inner->test.iv.step);
  LLVMValueRef ahead = cn_strip_mine_build_distance(ctx, b, &inner->test, counter_start_of(inner));
  unsigned shift = 0;

  if (LLVMGetIntTypeWidth(LLVMTypeOf(ahead)) < 64)
    ahead = LLVMBuildZExt(b, ahead, i64, "nest.ahead");
  while (UINT64_C(2) << shift <= step)
    shift++;
  ahead = shift ? LLVMBuildLShr(b, ahead, LLVMConstInt(i64, shift, false), "nest.ahead") : ahead;
  return LLVMBuildAdd(b, ahead, LLVMConstInt(i64, 1, false), "nest.trips");
}

/* Build a test that is true if the inner loops may do more work in an iteration than fits between polls. The computed
 * number is wrong for a loop that starts past its bound, but such a loop makes one iteration, and the other tests bound
 * the other loops. */
static LLVMValueRef build_too_many_trips_test(struct cn_ctx *ctx, LLVMBuilderRef b, const struct cn_nest *nest)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm);
  LLVMValueRef far = NULL;

  for (size_t i = 0; i < nest->inner.count; i++) {
    const struct cn_nest_inner_loop *inner = &nest->inner.at[i];
    LLVMValueRef one = cn_strip_mine_build_far_test(ctx, b, &inner->test, counter_start_of(inner));
    far = far ? LLVMBuildOr(b, far, one, "nest.far") : one;
    for (size_t p = 0; p < nest->inner.count; p++) {
      if (nest->inner.at[p].test.loop != inner->parent)
        continue;
      LLVMValueRef product = LLVMBuildMul(b, build_max_trip_count(ctx, b, inner),
                                          build_max_trip_count(ctx, b, &nest->inner.at[p]), "nest.trips");
      one = LLVMBuildICmp(b, LLVMIntUGT, product, LLVMConstInt(i64, inner->test.trips, false), "nest.far");
      far = LLVMBuildOr(b, far, one, "nest.far");
    }
  }
  CN_CHECK(far);
  return LLVMBuildFreeze(b, far, "nest.far");
}

/* ---- the copy ---- */

/* Split a phi of the header: the new phi of the guard has the inputs from outside, the header's phi has the inputs from
 * the guard and the latch. */
static void split_header_phi(const struct cn_clone *clone, LLVMBasicBlockRef guard, LLVMValueRef old)
{
  LLVMPositionBuilderAtEnd(clone->builder, guard);
  LLVMValueRef outer = cn_build_phi_like(clone->builder, old, "nest.start");
  LLVMPositionBuilderBeforeInstrAndDbgRecords(clone->builder, old);
  LLVMValueRef inner = cn_build_phi_like(clone->builder, old, "");

  LLVMAddIncoming(inner, &outer, &guard, 1);
  for (unsigned i = 0; i < LLVMCountIncoming(old); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(old, i);
    LLVMValueRef value = LLVMGetIncomingValue(old, i);
    LLVMAddIncoming(cn_clone_has(clone, from) ? inner : outer, &value, &from, 1);
  }
  CN_CHECK(LLVMCountIncoming(outer) && LLVMCountIncoming(inner) > 1);
  cn_emit_replace_instruction(old, inner);
}

static LLVMBasicBlockRef build_guard_block(struct cn_ctx *ctx, const struct cn_clone *clone, LLVMBasicBlockRef header)
{
  CN_VECTOR(LLVMValueRef) phis = {0};
  LLVMBasicBlockRef guard = LLVMInsertBasicBlockInContext(ctx->llvm, header, "nest");

  cn_redirect_incoming_edges(header, guard, &clone->in);
  for (LLVMValueRef i = LLVMGetFirstInstruction(header); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
    cn_push(&phis, i);
  for (size_t i = 0; i < phis.count; i++)
    split_header_phi(clone, guard, phis.at[i]);
  cn_free(&phis);
  return guard;
}

static void note_bounded_loops(const struct cn_nest *nest, const struct cn_clone *clone, struct cn_loop_form_polls *out)
{
  for (size_t i = 0; i < nest->inner.count; i++) {
    const struct cn_countable_loop *c = &nest->inner.at[i].test;
    CN_CHECK(cn_clone_has(clone, c->latch));
    *cn_ptrmap_add(&out->bounded, cn_clone_of_block(clone, c->latch), NULL) = cn_strip_mine_chunk_work(c);
  }
}

void cn_nest_copy(struct cn_ctx *ctx, const struct cn_nest *nest, struct cn_loop_form_polls *out)
{
  LLVMBasicBlockRef header = nest->blocks[0];
  LLVMValueRef function = LLVMGetBasicBlockParent(header);
  struct cn_clone clone;

  const struct cn_step_loop_claim is = {.header = header, .blocks = nest->count};
  cn_step_check_before(ctx, function, "nest", &is, 1);
  cn_clone_begin(&clone, ctx, nest->blocks, nest->count, header);
  LLVMBasicBlockRef guard = build_guard_block(ctx, &clone, header);
  LLVMBasicBlockRef copy = cn_clone_of_block(&clone, header);
  LLVMMoveBasicBlockBefore(guard, copy);
  cn_clone_fill(&clone);
  LLVMPositionBuilderAtEnd(clone.builder, guard);
  LLVMSetCurrentDebugLocation2(clone.builder, LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(header)));
  LLVMValueRef far = build_too_many_trips_test(ctx, clone.builder, nest);
  cn_emit_mark_branch_unlikely(ctx, LLVMBuildCondBr(clone.builder, far, header, copy));
  note_bounded_loops(nest, &clone, out);
  if (nest->polls_first)
    cn_ptrmap_add(&out->first, guard, NULL);
  const struct cn_step_loop_claim made[] = {{.header = header, .blocks = nest->count},
                                            {.header = copy, .blocks = nest->count}};
  cn_step_check_after(ctx, function, "nest", made, 2);
  cn_clone_end(&clone);
}

void cn_nest_free(struct cn_nest *nest)
{
  cn_free(&nest->inner);
  free(nest->blocks);
}
