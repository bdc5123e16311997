/* SPDX-License-Identifier: Apache-2.0
 *
 * Defers signals and cancellation during work that a jump out of a handler, or the thread's end, would leave half done.
 */
#ifndef CN_RUNTIME_CORE_DEFER_H
#define CN_RUNTIME_CORE_DEFER_H

/* Between the two calls only handlers of faults run on this thread; all other signals wait for the second call. A
 * handler that jumped out would leave work half done, or a lock taken. Calls nest. Async-signal-safe. */
void cn_defer_signals(void);
void cn_undefer_signals(void);

/* Between the two calls no cancellation point ends this thread: pthread_cancel() takes effect after the second call.
 * Calls nest. The two calls above include these; slow paths, which defer signals by other means, call these alone. */
void cn_defer_cancellation(void);
void cn_undefer_cancellation(void);
/* Called in a jump out of a handler, which leaves the thread's slow path, if any: from now on only the jump's own
 * cn_defer_signals() defers signals. */
void cn_defer_cut_after_jump(void);

#endif
