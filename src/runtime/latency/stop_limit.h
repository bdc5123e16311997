/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_STOP_LIMIT=N: a thread of the runtime, the reporter, reports each thread that delays a stop for more than N
 * microseconds, once for each stop. The reporter may allocate memory for names of files and lines; the requester of the
 * stop must not, because a stopped thread may be in malloc().
 */
#ifndef CN_RUNTIME_LATENCY_STOP_LIMIT_H
#define CN_RUNTIME_LATENCY_STOP_LIMIT_H

#include <stdint.h>

/* Like cn_hooks.stop_waits(). */
void cn_stop_limit_note_wait(int thread, uint64_t since);

/* End the reporter at the program's end, after the report that it is printing. */
void cn_stop_limit_end_reporter(void);

#endif
