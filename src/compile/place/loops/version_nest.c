/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions of nests (version.c). If a loop runs other loops on each trip, and these make few trips,
 * even the tests of chunks are a good part of the work. If the bounds of the inner loops are known
 * before the outer one, the outer one gets a copy in which they do not poll, for the case that all
 * of them together stay within the budget on each of its trips; the copy polls on each trip.
 *
 * Needs: struct cn_loops. Provides: copies of nests. Breaks: struct cn_cfg, struct cn_loops.
 */
#include "compile/place/loops/version_nest.h"

#include <stdlib.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/cost/cost.h"

/* Most instructions in a nest that is worth a version, and the trips that it must allow for. */
#define NEST_SIZE 200
#define NEST_TRIPS 64

struct inner {
  struct cn_countable_loop test;
  LLVMValueRef from_zero; /* the counter starts there for all that matters; else null, and */
  unsigned start;  /* it is this input of its phi: copying an earlier nest may replace that */
  uint32_t parent; /* index of the inner loop round it, or CN_NO_BLOCK */
};

struct cn_nest {
  uint64_t work; /* of one trip of everything */
  CN_VECTOR(struct inner) inner;
};

/* ---- which nests ---- */

/* Is the start of the induction variable known before `loop`? For a counter that only rises to an
 * unsigned bound 0 will do. */
static bool find_start(const struct cn_loops *loops, uint32_t loop, struct inner *inner)
{
  const struct cn_countable_loop *c = &inner->test;
  LLVMValueRef start = NULL, phi = c->iv.phi;

  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    uint32_t from = cn_cfg_index(loops->cfg, LLVMGetIncomingBlock(phi, i));
    if (from == CN_NO_BLOCK || cn_loops_contain(loops, c->loop, from))
      continue;
    if (start && start != LLVMGetIncomingValue(phi, i))
      return false;
    start = LLVMGetIncomingValue(phi, i);
    inner->start = i;
  }
  if (start && cn_loops_outside(loops, loop, start))
    return true;
  bool rises = LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMIntegerTypeKind && c->iv.step > 0 &&
               LLVMGetNUW(c->iv.next) && c->no_wrap &&
               (c->stay == LLVMIntNE || c->stay == LLVMIntULT);
  inner->from_zero = rises ? LLVMConstNull(LLVMTypeOf(phi)) : NULL;
  return rises;
}

static LLVMValueRef start_of(const struct inner *inner)
{
  CN_ASSERT(inner->from_zero || inner->start < LLVMCountIncoming(inner->test.iv.phi));
  return inner->from_zero ? inner->from_zero
                          : LLVMGetIncomingValue(inner->test.iv.phi, inner->start);
}

/* The inner loop `l`: is it bounded by what is known before `loop`? */
static bool add_inner(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, uint32_t l,
                      struct cn_nest *nest)
{
  struct inner inner = {.parent = loops->at[l].parent};

  if (!cn_countable_counts(ctx, loops, l, &inner.test) || inner.test.iv.by)
    return false;
  if (!find_start(loops, loop, &inner) ||
      !cn_loops_outside(loops, loop, LLVMGetOperand(inner.test.compare, inner.test.bound)))
    return false;
  cn_push(&nest->inner, inner);
  return true;
}

/* Add all inner loops that do much. One may lie in another if there is a loop around `loop`, which
 * makes it likely that all of these are small; no third may. */
static bool add_all(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop,
                    uint64_t small_work, struct cn_nest *nest)
{
  bool deep = loops->at[loop].parent != CN_NO_BLOCK;

  nest->work = loops->at[loop].size;
  for (uint32_t l = 0; l < loop; l++) {
    if (!cn_loops_contain(loops, loop, loops->at[l].header))
      continue;
    uint32_t parent = loops->at[l].parent;
    CN_CHECK(parent != CN_NO_BLOCK);
    bool third = parent != loop && loops->at[parent].parent != loop;
    if (loops->at[l].work <= small_work)
      nest->work = cn_work_add(nest->work, loops->at[l].work);
    else if (third || (parent != loop && !deep) || !add_inner(ctx, loops, loop, l, nest))
      return false;
  }
  return nest->inner.count && nest->work != CN_WORK_UNKNOWN;
}

static bool has_plain_entries(const struct cn_cfg *cfg, uint32_t header)
{
  for (uint32_t p = 0; p < cfg->blocks[header].pred_count; p++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[cfg->blocks[header].preds[p]].block);
    if (!LLVMIsABranchInst(end) && !LLVMIsASwitchInst(end))
      return false;
  }
  return true;
}

