/* SPDX-License-Identifier: Apache-2.0
 *
 * Holding signals back while something is half done that a handler must not leave by a jump.
 */
#ifndef CN_RUNTIME_CORE_HOLD_H
#define CN_RUNTIME_CORE_HOLD_H

/* Between the two no handler runs in this thread, but those of signals that an instruction raises:
 * a handler that jumps would leave something half done, or a lock taken. These nest.
 * Async-signal-safe. */
void cn_hold_signals(void);
void cn_hold_let_signals(void);

#endif
