/* SPDX-License-Identifier: Apache-2.0
 *
 * Notices the ends of threads by a destructor of thread-specific data. The C library calls such destructors in rounds
 * until all data is cleared, at most PTHREAD_DESTRUCTOR_ITERATIONS times. Destructors of the program may run managed
 * code, in any order and any round. Cairn's destructor therefore requests a call in each round, and detaches the thread
 * in the last round.
 *
 * The destructor must count all rounds, also rounds before the thread's first managed code. Cairn therefore sets its
 * data in each thread that sets any thread-specific data: thread_end.c defines pthread_setspecific() and tss_set(), as
 * jumps.c defines longjmp().
 */
#ifndef CN_RUNTIME_LIBC_THREAD_END_H
#define CN_RUNTIME_LIBC_THREAD_END_H

#include <stdbool.h>
#include <stdint.h>

/* Called in each round of destructors; `last` is true in the final round. Messages name `pc`. */
typedef void cn_thread_end_callback(bool last, uintptr_t pc);

/* Make the key, and set the function to call. Called once, before managed code runs. */
void cn_thread_end_init(cn_thread_end_callback *round);

/* Request the calls of the rounds at the end of the calling thread, which is about to be attached. If the last round is
 * over, the program ends with a message that names `pc`. Signals are held. */
void cn_thread_end_watch(uintptr_t pc);

#endif
