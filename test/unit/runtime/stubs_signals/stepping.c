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
enum { KERNEL_SA_RESTORER = 0x04000000 };

static void (*call_between)(uintptr_t pc);

/* trapped(), begin_traps(), end_traps(), step_restorer() and RESTORER_FLAG of the port */
#ifdef __aarch64__
#include "stepping_aarch64.h"
#else
#include "stepping_x86_64.h"
#endif

void step_begin(void (*between)(uintptr_t pc))
{
  const struct kernel_action action = {trapped, SA_SIGINFO | SA_NODEFER | RESTORER_FLAG, step_restorer, 0};

  call_between = between;
  if (syscall(SYS_rt_sigaction, SIGTRAP, &action, NULL, sizeof action.mask) != 0)
    abort();
  begin_traps();
}

void step_end(void)
{
  end_traps();
}
