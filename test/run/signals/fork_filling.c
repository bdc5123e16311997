/* SPDX-License-Identifier: Apache-2.0
 *
 * A managed handler allocates while another thread forks, and each child collects. What would go wrong: an object that
 * the handler was about to fill has words of an earlier one, and a check of the heap in the child takes them for
 * references.
 */
// RUN: %cairn-cc -O2 -w %s -o %t -pthread && env CAIRN_VERIFY=heap %t 60 | FileCheck %s
// CHECK: 0 of 60
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *a, *b, *c, *d;
  long v;
};

static struct node managed *kept;
static volatile int in, over;

/* Each group is allocated by one check, and leads to objects that lie higher. */
static void on_signal(int number)
{
  in = 1;
  while (!over) {
    struct node managed *list = NULL;
    for (int i = 0; i < 20; i++) {
      struct node managed *p = cairn_new(struct node), *q = cairn_new(struct node), *r = cairn_new(struct node);
      p->a = p->d = q->a = q->b = q->d = r;
      p->b = r->b = q;
      p->c = r->d = list;
      q->c = r->a = r->c = p;
      p->v = q->v = r->v = i;
      list = r;
    }
    kept = list;
  }
}

cairn_unmanaged static void *native(void *none)
{
  while (!over)
    continue;
  return none;
}

int main(int count, char **arguments)
{
  long tries = atol(arguments[1]), bad = 0;
  pthread_t thread;
  int status;

  signal(SIGUSR1, on_signal);
  pthread_create(&thread, NULL, native, NULL);
  pthread_kill(thread, SIGUSR1);
  while (!in)
    continue;
  for (long i = 0; i < tries; i++) {
    pid_t child = fork();
    if (child == 0) {
      cairn_collect();
      _exit(0);
    }
    while (waitpid(child, &status, 0) < 0)
      continue;
    bad += status != 0;
    cairn_collect();
  }
  over = 1;
  pthread_join(thread, NULL);
  printf("%ld of %ld\n", bad, tries);
  return 0;
}
