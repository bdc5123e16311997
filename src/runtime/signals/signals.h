/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens between the kernel and a signal handler of the program (docs/runtime.md, "Signal
 * handlers"):
 *
 *     the thread was                       the handler runs           it may
 *     in native code that has an anchor    at once                    do everything
 *     in managed code, or nearly           at once: an interruption   do everything; what it
 * allocates is taken from a buffer beside, and collections wait until it is over in a slow path of
 * the runtime        when that is over          as in managed code
 *
 * Main thread only; other threads have no managed code, their handlers run at once.
 */
#ifndef CN_RUNTIME_SIGNALS_SIGNALS_H
#define CN_RUNTIME_SIGNALS_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/handlers/action.h"

/* A slow path begins, in a frame that ends at `sp`: interruptions whose handler was left by a jump
 * are over. The mutator is busy. */
void cn_signals_settle(uintptr_t sp);

/* Anchors from here on are of calls that began since managed code was interrupted; the stub of one
 * below may be filling it. If none is interrupted, all. */
struct cn_anchor *cn_signals_anchors(void);

/* Is managed code interrupted? Nothing may collect then. */
bool cn_signals_interrupting(void);

/* A slow path is over, the mutator no longer busy: signals that came meanwhile are delivered. Each
 * handler may leave by a jump. */
void cn_signals_release(void);

#endif
