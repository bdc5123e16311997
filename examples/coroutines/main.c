/* SPDX-License-Identifier: Apache-2.0
 *
 * Generators in managed C, whose references live on their stacks while they are suspended. The coroutines are native
 * (in_c.c), or of a language of the program's own, which switches faster (in_assembly.S, manager.c).
 *
 *   cc -O2 -c in_c.c && cairn-cc -O2 main.c in_c.o -o coroutines
 *   cc -O2 -c in_assembly.S manager.c && cairn-cc -O2 main.c in_assembly.o manager.o -o coroutines
 */
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include "coroutines.h"

struct tree {
  struct tree managed *left, *right;
  long value;
};

/* What goes between a generator and who resumes it. */
static struct tree managed *given, *yielded;

static struct tree managed *make(long low, long high)
{
  if (low >= high)
    return 0;
  struct tree managed *tree = cairn_new(struct tree);
  long middle = low + (high - low) / 2;
  tree->value = middle;
  tree->left = make(low, middle);
  tree->right = make(middle + 1, high);
  return tree;
}

/* A generator of a tree's nodes in order: one coroutine for each level that is open. */
static void nodes(long depth)
{
  struct tree managed *tree = given;
  struct tree managed *branch[2];

  branch[0] = tree->left;
  branch[1] = tree->right;
  for (int side = 0; side < 2; side++) {
    if (branch[side]) {
      given = branch[side];
      void *below = coroutine_new(nodes, depth + 1);
      for (coroutine_resume(below); !coroutine_is_over(below); coroutine_resume(below))
        coroutine_yield();
      coroutine_free(below);
    }
    if (side == 0) {
      struct tree managed *copy = cairn_new(struct tree);
      copy->value = tree->value;
      yielded = copy;
      coroutine_yield();
    }
  }
}

/* Sums up an array by a pointer into it, a bit at a time; `count` turns deep. */
static long sum(long managed *at, long count)
{
  long total = 0;

  for (long i = 0; i < count; i++) {
    coroutine_yield();
    total += *at++;
  }
  return count > 1 ? total + sum(at - count + 1, count - 1) : total;
}

static void summing(long count)
{
  long managed *numbers = cairn_new_array(long, count);

  for (long i = 0; i < count; i++)
    numbers[i] = i * i;
  long total = sum(numbers, count);
  struct tree managed *result = cairn_new(struct tree);
  result->value = total;
  yielded = result;
}

/* Yields within native code that managed code called, and that called managed code. */
static struct tree managed *keys;

static int compare(const void *left, const void *right)
{
  struct tree managed *a = keys, *b = keys;

  for (int i = 0; i < *(const int *)left; i++)
    a = a->left;
  for (int i = 0; i < *(const int *)right; i++)
    b = b->left;
  coroutine_yield();
  struct tree managed *waste = cairn_new(struct tree);
  waste->value = a->value < b->value;
  coroutine_yield();
  return (a->value > b->value) - (int)waste->value;
}

static void sorting(long count)
{
  int index[16];
  struct tree managed *own = 0;

  for (long i = 0; i < count; i++) {
    struct tree managed *key = cairn_new(struct tree);
    key->left = own;
    key->value = i * 7 % count;
    own = key;
    index[i] = (int)(count - 1 - i);
  }
  keys = own;
  qsort(index, (size_t)count, sizeof *index, compare);
  long hash = 0;
  for (long i = 0; i < count; i++)
    hash = hash * 31 + index[i];
  own->value = hash;
  yielded = own;
}

/* Deep down, it collects after it was resumed; who has resumed it has run meanwhile. */
static void digging(long depth)
{
  struct tree managed *own = cairn_new(struct tree);

  own->value = depth;
  if (depth > 0)
    digging(depth - 1);
  for (int i = 0; depth == 0 && i < 6; i++) {
    cairn_collect();
    coroutine_yield();
    cairn_collect();
  }
  struct tree managed *result = cairn_new(struct tree);
  result->value = own->value + (depth > 0 ? yielded->value : 0);
  yielded = result;
}

/* One that is never finished. */
static void endless(long unused)
{
  struct tree managed *own = cairn_new(struct tree);

  (void)unused;
  for (;; own->value++)
    coroutine_yield();
}

int main(int argc, char **argv)
{
  long size = argc > 1 ? atol(argv[1]) : 60, hash = 0, turns = 0;
  struct tree managed *tree = make(0, size);
  void *sums = coroutine_new(summing, 8), *other = coroutine_new(endless, 0);

  given = tree;
  void *walk = coroutine_new(nodes, 0);
  for (coroutine_resume(walk); !coroutine_is_over(walk); coroutine_resume(walk)) {
    hash = (hash * 31 + yielded->value) % 1000003;
    turns++;
    if (!coroutine_is_over(sums))
      coroutine_resume(sums);
    if (coroutine_is_over(sums))
      hash += yielded->value;
    coroutine_resume(other);
    if (turns % 7 == 0)
      cairn_collect();
  }
  void *sorts[2] = {coroutine_new(sorting, 9), coroutine_new(sorting, 10)};
  for (int left = 2; left > 0;)
    for (int i = 0; i < 2; i++)
      if (!coroutine_is_over(sorts[i])) {
        coroutine_resume(sorts[i]);
        if (coroutine_is_over(sorts[i])) {
          hash = (hash * 31 + yielded->value) % 1000003;
          left--;
        }
      }
  void *dig = coroutine_new(digging, 60);
  while (!coroutine_is_over(dig)) {
    struct tree managed *fresh = cairn_new(struct tree);
    fresh->value = ++turns;
    coroutine_resume(dig);
    hash = (hash * 31 + fresh->value) % 1000003;
  }
  hash += yielded->value;
  coroutine_free(dig);
  coroutine_free(sorts[0]);
  coroutine_free(sorts[1]);
  coroutine_free(other);
  coroutine_free(walk);
  coroutine_free(sums);
  printf("%ld %ld %ld\n", turns, hash, tree->value);
  return 0;
}
