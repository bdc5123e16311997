/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers: threads of the runtime that share a collector's work (cairn_workers_run(), <cairn/collector.h>). Workers
 * block all signals and run no managed code.
 */
#ifndef CN_RUNTIME_THREADS_WORKERS_H
#define CN_RUNTIME_THREADS_WORKERS_H

#include <stdbool.h>

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

#endif
