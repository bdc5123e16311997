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

#include <signal.h>
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

/* ---- fault.c ---- */

/* Explains faults: accesses to memory that a collection has moved objects out of, to memory below the stack, or to an
 * image that was unmapped but not unregistered. */

/* From now on explain faults, on an alternate stack, before the program's handler or the default action runs. Later
 * calls do nothing. With CAIRN_BACKTRACE, also watch the other signals of crashes. */
void cn_fault_watch_signals(void);

/* Give an alternate stack to a thread that is being attached, if faults are explained; free the stack of a thread that
 * ends. */
void cn_fault_give_alternate_stack(struct cairn_mutator *mutator);
void cn_fault_free_alternate_stack(struct cairn_mutator *mutator);

/* Print the explanation of this fault. False: there is none. Async-signal-safe. */
bool cn_fault_explain(const siginfo_t *info, const void *context);

/* ---- overflow.c ---- */

/* Stack overflow, for polls that read the stack pointer (-fcairn-poll=stack): the program ends with a message instead
 * of a segmentation fault.
 *
 *   stack_end     ->  | frames ...              |
 *                     |                         |  managed code, checked by polls
 *   stack_floor   ->  | - - - - - - - - - - - - |
 *                     |  reserve                |  native code, the slow path, the message
 *   stack_bottom  ->  +-------------------------+  the system's limit
 */

/* If the thread's stack has overflowed, throw the exception for it (hooks.h), or end the program with status 1. Called
 * in a slow path of the thread; `native` if native code called it. Checks only the thread's own stack, not stacks of
 * signal handlers and coroutines, and only in programs with stack polls. */
void cn_overflow_check_stack(struct cairn_mutator *mutator, const struct cn_saved_regs *regs, bool native);

/* End the program if a fault at `address`, with stack pointer `sp`, shows an overflow by a frame that was too large for
 * the reserve. In this case the call of the slow path has failed. Like cn_overflow_check_stack(), but without exit
 * handlers. Async-signal-safe. */
void cn_overflow_explain_fault(uintptr_t address, uintptr_t pc, uintptr_t sp);

/* The size of the calling thread's stack if a fault at `address`, with stack pointer `sp`, shows an overflow; else 0.
 * Any program, any thread; async-signal-safe. */
size_t cn_overflow_stack_bytes(uintptr_t address, uintptr_t sp);

/* ---- crash.c ---- */

/* With CAIRN_BACKTRACE, report the signal, whose default action is about to end the program: its cause, the place, the
 * objects in registers, and a backtrace. Only the first crash is reported, and only if no message has ended the program
 * before. Async-signal-safe. */
void cn_crash_report(const siginfo_t *info, const void *context);

#endif
