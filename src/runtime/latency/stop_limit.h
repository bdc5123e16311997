/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_STOP_LIMIT=N: a thread that holds a stop up for more than N microseconds is reported, once for each stop, by
 * a thread of the runtime. That thread may allocate, as names of files and lines need it; the requester must not,
 * for a thread that it has stopped may be in malloc().
 */
#ifndef CN_RUNTIME_LATENCY_STOP_LIMIT_H
#define CN_RUNTIME_LATENCY_STOP_LIMIT_H

#include <stdint.h>

/* Like cn_hooks.stop_waits(). */
void cn_stop_limit_note_wait(int thread, uint64_t since);

/* The program is over: finish the report that is under way, and begin no other. */
void cn_stop_limit_end_reporter(void);

#endif
