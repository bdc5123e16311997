/* SPDX-License-Identifier: Apache-2.0
 *
 * A managed signal handler at each n-th instruction of a thread's life, from its first instruction after clone() to the
 * system call that ends it: threads with managed code, native ones, and with destructors of thread-specific data; one
 * signal in a life, or one after the other. The handler allocates, stores a reference in a thread-local, and collects.
 * What would go wrong: the thread ends and stays in the registry; no round of destructors is left that detaches it; the
 * check of the store walks over interrupted code.
 */
// RUN: %cairn-cc -w -O1 -I%root/include -I%root/test/tools %s -o %t -pthread && \
// RUN:   clang -w -O1 %root/test/tools/step.c -o %t.step
// RUN: %t.step --once --first=3 --apart=997 %t 3 | FileCheck %s
// RUN: %t.step --first=5 --apart=211 %t 1 | FileCheck %s
// RUN: %t.step --first=2 --apart=89 env CAIRN_STRESS=50 %t 1 | FileCheck %s
// CHECK: threads: all ended, handlers: right, left 1
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/collector.h>
#include <cairn/handle.h>
#include <cairn/pin.h>
#include <cairn/weak.h>
#include "step.h"

struct node {
  struct node managed *next;
  long value;
};

static _Thread_local struct node managed *mine;
static struct node managed *shared;
static volatile long handled, wrong;
static pthread_key_t key;

static int compare(const void *a, const void *b)
{
  struct node managed *node = cairn_new(struct node);

  node->value = *(const long *)a;
  return node->value != *(const long *)b;
}

/* Other ways into the runtime: arrays, copies, pins, handles, hashes, native code that calls back. */
static void enter_all(void)
{
  long numbers[] = {1, 2, 3}, wanted = 3;
  size_t count = 3;
  struct node managed *node = cairn_new(struct node);
  struct node managed *managed *nodes = cairn_new_array(struct node managed *, 9);
  struct cairn_handle *handle = cairn_handle_new(node);
  const struct node *pinned = cairn_pin(node);
  unsigned long hash = cairn_identity_hash(node);

  node->value = 5;
  nodes[2] = node;
  nodes[8] = shared;
  cairn_copy(nodes + 3, nodes, 4 * sizeof *nodes);
  wrong += pinned->value != 5 || nodes[5] != node || nodes[8] == NULL;
  cairn_unpin(node);
  cairn_collect();
  struct node managed *same = cairn_handle_get(handle);
  wrong += same != nodes[5] || cairn_identity_hash(same) != hash;
  cairn_handle_free(handle);
  wrong += lfind(&wanted, numbers, &count, sizeof *numbers, compare) != &numbers[2];
}

static void on_signal(int number)
{
  struct node managed *node = cairn_new(struct node);

  node->value = 7;
  mine = node;
  shared = node;
  if (handled % 3 == 0)
    enter_all();
  else
    cairn_collect();
  wrong += mine->value != 7 || shared->value != 7;
  handled++;
}

static long sum(long count)
{
  struct node managed *list = NULL;
  long total = 0;

  for (long i = 0; i < count; i++) {
    struct node managed *node = cairn_new(struct node);
    node->value = i;
    node->next = list;
    list = node;
  }
  for (; list; list = list->next)
    total += list->value;
  return total;
}

static void *managed_code(void *none)
{
  wrong += sum(10) != 45;
  return none;
}

static void *with_data(void *none)
{
  pthread_setspecific(key, &key);
  return managed_code(none);
}

cairn_unmanaged static void *native(void *none)
{
  return none;
}

cairn_unmanaged static void *native_with_data(void *none)
{
  pthread_setspecific(key, &key);
  return none;
}

static void destroy(void *value)
{
  wrong += sum(5) != 10;
}

int main(int count, char **arguments)
{
  void *(*starts[])(void *) = {native, native_with_data, managed_code, with_data};
  long lives = atol(arguments[1]), ended = 0;
  pthread_t thread;

  cairn_collect(); /* threads that help begin with the first */
  signal(SIGUSR1, on_signal);
  pthread_key_create(&key, destroy);
  step_request(STEP_THREAD);
  for (long i = 0; i < lives; i++)
    for (int how = 0; how < 4; how++) {
      pthread_create(&thread, NULL, starts[how], NULL);
      ended += pthread_join(thread, NULL) == 0;
      cairn_collect();
    }
  printf("threads: %s ended, handlers: %s, left %zu\n", ended == 4 * lives ? "all" : "some",
         handled > 0 && wrong == 0 ? "right" : "wrong", cairn_mutator_count());
  return 0;
}
