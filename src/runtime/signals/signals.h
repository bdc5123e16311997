/* SPDX-License-Identifier: Apache-2.0
 *
 * The path of a signal from the kernel to a handler of the program (docs/runtime.md, "Signal handlers"):
 *
 *   - The thread was in native code that has an anchor: the handler runs at once, and may do everything.
 *   - The thread was in managed code, or nearly: the handler interrupts it at once, and may do everything; but its
 *     allocations come from a second buffer, and collections wait.
 *   - The thread was in a slow path of the runtime: the handler runs after it, and may do the same.
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

/* A slow path begins, in a frame that ends at `sp`: end the interruptions whose handlers a jump left. The mutator is
 * busy. */
void cn_signals_end_left_handlers(uintptr_t sp);

/* The first anchor of calls that began after managed code was interrupted; a stub may be filling one below it. If no
 * managed code is interrupted, the first anchor of all. */
struct cn_anchor *cn_signals_anchor_limit(void);

/* Drop the anchors of native frames that an exception left, or those with an SP up to `sp`, where the stack is now,
 * which a longjmp left. The calls that the thread can return to lie above. */
void cn_signals_drop_ended_anchors(struct cairn_mutator *mutator, uintptr_t sp);

/* The thread's state at the start of the innermost running handler that interrupted managed code, or that began after
 * such a handler. Native if no such handler runs. */
uint8_t cn_signals_interrupted_state(void);

/* The thread is detached. */
void cn_signals_free_interruptions(struct cairn_mutator *mutator);

/* The calling thread is about to jump to this stack pointer. If a handler still runs there, the number of anchors
 * when it or an inner one began; else 0. */
size_t cn_signals_leave_by_jump(uintptr_t sp);

/* Check the interruptions of the calling thread. Returns the error, or null. These hold:
 *   - each has an entry, and its frame lies on its handler's stack
 *   - requesters of stops see that there are some: mutator->interruptions is odd
 * In a slow path, or in a handler. */
const char *cn_signals_wrong(void);

/* True if managed code is interrupted. Collections must then wait. */
bool cn_signals_is_interrupting(void);

/* Run handler(0, null, env) like the handler of a signal that came here, in managed code that lies below: it may do
 * all that such a handler may, except leave by a jump. */
void cn_signals_run_as_interruption(cn_signal_handler *handler, void *env);

/* While a handler of the calling thread runs: the stack pointer of the code below all handlers. 0 outside handlers. */
uintptr_t cn_signals_interrupted_sp(void);

/* The kernel's handler of all signals that the program handles. */
void cn_signals_deliver(int signal, siginfo_t *info, void *context);

/* A slow path is over, and the mutator has ended its busy time: deliver the signals that came meanwhile. Each
 * handler may jump out. */
void cn_signals_release_postponed(void);

#endif
