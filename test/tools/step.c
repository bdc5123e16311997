/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals between any two instructions, also where the program blocks them, and before the first and after the last
 * instruction of a thread's start routine: a tracer has threads of a program go step by step.
 *
 *   step [--signal=N]... [--first=N] [--apart=N] [--once] [--most=N] [--log] PROGRAM ARGUMENT...
 *
 * The program says by step.h which threads are stepped. A handler that sets the thread back to an earlier
 * instruction has it go up to the same place without signals. Step number FIRST of such a thread, and each APART-th after it,
 * comes with the signals (SIGUSR1 if there is no --signal). With --once the n-th stepped thread has signals at one step
 * only, FIRST + n * APART. After MOST steps the thread runs on. Handlers run at full speed. The exit status is the
 * program's; a signal that ends the program ends the tracer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "step.h"

enum { THREADS = 4096, SIGNALS = 8, OPTIONS = PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL };

static struct {
  int signals[SIGNALS], count;
  long first, apart, most;
  bool once, log;
} asked = {.first = 1, .apart = 1, .most = 1L << 40};

/* A thread of the program. While `depth` is not 0 handlers run, which are not stepped. */
static struct thread {
  pid_t id;
  bool steps, ended;
  long number; /* of its steps */
  long at;     /* the next step with signals */
  int depth;
  unsigned long long sent;  /* pc of the last step with signals */
  unsigned long long until; /* no signals before the thread comes to this pc; 0: it may have some */
} threads[THREADS];

static pid_t program;
static bool step_new;    /* threads that are made from here on */
static long lives;       /* threads that were stepped */

static struct thread *find(pid_t id)
{
  for (size_t i = 0; i < THREADS; i++)
    if (threads[i].id == id)
      return &threads[i];
  for (size_t i = 0; i < THREADS; i++)
    if (threads[i].id == 0) {
      threads[i] = (struct thread){.id = id};
      return &threads[i];
    }
  fprintf(stderr, "step: too many threads\n");
  exit(2);
}

static struct user_regs_struct registers(const struct thread *thread)
{
  struct user_regs_struct regs = {0};

  ptrace(PTRACE_GETREGS, thread->id, NULL, &regs);
  return regs;
}

static void begin(struct thread *thread)
{
  thread->steps = true;
  thread->number = 0;
  thread->at = asked.first + (asked.once ? lives * asked.apart : 0);
  lives++;
}

static void resume(struct thread *thread, int signal)
{
  enum __ptrace_request how = !thread->steps      ? PTRACE_CONT
                              : thread->depth > 0 ? PTRACE_SYSCALL
                                                  : PTRACE_SINGLESTEP;

  ptrace(how, thread->id, NULL, (void *)(long)signal);
}

static void send(struct thread *thread, unsigned long long pc)
{
  thread->at = asked.once ? LONG_MAX : thread->at + asked.apart;
  thread->sent = pc;
  if (asked.log)
    fprintf(stderr, "step: thread %d, step %ld, pc 0x%llx\n", thread->id, thread->number, pc);
  for (int i = 0; i < asked.count; i++)
    syscall(SYS_tgkill, program, thread->id, asked.signals[i]);
}

/* The thread has come to a trap: a request, or a step. */
static void trapped(struct thread *thread)
{
  struct user_regs_struct regs = registers(thread);
  siginfo_t info;

  ptrace(PTRACE_GETSIGINFO, thread->id, NULL, &info);
  if (info.si_code == SI_KERNEL && (regs.rax & 0xffff0000) == (STEP_SELF & 0xffff0000)) {
    switch ((unsigned)regs.rax) {
    case STEP_SELF:
      begin(thread);
      break;
    case STEP_END:
      thread->steps = false;
      break;
    case STEP_THREAD:
      step_new = true;
    }
  } else if (thread->steps && thread->depth == 0) {
    if (++thread->number >= thread->at && thread->until == 0)
      send(thread, regs.rip);
    if (regs.rip == thread->until)
      thread->until = 0;
    thread->steps = thread->number < asked.most;
  }
  resume(thread, 0);
}

