/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_VERIFY=frames: compares two independent walks of one stack.
 */
#ifndef CN_RUNTIME_DEBUG_VERIFY_FRAMES_H
#define CN_RUNTIME_DEBUG_VERIFY_FRAMES_H

#include "runtime/core/mutator.h"

/* Walk the calling thread's stack twice: by frame maps and anchors, and by the platform's unwinder, which reads
 * call-frame information. Both walks must find the same managed activations in the same order, with the same pc, stack
 * pointer and callee-saved registers. Any difference ends the program with a message that names both sides. A missing
 * unwinder, or an unwinder that cannot step out of the runtime, also ends the program. `regs` are the registers that
 * the stub saved. */
void cn_verify_frames(const struct cairn_mutator *mutator, const struct cn_saved_regs *regs);

#endif
