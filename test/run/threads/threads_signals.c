/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed handlers of signals on native threads, which they attach: while malloc() is under way, on an alternate stack,
 * and beside collections. What would go wrong: attaching needs what the thread holds; the bounds of the wrong stack.
 */
// RUN: %cairn-cc -O2 -w %s -o %t && %t | FileCheck %s
// RUN: env CAIRN_STRESS=20 %t | FileCheck %s
// RUN: env CAIRN_VERIFY=frames %t | FileCheck %s
// CHECK: handled 60, afterwards 60, left 1
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/collector.h>

struct node {
  struct node managed *next;
  long value;
};

static long sum(long count)
{
  struct node managed *list = NULL;
  long total = 0;

  for (long i = 1; i <= count; i++) {
    struct node managed *node = cairn_new(struct node);
    node->value = i;
    node->next = list;
    list = node;
  }
  for (; list; list = list->next)
    total += list->value;
  return total;
}

static _Atomic long handled, afterwards, spinning;

static void on_signal(int number)
{
  if (sum(100) == 5050)
    handled++;
}

/* Managed code on the thread's own stack, later. */
static void then(void)
{
  cairn_collect();
  if (sum(100) == 5050)
    afterwards++;
}

cairn_unmanaged static void *spin(void *other_stack)
{
  stack_t stack = {.ss_sp = other_stack, .ss_size = 64 << 10};
  long before = handled;

  if (other_stack)
    sigaltstack(&stack, NULL);
  spinning = 1;
  while (handled == before) {
    void *volatile block = malloc(40000);
    free(block);
  }
  then();
  return NULL;
}

cairn_unmanaged static void one(void *stack)
{
  pthread_t thread;

  spinning = 0;
  pthread_create(&thread, NULL, spin, stack);
  while (!spinning)
    usleep(10);
  usleep(rand() % 50);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
}

static int ended;

static void *collect(void *unused)
{
  while (!*(volatile int *)&ended) {
    usleep(200);
    cairn_collect();
  }
  return unused;
}

int main(void)
{
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  pthread_t collector;
  void *stack = malloc(64 << 10);

  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&collector, NULL, collect, NULL);
  for (int i = 0; i < 30; i++)
    one(NULL);
  for (int i = 0; i < 30; i++)
    one(stack);
  *(volatile int *)&ended = 1;
  pthread_join(collector, NULL);
  printf("handled %ld, afterwards %ld, left %zu\n", handled, afterwards, cairn_mutator_count());
  return 0;
}
