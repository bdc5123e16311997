/* SPDX-License-Identifier: Apache-2.0
 *
 * Every way in which a thread comes to managed code and leaves it, beside collections of other threads. What would go
 * wrong: a thread is not attached, or not detached; its roots are not found; a thread that blocks delays a collection.
 */
// RUN: %cairn-cc -O2 %s -o %t && %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t | FileCheck %s
// RUN: %cairn-cc -O2 -static %s -o %t.static && %t.static | FileCheck %s
// RUN: %cairn-cc -O1 -fPIE -pie -fcairn-poll=stack %s -o %t.stack && %t.stack | FileCheck %s
// CHECK: pthread_create: 4950
// CHECK-NEXT: thrd_create: 4950
// CHECK-NEXT: a library's thread: 4950
// CHECK-NEXT: pthread_exit: 4950
// CHECK-NEXT: cancelled: 1
// CHECK-NEXT: small stack: 4950
// CHECK-NEXT: own stack: 4950
// CHECK-NEXT: attached twice: 1, detached: 0
// CHECK-NEXT: blocked threads delay nobody: 20 collections
// CHECK-NEXT: destructors: 3
// CHECK-NEXT: many threads: 1000, left 1
// CHECK-NEXT: kept: 4950
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/collector.h>
#include <cairn/thread.h>

struct node {
  struct node managed *next;
  long value;
};

static struct node managed *make(long count)
{
  struct node managed *list = NULL;

  for (long i = 0; i < count; i++) {
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

static void *of_posix(void *unused)
{
  struct node managed *list = make(100);

  cairn_collect();
  return (void *)sum(list);
}

static int of_c(void *unused)
{
  return (int)(long)of_posix(unused);
}

/* What a library does that has threads of its own and calls back from there. */
struct request {
  void *(*call)(void *);
  void *result;
};

cairn_unmanaged static void *of_library(void *argument)
{
  struct request *request = argument;

  for (int i = 0; i < 3; i++)
    request->result = request->call(NULL);
  return NULL;
}

static void leave(long depth, struct node managed *kept)
{
  if (depth == 0)
    pthread_exit((void *)sum(kept));
  leave(depth - 1, kept);
  if (sum(kept) != 4950)
    abort();
}

static void *exits(void *unused)
{
  leave(30, make(100));
  return unused;
}

static int pipes[2];

static void *blocks(void *unused)
{
  struct node managed *list = make(100);
  char c;

  if (read(pipes[0], &c, 1) != 1)
    abort();
  return (void *)sum(list);
}

static void run(const char *name, void *(*start)(void *), const pthread_attr_t *attributes)
{
  pthread_t thread;
  void *result;

  if (pthread_create(&thread, attributes, start, NULL) != 0)
    abort();
  cairn_collect();
  pthread_join(thread, &result);
  printf("%s: %ld\n", name, (long)result);
}

static void cancel(void)
{
  pthread_t thread;
  void *result;

  pthread_create(&thread, NULL, blocks, NULL);
  cairn_collect();
  pthread_cancel(thread);
  pthread_join(thread, &result);
  printf("cancelled: %d\n", result == PTHREAD_CANCELED);
}

static void other_stacks(void)
{
  pthread_attr_t attributes;
  size_t bytes = 256 << 10;

  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  run("small stack", of_posix, &attributes);
  void *own = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_attr_setstack(&attributes, own, bytes);
  run("own stack", of_posix, &attributes);
}

cairn_unmanaged static void *attaches(void *unused)
{
  cairn_thread_attach();
  cairn_thread_attach();
  size_t there = cairn_mutator_count();
  cairn_thread_detach();
  cairn_thread_detach();
  return (void *)(there - 1 + 10 * (cairn_mutator_count() - 1));
}

static void explicitly(void)
{
  pthread_t thread;
  void *result;

  pthread_create(&thread, NULL, attaches, NULL);
  pthread_join(thread, &result);
  printf("attached twice: %ld, detached: %ld\n", (long)result % 10, (long)result / 10);
}

static void collect_beside_blocked(void)
{
  pthread_t threads[5];
  void *result;
  int collections = 0;

  for (int i = 0; i < 5; i++)
    pthread_create(&threads[i], NULL, blocks, NULL);
  for (; collections < 20; collections++)
    cairn_collect();
  for (int i = 0; i < 5; i++)
    if (write(pipes[1], "x", 1) != 1)
      abort();
  for (int i = 0; i < 5; i++) {
    pthread_join(threads[i], &result);
    if ((long)result != 4950)
      abort();
  }
  printf("blocked threads delay nobody: %d collections\n", collections);
}

/* Destructors of thread-specific data run managed code, the first of the thread or not. */
static pthread_key_t keys[3];
static _Atomic int destroyed;

static void destroy(void *value)
{
  if (sum(make(100)) == 4950)
    destroyed++;
}

cairn_unmanaged static void *sets_data(void *unused)
{
  for (int i = 0; i < 3; i++)
    pthread_setspecific(keys[i], &keys[i]);
  return unused;
}

static void destructors(void)
{
  pthread_t thread;

  for (int i = 0; i < 3; i++)
    pthread_key_create(&keys[i], destroy);
  pthread_create(&thread, NULL, sets_data, NULL);
  pthread_join(thread, NULL);
  printf("destructors: %d\n", destroyed);
}

static void *short_lived(void *unused)
{
  return (void *)sum(make(3));
}

static void many(void)
{
  int done = 0;

  for (int i = 0; i < 100; i++) {
    pthread_t threads[10];
    for (int t = 0; t < 10; t++)
      pthread_create(&threads[t], NULL, short_lived, NULL);
    for (int t = 0; t < 10; t++)
      done += pthread_join(threads[t], NULL) == 0;
  }
  printf("many threads: %d, left %zu\n", done, cairn_mutator_count());
}

int main(void)
{
  struct node managed *kept = make(100);
  struct request request = {of_posix};
  pthread_t library;
  thrd_t thread;
  int result;

  setvbuf(stdout, NULL, _IOLBF, 0);
  if (pipe(pipes) != 0)
    return 1;
  run("pthread_create", of_posix, NULL);
  thrd_create(&thread, of_c, NULL);
  thrd_join(thread, &result);
  printf("thrd_create: %d\n", result);
  pthread_create(&library, NULL, of_library, &request);
  pthread_join(library, NULL);
  printf("a library's thread: %ld\n", (long)request.result);
  run("pthread_exit", exits, NULL);
  cancel();
  other_stacks();
  explicitly();
  collect_beside_blocked();
  destructors();
  many();
  printf("kept: %ld\n", sum(kept));
  return 0;
}
