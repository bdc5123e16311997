/* Threads that change graphs of known content, and check them, until the collector has run its concurrent phases often
 * enough. usage: graphs THREADS MARKINGS SURROUNDINGS. Each thread has a tree that stays, two tables whose lists move
 * from one to the other, and arrays that die. surroundings.c makes the surroundings. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "../../Inputs/wandering_lists.h"
#include "surroundings.h"

enum { ALL_NODES = 16000, DEPTH = 13, STEPS_PER_LOOK = 500, STEPS_PER_CHECK = 50000, MAX_THREADS = 16 };

static long nodes; /* lists of each thread */

struct tree {
  struct tree managed *left, *right;
  long value;
};

static struct tree managed *grow(int depth, long value)
{
  struct tree managed *tree = cairn_new(struct tree);

  tree->value = value;
  if (depth > 0) {
    tree->left = grow(depth - 1, 2 * value);
    tree->right = grow(depth - 1, 2 * value + 1);
  }
  return tree;
}

static long sum(struct tree managed *tree)
{
  return tree ? tree->value + sum(tree->left) + sum(tree->right) : 0;
}

static long sum_of_numbers(void)
{
  long count = (2l << DEPTH) - 1;

  return count * (count + 1) / 2;
}

/* An array that dies, and that was cleared. */
static long use_array(unsigned long *seed)
{
  long count = 100 + (long)draw(seed, 20000), wrong;
  long managed *array = cairn_new_array(long, count);

  wrong = array[count / 2] != 0;
  array[count - 1] = count;
  return wrong + (array[count - 1] != count);
}

static long change_one(reference managed *here, reference managed *there, long owner, unsigned long *seed)
{
  long i = (long)draw(seed, (unsigned long)nodes), wrong = 0;

  if (draw(seed, 4) == 0) {
    wrong = check(here[i] ? here[i] : there[i], owner, i);
    here[i] = list(owner, i, LONG);
    there[i] = 0;
  } else {
    reference moved = here[i];
    here[i] = there[i];
    there[i] = moved;
  }
  return wrong + (draw(seed, 64) == 0 ? use_array(seed) : 0);
}

static long work(long owner)
{
  unsigned long seed = (unsigned long)owner;
  reference managed *here = cairn_new_array(reference, nodes);
  reference managed *there = cairn_new_array(reference, nodes);
  struct tree managed *tree = grow(DEPTH, 1);
  long wrong = 0;

  for (long i = 0; i < nodes; i++)
    here[i] = list(owner, i, LONG);
  for (long step = 1;; step++) {
    wrong += change_one(here, there, owner, &seed);
    if (step % STEPS_PER_CHECK == 0)
      wrong += check_all(here, there, nodes, owner);
    if (step % STEPS_PER_LOOK == 0 && surroundings_are_over(owner))
      break;
  }
  return wrong + check_all(here, there, nodes, owner) + (sum(tree) != sum_of_numbers());
}

static void *work_on(void *result)
{
  long *wrong = result;

  surroundings_begin_thread(*wrong);
  *wrong = work(*wrong);
  surroundings_end_thread();
  return 0;
}

int main(int argc, char **argv)
{
  pthread_t threads[MAX_THREADS];
  long count = argc > 2 ? atol(argv[1]) : 1, results[MAX_THREADS] = {0}, wrong = 0;

  nodes = ALL_NODES / count;
  surroundings_begin(argc > 2 ? atol(argv[2]) : 1, argc > 3 ? argv[3] : "");
  for (long i = 1; i < count; i++) {
    results[i] = i + 1;
    pthread_create(&threads[i], 0, work_on, &results[i]);
  }
  surroundings_begin_thread(1);
  wrong = work(1);
  surroundings_end_thread();
  for (long i = 1; i < count; i++) {
    pthread_join(threads[i], 0);
    wrong += results[i];
  }
  printf("%ld wrong, %ld concurrent markings\n", wrong, surroundings_end());
  return 0;
}
