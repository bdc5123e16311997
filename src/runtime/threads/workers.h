/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers: threads of the runtime that share a collector's work (cairn_workers_run(), <cairn/collector.h>). Workers
 * block all signals and run no managed code.
 */
#ifndef CN_RUNTIME_THREADS_WORKERS_H
#define CN_RUNTIME_THREADS_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

/* Start the workers once, if the collector is `parallel`. Called before a collection, outside stops of the calling
 * thread. Starts no workers in a signal handler, which may have interrupted malloc(), because starting a thread calls
 * malloc(). */
void cn_workers_prepare_threads(bool parallel);

/* The number of workers, including the collecting thread. */
unsigned cn_workers_count(void);

/* End the workers, and wait for their end, so that the process ends when its other threads have ended. A later
 * collection starts new workers. If workers do a job of another thread's collection, the call waits for the job. Called
 * by any thread that has not stopped others. */
void cn_workers_end_all(void);

/* Like cn_workers_end_all(), at the program's end; later collections run without workers. Workers with a job
 * continue. */
void cn_workers_end_at_exit(void);

void cn_workers_reset_after_fork(void);

/* ---- background.c ---- */

/* The background thread: a thread of the runtime that does a collector's job step by step while the program runs
 * (cairn_background_run(), <cairn/collector.h>). The thread blocks all signals and runs no managed code. */

/* Start the thread if a collector has given a job. Called before a collection, outside stops of the calling thread.
 * Does nothing in a signal handler, which may have interrupted malloc(). */
void cn_background_prepare_thread(void);

/* From cn_background_hold_steps() to cn_background_release_steps() no step begins; cn_background_await_step() waits for
 * the current step, for a stop that was requested at `since`, or 0 for no stop. It returns the background thread's
 * number, or 0 if no long step ran. Calls nest, on any threads. */
void cn_background_hold_steps(void);
int cn_background_await_step(uint64_t since);
void cn_background_release_steps(void);

/* End the thread, and wait for its end. A later collection starts the thread again. */
void cn_background_end_thread(void);

/* Like cn_background_end_thread(), at the program's end; the thread never starts again. */
void cn_background_end_at_exit(void);

/* Called in the child of a fork(), which lacks the thread: drop all holds and the job. */
void cn_background_reset_after_fork(void);

bool cn_background_is_in_step(void);

#endif
