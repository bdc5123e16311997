/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals whose handlers collect, while a thread forks all the time. What would go wrong: the handler comes when fork()
 * has stopped all threads, and waits for itself.
 */
// RUN: %cairn-cc -O2 -w %s -o %t && timeout 500 %t | FileCheck %s
// CHECK: 1500 children
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};

static volatile long ran;

/* One signal, from when the handler has run: there is always time to go on. */
static void soon(long microseconds)
{
  struct itimerval timer = {{0, 0}, {0, microseconds}};

  setitimer(ITIMER_REAL, &timer, NULL);
}

static void on_signal(int number)
{
  struct node managed *node = cairn_new(struct node);

  node->value = ++ran;
  cairn_collect();
  soon(100 + rand() % 400);
}

int main(void)
{
  int children = 0, status;

  signal(SIGALRM, on_signal);
  soon(300);
  for (int i = 0; i < 1500; i++) {
    pid_t child = fork();
    if (child == 0)
      _exit(0);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      continue;
    children += child > 0 && status == 0;
  }
  printf("%d children\n", children);
  return ran == 0;
}
