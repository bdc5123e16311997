/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals held back while something is half done that a handler must not leave by a jump.
 */
#ifndef CN_RUNTIME_CORE_HOLD_H
#define CN_RUNTIME_CORE_HOLD_H

/* In between, no handler runs in this thread, but of what an instruction raises: who has something
 * half done, or a lock, would be left by a handler that jumps. May be nested. Async-signal-safe. */
void cn_hold_signals(void);
void cn_hold_let_signals(void);

#endif
