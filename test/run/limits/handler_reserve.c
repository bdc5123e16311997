/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler interrupts managed code of a thread that has no buffer since the last collection, while another thread has
 * filled the heap. What would go wrong: the handler finds no memory, though nearly all of the heap is garbage.
 */
// RUN: %cairn-cc -O2 -w -fcairn-collector=semispace %s -o %t -pthread && env CAIRN_HEAP_MAX=1m %t | FileCheck %s
// RUN: %cairn-cc -O2 -w %s -o %t.generational -pthread && env CAIRN_HEAP_MAX=1m %t.generational | FileCheck %s
// CHECK: 512 handled
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long numbers[13];
};

static struct node managed *kept, *volatile made;
static _Atomic int handled, over;

static void on_signal(int number)
{
  made = cairn_new(struct node);
  handled++;
}

static void *spin(void *none)
{
  kept = cairn_new(struct node);
  handled = 1;
  while (!over)
    continue;
  return none;
}

/* The heap is filled to each part of its maximum. */
int main(void)
{
  pthread_t thread;

  signal(SIGUSR1, on_signal);
  pthread_create(&thread, NULL, spin, NULL);
  while (!handled)
    continue;
  handled = 0;
  for (int i = 0; i < 512; i++) {
    cairn_collect();
    for (int n = 0; n < i * 18; n++)
      made = cairn_new(struct node);
    pthread_kill(thread, SIGUSR1);
    while (handled == i)
      continue;
  }
  over = 1;
  pthread_join(thread, NULL);
  printf("%d handled\n", handled);
  return 0;
}
