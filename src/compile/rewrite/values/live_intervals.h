/* SPDX-License-Identifier: Apache-2.0
 *
 * Live intervals. An interval is one connected range of places of a function that encloses a live range. Private to
 * rewrite-statepoints.
 */
#ifndef CN_COMPILE_REWRITE_VALUES_LIVE_INTERVALS_H
#define CN_COMPILE_REWRITE_VALUES_LIVE_INTERVALS_H

#include "compile/rewrite/values/refs.h"

/* A place in a function: block << 32 | position. */
#define CN_PLACE(block, pos) ((uint64_t)(block) << 32 | (pos))

/* The interval contains all places where the value is live, and possibly more. The interval is found in time linear in
 * the number of uses, for any length of the range. */
struct cn_live_interval {
  uint64_t from, to; /* places of the definition and the last use, both included */
};

struct cn_live_intervals {
  const struct cn_refs *refs;
  /* A segment tree of maxima: its leaves have, per block, the last block with a retreating edge to it. */
  uint32_t *retreat;
};

void cn_live_intervals_build(struct cn_live_intervals *intervals, const struct cn_refs *refs);
void cn_live_intervals_free(struct cn_live_intervals *intervals);
/* The interval of `value`. After bases are attached, uses of values derived from `value` count as its uses. */
struct cn_live_interval cn_live_interval_of(const struct cn_live_intervals *intervals, uint32_t value);
/* The first parse point within the interval; the second function returns the number of parse points within it. */
uint32_t cn_live_interval_first_point(const struct cn_live_intervals *intervals, struct cn_live_interval interval);
uint32_t cn_live_interval_point_count(const struct cn_live_intervals *intervals, struct cn_live_interval interval);
/* Set the cross_count of each value to 1 if its interval contains a parse point, else to 0. */
void cn_live_intervals_mark_crossing(struct cn_refs *refs);

#endif
