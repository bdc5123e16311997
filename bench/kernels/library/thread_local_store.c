/* SPDX-License-Identifier: Apache-2.0
 *
 * Stores of references to thread-locals: each step makes the last node of a walk the current one.
 */
#include "../../programs/kernel.h"

enum { NODES = 256 };

struct node {
  struct node managed *next;
  long key;
};

static struct node managed *ring;
static _Thread_local struct node managed *current, *last;

void setup_thread_local_store(void)
{
  struct node managed *first = bench_new(struct node);

  ring = first;
  for (long i = 1; i < NODES; i++) {
    struct node managed *node = bench_new(struct node);
    node->key = i;
    node->next = ring;
    ring = node;
  }
  first->next = ring;
}

NOINLINE static void visit(struct node managed *node)
{
  last = current;
  current = node;
}

long kernel_thread_local_store(void)
{
  struct node managed *node = ring;

  for (long i = 0; i < 50000; i++) {
    visit(node);
    node = node->next;
  }
  return current->key + last->key;
}
