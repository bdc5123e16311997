/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that store references, for bench/barriers: `barriers ROUNDS` prints for each its name,
 * the shortest time of a round in nanoseconds per store, and a checksum. `walk` stores none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cairn/cairn.h>

#ifndef NODES
#define NODES 4096 /* a power of two */
#endif

typedef struct node managed *node_ref;
struct node {
  node_ref left, right, up;
  long key;
};
typedef node_ref managed *nodes_ref;

static nodes_ref all;
static node_ref list;

/* Turn a list round: a store for each load. */
static long reverse(void)
{
  node_ref done = NULL, rest = list;

  while (rest) {
    node_ref next = rest->right;
    rest->right = done;
    done = rest;
    rest = next;
  }
  list = done;
  return done->key;
}

/* Exchange references in an array, by a fixed permutation's steps: two stores for two loads. */
static long shuffle(void)
{
  nodes_ref array = all;
  unsigned seed = 1;

  for (long i = 0; i < NODES; i++) {
    seed = seed * 1103515245 + 12345;
    long j = seed >> 16 & (NODES - 1);
    node_ref kept = array[i];
    array[i] = array[j];
    array[j] = kept;
  }
  return array[0]->key;
}

/* Hang nodes of an array below each other: three stores into one object. */
static long join(void)
{
  nodes_ref array = all;

  for (long i = 0; i + 2 < NODES; i++) {
    node_ref node = array[i];
    node->left = array[i + 1];
    node->right = array[i + 2];
    node->up = node;
  }
  for (long i = 0; i + 1 < NODES; i++)
    array[i]->right = array[i + 1];
  list = array[0];
  array[NODES - 1]->right = NULL;
  return array[1]->up->key;
}

/* Fill an array with one reference. */
static long fill(void)
{
  node_ref one = list;
  nodes_ref array = cairn_new_array(node_ref, NODES);

  for (long i = 0; i < NODES; i++)
    array[i] = one;
  return array[NODES - 1]->key;
}

/* New nodes: stores into what was just allocated. */
static long build(void)
{
  node_ref made = NULL;

  for (long i = 0; i < NODES; i++) {
    node_ref node = cairn_new(struct node);
    node->left = made;
    node->right = list;
    node->key = i;
    made = node;
  }
  return made->key;
}

/* No store of a reference. */
static long walk(void)
{
  long sum = 0;

  for (node_ref node = list; node; node = node->right)
    sum += node->key ^ sum >> 3;
  return sum;
}

static long now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void set_up(void)
{
  nodes_ref array = cairn_new_array(node_ref, NODES);

  all = array;
  for (long i = 0; i < NODES; i++) {
    array[i] = cairn_new(struct node);
    array[i]->key = i;
  }
  join();
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    long (*run)(void);
  } kernels[] = {{"reverse", reverse}, {"shuffle", shuffle}, {"join", join},
                 {"fill", fill},       {"build", build},     {"walk", walk}};
  int rounds = argc > 1 ? atoi(argv[1]) : 100;

  set_up();
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    long best = -1, sum = 0;
    for (int round = 0; round < rounds; round++) {
      long start = now();
      sum += kernels[k].run();
      long took = now() - start;
      if (best < 0 || took < best)
        best = took;
    }
    printf("%s %.4f %ld\n", kernels[k].name, (double)best / NODES, sum);
  }
  return 0;
}