/* A system call begins or ends in a handler. */
static void called(struct thread *thread)
{
  struct __ptrace_syscall_info info = {0};

  ptrace(PTRACE_GET_SYSCALL_INFO, thread->id, (void *)sizeof info, &info);
  if (info.op == PTRACE_SYSCALL_INFO_ENTRY && (long)info.entry.nr == SYS_rt_sigreturn) {
    ptrace(PTRACE_SYSCALL, thread->id, NULL, NULL);
    waitpid(thread->id, &(int){0}, __WALL);
    thread->depth--;
    if (thread->depth == 0 && registers(thread).rip != thread->sent)
      thread->until = thread->sent;
  }
  resume(thread, 0);
}

/* A signal is about to be delivered: to a handler, if it has one. The next stop is at the handler's first
 * instruction. */
static void delivered(struct thread *thread, int signal)
{
  int status;

  if (!thread->steps) {
    resume(thread, signal);
    return;
  }
  uint64_t before = registers(thread).rsp;
  ptrace(PTRACE_SINGLESTEP, thread->id, NULL, (void *)(long)signal);
  if (waitpid(thread->id, &status, __WALL) < 0 || !WIFSTOPPED(status))
    return;
  if (registers(thread).rsp != before)
    thread->depth++;
  if (WSTOPSIG(status) == SIGTRAP)
    resume(thread, 0);
  else
    delivered(thread, WSTOPSIG(status)); /* and another */
}

static void stopped(struct thread *thread, int status)
{
  int signal = WSTOPSIG(status), event = status >> 16;

  if (event == PTRACE_EVENT_STOP) { /* a new thread */
    if (step_new && thread->id != program && thread->number == 0 && !thread->steps)
      begin(thread);
    resume(thread, 0);
  } else if (event != 0) {
    resume(thread, 0);
  } else if (signal == (SIGTRAP | 0x80)) {
    called(thread);
  } else if (signal == SIGTRAP) {
    trapped(thread);
  } else {
    delivered(thread, signal);
  }
}

static int trace(void)
{
  int status;
  pid_t id;

  while ((id = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
    if (id < 0)
      continue;
    if (WIFSTOPPED(status)) {
      stopped(find(id), status);
      continue;
    }
    find(id)->id = 0;
    if (id != program)
      continue;
    if (WIFEXITED(status))
      return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
  }
  return 2;
}

static void read_options(char ***arguments)
{
  for (++*arguments; **arguments != NULL && ***arguments == '-'; ++*arguments) {
    const char *option = **arguments, *equals = strchr(option, '=');
    long value = equals != NULL ? atol(equals + 1) : 0;
    if (strncmp(option, "--signal=", 9) == 0 && asked.count < SIGNALS)
      asked.signals[asked.count++] = (int)value;
    else if (strncmp(option, "--first=", 8) == 0)
      asked.first = value;
    else if (strncmp(option, "--apart=", 8) == 0)
      asked.apart = value;
    else if (strncmp(option, "--most=", 7) == 0)
      asked.most = value;
    else if (strcmp(option, "--once") == 0)
      asked.once = true;
    else if (strcmp(option, "--log") == 0)
      asked.log = true;
    else
      exit((fprintf(stderr, "step: unknown option: %s\n", option), 2));
  }
  if (asked.count == 0)
    asked.signals[asked.count++] = SIGUSR1;
}

/* The child waits until it is traced. */
static void start(char **arguments)
{
  int ready[2];
  char byte;

  if (pipe(ready) != 0 || (program = fork()) < 0)
    exit(2);
  if (program == 0) {
    close(ready[1]);
    if (read(ready[0], &byte, 1) == 1)
      execvp(arguments[0], arguments);
    _exit(127);
  }
  if (ptrace(PTRACE_SEIZE, program, NULL, (void *)OPTIONS) != 0) {
    perror("step: ptrace");
    exit(2);
  }
  write(ready[1], "", 1);
  close(ready[0]);
  close(ready[1]);
}

int main(int count, char **arguments)
{
  (void)count;
  read_options(&arguments);
  if (*arguments == NULL)
    return 2;
  start(arguments);
  return trace();
}
