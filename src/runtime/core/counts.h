/* SPDX-License-Identifier: Apache-2.0
 *
 * Totals of the runtime and the collector so far (printed by stats.h).
 */
#ifndef CN_RUNTIME_CORE_COUNTS_H
#define CN_RUNTIME_CORE_COUNTS_H

#include <stdint.h>

struct cn_stats {
  uint64_t safepoints; /* slow paths entered by threads that have ended; others: in the mutator */
  uint64_t allocated;  /* bytes, by threads that have ended */
  uint64_t collections;
  uint64_t full;          /* full collections among them */
  uint64_t concurrent;    /* collections that ended a concurrent marking: with generations */
  uint64_t frames, roots; /* walked and visited, in all collections */
  uint64_t objects_moved, bytes_moved;
  uint64_t paused; /* nanoseconds, for all collections */
};
extern struct cn_stats cn_stats;

#endif
