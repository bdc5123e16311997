/* SPDX-License-Identifier: Apache-2.0
 *
 * Deferring of signals and cancellation while work is half done. A handler that jumps, or the thread's end, would
 * leave the work so.
 */
#ifndef CN_RUNTIME_CORE_DEFER_H
#define CN_RUNTIME_CORE_DEFER_H

/* Between the two calls the only handlers that run on this thread are those of signals raised by an instruction: a
 * handler that jumps would leave work half done, or a lock taken. Calls nest. Async-signal-safe. */
void cn_defer_signals(void);
void cn_undefer_signals(void);

/* pthread_cancel() ends this thread only after the second call, whatever the thread calls in between. Calls nest.
 * Part of the two calls above. Slow paths call it, where signals are deferred already. */
void cn_defer_cancellation(void);
void cn_undefer_cancellation(void);
/* A handler's jump has left the thread's slow path, if it was in one: from now on only cn_defer_signals() of the
 * jump itself defers signals. */
void cn_defer_cut_after_jump(void);

#endif
