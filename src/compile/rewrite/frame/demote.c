/* SPDX-License-Identifier: Apache-2.0
 *
 * Demotes chosen bases into slots, the references of one described alloca (demote.c), and computes derived references
 * again from their bases. Part of rewrite-statepoints. A base is stored into its slot directly after its definition,
 * and its uses read the slot, at most once per block between two parse points. Two bases share a slot if their live
 * intervals are disjoint.
 *
 * Needs: struct cn_refs with bases attached; split edges (cn_unwind_split_edges()). Provides: the chosen bases and all
 * values derived from them cross parse points in memory only, except for values that deopt operands of a parse point
 * name. Breaks: struct cn_refs.
 *
 * R. Cytron and J. Ferrante, "What's in a Name?" (1987) for memory that is shared by values with disjoint intervals.
 */
#include "compile/rewrite/frame/frame.h"

#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/bitset.h"
#include "base/check.h"
#include "base/sorted.h"
#include "compile/core/emit.h"
#include "compile/lower/lower.h"
#include "compile/rewrite/values/refs.h"

/* The latest read of a slot; the value is valid up to the next parse point of the block. */
struct slot_reading {
  uint32_t block, region; /* region: the number of parse points before the read */
  LLVMValueRef value;
};

struct demoter {
  struct cn_ctx *ctx;
  const struct cn_refs *refs;
  LLVMBuilderRef builder;
  LLVMValueRef slots; /* the alloca */
  uint32_t *slot;     /* per chosen base: its slot */
  uint32_t stored;    /* the number of first slots that the entry stores before any parse point */
  LLVMTypeRef word;
};

LLVMValueRef cn_demote_make_slots(LLVMBuilderRef builder, LLVMValueRef function, LLVMTypeRef reference, uint32_t count)
{
  CN_ASSERT(LLVMIsAFunction(function));
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
  LLVMSetCurrentDebugLocation2(builder, NULL);
  return LLVMBuildAlloca(builder, LLVMArrayType2(reference, count), "slots");
}

LLVMValueRef cn_demote_slot_address(LLVMBuilderRef builder, LLVMValueRef slots, uint32_t slot)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(slots)));
  LLVMValueRef indices[] = {LLVMConstInt(i64, 0, false), LLVMConstInt(i64, slot, false)};

  if (!slot)
    return slots;
  return LLVMBuildInBoundsGEP2(builder, LLVMGetAllocatedType(slots), slots, indices, 2, "");
}

/* ---- slots of bases ---- */

struct slot_interval {
  struct cn_live_interval live;
  uint32_t value, slot;
};

static int by_start(const void *a, const void *b)
{
  const struct slot_interval *x = a, *y = b;

  if (x->live.from != y->live.from)
    return x->live.from < y->live.from ? -1 : 1;
  return (x->value > y->value) - (x->value < y->value);
}

/* The intervals whose slots are in use, as a heap with the first interval to end on top. */
struct taken_slots {
  CN_VECTOR(struct slot_interval) heap;
};

static void push_taken_interval(struct taken_slots *taken, struct slot_interval interval)
{
  size_t i = taken->heap.count;

  cn_push(&taken->heap, interval);
  for (; i && taken->heap.at[(i - 1) / 2].live.to > interval.live.to; i = (i - 1) / 2)
    taken->heap.at[i] = taken->heap.at[(i - 1) / 2];
  taken->heap.at[i] = interval;
}

static uint32_t pop_free_slot(struct taken_slots *taken)
{
  CN_CHECK(taken->heap.count > 0);
  uint32_t slot = taken->heap.at[0].slot;
  struct slot_interval last = taken->heap.at[--taken->heap.count];
  size_t i = 0;

  for (size_t child; (child = 2 * i + 1) < taken->heap.count; i = child) {
    if (child + 1 < taken->heap.count && taken->heap.at[child + 1].live.to < taken->heap.at[child].live.to)
      child++;
    if (taken->heap.at[child].live.to >= last.live.to)
      break;
    taken->heap.at[i] = taken->heap.at[child];
  }
  taken->heap.at[i] = last;
  return slot;
}

/* The first parse point in the entry block, or the block's end. */
static uint64_t first_point_place_of_entry(const struct cn_refs *refs)
{
  bool any = refs->points.count && refs->points.at[0].block == 0;

  return CN_PLACE(0, any ? refs->points.at[0].pos : UINT32_MAX);
}

/* Give each chosen base a slot; returns the number of slots. A definition may get the slot of a value whose last reader
 * is the defining instruction, because the store comes after the read. */
