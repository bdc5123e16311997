/* Row 53: signals that stop threads are lost, interrupt system calls, or collide with the program's own. No signal stops a
 * thread here: those that collectors use are the program's, others are blocked, and threads stop all the same. */
// RUN: %cairn-cc -O2 -Wall -Werror %s -o %t && %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 %t | FileCheck %s
// CHECK: signals 0, interrupted calls 0, sums 4950 4950 4950
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};

static int ends[2];
static atomic_int signals, interrupted;

cairn_unmanaged static void on_signal(int number)
{
  (void)number;
  signals++;
}

static long build(void)
{
  struct node managed *list = NULL;
  long total = 0;

  for (long i = 0; i < 100; i++) {
    struct node managed *node = cairn_new(struct node);
    node->value = i;
    node->next = list;
    list = node;
    cairn_collect();
  }
  for (; list; list = list->next)
    total += list->value;
  return total;
}

/* With all signals blocked. */
static void *blocked(void *unused)
{
  sigset_t all;

  (void)unused;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  return (void *)build();
}

/* In a system call that a signal would interrupt. */
static void *reads(void *unused)
{
  long total = build();
  char c;

  (void)unused;
  while (read(ends[0], &c, 1) != 1) {
    if (errno != EINTR)
      abort();
    interrupted++;
  }
  return (void *)total;
}

int main(void)
{
  void *(*const starts[])(void *) = {blocked, reads};
  pthread_t threads[2];
  void *sums[2];
  long mine;

  if (pipe(ends) != 0)
    abort();
  for (int i = 1; i <= SIGRTMAX; i++)
    if (i != SIGSEGV && i != SIGBUS && i != SIGKILL && i != SIGSTOP && i != SIGCHLD &&
        (i < 32 || i >= SIGRTMIN)) {
      struct sigaction action = {.sa_handler = on_signal};
      if (sigaction(i, &action, NULL) != 0)
        abort();
    }
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, starts[i], NULL);
  mine = build();
  if (write(ends[1], "x", 1) != 1)
    abort();
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], &sums[i]);
  printf("signals %d, interrupted calls %d, sums %ld %ld %ld\n", signals, interrupted, mine,
         (long)sums[0], (long)sums[1]);
  return 0;
}
