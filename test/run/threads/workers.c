// The runtime's workers in programs whose threads fork, exit and end while others collect. What would go wrong: a child
// waits for workers that it does not have; exit() waits for itself; a process whose own threads have all ended stays,
// for its workers wait; a collection that a signal handler began waits for a thread that cannot be started.
// RUN: clang -O2 -I%root/include -c %root/examples/collectors/generational.c -o %t.o
// RUN: clang -O2 -I%root/include -c %S/Inputs/workers_native.c -o %t.native.o
// RUN: %cairn-cc -w -O2 -I%root/include %s %t.o %t.native.o -o %t
// RUN: env GENERATIONAL_REPORT=1 CAIRN_WORKERS=4 GENERATIONAL_HELPERS=3 timeout 500 %t forks 2>&1 \
// RUN:   | FileCheck --check-prefix=FORKS %s
// FORKS-COUNT-20: child: 0 wrong
// FORKS: parent: 0 wrong
// RUN: env CAIRN_WORKERS=4 GENERATIONAL_HELPERS=3 timeout 500 %t exit > %t.out 2>&1; test $? -eq 5
// RUN: env CAIRN_WORKERS=4 GENERATIONAL_HELPERS=3 CAIRN_STRESS=9 timeout 500 %t exit > %t.out 2>&1; test $? -eq 5
// RUN: env CAIRN_WORKERS=4 GENERATIONAL_HELPERS=3 timeout 500 %t ends | FileCheck --check-prefix=ENDS %s
// The main thread, which has ended, counts.
// ENDS: the last thread: 5 threads of the process before, 2 after, 5 again
// RUN: env CAIRN_STATS=1 CAIRN_WORKERS=4 GENERATIONAL_HELPERS=3 timeout 500 %t forks 2>&1 \
// RUN:   | FileCheck --check-prefix=STATS %s
// STATS: workers: 4
// RUN: env CAIRN_STATS=1 CAIRN_WORKERS=1 GENERATIONAL_HELPERS=3 GENERATIONAL_REPORT=1 %t forks 2>&1 \
// RUN:   | FileCheck --check-prefix=ALONE %s
// ALONE: helpers fetched 0 times
// ALONE: workers: 1
#include <pthread.h>
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

static struct node managed *list(long length)
{
  struct node managed *head = 0;

  for (long i = 0; i < length; i++) {
    struct node managed *n = cairn_new(struct node);
    n->next = head;
    n->value = i;
    head = n;
  }
  return head;
}

static long check(struct node managed *n, long length)
{
  long wrong = 0;

  for (; length-- > 0; n = n->next)
    wrong += n == 0 || n->value != length;
  return wrong + (n != 0);
}

static long work(long rounds)
{
  struct node managed *kept = list(1000);
  long wrong = 0;

  for (long i = 0; i < rounds; i++) {
    wrong += check(list(100), 100);
    cairn_collect();
  }
  return wrong + check(kept, 1000);
}

static void *work_on(void *wrong)
{
  *(long *)wrong += work(100);
  return 0;
}

static void *work_always(void *unused)
{
  for (;;)
    work(100);
  return 0;
}

static void forks(void)
{
  pthread_t threads[2];
  long wrong[2] = {0};
  int status;

  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], 0, work_on, &wrong[i]);
  for (int i = 0; i < 20; i++) {
    cairn_collect();
    if (fork() == 0) {
      fprintf(stderr, "child: %ld wrong\n", work(5));
      _exit(0);
    }
    wait(&status);
  }
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], 0);
  fprintf(stderr, "parent: %ld wrong\n", wrong[0] + wrong[1] + work(5));
}

void *last(void *main_thread); /* workers_native.c */

long work_for_native(long rounds)
{
  return work(rounds);
}

int main(int argc, char **argv)
{
  pthread_t thread;

  if (!strcmp(argv[1], "forks")) {
    forks();
  } else if (!strcmp(argv[1], "exit")) {
    for (int i = 0; i < 3; i++)
      pthread_create(&thread, 0, work_always, 0);
    work(3);
    exit(5);
  } else {
    pthread_create(&thread, 0, last, (void *)pthread_self());
    pthread_exit(0);
  }
  return 0;
}
