/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that compiled code calls before it stores a reference, or copies possible references, through an ordinary
 * pointer (pass `check-stores`), by stubs of the port: cairn_check_store() and cairn_check_copy().
 */
#ifndef CN_RUNTIME_SAFEPOINTS_CHECK_STORE_H
#define CN_RUNTIME_SAFEPOINTS_CHECK_STORE_H

#include <stddef.h>
#include <stdint.h>
#include "runtime/arch/arch.h"

/* The calls never collect. They end the program if the collector does not scan the place. If the place is on another
 * thread's stack, they wait for that thread, 0.1 s at most. `regs` has pc, stack pointer and callee-saved registers
 * of the caller; `what` names type, member and source line. Phase MUTATE. */
void cn_check_store(uintptr_t slot, const char *what, const struct cn_saved_regs *regs);
void cn_check_copy(uintptr_t to, const unsigned char *from, size_t bytes, const struct cn_saved_regs *regs);

#endif
