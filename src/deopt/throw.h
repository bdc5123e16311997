/* SPDX-License-Identifier: Apache-2.0
 *
 * Throws exceptions of a language (<cairn/exceptions.h>).
 */
#ifndef CN_DEOPT_THROW_H
#define CN_DEOPT_THROW_H

#include <stdint.h>
#include <cairn/status.h>
#include "runtime/arch/arch.h"
#include "runtime/walk/walk.h"

/* Called by the stub cairn_throw() with the callee-saved registers that it saved: fills *transfer to go on at the
 * landing pad. After a failure the registers are up to date. May collect. */
enum cairn_status cn_throw_from_managed(uint64_t key, uintptr_t exception, const struct cn_saved_regs *regs,
                                        struct cn_transfer *transfer);

/* Throw like cairn_throw(), from a slow path that managed code has entered with these registers, and leave the slow
 * path. Returns only after a failure. REFUSED also if a call on the way lies in a span of the key without a landing
 * pad. */
enum cairn_status cn_throw_from_slow_path(uint64_t key, uintptr_t exception, const struct cn_saved_regs *regs);

/* Let the thread's exception be this one, for cairn_thrown(). */
void cn_throw_keep_exception(uintptr_t exception);

/* Let the transfer, whose callee-saved registers are set, enter the landing pad of an activation at the safepoint of
 * the map, with this stack pointer: its slot is the stack pointer that the pad expects. */
void cn_throw_enter_pad(const struct cn_frame_map *map, uintptr_t sp, struct cn_transfer *transfer);

/* Do this transfer, from C. */
_Noreturn void cn_throw_transfer(struct cn_transfer *transfer);

/* ---- throw_unwinding.c ---- */

/* Prepare a throw to the activation of the walk by the platform's unwinder, in a slow path; then begin it, outside of
 * the slow path. */
struct cn_unwinding;
struct cn_unwinding *cn_throw_prepare_unwinding(const struct cn_walk *target, uintptr_t exception);
_Noreturn void cn_throw_unwind(struct cn_unwinding *unwinding);

/* ---- throw_on_failure.c ---- */

/* The hook of the same name (runtime/core/hooks.h). */
void cn_throw_on_failure(int failure, const struct cn_saved_regs *regs);

/* Called in the child of a fork(). */
void cn_throw_reset_after_fork(void);

/* Free the calling thread's data at its end. */
void cn_throw_free(void);

#endif
