// RUN: %root/test/run/Inputs/same %build --levels "-O0 -O2 -O3 -Oz" %s
// Native frames between managed ones, twice over: qsort's comparator searches with bsearch, whose
// comparator allocates.
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct box {
  long value;
  struct box managed *next;
};
typedef struct box managed *ref;

static ref trail;
static const int weights[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};

__attribute__((noinline)) static ref box(long value, ref next)
{
  ref b = cairn_new(struct box);

  b->value = value;
  b->next = next;
  return b;
}

static int find(const void *key, const void *at)
{
  ref mine = box(*(const int *)key, NULL);

  trail = box(*(const int *)at, NULL);
  return (int)(mine->value - trail->value);
}

static long rank(int key)
{
  ref before = box(1000, NULL);
  const int *at = bsearch(&key, weights, sizeof weights / sizeof *weights, sizeof *weights, find);

  return before->value + (at ? at - weights : -1);
}

static int by_rank(const void *a, const void *b)
{
  ref left = box(*(const int *)a, trail), right = box(*(const int *)b, left);
  long l = rank((int)left->value), r = rank((int)right->value);

  return (int)(l - r + (right->next == left ? 0 : 1000));
}

/* Callbacks within callbacks, many deep. */
static int dig(const void *key, const void *at)
{
  int depth = *(const int *)key;
  ref mine = box(depth, NULL);

  (void)at;
  if (depth > 0) {
    int less = depth - 1;
    bsearch(&less, weights, 1, sizeof *weights, dig);
  } else {
    cairn_collect();
  }
  trail = box(mine->value + (trail ? trail->value : 0), NULL);
  return 0;
}

int main(void)
{
  int values[] = {37, 2, 31, 11, 5, 29, 3, 23, 7, 19, 13, 17};
  ref first = box(42, NULL);
  int depth = 60;

  qsort(values, 12, sizeof *values, by_rank);
  for (int i = 0; i < 12; i++)
    printf("%d ", values[i]);
  printf("%ld\n", first->value);
  trail = NULL;
  bsearch(&depth, weights, 1, sizeof *weights, dig);
  printf("%ld %ld\n", trail->value, first->value);
  return 0;
}
