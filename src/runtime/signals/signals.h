/* SPDX-License-Identifier: Apache-2.0
 *
 * The path of a signal from the kernel to a handler of the program (docs/runtime.md, "Signal handlers"):
 *
 *   - The thread was in native code with an anchor: the handler runs at once, without restrictions.
 *   - The thread was in managed code, or in a stub: the handler interrupts the code at once. The handler may run
 *     managed code, but its allocations use a second buffer, and collections wait.
 *   - The thread was in a slow path of the runtime: the handler runs after the slow path, like an interruption of
 *     managed code.
 *
 * On an unattached thread, handlers run at once.
 */
#ifndef CN_RUNTIME_SIGNALS_SIGNALS_H
#define CN_RUNTIME_SIGNALS_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/core/mutator.h"
#include "runtime/handlers/action.h"

/* Called at the beginning of a slow path, in a frame that ends at `sp`: end the interruptions whose handlers a jump has
 * left. The mutator is busy. */
void cn_signals_end_left_handlers(uintptr_t sp);

/* The oldest anchor of calls that began after the interruption of managed code; a stub may be filling an older anchor.
 * Without an interruption, the oldest anchor of all. */
struct cn_anchor *cn_signals_anchor_limit(void);

/* Drop the anchors of frames that an exception or a longjmp has left: anchors with an unset SP, or with an SP up to
 * `sp`, the current stack pointer. All calls that the thread can return to lie above `sp`. */
void cn_signals_drop_ended_anchors(struct cairn_mutator *mutator, uintptr_t sp);

/* The thread's state at the start of the innermost interruption; native if there is no interruption. */
uint8_t cn_signals_interrupted_state(void);

/* Free the list of interruptions of a thread that is being detached. */
void cn_signals_free_interruptions(struct cairn_mutator *mutator);

/* Called before a jump to stack pointer `sp`. If the target is in a running handler, returns the number of anchors at
 * the start of that handler or of a handler within it; otherwise returns 0. */
size_t cn_signals_leave_by_jump(uintptr_t sp);

/* Check the interruptions of the calling thread. Returns the error, or null. Invariants:
 *   - each interruption has an entry, and its frame lies on its handler's stack
 *   - while there is an interruption, mutator->interruptions is odd, for requesters of stops
 * Called in a slow path, or in a handler. */
const char *cn_signals_wrong(void);

/* True if managed code is interrupted. Collections must then wait. */
bool cn_signals_is_interrupting(void);

/* Run handler(0, null, env) like a signal handler that interrupted the managed code below, except that it must not jump
 * out. */
void cn_signals_run_as_interruption(cn_signal_handler *handler, void *env);

/* The stack pointer of the code that the calling thread's first running handler interrupted; 0 outside of handlers. */
uintptr_t cn_signals_interrupted_sp(void);

/* The kernel's handler for all signals that the program handles. */
void cn_signals_deliver(int signal, siginfo_t *info, void *context);

/* Deliver the signals that came during a slow path, after its end, when the mutator is no longer busy. Each handler may
 * jump out. */
void cn_signals_release_postponed(void);

#endif
