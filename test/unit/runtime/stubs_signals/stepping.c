/* SPDX-License-Identifier: Apache-2.0
 *
 * Stepping. The handler is installed by the system call itself: what the runtime may put between a
 * program and its handlers is not to keep signals away from any instruction.
 */
#include "stepping.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

struct kernel_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  void (*restorer)(void);
  uint64_t mask;
};
enum { KERNEL_SA_RESTORER = 0x04000000, END_BYTES = 32 };

/* An unwinder looks up the byte before, which is to be no other function's. */
extern void step_restorer(void);
__asm__(".text\n  nop\nstep_restorer:\n  mov $15, %rax\n  syscall\n");

static void (*call_between)(uintptr_t pc);

static void trapped(int signal, siginfo_t *info, void *context)
{
  const ucontext_t *interrupted = context;

  (void)signal;
  (void)info;
  uintptr_t pc = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
  if (pc - (uintptr_t)step_end >= END_BYTES) /* it moves the stack pointer, and no unwinder knows */
    call_between(pc);
}

void step_begin(void (*between)(uintptr_t pc))
{
  const struct kernel_action action = {trapped, SA_SIGINFO | SA_NODEFER | KERNEL_SA_RESTORER, step_restorer, 0};

  call_between = between;
  if (syscall(SYS_rt_sigaction, SIGTRAP, &action, NULL, sizeof action.mask) != 0)
    abort();
  __asm__ volatile("sub $128, %%rsp; pushfq; orq $0x100, (%%rsp); popfq; add $128, %%rsp" ::: "cc", "memory");
}

void step_end(void)
{
  __asm__ volatile("sub $128, %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; add $128, %%rsp" ::: "cc", "memory");
}
