/* SPDX-License-Identifier: Apache-2.0
 *
 * Used by runtime_messages.test.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct cell {
  long value;
};
static volatile long spins;

cairn_unmanaged static void *native(void *argument)
{
  *(long *)argument = 7;
  return argument;
}

static void *allocates(void *argument)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = 1;
  return argument;
}

static void collects(int number)
{
  cairn_collect();
  (void)number;
}

/* Past libc, and so past the runtime. */
static void install(int number, void (*handler)(int))
{
  struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
  } kernel;
  struct sigaction action = {0};

  /* For libc's restorer. */
  action.sa_handler = handler;
  sigaction(number, &action, NULL);
  syscall(SYS_rt_sigaction, number, NULL, &kernel, sizeof kernel.mask);
  kernel.handler = handler;
  syscall(SYS_rt_sigaction, number, &kernel, NULL, sizeof kernel.mask);
}

struct waiting {
  struct waiting managed *self;
};

/* Managed, as it handles references; main is not. */
static __attribute__((noinline)) void spin(struct waiting managed *volatile waiting)
{
  for (;;) {
    waiting->self = waiting;
    spins++;
  }
}

int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  pthread_t thread;
  long result = 0;

  if (strcmp(what, "interrupt") == 0) {
    install(SIGALRM, collects);
    alarm(1);
    spin(cairn_new(struct waiting));
  }
  pthread_create(&thread, NULL, strcmp(what, "managed") ? native : allocates, &result);
  pthread_join(thread, NULL);
  printf("native thread %ld\n", result);
  return 0;
}
