/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <cairn/span.h>
#include <cairn/stack.h>

/* Native. A function that an exception may leave in a span is not inlined. */
void look(void) __attribute__((nothrow));

struct node {
  struct node managed *next;
  long value;
};

enum { OUTER = 1, INNER = 2, BOTH = 3 };

static inline __attribute__((always_inline)) long inner(struct node managed *node)
{
  cairn_span_begin(INNER, (const void *)10);
  cairn_span_begin(BOTH, (const void *)11);
  look();
  cairn_span_end(BOTH);
  cairn_span_end(INNER);
  return node->value;
}

static inline __attribute__((always_inline)) long middle(struct node managed *node)
{
  return inner(node) + node->value;
}

static __attribute__((noinline)) long outer(struct node managed *node)
{
  cairn_span_begin(OUTER, (const void *)20);
  cairn_span_begin(BOTH, (const void *)21);
  long result = middle(node) + node->value;
  cairn_span_end(BOTH);
  cairn_span_end(OUTER);
  return result;
}

int main(void)
{
  struct node managed *node = cairn_new(struct node);

  node->value = 14;
  return (int)outer(node) - 42;
}
