/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed code in destructors of thread-specific data: destructors FIRST LAST BEFORE. Each thread runs it in the rounds
 * FIRST to LAST. BEFORE tells what it did before it ended: nothing, attached, or detached (attached, and detached again).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <cairn/cairn.h>
#include <cairn/collector.h>
#include <cairn/thread.h>

struct node {
  struct node managed *next;
  long value;
};

enum { THREADS = 20 };
static int first, last;
static char before;
static _Atomic long ran, kept;
static _Thread_local struct node managed *list;
static _Thread_local int round;
static void (*run)(void);
#ifdef TSS
static tss_t key;
#define set(value) tss_set(key, value)
#define make_key(function) tss_create(&key, function)
#else
static pthread_key_t key;
#define set(value) pthread_setspecific(key, value)
#define make_key(function) pthread_key_create(&key, function)
#endif

static void allocate(void)
{
  struct node managed *node = cairn_new(struct node);

  node->value = list ? list->value + 1 : 1;
  node->next = list;
  list = node;
  cairn_collect();
  ran++;
  kept += node->next != NULL && node->value == node->next->value + 1;
}

cairn_unmanaged static void destroy(void *value)
{
  if (++round < last)
    set(value);
  if (round >= first)
    run();
}

cairn_unmanaged static void *work(void *value)
{
  set(value);
  if (before != 'n')
    run();
  if (before == 'd')
    cairn_thread_detach();
  return NULL;
}

int main(int argc, char **argv)
{
  struct node managed *mine = cairn_new(struct node);
  pthread_t thread;
  int left = 0;

  (void)argc;
  first = atoi(argv[1]);
  last = atoi(argv[2]);
  before = argv[3][0];
  run = allocate;
  make_key(destroy);
  for (int i = 0; i < THREADS; i++) {
    pthread_create(&thread, NULL, work, &key);
    pthread_join(thread, NULL);
    cairn_collect();
    left += cairn_mutator_count() != 1;
  }
  printf("ran %ld, kept %ld, left %d\n", ran, kept, left);
  return mine->value != 0;
}
