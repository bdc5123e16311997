/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of the stack, for polls that read the stack pointer (-fcairn-poll=stack): runaway recursion is an error
 * with a name instead of a segmentation fault.
 *
 *   stack_end     ->  | frames ...              |
 *                     |                         |  managed code, as far as it looks
 *   stack_floor   ->  | - - - - - - - - - - - - |
 *                     |  reserve                |  native code, the slow path, the message
 *   stack_bottom  ->  +-------------------------+  the system's limit
 */
#ifndef CN_RUNTIME_SIGNALS_OVERFLOW_H
#define CN_RUNTIME_SIGNALS_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/core/mutator.h"

/* A slow path of the thread itself: ends the program with status 1 if the stack has really overflowed. Only for the
 * thread's own stack, since signal handlers and coroutines have others, and only in programs with such polls. */
void cn_overflow_check_stack(struct cairn_mutator *mutator, const struct cn_saved_regs *regs);

/* A fault at `address`, with the stack pointer at `sp`, may come from a frame that was too large for the reserve, so
 * that even the call of the slow path failed. Ends the program then like cn_overflow_check_stack(), but skips exit
 * handlers. Async-signal-safe. */
void cn_overflow_explain_fault(uintptr_t address, uintptr_t pc, uintptr_t sp);

#endif
