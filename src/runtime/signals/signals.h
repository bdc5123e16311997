/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens between the kernel and a signal handler of the program (docs/runtime.md, "Signal
 * handlers"):
 *
 *   - The thread was in native code that has an anchor: the handler runs at once, and may do
 *     everything.
 *   - The thread was in managed code, or nearly: the handler interrupts it at once, and may do
 *     everything; but its allocations come from a second buffer, and collections wait.
 *   - The thread was in a slow path of the runtime: the handler runs when that is over, and may do
 * as in managed code.
 *
 * Main thread only; other threads have no managed code, their handlers run at once.
 */
#ifndef CN_RUNTIME_SIGNALS_SIGNALS_H
#define CN_RUNTIME_SIGNALS_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/core/mutator.h"
#include "runtime/handlers/action.h"

/* A slow path begins, in a frame that ends at `sp`: interruptions whose handler was left by a jump
 * are over. The mutator is busy. */
void cn_signals_settle(uintptr_t sp);

/* The first anchor of calls that began since managed code was interrupted; a stub may be filling
 * one below it. If no managed code is interrupted, the first of all. */
struct cn_anchor *cn_signals_anchors(void);

/* The thread's state when the handler began that interrupted managed code, the last of them; that
 * of native code if none did. */
uint8_t cn_signals_state(void);

/* The thread is detached. */
void cn_signals_end(struct cairn_mutator *mutator);

/* The calling thread is about to jump to this stack pointer. If it still runs a handler then: how
 * many anchors there were when that began, or an inner one; else 0. */
size_t cn_signals_jump(uintptr_t sp);

/* Is managed code interrupted? Nothing may collect then. */
bool cn_signals_interrupting(void);

/* The stack pointer of the code that runs on no handler's account, while a handler of the calling
 * thread runs; 0: none does. */
uintptr_t cn_signals_interrupted_sp(void);

/* A slow path is over, the mutator no longer busy: signals that came meanwhile are delivered. Each
 * handler may leave by a jump. */
void cn_signals_release(void);

#endif
