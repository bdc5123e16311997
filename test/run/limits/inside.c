/* SPDX-License-Identifier: Apache-2.0
 *
 * Callbacks, listeners, the collector, handlers delivered late and handshakes inside an allocation, and what the code
 * around it sees of their changes at each level (docs/runtime.md, "Inside an allocation"). What would go wrong: a
 * change to a variable or a weak field is undone, or never seen; a handler runs in the middle of a collection; a
 * handshake never comes to a thread that only allocates.
 */
// RUN: for o in 0 1 2 3; do for c in semispace generational; do \
// RUN:   %cairn-cc -O$o -pthread -fcairn-collector=$c %s -o %t && env CAIRN_HEAP_MAX=4m %t || exit 1; done; done \
// RUN:   | FileCheck %s
// CHECK-COUNT-8: exhaustion: 1 1, listener: 1, weak: 1, finaliser: 1, thread: 1, handler: 1, handshake: 1
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/events.h>
#include <cairn/heap.h>
#include <cairn/thread.h>
#include <cairn/weak.h>

struct node {
  struct node managed *next;
  long pad[20];
};
struct watcher {
  struct node managed *volatile seen cairn_weak;
};
struct cairn_finalisable file {
  long number;
};

/* The callbacks change these. */
static struct node managed *cache;
static long used, asked;
static volatile long collections;
static struct watcher managed *watcher;
static long managed *volatile waste;
static atomic_long other;
static atomic_bool ends;
static pthread_t own;
static volatile bool armed, collects;
static volatile long handled, early;
static struct node managed *volatile made;
static atomic_long shaken;

static bool drop(void *env, const struct cairn_exhaustion *what)
{
  (void)env;
  (void)what;
  cache = NULL;
  used = 0;
  asked++;
  return true;
}

cairn_unmanaged static void listen(void *env, const struct cairn_event *event)
{
  (void)env;
  collects |= event->kind == CAIRN_EVENT_COLLECTION_BEGINS;
  if (collects && armed) {
    armed = false;
    pthread_kill(own, SIGUSR1);
  }
  if (event->kind == CAIRN_EVENT_COLLECTION_ENDS) {
    collections++;
    collects = false;
  }
}

/* Delivered when the collection that the listener saw has ended. */
static void handle(int number)
{
  (void)number;
  early += collects;
  made = cairn_new(struct node);
  made->pad[0] = 7;
  handled++;
}

cairn_unmanaged static void shake(int thread, void *env)
{
  (void)env;
  atomic_store(&shaken, thread == getpid());
}

cairn_unmanaged static void *ask(void *none)
{
  cairn_handshake(0, shake, NULL, CAIRN_ASK_FOREVER);
  return none;
}

static void *count(void *none)
{
  while (!atomic_load(&ends))
    atomic_fetch_add(&other, 1);
  return none;
}

/* Fill the heap twice: what is found to be full is emptied in between. */
static void fill(void)
{
  for (long i = 0; i < 60000; i++) {
    struct node managed *node = cairn_new(struct node);
    node->next = cache;
    cache = node;
    used++;
  }
}

static bool is_heard(void)
{
  long before = collections;

  for (long i = 0; i < 100000 && collections == before; i++)
    waste = cairn_new_array(long, 100);
  return collections != before;
}

static bool is_cleared(void)
{
  watcher->seen = cairn_new(struct node);
  for (long i = 0; i < 1000000 && watcher->seen; i++)
    waste = cairn_new_array(long, 100);
  return !watcher->seen;
}

static bool is_queued(void)
{
  struct file managed *file = cairn_new(struct file);

  file->number = 7;
  file = NULL;
  for (long i = 0; i < 1000000 && !file; i++) {
    waste = cairn_new_array(long, 100);
    file = (struct file managed *)cairn_finalise_next(0);
  }
  return file && file->number == 7;
}

static bool is_beside(void)
{
  long before = atomic_load(&other);

  while (atomic_load(&other) == before)
    waste = cairn_new_array(long, 100);
  return true;
}

static bool is_delivered(void)
{
  armed = true;
  while (!handled)
    waste = cairn_new_array(long, 100);
  for (long before = collections; collections == before;)
    waste = cairn_new_array(long, 100);
  return handled == 1 && early == 0 && made->pad[0] == 7;
}

/* The thread comes to no safepoint but its allocations. */
static bool is_shaken(void)
{
  pthread_t thread;

  if (pthread_create(&thread, NULL, ask, NULL) != 0)
    return false;
  while (!atomic_load(&shaken))
    waste = cairn_new_array(long, 100);
  pthread_join(thread, NULL);
  return true;
}

int main(void)
{
  pthread_t thread;

  cairn_on_exhaustion(drop, NULL);
  fill();
  cache = NULL;
  watcher = cairn_new(struct watcher);
  if (cairn_listen(listen, NULL) != CAIRN_OK || pthread_create(&thread, NULL, count, NULL) != 0)
    return 1;
  own = pthread_self();
  signal(SIGUSR1, handle);
  bool heard = is_heard(), cleared = is_cleared(), queued = is_queued(), beside = is_beside();
  bool delivered = is_delivered(), shaken_there = is_shaken();
  atomic_store(&ends, true);
  pthread_join(thread, NULL);
  printf("exhaustion: %d %d, listener: %d, weak: %d, finaliser: %d, thread: %d, handler: %d, handshake: %d\n",
         asked > 0, used < 60000, heard, cleared, queued, beside, delivered, shaken_there);
  return 0;
}
