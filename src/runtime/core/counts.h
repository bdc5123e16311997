/* SPDX-License-Identifier: Apache-2.0
 *
 * Declares the totals of the runtime and the collector (printed by stats.c).
 */
#ifndef CN_RUNTIME_CORE_COUNTS_H
#define CN_RUNTIME_CORE_COUNTS_H

#include <stdint.h>

struct cn_stats {
  uint64_t safepoints; /* slow paths of ended threads; a mutator has the count of its live thread */
  uint64_t allocated;  /* bytes allocated by ended threads */
  uint64_t collections;
  uint64_t full;          /* number of full collections */
  uint64_t concurrent;    /* collections of the generational collector that ended a concurrent marking */
  uint64_t frames, roots; /* frames walked and roots visited in all collections */
  uint64_t objects_moved, bytes_moved;
  uint64_t paused; /* total pause of all collections in nanoseconds */
};
extern struct cn_stats cn_stats;

#endif
