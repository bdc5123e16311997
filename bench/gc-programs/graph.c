/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph whose edges are shuffled, by new edges in the place of two, and walked: `graph THREADS
 * NODES ROUNDS`. Each node has DEGREE edges, and each round shuffles as many pairs as there are
 * nodes.
 */
#include "workload.h"

enum { DEGREE = 4 };

struct edge {
  struct node managed *to;
  long weight;
};

struct node {
  struct edge managed *out[DEGREE];
  long number, round;
};

static struct edge managed *edge(struct node managed *to, long weight)
{
  struct edge managed *edge = make(struct edge);

  edge->to = to;
  edge->weight = weight;
  return edge;
}

static struct node managed * managed * make_nodes(long count, long *random)
{
  struct node managed *managed *nodes = make_array(struct node managed *, count);

  for (long i = 0; i < count; i++) {
    struct node managed *node = make(struct node);
    for (int k = 0; k < DEGREE; k++)
      node->out[k] = NULL;
    node->number = i;
    node->round = -1;
    nodes[i] = node;
  }
  for (long i = 0; i < count; i++)
    for (int k = 0; k < DEGREE; k++) {
      struct edge managed *made = edge(nodes[next_random(random) % count], k);
      nodes[i]->out[k] = made;
    }
  return nodes;
}

static void shuffle(struct node managed * managed * nodes, long count, long *random)
{
  for (long i = 0; i < count; i++) {
    struct node managed *a = nodes[next_random(random) % count];
    struct node managed *b = nodes[next_random(random) % count];
    long k = next_random(random) % DEGREE;
    struct edge managed *first = a->out[k], *second = b->out[k];
    if (a == b)
      continue;
    a->out[k] = edge(second->to, first->weight + 1);
    b->out[k] = edge(first->to, second->weight);
    drop(first);
    drop(second);
  }
}

/* Nodes that the first one leads to, each once, the last that was met first. */
static long walk(struct node managed * managed * nodes, long count, long round)
{
  struct node managed *managed *stack = make_array(struct node managed *, count);
  long depth = 0, sum = 0;

  stack[depth++] = nodes[0];
  nodes[0]->round = round;
  while (depth > 0) {
    struct node managed *node = stack[--depth];
    for (int k = 0; k < DEGREE; k++) {
      struct node managed *to = node->out[k]->to;
      sum += node->out[k]->weight;
      if (to->round == round)
        continue;
      to->round = round;
      sum += to->number & 15;
      stack[depth++] = to;
    }
  }
  drop(stack);
  return sum;
}

static long work(void)
{
  long count = arguments[0], rounds = arguments[1], random = 1, sum = 0;
  struct node managed *managed *nodes = make_nodes(count, &random);

  for (long round = 0; round < rounds; round++) {
    shuffle(nodes, count, &random);
    sum += walk(nodes, count, round);
  }
  for (long i = 0; i < count; i++) {
    for (int k = 0; k < DEGREE; k++)
      drop(nodes[i]->out[k]);
    drop(nodes[i]);
  }
  drop(nodes);
  return sum;
}
