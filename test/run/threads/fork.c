/* SPDX-License-Identifier: Apache-2.0
 *
 * Children of a fork() by managed code, by native code and by another thread collect by themselves. What would go wrong: a child
 * waits for a lock that a thread of its parent had, or for a stop.
 */
// RUN: %cairn-cc -O2 %s -o %t && %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 %t | FileCheck %s
// CHECK: children 3, their lists 500500 500500 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};

static long sum(void)
{
  struct node managed *list = 0;
  long total = 0;

  for (long i = 1; i <= 1000; i++) {
    struct node managed *node = cairn_new(struct node);
    node->next = list;
    node->value = i;
    list = node;
  }
  cairn_collect();
  for (; list; list = list->next)
    total += list->value;
  return total;
}

cairn_unmanaged static long wait_for(int read_end, pid_t child)
{
  long total = -1;
  int status;

  if (read(read_end, &total, sizeof total) != sizeof total || waitpid(child, &status, 0) != child || status != 0)
    abort();
  return total;
}

cairn_unmanaged static void *fork_natively(void *argument)
{
  int *pipes = argument;
  pid_t child = fork();
  long nothing = 0;

  if (child == 0) {
    if (write(pipes[1], &nothing, sizeof nothing) != sizeof nothing)
      abort();
    _exit(0);
  }
  return (void *)wait_for(pipes[0], child);
}

static long child_of_managed(int *pipes)
{
  struct node managed *kept = cairn_new(struct node);
  pid_t child;

  kept->value = 7;
  child = fork();
  if (child == 0) {
    long total = sum();
    if (kept->value != 7 || write(pipes[1], &total, sizeof total) != sizeof total)
      abort();
    _exit(0);
  }
  return wait_for(pipes[0], child);
}

int main(void)
{
  int pipes[2];
  pthread_t thread;
  void *other;

  if (pipe(pipes) != 0)
    return 1;
  long first = child_of_managed(pipes), second = child_of_managed(pipes);
  if (pthread_create(&thread, 0, fork_natively, pipes) != 0 || pthread_join(thread, &other) != 0)
    return 1;
  printf("children 3, their lists %ld %ld %ld\n", first, second, (long)other);
  return 0;
}
