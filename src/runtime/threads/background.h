/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread of the runtime's that does a collector's job step by step, while the program runs
 * (cairn_background_run(), <cairn/collector.h>). It runs no managed code and gets no signals.
 */
#ifndef CN_RUNTIME_THREADS_BACKGROUND_H
#define CN_RUNTIME_THREADS_BACKGROUND_H

#include <stdbool.h>

/* Before a collection, while no stop of the calling thread's is under way: start the thread if a
 * collector has asked for it. A signal handler does not, as with workers. */
void cn_background_prepare(void);

/* From `hold` on no step begins; `await` waits for the one that is under way; from `release` on
 * steps go on. May nest, on any threads. */
void cn_background_hold(void);
void cn_background_await(void);
void cn_background_release(void);

/* Have the thread end, and wait for that; a later collection starts it again. */
void cn_background_end(void);

/* The same at the end of the program, for good. */
void cn_background_exit(void);

/* In the child of a fork(), which has no such thread: nothing is held, and there is no job. */
void cn_background_forked(void);

/* Is a step under way? */
bool cn_background_is_inside(void);

#endif
