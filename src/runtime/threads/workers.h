/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers: the runtime's threads, among which a collector divides its work (cairn_workers_run(),
 * <cairn/collector.h>). They run no managed code and get no signals.
 */
#ifndef CN_RUNTIME_THREADS_WORKERS_H
#define CN_RUNTIME_THREADS_WORKERS_H

#include <stdbool.h>

/* Before a collection, outside stops of the calling thread: start the workers, once, if the collector walks in
 * `parallel`. In a signal handler the workers that are there must suffice: the handler may have interrupted
 * malloc(), which starting a thread calls. */
void cn_workers_prepare_threads(bool parallel);

/* The number of workers, with the thread that collects. */
unsigned cn_workers_count(void);

/* End the workers, and wait for that, so that a process whose other threads have ended ends; a later collection
 * starts new ones. If they have work, of another thread's collection, this waits for it. Any thread that has not
 * stopped others. */
void cn_workers_end_all(void);

/* Like cn_workers_end_all(), at the end of the program, for good: later collections go on without workers. Workers that
 * have work run on. */
void cn_workers_end_at_exit(void);

/* In the child of a fork(), which lacks these threads. */
void cn_workers_reset_after_fork(void);

#endif
