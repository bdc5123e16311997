/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns the totals of the runtime and the collector (cn_stats). They change in phase STOP, and when a thread ends, under
 * the stop lock.
 */
#include "runtime/core/counts.h"

struct cn_stats cn_stats;
