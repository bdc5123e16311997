/* SPDX-License-Identifier: Apache-2.0
 *
 * Jumps of native code over managed frames. This file defines longjmp() and its like, as handlers/action.c defines
 * sigaction(), to drop the anchors of the frames that a jump leaves before those frames go: afterwards the stack
 * below the target is used again, and another thread may walk this one.
 */
#ifndef CN_RUNTIME_LIBC_JUMPS_H
#define CN_RUNTIME_LIBC_JUMPS_H

#include <stdbool.h>
#include <stdint.h>

/* Find the jumps of the C library, or of a sanitizer's runtime. Once, before managed code runs. */
void cn_jumps_init(void);

/* Call it before a jump to a frame of native code with this stack pointer. It drops the anchors of the frames that
 * the jump leaves, ends the interruptions (signals.h) whose handlers it leaves, and gives the thread the state of
 * the target's frame. A native thread lets stops pass first: a walk needs the frames. For a jump within native code
 * the call does nothing; likewise for a switch to another stack that cairn_stack_add() knows. Async-signal-safe. */
void cn_jumps_abandon_frames(uintptr_t target);

/* True if the calling thread leaves managed frames by going there from `sp`, its stack pointer; false if it goes to
 * another stack that cairn_stack_add() knows. */
bool cn_jumps_would_leave_frames(uintptr_t target, uintptr_t sp);

/* Like cn_jumps_init(), for contexts of <ucontext.h> (contexts.c): find setcontext(). */
void cn_contexts_init(void);

#endif
