/* SPDX-License-Identifier: Apache-2.0
 *
 * Places on stacks in which the collector looks for references.
 */
#ifndef CN_RUNTIME_ROOTS_DESCRIBED_H
#define CN_RUNTIME_ROOTS_DESCRIBED_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/walk/walk.h"

/* Is `slot` a word of a local that holds references, in any managed frame of the stack that the
 * calling thread is on, or of one that waits? The thread runs managed code, and has called what
 * returns as `regs` says, of which only the callee-saved registers count. It neither waits for a
 * stop nor is stopped. False if the call is not recorded. */
bool cn_described_has(uintptr_t slot, const struct cn_regs *regs);

/* Is it such a word in a frame of another mutator, which rests or waits for this thread? */
bool cn_described_elsewhere(struct cairn_mutator *mutator, uintptr_t slot);

/* Has that been found before of a call here and frames like these? Takes a few instructions. */
bool cn_described_had(uintptr_t slot, const struct cn_regs *regs);

#endif
