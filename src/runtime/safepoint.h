/* SPDX-License-Identifier: Apache-2.0
 *
 * The C side of the stubs (arch/): each is called at a safepoint, with what the stub saved.
 */
#ifndef CN_RUNTIME_SAFEPOINT_H
#define CN_RUNTIME_SAFEPOINT_H

#include <stdint.h>
#include <cairn/collector.h>
#include "runtime/arch/arch.h"
#include "runtime/core/mutator.h"

void cn_safepoint_poll(const struct cn_regs *regs);
void cn_safepoint_collect(const struct cn_regs *regs);

/* A new object's payload, all zero. */
void *cn_safepoint_alloc(const struct cn_regs *regs, const struct cairn_layout *layout);
void *cn_safepoint_alloc_indexed(const struct cn_regs *regs, const struct cairn_layout *layout,
                                 int64_t count);

/* A stop is requested, and native code that managed code called has returned, or calls managed
 * code: let the stop pass. */
void cn_safepoint_back(void);

/* Drop anchors of native frames that an exception left, or (with an SP) a longjmp: those with an SP
 * up to `sp`, where the stack is now. What the thread can come back to lies above. */
void cn_safepoint_drop_anchors(struct cairn_mutator *mutator, uintptr_t sp);

/* A chunk of anchors is full: make room, or end the program. */
void cn_safepoint_anchors(const struct cn_regs *regs);

#endif
