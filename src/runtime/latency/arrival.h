/* SPDX-License-Identifier: Apache-2.0
 *
 * The time to safepoint, measured by handshakes.
 */
#ifndef CN_RUNTIME_LATENCY_ARRIVAL_H
#define CN_RUNTIME_LATENCY_ARRIVAL_H

#include <cairn/thread.h>

/* Like cairn_safepoint_ask(), for a thread that `random` chooses. UNKNOWN: all threads have ended. */
enum cairn_status cn_arrival_measure_any(uint64_t random, struct cairn_arrival *arrival, uint64_t timeout);

#endif
