/* SPDX-License-Identifier: Apache-2.0
 *
 * The frames of signal handlers, and anchors of ended calls, on AArch64, for walk.c.
 */
#ifndef WALK_PORT_AARCH64_H
#define WALK_PORT_AARCH64_H

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>
#include "runtime/arch/arch.h"

/* mov x8, #139 (rt_sigreturn); svc #0 */
static const uint32_t restorer[] = {0xd2801168, 0xd4000001};

struct interrupted_code {
  siginfo_t info;
  ucontext_t context;
};

/* The end of the frame of a handler that interrupted the code at `pc`. */
static uintptr_t frame_of_handler(struct interrupted_code *code, uintptr_t pc)
{
  code->context.uc_mcontext.pc = pc;
  return (uintptr_t)code;
}

/* The stub or the jump that ended the call has cleared the anchor. */
static struct cn_anchor anchor_of_ended_call(uintptr_t pc, uintptr_t sp)
{
  (void)sp;
  return (struct cn_anchor){.pc = pc};
}

#endif
