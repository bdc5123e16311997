/* SPDX-License-Identifier: Apache-2.0
 *
 * The C functions that the stubs (arch/) call at safepoints, with the registers that the stub saved.
 */
#ifndef CN_RUNTIME_SAFEPOINTS_SAFEPOINT_H
#define CN_RUNTIME_SAFEPOINTS_SAFEPOINT_H

#include <stdint.h>
#include <cairn/collector.h>
#include "runtime/arch/arch.h"
#include "runtime/core/mutator.h"

void cn_safepoint_poll(const struct cn_saved_regs *regs);
void cn_safepoint_collect(const struct cn_saved_regs *regs);

/* Return a reference to a new object with a zeroed payload; the last function leaves the payload uncleared. */
void *cn_safepoint_alloc(const struct cn_saved_regs *regs, const struct cairn_layout *layout);
void *cn_safepoint_alloc_indexed(const struct cn_saved_regs *regs, const struct cairn_layout *layout, int64_t count);
void *cn_safepoint_alloc_uninit(const struct cn_saved_regs *regs, const struct cairn_layout *layout, int64_t count);

/* Change the length of the array, which must have this layout, in place and return null, or return a new array for
 * cairn_resize_finish(). */
void *cn_safepoint_resize(const struct cn_saved_regs *regs, const struct cairn_layout *layout, uintptr_t array,
                          int64_t count, bool uninit);

/* Add a chunk of anchors after a chunk has become full. Failure ends the program. */
void cn_safepoint_anchors(const struct cn_saved_regs *regs);

#endif
