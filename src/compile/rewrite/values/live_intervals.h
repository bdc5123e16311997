/* SPDX-License-Identifier: Apache-2.0
 *
 * Live intervals: each is one connected range of a function's places that encloses a live range. Private to
 * rewrite-statepoints.
 */
#ifndef CN_COMPILE_REWRITE_VALUES_LIVE_INTERVALS_H
#define CN_COMPILE_REWRITE_VALUES_LIVE_INTERVALS_H

#include "compile/rewrite/values/refs.h"

/* A place in a function: block << 32 | position. */
#define CN_PLACE(block, pos) ((uint64_t)(block) << 32 | (pos))

/* Encloses a live range: it has all places where the value is live, and maybe more. Found in time linear in the uses,
 * however long the range. */
struct cn_live_interval {
  uint64_t from, to; /* places of the definition and the last use, both included */
};

struct cn_live_intervals {
  const struct cn_refs *refs;
  /* Per block, the last block with a retreating edge to it; before these, the maxima of pairs (a
   * segment tree). */
  uint32_t *retreat;
};

void cn_live_intervals_build(struct cn_live_intervals *intervals, const struct cn_refs *refs);
void cn_live_intervals_free(struct cn_live_intervals *intervals);
/* Uses of values derived from `value` (once bases are attached) count as its uses. */
struct cn_live_interval cn_live_interval_of(const struct cn_live_intervals *intervals, uint32_t value);
/* The first parse point within the interval, and the number of parse points there. */
uint32_t cn_live_interval_first_point(const struct cn_live_intervals *intervals, struct cn_live_interval interval);
uint32_t cn_live_interval_point_count(const struct cn_live_intervals *intervals, struct cn_live_interval interval);
/* Set the cross_count of each value to 1 if it may cross a parse point, by its interval, else to 0.
 */
void cn_live_intervals_mark_crossing(struct cn_refs *refs);

#endif
