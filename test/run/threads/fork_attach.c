/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler that interrupted malloc() attaches its thread, while another thread forks. What would go wrong: it waits for
 * the end of the fork(), which waits for malloc()'s lock; the child, or a collection that comes next, does not know the
 * thread. A third thread is slow to stop, so that signals come when the stop of a fork() has begun.
 */
// RUN: %cairn-cc -O2 -w %s -o %t -pthread && timeout 500 %t 300 | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames timeout 500 %t 40 | FileCheck %s
// CHECK: threads: all, children: whole
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};

static volatile int started, handled, over;
static volatile long right, children, whole;

cairn_leaf int usleep(unsigned microseconds);

static struct node managed *make(long n)
{
  struct node managed *list = NULL;

  for (long i = 0; i < n; i++) {
    struct node managed *node = cairn_new(struct node);
    node->value = i;
    node->next = list;
    list = node;
  }
  return list;
}

static long sum(struct node managed *list)
{
  long total = 0;

  for (; list; list = list->next)
    total += list->value;
  return total;
}

/* Comes back to its polls late. */
static void *slow(void *none)
{
  struct node managed *list = make(10);

  while (!over)
    usleep(300);
  return sum(list) == 45 ? none : &over;
}

static void on_signal(int number)
{
  struct node managed *list = make(10);

  cairn_collect();
  right += sum(list) == 45;
  handled = 1;
}

/* Managed code for the first time in the handler, which most often interrupts the allocator and its lock. */
cairn_unmanaged static void *busy(void *none)
{
  void *volatile blocks[8] = {NULL};

  started = 1;
  for (unsigned i = 0; !handled; i++) {
    free(blocks[i % 8]);
    blocks[i % 8] = malloc(3000 + i % 5000);
  }
  for (int i = 0; i < 8; i++)
    free(blocks[i]);
  return none;
}

static void *forks(void *none)
{
  struct node managed *list = make(10);
  int status;

  while (!over) {
    pid_t child = fork();
    if (child == 0) {
      free(malloc(5000));
      cairn_collect();
      _exit(sum(list) != 45 || sum(make(10)) != 45);
    }
    while (waitpid(child, &status, 0) < 0)
      continue;
    children++;
    whole += status == 0;
  }
  return none;
}

int main(int count, char **arguments)
{
  long threads = atol(arguments[1]);
  pthread_t forker, sleeper, thread;

  signal(SIGUSR1, on_signal);
  pthread_create(&sleeper, NULL, slow, NULL);
  pthread_create(&forker, NULL, forks, NULL);
  for (long i = 0; i < threads; i++) {
    started = handled = 0;
    pthread_create(&thread, NULL, busy, NULL);
    while (!started)
      sched_yield();
    for (long forked = children; children == forked;)
      sched_yield();
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
  }
  over = 1;
  pthread_join(forker, NULL);
  pthread_join(sleeper, NULL);
  printf("threads: %s, children: %s\n", right == threads ? "all" : "some", children > 0 && children == whole ? "whole" : "broken");
  fprintf(stderr, "%ld of %ld, %ld of %ld\n", right, threads, whole, children);
  return 0;
}