static uint32_t assign_slots(struct demoter *d, const uint64_t *chosen)
{
  CN_VECTOR(struct slot_interval) intervals = {0};
  struct taken_slots taken = {0};
  struct cn_live_intervals lives;
  uint32_t count = 0;

  cn_live_intervals_build(&lives, d->refs);
  for (uint32_t v = 0; v < d->refs->values.count; v++)
    if (cn_bitset_contains(chosen, v))
      cn_push(&intervals, (struct slot_interval){cn_live_interval_of(&lives, v), v, 0});
  if (intervals.count)
    qsort(intervals.at, intervals.count, sizeof *intervals.at, by_start);
  for (size_t i = 0; i < intervals.count; i++) {
    struct slot_interval *interval = &intervals.at[i];
    bool free_one = taken.heap.count && taken.heap.at[0].live.to <= interval->live.from;
    interval->slot = free_one ? pop_free_slot(&taken) : count++;
    if (interval->live.from < first_point_place_of_entry(d->refs))
      d->stored = count; /* slots are numbered in the order of their first definitions */
    d->slot[interval->value] = interval->slot;
    push_taken_interval(&taken, *interval);
  }
  cn_live_intervals_free(&lives);
  cn_free(&taken.heap);
  cn_free(&intervals);
  return count;
}

/* ---- reading ---- */

/* The number of parse points before `pos`; with `through`, also counts a parse point at `pos`. */
static uint32_t points_before_position(const struct demoter *d, uint32_t pos, bool through)
{
  uint32_t low = 0;

  CN_BISECT(low, (uint32_t)d->refs->points.count, middle, d->refs->points.at[middle].pos < pos + through);
  return low;
}

static struct slot_reading reading_at_definition(const struct demoter *d, uint32_t value)
{
  const struct cn_ref_value *v = &d->refs->values.at[value];

  if (LLVMIsAInvokeInst(v->value)) {
    uint32_t to = cn_cfg_index_of(d->refs->cfg, LLVMGetNormalDest(v->value));
    return (struct slot_reading){to, d->refs->first_point[to], v->value};
  }
  return (struct slot_reading){v->block, points_before_position(d, v->pos, true), v->value};
}

static bool is_valid_at_use(const struct slot_reading *reading, const struct cn_ref_use *use, uint32_t region)
{
  return reading->block == use->block && reading->region == region;
}

static void set_insertion_point(struct demoter *d, LLVMValueRef before)
{
  LLVMPositionBuilderBefore(d->builder, before);
  LLVMSetCurrentDebugLocation2(d->builder, LLVMInstructionGetDebugLoc(before));
}

/* Set the builder to the place after the definition of `value`. Constants count as defined at the entry. */
static void set_insertion_point_after(struct demoter *d, LLVMValueRef value)
{
  LLVMValueRef at;

  if (LLVMIsConstant(value)) {
    at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(d->refs->cfg->function));
    while (LLVMIsAAllocaInst(at))
      at = LLVMGetNextInstruction(at);
  } else {
    at = cn_insertion_point_after(value);
  }
  set_insertion_point(d, at);
}

static LLVMValueRef load_base_from_slot(struct demoter *d, uint32_t base)
{
  LLVMValueRef address = cn_demote_slot_address(d->builder, d->slots, d->slot[base]);

  return LLVMBuildLoad2(d->builder, LLVMTypeOf(d->refs->values.at[base].value), address, "");
}

/* Build a copy of the chain of constant GEPs that ends in `value`, with `from` as its start. */
static LLVMValueRef rematerialise_gep_chain(struct demoter *d, uint32_t value, LLVMValueRef from)
{
  const struct cn_ref_value *gep = &d->refs->values.at[value];

  CN_CHECK(gep->root != value);
  if (gep->from != gep->root)
    from = rematerialise_gep_chain(d, gep->from, from);
  LLVMValueRef copy = LLVMInstructionClone(gep->value);
  LLVMSetOperand(copy, 0, from);
  LLVMInsertIntoBuilder(d->builder, copy);
  return copy;
}

/* Build the distance of a derived value from its base, at the definition of the derived value. */
static LLVMValueRef build_distance_from_base(struct demoter *d, uint32_t value)
{
  const struct cn_ref_value *v = &d->refs->values.at[value];
  struct slot_reading base = reading_at_definition(d, v->base);
  const struct cn_ref_use here = {.block = v->block, .pos = v->pos};

  set_insertion_point_after(d, v->value);
  if (!is_valid_at_use(&base, &here, points_before_position(d, v->pos, true)))
    base.value = load_base_from_slot(d, v->base);
  return cn_differences_build_distance(d->ctx, d->builder, v->value, base.value);
}

static LLVMValueRef build_value_from_slot(struct demoter *d, uint32_t value, LLVMValueRef distance)
{
  const struct cn_ref_value *v = &d->refs->values.at[value];
  LLVMValueRef base = load_base_from_slot(d, v->base);

  if (v->base == value)
    return base;
  return LLVMBuildGEP2(d->builder, LLVMInt8TypeInContext(d->ctx->llvm), base, &distance, 1, "");
}

