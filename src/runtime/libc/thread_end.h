/* SPDX-License-Identifier: Apache-2.0
 *
 * The ends of threads. A destructor of thread-specific data notices them. The C library calls such destructors in
 * rounds until all data is gone, PTHREAD_DESTRUCTOR_ITERATIONS at most, and those of other data may run managed
 * code, in any order and any round. So ours asks to be called in each round, and the thread is detached in the last
 * one.
 *
 * It has to count all rounds, also those before the thread's first managed code. So it has data in each thread that
 * has any: this file defines pthread_setspecific() and tss_set(), as jumps.c defines longjmp().
 */
#ifndef CN_RUNTIME_LIBC_THREAD_END_H
#define CN_RUNTIME_LIBC_THREAD_END_H

#include <stdbool.h>
#include <stdint.h>

/* Called in each round of destructors; `last`: the final one. `pc`: the address that messages name. */
typedef void cn_thread_end_callback(bool last, uintptr_t pc);

/* Prepare the notice, and set the function to call. Once, before managed code runs. */
void cn_thread_end_init(cn_thread_end_callback *round);

/* Have the rounds reported at the end of the calling thread, which is about to be attached. Ends the program with a
 * message that names `pc` if the last round is over. Signals are held. */
void cn_thread_end_watch(uintptr_t pc);

#endif
