/* SPDX-License-Identifier: Apache-2.0
 *
 * Works on 2-3-4 trees: tree234 TURNS COUNT. Each turn makes a tree of COUNT numbers, copies it, splits the copy and
 * joins its parts the other way round, deletes half of the first tree, and walks both; the first turn's tree stays.
 */
#include <stdio.h>
#include <stdlib.h>
#include "tree234.h"

static int compare(const void *a, const void *b, void *context)
{
  unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

  (void)context;
  return (left > right) - (left < right);
}

static unsigned long sum_of(tree234 *tree)
{
  unsigned long sum = 0;
  unsigned *number;

  for (int i = 0; (number = index234(tree, i)) != NULL; i++)
    sum = sum * 31 + *number;
  return sum;
}

int main(int argc, char **argv)
{
  int turns = argc == 3 ? atoi(argv[1]) : 0, count = argc == 3 ? atoi(argv[2]) : 0;
  unsigned *numbers = malloc(sizeof *numbers * (size_t)(count + 1)), next = 1;
  tree234 *first = NULL;

  for (int i = 0; i < count; i++)
    numbers[i] = next = next * 1664525 + 1013904223;
  for (int turn = 0; turn < turns; turn++) {
    tree234 *tree = newtree234(compare, NULL), *copy;
    for (int i = 0; i < count; i++)
      add234(tree, &numbers[i]);
    copy = copytree234(tree, NULL, NULL);
    tree234 *rest = splitpos234(copy, (turn + 1) * 97 % count, 0);
    for (unsigned *number; (number = delpos234(rest, 0)) != NULL;)
      add234(copy, number);
    freetree234(rest);
    for (int i = 0; i < count; i += 2)
      del234(tree, &numbers[i]);
    printf("%d: %d %d, %lx %lx\n", turn, count234(tree), count234(copy), sum_of(tree), sum_of(copy));
    freetree234(copy);
    if (first)
      freetree234(tree);
    else
      first = tree;
  }
  printf("%lx\n", sum_of(first));
  freetree234(first);
  free(numbers);
  return 0;
}
