// Concurrent marking (docs/generational.md): threads that store references over and over while the marker runs, fork,
// and end. What would go wrong: an object that a thread moved from where the marker had not been to where it had been
// is given to others; a cycle never ends; a child waits for a thread that it does not have.
// RUN: %cairn-cc -O2 -fcairn-collector=generational -I%root/include %s -o %t -pthread
// RUN: env CAIRN_PAUSE=1us CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=48m CAIRN_TRACE=%t.json %t 2 40000 | FileCheck %s
// RUN: grep -c '"remark"' %t.json | FileCheck --check-prefix=PHASES %s
// RUN: grep -c '"mark"' %t.json | FileCheck --check-prefix=PHASES %s
// RUN: env CAIRN_PAUSE=1us CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=48m CAIRN_VERIFY=heap %t 1 5000 | FileCheck %s
// RUN: env CAIRN_PAUSE=1us CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=8m %t 1 40000 | FileCheck %s
// RUN: env CAIRN_PAUSE_FULL=1us CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=48m CAIRN_STATS=1 %t 2 40000 2>&1 \
// RUN:   | FileCheck --check-prefix=FULL %s
// RUN: env CAIRN_PAUSE_FULL=1us CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=48m CAIRN_VERIFY=heap CAIRN_WORKERS=3 %t 1 5000 \
// RUN:   | FileCheck %s
// RUN: env CAIRN_PAUSE=3ms CAIRN_STRESS=500 %t 1 2000 | FileCheck %s
// RUN: %cairn-cc -O0 -fcairn-collector=generational -I%root/include %s -o %t.plain -pthread
// RUN: env CAIRN_PAUSE=1us CAIRN_HEAP_INITIAL=1m %t.plain 1 20000 | FileCheck %s
// CHECK-COUNT-2: child: 0 wrong
// CHECK: 0 wrong
// FULL: concurrent markings: {{[1-9]}}
// FULL: {{^}}0 wrong
// PHASES: {{[1-9]}}
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../Inputs/wandering_lists.h"

enum { NODES = 1000, THREADS = 8 };

static long work(long owner, long steps)
{
  unsigned long seed = (unsigned long)owner;
  reference managed *here = cairn_new_array(reference, NODES);
  reference managed *there = cairn_new_array(reference, NODES);
  long wrong = 0;

  for (long i = 0; i < NODES; i++)
    here[i] = list(owner, i, LONG);
  for (; steps > 0; steps--) {
    long i = (long)draw(&seed, NODES);
    if (draw(&seed, 4) == 0) {
      wrong += check(here[i] ? here[i] : there[i], owner, i);
      here[i] = list(owner, i, LONG);
      there[i] = 0;
    } else {
      reference moved = here[i];
      here[i] = there[i];
      there[i] = moved;
    }
    if (steps % 20000 == 0)
      wrong += check_all(here, there, NODES, owner);
  }
  return wrong + check_all(here, there, NODES, owner);
}

static long each;

static void *work_on(void *result)
{
  long *wrong = result;

  *wrong = work(*wrong, each);
  return 0;
}

int main(int argc, char **argv)
{
  pthread_t threads[THREADS];
  long count = atol(argv[1]), results[THREADS] = {0}, wrong = 0;

  each = atol(argv[2]);
  for (long i = 0; i < count; i++) {
    results[i] = i + 1;
    pthread_create(&threads[i], 0, work_on, &results[i]);
  }
  wrong += work(100, each / 2);
  for (int i = 0; i < 2; i++) {
    if (fork() == 0) {
      printf("child: %ld wrong\n", work(200, 5000));
      fflush(stdout);
      _exit(0);
    }
    wait(0);
  }
  for (long i = 0; i < count; i++) {
    pthread_join(threads[i], 0);
    wrong += results[i];
  }
  cairn_collect();
  printf("%ld wrong\n", wrong + work(300, 1000));
  return 0;
}
