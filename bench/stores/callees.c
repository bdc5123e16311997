/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that store references through ordinary pointers. Included by stores.c, or a separate unit with -DAPART.
 */
#include "callees.h"

#define SEPARATE CALLEE __attribute__((noinline))

SEPARATE void find(unsigned long i, node_ref *out)
{
  *out = nodes[i % NODES];
}

SEPARATE void copy(struct item *to, const struct item *from)
{
  *to = *from;
}

SEPARATE void sort(struct item *items, long count)
{
  for (struct item *i = items + 1; i < items + count; i++) {
    struct item moved = *i, *at = i;
    for (; at > items && at[-1].key > moved.key; at--)
      *at = at[-1];
    *at = moved;
  }
}

SEPARATE void put(const struct item *from)
{
  ring.slots[ring.head++ % RING] = *from;
}

SEPARATE void take(struct item *to)
{
  *to = ring.slots[ring.tail++ % RING];
}

SEPARATE void set(node_ref *at, node_ref node)
{
  *at = node;
}

/* Insert by a cursor into the sorted list of references that ends at `end`. */
SEPARATE void insert(node_ref *start, node_ref *end, node_ref node)
{
  node_ref *cursor = end;

  for (; cursor > start && cursor[-1]->value > node->value; cursor--)
    *cursor = cursor[-1];
  *cursor = node;
}

SEPARATE void push(node_ref node)
{
  *machine.top++ = node;
}

SEPARATE void add(void)
{
  node_ref *top = machine.top - 1;

  top[-1] = nodes[(unsigned long)(top[-1]->value + top[0]->value) % NODES];
  machine.top = top;
}

SEPARATE void push_at(node_ref node)
{
  machine.stack[machine.depth++ % DEPTH] = node;
}

SEPARATE void add_at(void)
{
  node_ref *stack = machine.stack;
  unsigned long top = machine.depth - 1;

  stack[(top - 1) % DEPTH] =
      nodes[(unsigned long)(stack[(top - 1) % DEPTH]->value + stack[top % DEPTH]->value) % NODES];
  machine.depth = top;
}
