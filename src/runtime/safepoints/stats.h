/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of the collector's work, which CAIRN_STATS=1 prints at exit, and the events of each collection.
 */
#ifndef CN_RUNTIME_SAFEPOINTS_STATS_H
#define CN_RUNTIME_SAFEPOINTS_STATS_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include "runtime/core/counts.h"
#include "runtime/latency/value_histogram.h"

extern struct cn_histogram cn_stats_pauses; /* nanoseconds */

/* Report the beginning of a collection. Returns the time. Phase STOP. */
uint64_t cn_stats_begin_collection(const struct cairn_collection *collection);

/* The number of bytes that the program has allocated. Phase STOP, or while the set of threads is fixed; running threads
 * change the number concurrently. */
uint64_t cn_stats_allocated_bytes(void);

/* Report the end of a collection that began at `since`, with the statistics `before` it. */
void cn_stats_end_collection(const struct cairn_collection *collection, const struct cn_stats *before, uint64_t since);

#endif
