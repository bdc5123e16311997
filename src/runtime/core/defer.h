/* SPDX-License-Identifier: Apache-2.0
 *
 * Holding signals and cancellation back while something is half done that a handler must not leave
 * by a jump, nor a thread by its end.
 */
#ifndef CN_RUNTIME_CORE_DEFER_H
#define CN_RUNTIME_CORE_DEFER_H

/* Between the two only handlers of signals that an instruction raises run on this thread: a handler
 * that jumps would leave work half done, or a lock taken. Calls nest. Async-signal-safe. */
void cn_defer_signals(void);
void cn_defer_let_signals(void);

/* Between the two pthread_cancel() does not end this thread, whatever it calls; after the second
 * one it may. Calls nest. Part of the two above. Slow paths call it, where signals wait already. */
void cn_defer_cancellation(void);
void cn_defer_let_cancellation(void);
/* A handler's jump has left the thread's slow path, if it was in one: only cn_defer_signals() of the
 * jump itself still holds anything. */
void cn_defer_cut(void);

#endif
