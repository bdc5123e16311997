/* Row 51: a thread in a foreign call, which blocks or computes for long, holds up every collection. It must not, however
 * it got there: each call below ends only after collections that began while it ran, so a collection that
 * waited for it would never end. References of the frames above it are updated meanwhile. */
// RUN: %cairn-cc -O2 -Wall -Werror %s -o %t && %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t | FileCheck %s
// RUN: %cairn-cc -O0 %s -o %t.O0 && env CAIRN_STRESS=1 %t.O0 | FileCheck %s
// CHECK: read: 10 collections, 4950
// CHECK: spins: 10 collections, 4950
// CHECK: by a pointer: 10 collections, 4950
// CHECK: in a callback: 10 collections, 4950
// CHECK: waits for a lock: 10 collections, 4950
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};

static int ends[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int within, go_on;

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

cairn_unmanaged static void reads(void)
{
  char c;

  within = 1;
  if (read(ends[0], &c, 1) != 1)
    abort();
}

cairn_unmanaged static void spins(void)
{
  within = 1;
  while (!go_on)
    sched_yield();
}

cairn_unmanaged static void locks(void)
{
  within = 1;
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

static void (*volatile pointer)(void) = reads;

static int compare(const void *key, const void *at)
{
  struct node managed *list = make(100);

  reads();
  (void)key, (void)at;
  return sum(list) - 4950;
}

static void *by_read(void *unused)
{
  struct node managed *list = make(100);

  (void)unused;
  reads();
  return (void *)sum(list);
}

static void *by_spinning(void *unused)
{
  struct node managed *list = make(100);

  (void)unused;
  spins();
  return (void *)sum(list);
}

static void *by_pointer(void *unused)
{
  struct node managed *list = make(100);

  (void)unused;
  pointer();
  return (void *)sum(list);
}

static void *by_callback(void *unused)
{
  struct node managed *list = make(100);
  int key = 0;

  (void)unused;
  return bsearch(&key, &key, 1, sizeof key, compare) ? (void *)sum(list) : NULL;
}

static void *by_lock(void *unused)
{
  struct node managed *list = make(100);

  (void)unused;
  locks();
  return (void *)sum(list);
}

static void check(const char *name, void *(*start)(void *))
{
  pthread_t thread;
  void *result;
  int collections = 0;

  within = go_on = 0;
  pthread_mutex_lock(&lock);
  pthread_create(&thread, NULL, start, NULL);
  while (!within)
    sched_yield();
  for (; collections < 10; collections++)
    cairn_collect();
  go_on = 1;
  pthread_mutex_unlock(&lock);
  if (write(ends[1], "x", 1) != 1)
    abort();
  pthread_join(thread, &result);
  printf("%s: %d collections, %ld\n", name, collections, (long)result);
}

cairn_unmanaged static void drain(void)
{
  char c;

  if (read(ends[0], &c, 1) != 1)
    abort();
}

int main(void)
{
  if (pipe(ends) != 0)
    abort();
  check("read", by_read);
  check("spins", by_spinning);
  drain();
  check("by a pointer", by_pointer);
  check("in a callback", by_callback);
  check("waits for a lock", by_lock);
  drain();
  return 0;
}
