/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading what may be hostile: LLVM's readers are not hard against broken bitcode. They check most
 * of it, but some of it ends the process: by a fatal error, by running out of memory, by a wild
 * access. So a child reads first. What it does not survive is refused; everything else is read
 * again here, with messages.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include "driver/tool.h"

static void quiet_exit(const char *reason)
{
  (void)reason;
  _exit(CN_EXIT_FAILED);
}

/* In the child: nothing of the parent's happens at its end, and it says nothing. */
_Noreturn static void read_quietly(LLVMMemoryBufferRef buffer)
{
  static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  LLVMModuleRef module = NULL;
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
    signal(crashes[i], SIG_DFL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  dup2(nowhere, STDERR_FILENO);
  LLVMResetFatalErrorHandler();
  LLVMInstallFatalErrorHandler(quiet_exit);
  if (!LLVMParseIRInContext2(LLVMContextCreate(), buffer, &module, NULL))
    LLVMVerifyModule(module, LLVMReturnStatusAction, NULL);
  _exit(CN_EXIT_OK);
}

bool cn_probe_survives(LLVMMemoryBufferRef buffer, const char *path)
{
  int status = 0;

  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    read_quietly(buffer);
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
    return true; /* no child: then without this care */
  cn_tool_error("cannot parse '%s': broken beyond what LLVM's reader can tell (signal %d)", path,
                WTERMSIG(status));
  return false;
}
