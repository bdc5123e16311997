/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/pauses: what stacks cost collections, while a table's nodes are replaced at random.
 *
 * stacks frames COUNT NODES: so many activations, each with a reference, below that.
 * stacks blocked COUNT NODES: beside so many threads that wait in native code.
 * stacks running COUNT NODES: beside so many that run managed code now and then, since a
 * system has few processors.
 * stacks uncleared COUNT NODES: with an array that is not cleared after so many nodes; 0: none.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};

enum { SLOTS = 1 << 19, FEW = 64, MOST = 4096, DEPTH = 10 };

static volatile _Atomic int ready, done;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) long work(long nodes)
{
  struct node managed *managed *table = cairn_new_array(struct node managed *, SLOTS);
  long sum = 0, random = 1;

  for (long i = 0; i < nodes; i++) {
    random = (random * 1103515245 + 12345) & 0x7fffffff;
    struct node managed *node = cairn_new(struct node);
    node->value = i;
    table[random >> 8 & (SLOTS - 1)] = node;
    sum += node->value;
  }
  return sum;
}

static __attribute__((noinline)) struct node managed *put(struct node managed * managed * table,
                                                          struct node managed *node)
{
  static long random = 1;

  random = (random * 1103515245 + 12345) & 0x7fffffff;
  struct node managed *next = cairn_new(struct node);
  node->value++;
  return table[random >> 8 & (FEW - 1)] = next;
}

static __attribute__((noinline)) long uncleared(long every, long nodes)
{
  struct node managed *managed *table = cairn_new_array(struct node managed *, FEW);
  struct node managed *node = cairn_new(struct node);
  long sum = 0;

  for (long i = 0; i < nodes; i++) {
    if (every != 0 && i % every == 0) {
      char managed *text = cairn_new_array_uninit(char, 16 + (i & 31));
      text[0] = (char)i;
      sum += text[0];
    }
    node = put(table, node);
    sum += node->value;
  }
  return sum;
}

static __attribute__((noinline)) long descend(long depth, struct node managed *node, long nodes)
{
  if (depth == 0)
    return work(nodes);
  return descend(depth - 1, node, nodes) + node->value;
}

static __attribute__((noinline)) long blocked(long depth, struct node managed *node)
{
  if (depth != 0)
    return blocked(depth - 1, node) + node->value;
  ready++;
  pthread_mutex_lock(&held);
  pthread_mutex_unlock(&held);
  return node->value;
}

static __attribute__((noinline)) long running(long depth, struct node managed *node)
{
  if (depth != 0)
    return running(depth - 1, node) + node->value;
  ready++;
  while (!done) {
    for (long i = 0; i < 100000; i++)
      node->value++;
    usleep(100000);
  }
  return node->value;
}

static void *block(void *argument)
{
  return blocked(DEPTH, cairn_new(struct node)) == 1 ? argument : NULL;
}

static void *run(void *argument)
{
  return running(DEPTH, cairn_new(struct node)) == 1 ? argument : NULL;
}

static long beside(void *(*start)(void *), long count, long nodes)
{
  static pthread_t threads[MOST];

  pthread_mutex_lock(&held);
  for (long i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, start, NULL) != 0)
      exit(2);
  while (ready < count)
    usleep(100);
  long sum = work(nodes);
  done = 1;
  pthread_mutex_unlock(&held);
  for (long i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  return sum;
}

int main(int argc, char **argv)
{
  if (argc != 4 || atol(argv[2]) < 0)
    return 2;
  long count = atol(argv[2]), nodes = atol(argv[3]);
  bool frames = strcmp(argv[1], "frames") == 0;
  if (!frames && count > MOST)
    return 2;
  long sum = strcmp(argv[1], "uncleared") == 0 ? uncleared(count, nodes)
             : frames                          ? descend(count, cairn_new(struct node), nodes)
                                               : beside(strcmp(argv[1], "running") == 0 ? run : block, count, nodes);
  printf("%ld\n", sum);
  return 0;
}
