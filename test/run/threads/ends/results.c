/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread stores its result into a local of the thread that waits for it, or that looks for it in a loop. Where the
 * collector looks there the store is right, also under stress. What would go wrong: the check takes the place for one
 * that nobody looks at; or it lets a store into bytes pass.
 */
// RUN: %cairn-cc -O2 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: env CAIRN_VERIFY=heap,frames %t | FileCheck %s
// RUN: not --crash %t lost 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: %cairn-cc -O0 -fcairn-collector=semispace %s -o %t.0 && %t.0 | FileCheck %s && env CAIRN_STRESS=1 %t.0 | \
// RUN:   FileCheck %s
// CHECK: joined: 4950, looked for: 4950, array: 4950
// LOST: fatal: a reference is stored at 0x{{.*}}, which is neither {{.*}}; give the other thread's local the type
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

enum { THREADS = 8 };

struct node {
  struct node managed *next;
  long value;
};

struct work {
  long first;
  struct node managed *result;
  _Atomic int done;
};

struct bytes {
  _Alignas(8) char at[sizeof(struct work)];
};

static void *make(void *argument)
{
  struct work *work = argument;
  struct node managed *list = NULL;

  for (long i = work->first; i < work->first + 100; i++) {
    struct node managed *node = cairn_new(struct node);
    node->value = i;
    node->next = list;
    list = node;
  }
  work->result = list;
  work->done = 1;
  return NULL;
}

static long sum(struct node managed *list)
{
  long all = 0;

  for (; list; list = list->next)
    all += list->value;
  return all;
}

static void churn(void)
{
  for (int i = 0; i < 1000; i++)
    cairn_new(struct node)->value = i;
  cairn_collect();
}

static long joined(void)
{
  struct work work = {0};
  pthread_t thread;

  pthread_create(&thread, NULL, make, &work);
  pthread_join(thread, NULL);
  churn();
  return sum(work.result);
}

static long looked_for(void)
{
  struct work work = {0};
  pthread_t thread;

  pthread_create(&thread, NULL, make, &work);
  while (!work.done)
    ;
  churn();
  pthread_join(thread, NULL);
  return sum(work.result);
}

static long of_many(void)
{
  struct work works[THREADS];
  pthread_t threads[THREADS];
  long all = 0;

  for (int i = 0; i < THREADS; i++) {
    works[i] = (struct work){0};
    pthread_create(&threads[i], NULL, make, &works[i]);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  churn();
  for (int i = 0; i < THREADS; i++)
    all += sum(works[i].result);
  return all / THREADS;
}

static void lose(void)
{
  struct bytes bytes = {{0}};
  pthread_t thread;

  pthread_create(&thread, NULL, make, &bytes);
  pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
  (void)argv;
  if (argc > 1)
    lose();
  long first = joined(), second = looked_for();
  printf("joined: %ld, looked for: %ld, array: %ld\n", first, second, of_many());
  return 0;
}
