/* SPDX-License-Identifier: Apache-2.0
 *
 * comb COUNT: two lists whose cells each have a tooth, on either side, so that whatever is followed first, as much
 * waits to be traced. When the program collects only an old object leads to them. Ends as shadow.c does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *left, *right;
  long number;
};

static struct cell managed *make(long number)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->number = number;
  return cell;
}

/* Not a root of the program's. */
static void lengthen(struct cell managed *lists, long number)
{
  struct cell managed *left = make(number);
  left->right = make(number);
  left->left = lists->left;
  lists->left = left;
  struct cell managed *right = make(number);
  right->left = make(number);
  right->right = lists->right;
  lists->right = right;
}

static long look(struct cell managed *lists, long count)
{
  struct cell managed *left = lists->left;
  struct cell managed *right = lists->right;
  long wrong = 0;

  for (long i = count; i-- > 0; left = left->left, right = right->right)
    wrong += left->number != i || left->right->number != i || right->number != i || right->left->number != i;
  return wrong + (left != NULL || right != NULL);
}

int main(int argc, char **argv)
{
  long count = argc > 1 ? atol(argv[1]) : 10, wrong = 0;
  struct cell managed *lists = make(0);

  for (int round = 0; round < 3; round++) {
    lists->left = lists->right = NULL;
    cairn_collect();
    for (long i = 0; i < count; i++)
      lengthen(lists, i);
    wrong += look(lists, count);
    cairn_collect();
    wrong += look(lists, count);
  }
  printf("as the model: %s\n", wrong == 0 ? "yes" : "no");
  return wrong != 0;
}
