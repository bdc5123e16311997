/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers that interrupted managed code, on several threads, allocate megabytes before anything can collect, in stress
 * mode, too. What would go wrong: "out of memory" far below the heap's maximum; later collections lose what they made.
 */
// RUN: for collector in generational semispace; do \
// RUN:   %cairn-cc -O2 -w -fcairn-collector=$collector %s -o %t -pthread || exit 1; \
// RUN:   for stress in 0 1 100 1000000; do \
// RUN:     env CAIRN_HEAP_MAX=64m CAIRN_STRESS=$stress CAIRN_VERIFY=heap %t || exit 1; done; done | FileCheck %s
// CHECK-COUNT-8: handled 3, right 6
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <cairn/cairn.h>

enum { THREADS = 3, NODES = 150, BYTES = 7000 };

struct node {
  struct node managed *next;
  long value;
  char managed *bytes;
};

static struct node managed *kept[THREADS];
static _Atomic int handled, right, started;
static _Thread_local int mine;

static long sum(struct node managed *list)
{
  long total = 0;

  for (; list; list = list->next)
    total += list->bytes[BYTES - 1] == (char)list->value ? list->value : 0;
  return total;
}

static struct node managed *make(void)
{
  struct node managed *list = NULL;

  for (long i = 0; i < NODES; i++) {
    struct node managed *node = cairn_new(struct node);
    node->value = i;
    node->next = list;
    node->bytes = cairn_new_array(char, BYTES);
    node->bytes[BYTES - 1] = (char)i;
    list = node;
  }
  return list;
}

static void on_signal(int number)
{
  make();
  kept[mine] = make();
  right += sum(kept[mine]) == (long)NODES * (NODES - 1) / 2;
  handled++;
}

/* Managed code, which nothing but the handler ends. */
static void *spin(void *which)
{
  volatile long turns = 0;

  mine = (int)(long)which;
  started++;
  while (handled < THREADS)
    turns++;
  return NULL;
}

int main(void)
{
  pthread_t threads[THREADS];

  signal(SIGUSR1, on_signal);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, spin, (void *)i);
  while (started < THREADS)
    sched_yield();
  for (int i = 0; i < THREADS; i++)
    pthread_kill(threads[i], SIGUSR1);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  cairn_collect();
  for (int i = 0; i < THREADS; i++)
    right += sum(kept[i]) == (long)NODES * (NODES - 1) / 2;
  printf("handled %d, right %d\n", handled, right);
  return 0;
}
