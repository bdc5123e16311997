/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of the collector's work, printed at exit with CAIRN_STATS=1, and the events of each collection.
 */
#ifndef CN_RUNTIME_SAFEPOINTS_STATS_H
#define CN_RUNTIME_SAFEPOINTS_STATS_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include "runtime/core/counts.h"
#include "runtime/latency/value_histogram.h"

extern struct cn_histogram cn_stats_pauses; /* nanoseconds */

/* Report a collection that is about to begin; returns the time. Phase STOP. */
uint64_t cn_stats_begin_collection(const struct cairn_collection *collection);

/* Bytes that the program has allocated. Phase STOP, or while the set of threads is fixed; running threads change it
 * meanwhile. */
uint64_t cn_stats_allocated_bytes(void);

/* Report the end of a collection: its begin, and the statistics `before` it. */
void cn_stats_end_collection(const struct cairn_collection *collection, const struct cn_stats *before, uint64_t since);

#endif
