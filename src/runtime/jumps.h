/* SPDX-License-Identifier: Apache-2.0
 *
 * Jumps of native code over managed frames. longjmp() and its like are defined here, as sigaction()
 * is in handlers/action.c, so that the anchors of frames that a jump leaves go before the frames
 * do: from then on the stack below the target is used again, and another thread may walk this one.
 */
#ifndef CN_RUNTIME_JUMPS_H
#define CN_RUNTIME_JUMPS_H

#include <stdint.h>

/* Once, before managed code runs: find the C library's, or those of a sanitizer's runtime. */
void cn_jumps_init(void);

/* The calling thread is about to jump to a frame of native code with this stack pointer: drop the
 * anchors of the frames that the jump leaves, and end the interruptions (signals.h) whose handler
 * it leaves. The thread gets the state of that frame. If it was native it lets stops pass first,
 * for the frames go. A jump within native code finds nothing to do, and neither does a switch to
 * another stack that cairn_stack_add() was told. Async-signal-safe. */
void cn_jumps_cut(uintptr_t target);

#endif
