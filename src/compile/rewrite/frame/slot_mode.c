/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts functions with too large a product of safepoints and live references into slot mode. A function in slot mode
 * keeps its references in one described alloca (demote.c) instead of relocating each reference at each safepoint.
 * Output and time are then linear in the input (PerryTS/perry#8132: 19 MB of IR became 413 MB). Part of
 * rewrite-statepoints.
 *
 * The cost model: a function gets slot mode if, in SSA form,
 *   - the sum of live references over all its parse points is more than the budget, and more than the values and uses
 *     that slot mode would store and load, or
 *   - one parse point has more than CN_SLOT_WIDTH live references: the time of the register allocator grows with the
 *     square of this number.
 * Live intervals give upper bounds of both numbers in linear time. The exact numbers are counted only if the bounds are
 * too high, and only up to the budget.
 *
 * Needs: struct cn_refs. Provides: references of a function in slot mode cross parse points in memory only, except
 * values that deopt operands name. Breaks: struct cn_refs.
 */
#include <stdlib.h>
#include "base/bitset.h"
#include "base/check.h"
#include "compile/rewrite/frame/frame.h"
#include "compile/rewrite/values/refs.h"

/* The values were measured with llc on functions of 10 to 100 live references (docs/relocation.md, "Slot mode"). */
#define CN_SLOT_BUDGET 20000
#define CN_SLOT_WIDTH 256

struct live_reference_count {
  uint64_t total;
  uint32_t widest;
};

/* Count live references by live intervals: an upper bound. */
static struct live_reference_count count_by_live_intervals(const struct cn_live_intervals *intervals)
{
  const struct cn_refs *refs = intervals->refs;
  int32_t *steps = cn_alloc((refs->points.count + 1) * sizeof *steps);
  struct live_reference_count count = {0};
  uint32_t width = 0;

  for (uint32_t v = 0; v < refs->values.count; v++) {
    struct cn_live_interval interval = cn_live_interval_of(intervals, v);
    uint32_t first = cn_live_interval_first_point(intervals, interval),
             points = cn_live_interval_point_count(intervals, interval);
    count.total += points;
    steps[first]++;
    steps[first + points]--;
  }
  for (size_t p = 0; p < refs->points.count; p++) {
    CN_ASSERT((int64_t)width + steps[p] >= 0);
    width += (uint32_t)steps[p];
    if (width > count.widest)
      count.widest = width;
  }
  free(steps);
  return count;
}

static bool is_over_slot_budget(const struct live_reference_count *count, uint64_t budget)
{
  return count->total > budget || count->widest > CN_SLOT_WIDTH;
}

/* Count the crossed parse points of `block`, as record_crossings_in_block() in liveness.c lists them. */
static void count_crossings_in_block(struct live_reference_count *count, uint32_t *widths, const struct cn_refs *refs,
                                     const struct cn_live_range *range, uint32_t block, uint32_t from)
{
  uint32_t until = range->out[block] == range->stamp    ? UINT32_MAX
                   : range->used[block] == range->stamp ? range->last[block]
                                                        : 0;

  uint32_t first = from == CN_NO_INDEX ? refs->first_point[block] : cn_first_point_after(refs, block, from);
  for (uint32_t p = first; p < refs->first_point[block + 1]; p++) {
    if (refs->points.at[p].pos >= until)
      break;
    count->total++;
    if (++widths[p] > count->widest)
      count->widest = widths[p];
  }
}

/* Count live references exactly, until the count exceeds a limit. */
static struct live_reference_count count_by_live_ranges(const struct cn_refs *refs, uint64_t budget)
{
  uint32_t *widths = cn_alloc(refs->points.count * sizeof *widths);
  struct cn_live_range range;
  struct live_reference_count count = {0};

  cn_live_range_init(&range, refs->cfg);
  for (uint32_t v = 0; v < refs->values.count && !is_over_slot_budget(&count, budget); v++) {
    const struct cn_ref_value *value = &refs->values.at[v];
    cn_live_range(&range, refs, v);
    count_crossings_in_block(&count, widths, refs, &range, value->block, value->pos);
    for (size_t i = 0; i < range.blocks.count; i++)
      count_crossings_in_block(&count, widths, refs, &range, range.blocks.at[i], CN_NO_INDEX);
  }
  cn_live_range_free(&range);
  free(widths);
  return count;
}

/* The budget of relocations: at least the number of values and uses, because slots would cost a store or load for each
 * value and use. */
static uint64_t relocation_budget_of(const struct cn_ctx *ctx, const struct cn_refs *refs)
{
  uint64_t least = refs->values.count + refs->uses.count;

  if (ctx->options->slot_budget)
    return ctx->options->slot_budget;
  return least > CN_SLOT_BUDGET ? least : CN_SLOT_BUDGET;
}

bool cn_slot_mode_wanted(const struct cn_ctx *ctx, const struct cn_refs *refs)
{
  uint64_t budget = relocation_budget_of(ctx, refs);
  struct cn_live_intervals intervals;

  if (cn_pairs_are_required(ctx))
    return false;
  if (ctx->options->slots != CAIRN_SLOTS_AUTO)
    return ctx->options->slots == CAIRN_SLOTS_ALWAYS;
  struct live_reference_count count = {.total = (uint64_t)refs->points.count * refs->values.count,
                                       .widest = (uint32_t)refs->values.count};
  if (!is_over_slot_budget(&count, budget)) /* within the budget even if all values were live at all parse points */
    return false;
  cn_live_intervals_build(&intervals, refs);
  count = count_by_live_intervals(&intervals);
  cn_live_intervals_free(&intervals);
  if (!is_over_slot_budget(&count, budget))
    return false;
  count = count_by_live_ranges(refs, budget);
  return is_over_slot_budget(&count, budget);
}

static void remark_slot_mode(struct cn_ctx *ctx, const struct cn_refs *refs, uint32_t bases)
{
  bool asked = ctx->options->slots == CAIRN_SLOTS_ALWAYS;

  if (ctx->options->tier == CAIRN_TIER_QUICK) /* slots are the rule there */
    return;
  cn_report(ctx, CAIRN_REMARK, refs->cfg->function, "slot-mode",
            "%u references live over %zu safepoints are kept in slots of the frame: %s", bases, refs->points.count,
            asked ? "asked for" : "relocating them would cost more than the budget");
}

bool cn_slot_mode_demote(struct cn_ctx *ctx, struct cn_refs *refs, struct cn_ptrmap *stored)
{
  uint32_t count = 0;

  if (!cn_slot_mode_wanted(ctx, refs))
    return false;
  cn_refs_leave_out_dead_values(refs);
  cn_live_intervals_mark_crossing(refs);
  cn_refs_find_bases(refs);
  cn_live_intervals_mark_crossing(refs);
  uint64_t *chosen = cn_alloc(CN_BITSET_WORDS(refs->values.count) * sizeof *chosen);
  for (uint32_t v = 0; v < refs->values.count; v++) {
    uint32_t base = refs->values.at[v].base;
    if (!refs->values.at[v].scalar || !refs->values.at[v].cross_count || base == CN_NO_INDEX ||
        cn_bitset_contains(chosen, base))
      continue;
    cn_bitset_add(chosen, base);
    count++;
  }
  if (count) {
    remark_slot_mode(ctx, refs, count);
    cn_demote(ctx, refs, chosen, stored);
  }
  free(chosen);
  return true;
}
