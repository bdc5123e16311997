/* SPDX-License-Identifier: Apache-2.0
 *
 * Stack overflow, for polls that read the stack pointer (-fcairn-poll=stack): the program ends with a message instead
 * of a segmentation fault.
 *
 *   stack_end     ->  | frames ...              |
 *                     |                         |  managed code, checked by polls
 *   stack_floor   ->  | - - - - - - - - - - - - |
 *                     |  reserve                |  native code, the slow path, the message
 *   stack_bottom  ->  +-------------------------+  the system's limit
 */
#ifndef CN_RUNTIME_SIGNALS_OVERFLOW_H
#define CN_RUNTIME_SIGNALS_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/core/mutator.h"

/* End the program with status 1 if the thread's stack has overflowed. Called in a slow path of the thread. Checks only
 * the thread's own stack, not stacks of signal handlers and coroutines, and only in programs with stack polls. */
void cn_overflow_check_stack(struct cairn_mutator *mutator, const struct cn_saved_regs *regs);

/* End the program if a fault at `address`, with stack pointer `sp`, shows an overflow by a frame that was too large for
 * the reserve. In this case the call of the slow path has failed. Like cn_overflow_check_stack(), but without exit
 * handlers. Async-signal-safe. */
void cn_overflow_explain_fault(uintptr_t address, uintptr_t pc, uintptr_t sp);

#endif
