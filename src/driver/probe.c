/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests bitcode that may be hostile. LLVM's readers check most bitcode, but some broken bitcode ends the process by a
 * fatal error, by lack of memory or by an invalid access. A child process therefore reads the bitcode first, with
 * limited memory. If a signal ends the child, this process prints an error on stderr and refuses the bitcode; otherwise
 * it reads the bitcode again. Runs before a module is read; changes nothing, and the file holds no state.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include "driver/tool.h"

#define MIN_PROBE_MEMORY_BYTES (UINT64_C(2) << 30) /* one arena of the allocator has 1 GB */
#define MEMORY_BYTES_PER_INPUT_BYTE 256

static void exit_quietly(const char *reason)
{
  (void)reason;
  _exit(CN_EXIT_FAILED);
}

/* The size of this process's address space in bytes, or 0 if it is unknown. */
static uint64_t measure_address_space(void)
{
  FILE *statm = fopen("/proc/self/statm", "re");
  unsigned long pages = 0;

  if (statm && fscanf(statm, "%lu", &pages) != 1)
    pages = 0;
  if (statm)
    fclose(statm);
  return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Limit the child's memory, because a broken number may request all memory, which takes minutes and may end other
 * programs. Valid bitcode needs about ten times its size. */
static void limit_memory(size_t bytes)
{
  uint64_t now = measure_address_space();
  struct rlimit limit;

  if (!now || getrlimit(RLIMIT_AS, &limit) != 0)
    return;
  uint64_t most = now + MIN_PROBE_MEMORY_BYTES + (uint64_t)bytes * MEMORY_BYTES_PER_INPUT_BYTE;
  if (limit.rlim_cur > most)
    limit.rlim_cur = most;
  setrlimit(RLIMIT_AS, &limit);
}

/* Read the module in the child, which prints nothing and skips the parent's exit handlers. */
_Noreturn static void read_module_in_child(LLVMMemoryBufferRef buffer)
{
  static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  LLVMModuleRef module = NULL;
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
    signal(crashes[i], SIG_DFL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  limit_memory(LLVMGetBufferSize(buffer));
  dup2(nowhere, STDERR_FILENO);
  LLVMResetFatalErrorHandler();
  LLVMInstallFatalErrorHandler(exit_quietly);
  if (!LLVMParseIRInContext2(LLVMContextCreate(), buffer, &module, NULL))
    LLVMVerifyModule(module, LLVMReturnStatusAction, NULL);
  _exit(CN_EXIT_OK);
}

bool cn_probe_reader_survives(LLVMMemoryBufferRef buffer, const char *path)
{
  int status = 0;

  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    read_module_in_child(buffer);
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
    return true; /* without a child, continue without this precaution */
  cn_tool_error("cannot parse '%s': LLVM's reader crashed on it (signal %d)", path, WTERMSIG(status));
  return false;
}
