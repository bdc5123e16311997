/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime's parts of jumps and of the end of threads.
 */
#ifndef CN_RUNTIME_LIBC_LIBC_H
#define CN_RUNTIME_LIBC_LIBC_H

#include <stdbool.h>
#include <stdint.h>

/* ---- jumps.c ---- */

/* Jumps of native code over managed frames. jumps.c defines longjmp() and its like, as handlers/action.c defines
 * sigaction(), to drop the anchors of the frames that a jump leaves. The anchors must go before the jump: afterwards
 * new frames overwrite the left frames, and another thread may walk the stack. */

/* Find the jumps of the C library, or of a sanitizer's runtime. Called once, before managed code runs. */
void cn_jumps_init(void);

/* Called before a jump to a native frame with stack pointer `target`. Drops the anchors of the frames that the jump
 * leaves, ends the interruptions (signals.h) whose handlers the jump leaves, and gives the thread the state of the
 * target's frame. A native thread first waits for the end of a stop, because the requester may walk the frames. Does
 * nothing for a jump within native code, or for a switch to a stack of cairn_stack_add(). Async-signal-safe. */
void cn_jumps_abandon_frames(uintptr_t target);

/* True if a jump of the calling thread from stack pointer `sp` to `target` leaves managed frames; false for a switch to
 * another stack of cairn_stack_add(). */
bool cn_jumps_would_leave_frames(uintptr_t target, uintptr_t sp);

/* Like cn_jumps_init(), for <ucontext.h> (contexts.c): find the C library's setcontext(). */
void cn_contexts_init(void);

/* ---- thread_end.c ---- */

/* Notices the ends of threads by a destructor of thread-specific data. The C library calls such destructors in rounds
 * until all data is cleared, at most PTHREAD_DESTRUCTOR_ITERATIONS times. Destructors of the program may run managed
 * code, in any order and any round. Cairn's destructor therefore requests a call in each round, and detaches the thread
 * in the last round. The destructor must count all rounds, also rounds before the thread's first managed code. Cairn
 * therefore sets its data in each thread that sets any thread-specific data: thread_end.c defines pthread_setspecific()
 * and tss_set(), as jumps.c defines longjmp(). */

/* Called in each round of destructors; `last` is true in the final round. Messages name `pc`. */
typedef void cn_thread_end_callback(bool last, uintptr_t pc);

/* Make the key, and set the function to call. Called once, before managed code runs. */
void cn_thread_end_init(cn_thread_end_callback *round);

/* Request the calls of the rounds at the end of the calling thread, which is about to be attached. If the last round is
 * over, the program ends with a message that names `pc`. Signals are held. */
void cn_thread_end_watch(uintptr_t pc);

#endif
