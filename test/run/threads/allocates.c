/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that does nothing but allocate, in line, and has no poll: who asks it for a safepoint, or stops it, sets its
 * buffer's limit to 0. What would go wrong: it comes only when its buffer is full, here of megabytes that last for
 * seconds; a stop never ends; or the thread goes on with a limit of 0, and takes the slow path each time.
 */
// RUN: %cairn-cc -O2 %s -o %t && env CAIRN_STATS=1 CAIRN_HEAP_INITIAL=512m %t 2>&1 | FileCheck %s
// RUN: env CAIRN_STRESS=1 %t | FileCheck %s --check-prefix=STRESS
// RUN: env CAIRN_VERIFY=frames CAIRN_HEAP_MAX=4m %t | FileCheck %s --check-prefix=STRESS
// RUN: %cairn-cc -O1 -fPIE -pie -fcairn-poll=stack %s -o %t.stack
// RUN: env CAIRN_STATS=1 CAIRN_HEAP_INITIAL=512m %t.stack 2>&1 | FileCheck %s
// RUN: %cairn-cc -O2 -S %s -o %t.s && FileCheck %s --check-prefix=CODE --input-file=%t.s
// CHECK-DAG: arrived: 100
// CHECK-DAG: stopped: 20
// CHECK-DAG: collections: {{[2-4][0-9]$}}
// CHECK-DAG: safepoints taken: {{[0-9]?[0-9]?[0-9]$}}
// STRESS: arrived: 100
// STRESS-NEXT: stopped: 20
// CODE-LABEL: {{^}}make:
// CODE-NOT: cairn_poll_slow
// CODE: cairn_alloc_slow
// CODE-NOT: cairn_poll_slow
// CODE: {{^}}.Lfunc_end
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/thread.h>

struct node {
  struct node managed *next;
  long value;
};

static _Atomic int number; /* of the thread */
static _Atomic bool over;

/* Work of about a microsecond, so that a buffer lasts. */
static inline void work(void)
{
  for (int i = 0; i < 500; i++)
    __asm__ volatile("");
}

__attribute__((noinline)) struct node managed *make(struct node managed *node)
{
  while (!over) {
    struct node managed *after = cairn_new(struct node);
    after->value = node->value + 1;
    work();
    node = after;
  }
  return node;
}

static void *allocate(void *unused)
{
  number = gettid();
  struct node managed *node = make(cairn_new(struct node));
  return node->value > 0 ? unused : NULL;
}

static void none(int thread, void *count)
{
  (void)thread;
  ++*(int *)count;
}

int main(void)
{
  int arrived = 0, stopped = 0;
  pthread_t thread;

  if (pthread_create(&thread, NULL, allocate, &thread) != 0)
    return 1;
  while (number == 0)
    usleep(100);
  for (int i = 0; i < 100; i++)
    if (cairn_handshake(number, none, &arrived, CAIRN_ASK_FOREVER) != CAIRN_OK)
      return 1;
  printf("arrived: %d\n", arrived);
  for (int i = 0; i < 20; i++) {
    cairn_collect();
    stopped++;
  }
  over = true;
  void *result = NULL;
  pthread_join(thread, &result);
  printf("stopped: %d\n", result ? stopped : 0);
  return 0;
}
