/* SPDX-License-Identifier: Apache-2.0
 *
 * The frames of signal handlers, and anchors of ended calls, on x86-64, for walk.c.
 */
#ifndef WALK_PORT_X86_64_H
#define WALK_PORT_X86_64_H

#include <stdint.h>
#include <ucontext.h>
#include "runtime/arch/arch.h"

/* mov $15 (rt_sigreturn), %rax; syscall */
static const unsigned char restorer[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

struct interrupted_code {
  ucontext_t context;
};

/* The end of the frame of a handler that interrupted the code at `pc`. */
static uintptr_t frame_of_handler(struct interrupted_code *code, uintptr_t pc)
{
  code->context.uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
  return (uintptr_t)&code->context;
}

/* The word below the anchor's stack pointer is not the callee's return address. */
static struct cn_anchor anchor_of_ended_call(uintptr_t pc, uintptr_t sp)
{
  return (struct cn_anchor){.pc = pc, .sp = sp};
}

#endif