/* ---- one value ---- */

struct value_demotion {
  uint32_t value;
  struct slot_reading last;
  LLVMValueRef distance;
  struct cn_ptrmap copies_of; /* constant GEP -> index of its copies */
  CN_VECTOR(struct slot_reading) copies;
};

static LLVMValueRef insertion_place_of_use(const struct demoter *d, const struct cn_ref_use *use)
{
  if (LLVMIsAPHINode(use->user))
    return LLVMGetBasicBlockTerminator(d->refs->cfg->blocks[use->block].block);
  return use->user;
}

static LLVMValueRef read_value_at_use(struct demoter *d, struct value_demotion *r, const struct cn_ref_use *use,
                                      uint32_t region)
{
  if (is_valid_at_use(&r->last, use, region))
    return r->last.value;
  const struct cn_ref_value *v = &d->refs->values.at[r->value];
  if (v->base != r->value && !r->distance)
    r->distance = build_distance_from_base(d, r->value);
  set_insertion_point(d, insertion_place_of_use(d, use));
  r->last = (struct slot_reading){use->block, region, build_value_from_slot(d, r->value, r->distance)};
  return r->last.value;
}

static LLVMValueRef read_gep_at_use(struct demoter *d, struct value_demotion *r, const struct cn_ref_use *use,
                                    uint32_t region)
{
  LLVMValueRef gep = d->refs->values.at[use->via].value;
  struct slot_reading copy = reading_at_definition(d, use->via);
  bool fresh;

  if (is_valid_at_use(&copy, use, region))
    return gep;
  uint64_t *index = cn_ptrmap_add(&r->copies_of, gep, &fresh);
  if (fresh)
    *index = r->copies.count;
  else if (is_valid_at_use(&r->copies.at[*index], use, region))
    return r->copies.at[*index].value;
  uint64_t at = *index;
  LLVMValueRef from = read_value_at_use(d, r, use, region);
  set_insertion_point(d, insertion_place_of_use(d, use));
  copy = (struct slot_reading){use->block, region, rematerialise_gep_chain(d, use->via, from)};
  if (fresh)
    cn_push(&r->copies, copy);
  else
    r->copies.at[at] = copy;
  return copy.value;
}

static void read_slots_at_uses(struct demoter *d, uint32_t value)
{
  const struct cn_ref_value *v = &d->refs->values.at[value];
  struct value_demotion r = {.value = value, .last = reading_at_definition(d, value)};

  for (uint32_t u = v->uses; u < v->uses + v->use_count; u++) {
    const struct cn_ref_use *use = &d->refs->uses.at[u];
    uint32_t region = points_before_position(d, use->pos, false);
    LLVMValueRef to =
        use->via == CN_NO_INDEX ? read_value_at_use(d, &r, use, region) : read_gep_at_use(d, &r, use, region);
    CN_CHECK(LLVMTypeOf(to) == LLVMTypeOf(LLVMGetOperand(use->user, use->operand)));
    LLVMSetOperand(use->user, use->operand, to);
  }
  cn_ptrmap_free(&r.copies_of);
  cn_free(&r.copies);
}

static void store_base_to_slot(struct demoter *d, uint32_t value)
{
  LLVMValueRef base = d->refs->values.at[value].value;

  set_insertion_point_after(d, base);
  LLVMBuildStore(d->builder, base, cn_demote_slot_address(d->builder, d->slots, d->slot[value]));
}

void cn_demote(struct cn_ctx *ctx, const struct cn_refs *refs, const uint64_t *chosen, struct cn_ptrmap *stored)
{
  struct demoter d = {.ctx = ctx,
                      .refs = refs,
                      .builder = LLVMCreateBuilderInContext(ctx->llvm),
                      .slot = cn_alloc(refs->values.count * sizeof(uint32_t)),
                      .word = LLVMInt64TypeInContext(ctx->llvm)};
  uint32_t first = 0, count = assign_slots(&d, chosen);

  while (count && !cn_bitset_contains(chosen, first))
    first++;
  if (count) {
    LLVMTypeRef type = LLVMTypeOf(refs->values.at[first].value);
    d.slots = cn_demote_make_slots(d.builder, refs->cfg->function, type, count);
    *cn_ptrmap_add(stored, d.slots, NULL) = d.stored;
  }
  for (uint32_t v = 0; v < refs->values.count; v++) {
    uint32_t base = refs->values.at[v].base;
    if (base == CN_NO_INDEX || !refs->values.at[v].scalar || !cn_bitset_contains(chosen, base))
      continue;
    CN_CHECK(refs->values.at[base].base == base && d.slot[base] < count);
    read_slots_at_uses(&d, v);
    if (base == v)
      store_base_to_slot(&d, v);
  }
  free(d.slot);
  LLVMDisposeBuilder(d.builder);
}
