/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers: the runtime's threads, among which a collector divides its work
 * (cairn_workers_run(), <cairn/collector.h>). They run no managed code and get no signals.
 */
#ifndef CN_RUNTIME_THREADS_WORKERS_H
#define CN_RUNTIME_THREADS_WORKERS_H

#include <stdbool.h>

/* Before a collection, while no stop of the calling thread's is under way: start the workers, once,
 * if the collector walks in `parallel`. None is started by a signal handler: it may have
 * interrupted malloc(), which starting a thread calls. Then those that are there have to do. */
void cn_workers_prepare(bool parallel);

/* How many there are, with the thread that collects. */
unsigned cn_workers_count(void);

/* Have them end, and wait for that, so that a process whose other threads have ended ends; a later
 * collection starts new ones. If they have work, of another thread's collection, this waits for it.
 * Any thread that has not stopped others. */
void cn_workers_end(void);

/* The same at the end of the program, for good: later collections go on without. Those that have
 * work are left alone. */
void cn_workers_exit(void);

/* In the child of a fork(), which has none of these threads. */
void cn_workers_forked(void);

#endif
