/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_VERIFY=frames: compares two independent walks of one stack.
 */
#ifndef CN_RUNTIME_DEBUG_VERIFY_FRAMES_H
#define CN_RUNTIME_DEBUG_VERIFY_FRAMES_H

#include "runtime/core/mutator.h"

/* Walk the calling thread's stack by frame maps and anchors, and by the platform's unwinder, which reads call-frame
 * information. Each managed activation must be found by both, in the same order, with the same pc, stack pointer and
 * callee-saved registers. Any difference ends the program and names both sides; so does a missing unwinder, or one
 * that fails to leave the runtime. `regs` are the registers that the stub saved. */
void cn_verify_frames(const struct cairn_mutator *mutator, const struct cn_saved_regs *regs);

#endif
