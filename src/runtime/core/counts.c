/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns the totals of the runtime and the collector (cn_stats). The collecting thread changes the totals in phase STOP.
 * A thread that ends adds its counts under the registry lock (threads/stop.c). Any thread may read the totals for a
 * report, without a lock.
 */
#include "runtime/core/counts.h"

struct cn_stats cn_stats;
