/* SPDX-License-Identifier: Apache-2.0
 *
 * Stepping by the processor's trap flag, which raises SIGTRAP after each instruction. Included by stepping.c.
 */
#ifndef STEPPING_X86_64_H
#define STEPPING_X86_64_H

enum { RESTORER_FLAG = KERNEL_SA_RESTORER, END_BYTES = 32 };

/* An unwinder looks up the byte before, which is to be no other function's. */
extern void step_restorer(void);
__asm__(".text\n  nop\nstep_restorer:\n  mov $15, %rax\n  syscall\n");

static void trapped(int signal, siginfo_t *info, void *context)
{
  const ucontext_t *interrupted = context;

  (void)signal;
  (void)info;
  uintptr_t pc = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
  if (pc - (uintptr_t)step_end >= END_BYTES) /* it moves the stack pointer, and no unwinder knows */
    call_between(pc);
}

static inline __attribute__((always_inline)) void begin_traps(void)
{
  __asm__ volatile("sub $128, %%rsp; pushfq; orq $0x100, (%%rsp); popfq; add $128, %%rsp" ::: "cc", "memory");
}

static inline __attribute__((always_inline)) void end_traps(void)
{
  __asm__ volatile("sub $128, %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; add $128, %%rsp" ::: "cc", "memory");
}

#endif
