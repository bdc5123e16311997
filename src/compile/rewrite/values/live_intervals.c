/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds live intervals. An interval extends from the definition to the last use in reverse post-order, and on to the
 * end of every loop that begins between definition and last use. Part of rewrite-statepoints. Live intervals show which
 * values may be live over many safepoints, and which values can share a slot. Live sets would show more, at a size of
 * values times safepoints.
 *
 * A value is live only within its interval. The definition dominates each place where the value is live, so the
 * definition comes first. If the value is live at a place after the last use, a path from this place reaches a use over
 * a retreating edge. The edge begins at or after the place and enters a block of the interval, so the interval includes
 * the place.
 *
 * Needs: struct cn_refs. Provides: struct cn_live_intervals. Breaks: nothing.
 */
#include <stdlib.h>
#include "base/check.h"
#include "base/sorted.h"
#include "compile/rewrite/values/refs.h"

static uint32_t larger_of(uint32_t a, uint32_t b)
{
  return a > b ? a : b;
}

void cn_live_intervals_build(struct cn_live_intervals *intervals, const struct cn_refs *refs)
{
  const struct cn_cfg *cfg = refs->cfg;
  uint32_t count = cfg->count;

  *intervals = (struct cn_live_intervals){.refs = refs};
  intervals->retreat = cn_alloc(2 * (size_t)count * sizeof *intervals->retreat);
  for (uint32_t b = 0; b < count; b++)
    for (uint32_t p = 0; p < cfg->blocks[b].pred_count; p++)
      if (cn_cfg_is_retreating_edge(cfg->blocks[b].preds[p], b))
        intervals->retreat[count + b] = larger_of(intervals->retreat[count + b], cfg->blocks[b].preds[p]);
  for (uint32_t i = count; i-- > 1;)
    intervals->retreat[i] = larger_of(intervals->retreat[2 * i], intervals->retreat[2 * i + 1]);
}

void cn_live_intervals_free(struct cn_live_intervals *intervals)
{
  free(intervals->retreat);
}

/* The last block with a retreating edge into blocks [first, end), or 0. */
static uint32_t last_retreating_block(const struct cn_live_intervals *intervals, uint32_t first, uint32_t end)
{
  uint32_t last = 0;

  CN_ASSERT(first <= end && end <= intervals->refs->cfg->count);
  first += intervals->refs->cfg->count;
  end += intervals->refs->cfg->count;
  for (; first < end; first /= 2, end /= 2) {
    if (first & 1)
      last = larger_of(last, intervals->retreat[first++]);
    if (end & 1)
      last = larger_of(last, intervals->retreat[--end]);
  }
  return last;
}

static uint64_t last_use_place(const struct cn_refs *refs, uint32_t value, uint64_t last)
{
  const struct cn_ref_value *v = &refs->values.at[value];

  /* Uses ascend by position, so only uses at the last position can extend the interval beyond this position. */
  for (uint32_t u = v->uses + v->use_count; u-- > v->uses;) {
    const struct cn_ref_use *use = &refs->uses.at[u];
    uint64_t place = CN_PLACE(use->block, use->pos + use->after);
    if (place > last)
      last = place;
    if (use->pos != refs->uses.at[v->uses + v->use_count - 1].pos)
      break;
  }
  return last;
}

struct cn_live_interval cn_live_interval_of(const struct cn_live_intervals *intervals, uint32_t value)
{
  const struct cn_refs *refs = intervals->refs;
  const struct cn_ref_value *v = &refs->values.at[value];
  struct cn_live_interval interval = {CN_PLACE(v->block, v->pos), CN_PLACE(v->block, v->pos)};

  CN_ASSERT(value < refs->values.count);
  interval.to = last_use_place(refs, value, interval.to);
  for (uint32_t d = v->base == value ? v->derived : CN_NO_INDEX; d != CN_NO_INDEX; d = refs->values.at[d].derived)
    interval.to = last_use_place(refs, d, interval.to);
  for (;;) {
    uint32_t end = (uint32_t)(interval.to >> 32);
    uint32_t last = last_retreating_block(intervals, v->block + 1, end + 1);
    if (!last || CN_PLACE(last, UINT32_MAX) <= interval.to)
      return interval;
    interval.to = CN_PLACE(last, UINT32_MAX);
  }
}

static uint32_t point_count_before(const struct cn_refs *refs, uint64_t place)
{
  uint32_t low = 0;

  CN_BISECT(low, (uint32_t)refs->points.count, middle,
            CN_PLACE(refs->points.at[middle].block, refs->points.at[middle].pos) < place);
  return low;
}

uint32_t cn_live_interval_first_point(const struct cn_live_intervals *intervals, struct cn_live_interval interval)
{
  CN_ASSERT(interval.from <= interval.to);
  return point_count_before(intervals->refs, interval.from + 1);
}

uint32_t cn_live_interval_point_count(const struct cn_live_intervals *intervals, struct cn_live_interval interval)
{
  uint32_t first = cn_live_interval_first_point(intervals, interval);
  uint32_t end = point_count_before(intervals->refs, interval.to);

  return end > first ? end - first : 0;
}

void cn_live_intervals_mark_crossing(struct cn_refs *refs)
{
  struct cn_live_intervals intervals;

  CN_ASSERT_VALID(cn_refs_wrong(refs, CN_REFS_AFTER_CHANGES));
  cn_live_intervals_build(&intervals, refs);
  for (uint32_t v = 0; v < refs->values.count; v++)
    refs->values.at[v].cross_count = cn_live_interval_point_count(&intervals, cn_live_interval_of(&intervals, v)) > 0;
  cn_live_intervals_free(&intervals);
}
