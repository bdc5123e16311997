/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/order: how long it takes to walk over what a program has made, as it lies after that or
 * after a collection. `order SHAPE NODES WALKS` prints a sum, and nanoseconds per node of the
 * quickest walk and of all of them together.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __CAIRN__
#include <cairn/cairn.h>
#define make(type) cairn_new(type)
#define make_array(type, n) cairn_new_array(type, n)
#define collect() (cairn_collect(), cairn_collect())
#else
#define managed
#define make(type) ((type *)calloc(1, sizeof(type)))
#define make_array(type, n) ((type *)calloc((size_t)(n), sizeof(type)))
#define collect() ((void)0)
#endif

enum { DEGREE = 3 };

struct node {
  struct node managed *to[DEGREE];
  long number, round;
};

static long state = 1;

static long draw(long below)
{
  state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff;
  return (state >> 20) % below;
}

static struct node managed * managed * make_nodes(long count)
{
  struct node managed *managed *nodes = make_array(struct node managed *, count);

  for (long i = 0; i < count; i++) {
    nodes[i] = make(struct node);
    nodes[i]->number = i & 15;
    nodes[i]->round = -1;
  }
  return nodes;
}

static void shuffle(struct node managed * managed * nodes, long count)
{
  for (long i = count - 1; i > 0; i--) {
    long other = draw(i + 1);
    struct node managed *node = nodes[i];
    nodes[i] = nodes[other];
    nodes[other] = node;
  }
}

/* The first node of a list, or of a tree whose node i has children 2i + 1 and 2i + 2, or of a graph
 * in which each leads to the next and to two others. */
static struct node managed *link_nodes(const char *shape, struct node managed * managed * nodes, long count)
{
  if (strstr(shape, "shuffled") != NULL)
    shuffle(nodes, count);
  for (long i = 0; i < count; i++) {
    struct node managed *node = nodes[i];
    if (strncmp(shape, "list", 4) == 0) {
      node->to[0] = i + 1 < count ? nodes[i + 1] : NULL;
    } else if (strncmp(shape, "tree", 4) == 0) {
      node->to[0] = 2 * i + 1 < count ? nodes[2 * i + 1] : NULL;
      node->to[1] = 2 * i + 2 < count ? nodes[2 * i + 2] : NULL;
    } else {
      node->to[0] = nodes[(i + 1) % count];
      for (int k = 1; k < DEGREE; k++)
        node->to[k] = nodes[draw(count)];
    }
  }
  return nodes[0];
}

/* Depth first; each once. */
static long walk(struct node managed *first, struct node managed * managed * stack, long round)
{
  long depth = 0, sum = 0;

  stack[depth++] = first;
  first->round = round;
  while (depth > 0) {
    struct node managed *node = stack[--depth];
    sum += node->number;
    for (int k = DEGREE - 1; k >= 0; k--) {
      struct node managed *to = node->to[k];
      if (to == NULL || to->round == round)
        continue;
      to->round = round;
      stack[depth++] = to;
    }
  }
  return sum;
}

static double now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static struct node managed *build(const char *shape, long count)
{
  return link_nodes(shape, make_nodes(count), count);
}

int main(int argc, char **argv)
{
  if (argc != 4)
    return 2;
  long count = atol(argv[2]), walks = atol(argv[3]), sum = 0;
  struct node managed *first = build(argv[1], count);
  struct node managed *managed *stack = make_array(struct node managed *, count);
  double least = 1e300, total = 0;

  collect();
  for (long i = 0; i < walks; i++) {
    double start = now();
    sum += walk(first, stack, i);
    double took = now() - start;
    least = took < least ? took : least;
    total += took;
  }
  printf("%ld %.2f %.2f\n", sum, least / (double)count, total / (double)(count * walks));
  return 0;
}
