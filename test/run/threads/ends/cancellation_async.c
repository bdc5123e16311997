/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous cancellation of managed code at many instructions: in the code itself, in stubs, slow paths,
 * collections, callbacks and functions of the runtime. What would go wrong: the thread ends with a lock, in a stop, or
 * in the middle of a transition, so that the program ends or waits for ever. The thread steps to the instruction;
 * another thread cancels it there. Each point has its own process.
 */
// RUN: %cairn-cc -O2 %s -o %t && %t 1 3000 97 && %t 3000 20000 1511
// RUN: env CAIRN_LOG=gc CAIRN_TRACE=%t.trace %t 3000 20000 4001
// RUN: %cairn-cc -O0 -fcairn-collector=semispace %s -o %t.semispace && %t.semispace 1 20000 1009
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/handle.h>

struct node {
  struct node managed *next;
  long value;
};

/* ---- steps ---- */

enum { TRAP_FLAG = 0x100, SA_RESTORER_FLAG = 0x04000000, CANCELLATION = 32 /* the C library's signal */ };
static long step, stop;
static atomic_int asked, given;
static pthread_t victim;

struct kernel_action {
  void *handler;
  unsigned long flags;
  void *restorer;
  unsigned long mask;
};
__asm__("restorer: mov $15, %eax\n syscall\n");
extern char restorer[];

cairn_unmanaged static void yield(void)
{
  syscall(SYS_sched_yield);
}

/* The signal of the cancellation waits until this handler returns, to the instruction. */
cairn_unmanaged static void take_step(int signal, siginfo_t *info, void *context)
{
  (void)signal;
  (void)info;
  if (++step < stop)
    return;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(long long)TRAP_FLAG;
  asked = 1;
  while (!given)
    yield();
}

cairn_unmanaged static void *cancel(void *argument)
{
  while (!asked)
    yield();
  pthread_cancel(victim);
  given = 1;
  return argument;
}

/* Past the C library, and past the runtime, which watches handlers. */
cairn_unmanaged static void prepare(void)
{
  struct kernel_action action = {(void *)take_step, SA_SIGINFO | SA_RESTORER_FLAG, restorer,
                                 1UL << (CANCELLATION - 1)};

  if (syscall(SYS_rt_sigaction, SIGTRAP, &action, NULL, 8) != 0)
    abort();
}

cairn_unmanaged static void begin(void)
{
  __asm__ volatile("pushf\n orl $0x100, (%%rsp)\n popf\n" ::: "memory", "cc");
}

/* ---- what is cancelled ---- */

static struct node managed *global;
static volatile int none;

cairn_unmanaged static void native(void (*call)(void))
{
  call();
}

static void called_back(void)
{
  struct node managed *node = cairn_new(struct node);

  node->next = global;
  global = node;
  for (int i = 0; i < 3; i++) {
    struct node managed *other = cairn_new(struct node);
    other->next = node;
  }
}

__attribute__((noinline)) static long work(long value)
{
  struct node managed *list = NULL;

  for (int i = 0; i < 6; i++) {
    struct node managed *node = cairn_new(struct node);
    node->next = list;
    node->value = value;
    list = node;
    native(called_back);
    long managed *array = cairn_new_array(long, 40 + none);
    array[3] = 1;
    struct cairn_handle *handle = cairn_handle_new(list);
    list = cairn_handle_get(handle);
    cairn_handle_free(handle);
    global->next = list;
  }
  cairn_collect();
  return list->value;
}

static void *run(void *argument)
{
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  work(1); /* workers block all signals when they start */
  begin();
  work(1);
  for (;;)
    pause();
  return argument;
}

static int child(void)
{
  pthread_t canceller;
  void *result = NULL;

  prepare();
  global = cairn_new(struct node);
  if (pthread_create(&canceller, NULL, cancel, NULL) != 0 || pthread_create(&victim, NULL, run, NULL) != 0)
    abort();
  pthread_join(victim, &result);
  cairn_collect(); /* neither a lock nor a stop is left */
  return result == PTHREAD_CANCELED ? 0 : 1;
}

int main(int argc, char **argv)
{
  long to = atol(argv[2]), by = atol(argv[3]);

  for (stop = atol(argv[1]); stop < to; stop += by) {
    int status;
    pid_t pid = fork();
    if (pid == 0)
      _exit(child());
    if (waitpid(pid, &status, 0) != pid || status != 0) {
      printf("cancelled at step %ld: status %x\n", stop, status);
      return 1;
    }
  }
  return argc - 4;
}
