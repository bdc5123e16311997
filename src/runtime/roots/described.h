/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells whether a slot on a stack is in a described alloca, whose references the collector finds.
 */
#ifndef CN_RUNTIME_ROOTS_DESCRIBED_H
#define CN_RUNTIME_ROOTS_DESCRIBED_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/walk/walk.h"

/* True if `slot` is in a described alloca of a managed frame, on the calling thread's stack or on a waiting stack. The
 * thread runs managed code, which has called the check; `regs` has the pc, the stack pointer and the callee-saved
 * registers after the call's return. The thread does not stop for this. False if the call has no frame map. */
bool cn_described_has_slot(uintptr_t slot, const struct cn_saved_regs *regs);

/* True if `slot` is in a described alloca of another mutator's frame; that mutator is stopped, or waits for this
 * thread. */
bool cn_described_mutator_has_slot(struct cairn_mutator *mutator, uintptr_t slot);

/* True if cn_described_has_slot() was true for a call at this pc with equal callers. Takes a few instructions. */
bool cn_described_has_cached_slot(uintptr_t slot, const struct cn_saved_regs *regs);

#endif
