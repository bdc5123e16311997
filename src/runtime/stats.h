/* SPDX-License-Identifier: Apache-2.0
 *
 * What the collector did. Counted always, printed at exit with CAIRN_STATS=1; with CAIRN_TRACE=1
 * there is a line for each collection when it is over.
 */
#ifndef CN_RUNTIME_STATS_H
#define CN_RUNTIME_STATS_H

#include <stddef.h>
#include <stdint.h>
#include "runtime/core/counts.h"
#include "runtime/debug/histogram.h"

extern struct cn_histogram cn_stats_pauses; /* nanoseconds */

/* A collection is over that took so long; `why` is its cause. An allocation of `bytes` waits for
 * it, or 0. `before`: the statistics when it began. */
void cn_stats_collection(const char *why, size_t bytes, const struct cn_stats *before,
                         uint64_t nanoseconds);

#endif
