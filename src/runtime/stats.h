/* SPDX-License-Identifier: Apache-2.0
 *
 * What the collector did. Counted always, printed at exit with CAIRN_STATS=1.
 */
#ifndef CN_RUNTIME_STATS_H
#define CN_RUNTIME_STATS_H

#include <stdint.h>

/* Pauses in a histogram: 16 steps for each power of two, so a median is off by 6 % at most. */
enum { CN_PAUSE_STEPS = 16, CN_PAUSES = 64 * CN_PAUSE_STEPS };

struct cn_stats {
  uint64_t safepoints;  /* slow paths entered: polls, allocations, cairn_collect() */
  uint64_t collections;
  uint64_t frames, roots; /* walked and visited, in all collections */
  uint64_t objects_moved, bytes_moved;
  uint64_t pause_max;   /* nanoseconds */
  uint64_t pauses[CN_PAUSES];
};
extern struct cn_stats cn_stats;

void cn_stats_pause(uint64_t nanoseconds);
uint64_t cn_stats_pause_median(const struct cn_stats *stats);

#endif
