/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks before stores of references, or copies of possible references, through an ordinary pointer (pass
 * `check-stores`). Compiled code calls the checks by the port's stubs cairn_check_store() and cairn_check_copy().
 */
#ifndef CN_RUNTIME_SAFEPOINTS_CHECK_STORE_H
#define CN_RUNTIME_SAFEPOINTS_CHECK_STORE_H

#include <stddef.h>
#include <stdint.h>
#include "runtime/arch/arch.h"

/* End the program if the collector does not scan the slot. The calls never collect. If the slot is on another thread's
 * stack, a call waits for that thread, at most 0.1 s. `regs` has pc, stack pointer and callee-saved registers of the
 * caller; `what` names type, member and source line. Phase MUTATE. */
void cn_check_store(uintptr_t slot, const char *what, const struct cn_saved_regs *regs);
void cn_check_copy(uintptr_t to, const unsigned char *from, size_t bytes, const struct cn_saved_regs *regs);

#endif