/* Set how many trips of all inner loops together fit between two polls. */
static bool set_trips(struct cn_ctx *ctx, struct cn_nest *nest)
{
  CN_CHECK(nest->work);
  uint64_t trips = NEST_TRIPS, most = cn_work_budget(ctx) / 2 / nest->work;

  if (trips > most)
    return false;
  while (2 * trips <= most)
    trips *= 2;
  for (size_t i = 0; i < nest->inner.count; i++) {
    struct cn_countable_loop *c = &nest->inner.at[i].test;
    LLVMTypeRef type = LLVMTypeOf(c->iv.phi);
    unsigned width = LLVMGetTypeKind(type) == LLVMPointerTypeKind ? 64 : LLVMGetIntTypeWidth(type);
    if (cn_strip_mine_magnitude(c->iv.step) >= (UINT64_C(1) << (width - 1)) / trips)
      return false;
    c->trips = trips;
    c->work = nest->work;
  }
  return true;
}

bool cn_version_nest_fits(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop,
                          uint64_t small_work, struct cn_countable_loop *c)
{
  const struct cn_loop *l = &loops->at[loop];
  struct cn_nest *nest = cn_alloc(sizeof *nest);

  if (l->irreducible || cn_countable_calls(loops, loop) || cn_clone_size(loops, loop) > NEST_SIZE ||
      !has_plain_entries(loops->cfg, l->header) || !add_all(ctx, loops, loop, small_work, nest) ||
      !set_trips(ctx, nest)) {
    cn_free(&nest->inner);
    free(nest);
    return false;
  }
  c->nest = nest;
  c->header = loops->cfg->blocks[l->header].block;
  c->compare = LLVMGetBasicBlockTerminator(c->header);
  c->count = l->count;
  c->blocks = cn_alloc(l->count * sizeof(LLVMBasicBlockRef));
  for (uint32_t b = 0; b < l->count; b++)
    c->blocks[b] = loops->cfg->blocks[l->blocks[b]].block;
  return true;
}

/* ---- the copy ---- */

/* Build the most trips of an inner loop, where cn_strip_mine_build_far() says no. */
static LLVMValueRef build_trips(struct cn_ctx *ctx, LLVMBuilderRef b, const struct inner *inner)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm);
  uint64_t step = cn_strip_mine_magnitude(inner->test.iv.step);
  LLVMValueRef ahead = cn_strip_mine_build_ahead(ctx, b, &inner->test, start_of(inner));
  unsigned shift = 0;

  if (LLVMGetIntTypeWidth(LLVMTypeOf(ahead)) < 64)
    ahead = LLVMBuildZExt(b, ahead, i64, "nest.ahead");
  while (UINT64_C(2) << shift <= step)
    shift++;
  ahead = shift ? LLVMBuildLShr(b, ahead, LLVMConstInt(i64, shift, false), "nest.ahead") : ahead;
  return LLVMBuildAdd(b, ahead, LLVMConstInt(i64, 1, false), "nest.trips");
}

/* If a loop would not run by its bound, the number of its trips is wrong; but then it makes one,
 * and the others are bounded by themselves. */
LLVMValueRef cn_version_nest_build_far(struct cn_ctx *ctx, LLVMBuilderRef b,
                                       const struct cn_nest *nest)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm);
  LLVMValueRef far = NULL;

  for (size_t i = 0; i < nest->inner.count; i++) {
    const struct inner *inner = &nest->inner.at[i];
    LLVMValueRef one = cn_strip_mine_build_far(ctx, b, &inner->test, start_of(inner));
    far = far ? LLVMBuildOr(b, far, one, "nest.far") : one;
    for (size_t p = 0; p < nest->inner.count; p++) {
      if (nest->inner.at[p].test.loop != inner->parent)
        continue;
      LLVMValueRef product = LLVMBuildMul(b, build_trips(ctx, b, inner),
                                          build_trips(ctx, b, &nest->inner.at[p]), "nest.trips");
      one = LLVMBuildICmp(b, LLVMIntUGT, product, LLVMConstInt(i64, inner->test.trips, false),
                          "nest.far");
      far = LLVMBuildOr(b, far, one, "nest.far");
    }
  }
  CN_CHECK(far);
  return far;
}

void cn_version_nest_bound(const struct cn_nest *nest, const struct cn_clone *clone,
                           struct cn_strip_mines *out)
{
  for (size_t i = 0; i < nest->inner.count; i++) {
    const struct cn_countable_loop *c = &nest->inner.at[i].test;
    CN_CHECK(cn_clone_has(clone, c->latch));
    *cn_ptrmap_add(&out->bounded, cn_clone_of_block(clone, c->latch), NULL) = cn_strip_mine_work(c);
  }
}

void cn_version_nest_free(struct cn_countable_loop *c)
{
  CN_CHECK(c->nest);
  cn_free(&c->nest->inner);
  free(c->nest);
  free(c->blocks);
}
