/* SPDX-License-Identifier: Apache-2.0
 *
 * Jumps of native code over managed frames. jumps.c defines longjmp() and its like, as handlers/action.c defines
 * sigaction(), to drop the anchors of the frames that a jump leaves. The anchors must go before the jump: afterwards
 * new frames overwrite the left frames, and another thread may walk the stack.
 */
#ifndef CN_RUNTIME_LIBC_JUMPS_H
#define CN_RUNTIME_LIBC_JUMPS_H

#include <stdbool.h>
#include <stdint.h>

/* Find the jumps of the C library, or of a sanitizer's runtime. Called once, before managed code runs. */
void cn_jumps_init(void);

/* Called before a jump to a native frame with stack pointer `target`. Drops the anchors of the frames that the jump
 * leaves, ends the interruptions (signals.h) whose handlers the jump leaves, and gives the thread the state of the
 * target's frame. A native thread first waits for the end of a stop, because the requester may walk the frames. Does
 * nothing for a jump within native code, or for a switch to a stack of cairn_stack_add(). Async-signal-safe. */
void cn_jumps_abandon_frames(uintptr_t target);

/* True if a jump of the calling thread from stack pointer `sp` to `target` leaves managed frames; false for a switch to
 * another stack of cairn_stack_add(). */
bool cn_jumps_would_leave_frames(uintptr_t target, uintptr_t sp);

/* Like cn_jumps_init(), for <ucontext.h> (contexts.c): find the C library's setcontext(). */
void cn_contexts_init(void);

#endif
