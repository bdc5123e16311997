/* Row 54: in the child of a fork() the threads of the collector and the owners of its locks are gone. Here the
 * parent's threads allocate and collect at the fork; the child allocates, collects, starts threads, and forks. */
// RUN: %cairn-cc -O2 -Wall -Werror %s -o %t && %t | FileCheck %s
// RUN: env CAIRN_STRESS=5 %t | FileCheck %s
// CHECK: children 10, well 10, threads 4950
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};

static atomic_bool done;

static void *build(void *unused)
{
  struct node managed *list = NULL;
  long total = 0;

  (void)unused;
  for (long i = 0; i < 100; i++) {
    struct node managed *node = cairn_new(struct node);
    node->value = i;
    node->next = list;
    list = node;
  }
  cairn_collect();
  for (; list; list = list->next)
    total += list->value;
  return (void *)total;
}

static void *builds(void *unused)
{
  long total;

  do
    total = (long)build(unused);
  while (!done && total == 4950);
  return (void *)total;
}

static int well(pid_t child)
{
  int status;

  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void in_child(int generation)
{
  pthread_t thread;
  void *total;
  int good = (long)build(NULL) == 4950;
  pid_t child;

  pthread_create(&thread, NULL, build, NULL);
  good &= (long)build(NULL) == 4950;
  pthread_join(thread, &total);
  good &= (long)total == 4950;
  if (generation == 0) {
    child = fork();
    if (child == 0)
      in_child(1);
    good &= well(child);
  }
  _exit(!good);
}

int main(void)
{
  pthread_t threads[2];
  void *total = NULL;
  int good = 0;

  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, builds, NULL);
  for (int i = 0; i < 10; i++) {
    pid_t child = fork();
    if (child == 0)
      in_child(0);
    good += well(child);
  }
  done = 1;
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], &total);
  printf("children 10, well %d, threads %ld\n", good, (long)total);
  return 0;
}
