/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks on activations that have caught an exception.
 */
#ifndef CN_DEOPT_MARK_AGAIN_H
#define CN_DEOPT_MARK_AGAIN_H

#include "runtime/arch/arch.h"

/* Implements the hook `mark_again` (hooks.h). */
void cn_deopt_mark_again(const struct cn_saved_regs *regs);

#endif
