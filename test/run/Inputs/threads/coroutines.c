/* SPDX-License-Identifier: Apache-2.0
 *
 * Coroutines that go from thread to thread, are made by one and removed by another, while threads
 * collect: coroutines COROUTINES STEPS. Each keeps a list over every change.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cairn/cairn.h>

typedef void coroutine_body(long argument);
void *coroutine_new(coroutine_body *body, long argument);
void coroutine_free(void *coroutine);
int coroutine_resume(void *coroutine);
void coroutine_yield(void);

struct node {
  struct node managed *next;
  long value;
};

enum { MOST = 1000, WORKERS = 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *queue[WORKERS][MOST];
static int queued[WORKERS], alive, wanted;
static long steps;
static _Atomic long total, moved;

/* The thread that the coroutine is on, asked for anew. */
__attribute__((noinline)) static unsigned long thread_here(void)
{
  __asm__ volatile("");
  return (unsigned long)pthread_self();
}

static void body(long seed)
{
  struct node managed *list = NULL;
  long sum = 0, should = 0;

  for (long i = 0; i < steps; i++) {
    struct node managed *node = cairn_new(struct node);
    unsigned long before = thread_here();
    node->value = seed + i;
    node->next = list;
    list = node;
    should += seed + i;
    coroutine_yield();
    if (thread_here() != before)
      moved++;
  }
  for (; list; list = list->next)
    sum += list->value;
  if (sum != should)
    abort();
  total += sum;
}

static void *take(long worker)
{
  void *coroutine = NULL;

  pthread_mutex_lock(&lock);
  if (queued[worker] > 0)
    coroutine = queue[worker][--queued[worker]];
  else if (wanted > 0)
    coroutine = coroutine_new(body, wanted--);
  pthread_mutex_unlock(&lock);
  return coroutine;
}

/* The next worker goes on with it. */
static void put(void *coroutine, long worker)
{
  long next = (worker + 1) % WORKERS;

  pthread_mutex_lock(&lock);
  queue[next][queued[next]++] = coroutine;
  pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
  long worker = (long)argument;
  struct node managed *mine = cairn_new(struct node);

  mine->value = 7;
  while (alive > 0) {
    void *coroutine = take(worker);
    if (coroutine == NULL) {
      usleep(100);
      continue;
    }
    if (!coroutine_resume(coroutine)) {
      put(coroutine, worker);
      continue;
    }
    coroutine_free(coroutine);
    pthread_mutex_lock(&lock);
    alive--;
    pthread_mutex_unlock(&lock);
  }
  return (void *)mine->value;
}

int main(int argc, char **argv)
{
  pthread_t workers[WORKERS];
  void *seven;

  alive = wanted = atoi(argv[1]);
  steps = atol(argv[2]);
  for (long i = 0; i < WORKERS; i++)
    pthread_create(&workers[i], NULL, work, (void *)i);
  while (alive > 0) {
    usleep(500);
    cairn_collect();
  }
  for (int i = 0; i < WORKERS; i++) {
    pthread_join(workers[i], &seven);
    if (seven != (void *)7)
      return 1;
  }
  printf("total %ld, %s\n", total, moved > 0 ? "moved between threads" : "never moved");
  return 0;
}
