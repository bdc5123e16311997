/* SPDX-License-Identifier: Apache-2.0
 *
 * The ends of threads. A destructor of thread-specific data notices them. The C library calls such
 * destructors in rounds until no data is left, PTHREAD_DESTRUCTOR_ITERATIONS at most, and those of
 * other data may run managed code, in any order and any round. So ours asks to be called in each
 * round, and the thread is detached in the last one.
 *
 * It has to count all rounds, also those before the one in which a thread runs its first managed
 * code. So it has data in each thread that has any: this file defines pthread_setspecific() and
 * tss_set(), as jumps.c defines longjmp().
 */
#ifndef CN_RUNTIME_LIBC_THREAD_END_H
#define CN_RUNTIME_LIBC_THREAD_END_H

#include <stdbool.h>
#include <stdint.h>

/* In each round of destructors; `last`: no other comes. `pc`: what messages name. */
typedef void cn_thread_end_round(bool last, uintptr_t pc);

/* Prepare it, and tell what is called. Once, before managed code runs. */
void cn_thread_end_init(cn_thread_end_round *round);

/* Have the rounds told of at the end of the calling thread, which is about to be attached. It
 * ends the program with a message that names `pc` if no round is left. Signals are held. */
void cn_thread_end_await(uintptr_t pc);

#endif
