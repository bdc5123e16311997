/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells whether a place on a stack is described: the collector finds references there.
 */
#ifndef CN_RUNTIME_ROOTS_DESCRIBED_H
#define CN_RUNTIME_ROOTS_DESCRIBED_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/walk/walk.h"

/* True if `slot` is a word of a local that holds references, in a managed frame of the stack that the calling thread is
 * on, or of a stack that waits. The thread runs managed code, and has called a function that returns as `regs` says;
 * only its callee-saved registers count. The thread is not stopped, and does not wait for a stop. False if the call is
 * not recorded. */
bool cn_described_has_slot(uintptr_t slot, const struct cn_saved_regs *regs);

/* True if `slot` is such a word in a frame of another mutator, which rests or waits for this thread. */
bool cn_described_mutator_has_slot(struct cairn_mutator *mutator, uintptr_t slot);

/* True if cn_described_has_slot() was true for a call here and frames like these. Takes a few instructions. */
bool cn_described_has_cached_slot(uintptr_t slot, const struct cn_saved_regs *regs);

#endif
