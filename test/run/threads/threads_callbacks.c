/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's other callbacks are managed: pthread_once, timers whose function runs on a thread of the library's,
 * cleanup handlers, destructors of thread-specific data, pthread_atfork, atexit, and threads of the child of a fork
 * that was made beside other threads. What would go wrong: a callback's thread is not attached, or a collection looks
 * at a stack that is gone.
 */
// RUN: %cairn-cc -O2 -fexceptions %s -o %t && %t 50 | FileCheck %s
// RUN: env CAIRN_STRESS=1 %t 1 | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t 1 | FileCheck %s
// CHECK: child: 0
// CHECK-NEXT: threads: 0
// CHECK-NEXT: timers: 3
// CHECK-NEXT: the end: 57
#include <cairn/cairn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 6, KEYS = 20, TIMERS = 3 };
struct node {
  struct node managed *left, *right;
  long depth;
};
static struct node managed *shared;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t ticks;
static long rounds;

static struct node managed *make(long depth)
{
  struct node managed *n = cairn_new(struct node);

  n->depth = depth;
  if (depth) {
    n->left = make(depth - 1);
    n->right = make(depth - 1);
  }
  return n;
}

static long sum(struct node managed *n)
{
  return n ? n->depth + sum(n->left) + sum(n->right) : 0;
}

static void must(int holds, const char *what)
{
  if (holds)
    return;
  printf("wrong: %s\n", what);
  abort();
}

static void init(void)
{
  shared = make(6);
}

static void tick(union sigval unused)
{
  (void)unused;
  must(sum(make(6)) == 120, "in a timer's thread");
  sem_post(&ticks);
}

static void forget(void *done)
{
  must(sum(make(6)) == 120, "in a destructor");
  *(int *)done = 7;
}

static void clean(void *count)
{
  must(sum(make(6)) == 120, "in a cleanup handler");
  ++*(int *)count;
}

static int compare(const void *a, const void *b)
{
  must(sum(make(1)) == 1, "in a comparator");
  return *(const int *)a - *(const int *)b;
}

static void sort(void)
{
  int keys[KEYS];

  for (int i = 0; i < KEYS; i++)
    keys[i] = i * 7 % KEYS;
  qsort(keys, KEYS, sizeof *keys, compare);
  for (int i = 0; i < KEYS; i++)
    must(keys[i] == i, "order");
}

static int work(void *done)
{
  int cleaned = 0;

  pthread_once(&once, init);
  pthread_setspecific(key, done);
  pthread_cleanup_push(clean, &cleaned);
  for (long i = 0; i < rounds; i++) {
    must(sum(make(8)) + sum(shared) == 502 + 120, "in a thread");
    sort();
  }
  pthread_cleanup_pop(1);
  return cleaned - 1;
}

static int one_thread(void)
{
  thrd_t thread;
  int result, done = 0;

  thrd_create(&thread, work, &done);
  thrd_join(thread, &result);
  return done == 7 ? result : 1;
}

static void around_fork(void)
{
  must(sum(make(4)) == 26, "beside fork()");
}

static void start_timer(timer_t *timer, int i)
{
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
  struct itimerspec once_only = {.it_value.tv_nsec = 1000000 * (i + 1)};

  must(timer_create(CLOCK_MONOTONIC, &event, timer) == 0, "timer_create");
  timer_settime(*timer, 0, &once_only, NULL);
}

static void the_end(void)
{
  printf("the end: %ld\n", sum(make(5)));
}

static int child_status(void)
{
  int status;
  pid_t child = fork();

  if (child == 0)
    _exit(one_thread());
  waitpid(child, &status, 0);
  return status;
}

int main(int count, char **arguments)
{
  thrd_t threads[THREADS];
  timer_t timers[TIMERS];
  int done[THREADS] = {0}, bad = 0, result;

  rounds = count > 1 ? atol(arguments[1]) : 50;
  atexit(the_end);
  pthread_key_create(&key, forget);
  pthread_atfork(around_fork, around_fork, around_fork);
  sem_init(&ticks, 0, 0);
  for (int i = 0; i < TIMERS; i++)
    start_timer(&timers[i], i);
  for (int i = 0; i < THREADS; i++)
    thrd_create(&threads[i], work, &done[i]);
  printf("child: %d\n", child_status());
  for (int i = 0; i < THREADS; i++) {
    thrd_join(threads[i], &result);
    bad += result != 0 || done[i] != 7;
  }
  printf("threads: %d\n", bad);
  for (int i = 0; i < TIMERS; i++)
    while (sem_wait(&ticks))
      ;
  printf("timers: %d\n", TIMERS);
  return bad;
}
