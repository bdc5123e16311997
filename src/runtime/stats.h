/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of the collector's work, printed at exit with CAIRN_STATS=1. With CAIRN_TRACE=1 each
 * collection prints a line when it is over.
 */
#ifndef CN_RUNTIME_STATS_H
#define CN_RUNTIME_STATS_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include "runtime/core/counts.h"
#include "runtime/debug/histogram.h"

extern struct cn_histogram cn_stats_pauses; /* nanoseconds */

/* Report a collection that is over, its time, and the statistics `before` it. */
void cn_stats_collection(const struct cairn_collection *collection, const struct cn_stats *before,
                         uint64_t nanoseconds);

#endif
