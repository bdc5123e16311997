/* SPDX-License-Identifier: Apache-2.0
 *
 * Take-overs: an activation of compiled code ends, and a continuation of its language runs in its place.
 */
#ifndef CN_DEOPT_TAKE_OVER_H
#define CN_DEOPT_TAKE_OVER_H

#include <stdint.h>
#include "runtime/arch/arch.h"

/* Called by the stub cairn_deoptimize() with the registers that it saved: fills *transfer to leave the caller's
 * activation for its continuation. May collect. */
void cn_deopt_leave_now(const struct cn_saved_regs *regs, struct cn_transfer *transfer, uint64_t reason);

/* Called by the stub of a mark (marked_returns.h) when the callee of a marked activation has returned: like
 * cn_deopt_leave_now(). `mark` identifies the mark; `vector` and `word` are the low words of the
 * registers for results. */
void cn_deopt_leave_returned(const struct cn_saved_regs *regs, struct cn_transfer *transfer, uintptr_t mark,
                             uint64_t vector, uint64_t word);

#endif
