/* SPDX-License-Identifier: Apache-2.0
 *
 * Holding signals back while something is half done that a handler must not leave by a jump.
 */
#ifndef CN_RUNTIME_CORE_HOLD_H
#define CN_RUNTIME_CORE_HOLD_H

/* Between the two only handlers of signals that an instruction raises run on this thread: a handler
 * that jumps would leave work half done, or a lock taken. Calls nest. Async-signal-safe. */
void cn_hold_signals(void);
void cn_hold_let_signals(void);

#endif
