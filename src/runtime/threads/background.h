/* SPDX-License-Identifier: Apache-2.0
 *
 * The background thread: a thread of the runtime that does a collector's job step by step, while the program runs
 * (cairn_background_run(), <cairn/collector.h>). It runs no managed code and gets no signals.
 */
#ifndef CN_RUNTIME_THREADS_BACKGROUND_H
#define CN_RUNTIME_THREADS_BACKGROUND_H

#include <stdbool.h>

/* Before a collection, outside stops of the calling thread: start the thread if a collector has asked for it. In a
 * signal handler this does nothing, as with workers. */
void cn_background_prepare_thread(void);

/* `hold`: from now on steps do not begin; `await` waits for the step that is under way; from `release` on steps go
 * on. May nest, on any threads. */
void cn_background_hold_steps(void);
void cn_background_await_step(void);
void cn_background_release_steps(void);

/* Have the thread end, and wait for that; a later collection starts it again. */
void cn_background_end_thread(void);

/* Like cn_background_end_thread(), at the end of the program, for good. */
void cn_background_end_at_exit(void);

/* In the child of a fork(), which lacks the thread: drop all holds and the job. */
void cn_background_reset_after_fork(void);

/* True if a step is under way. */
bool cn_background_is_in_step(void);

#endif
