/* SPDX-License-Identifier: Apache-2.0
 *
 * A linked list sorted by merging, in place and again into fresh cells.
 *
 *   list_sort [cells [rounds]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};
typedef struct cell managed *list;

static list cons(long value, list next)
{
  list cell = cairn_new(struct cell);

  cell->value = value;
  cell->next = next;
  return cell;
}

static list merge(list a, list b)
{
  list head = NULL, tail = NULL;

  while (a && b) {
    list least = a->value <= b->value ? a : b;
    if (least == a)
      a = a->next;
    else
      b = b->next;
    if (tail)
      tail->next = least;
    else
      head = least;
    tail = least;
  }
  if (!tail)
    return a ? a : b;
  tail->next = a ? a : b;
  return head;
}

/* Sort the first `count` cells of `rest`, which is left at what follows them: a local whose address
 * is taken. */
static list sort(list *rest, long count)
{
  if (count == 0)
    return NULL;
  if (count == 1) {
    list cell = *rest;
    *rest = cell->next;
    cell->next = NULL;
    return cell;
  }
  list left = sort(rest, count / 2);
  list right = sort(rest, count - count / 2);
  return merge(left, right);
}

/* Without touching the input. */
static list sorted_copy(list input, long count)
{
  list a = NULL, b = NULL, reversed = NULL, result = NULL;

  if (count < 2)
    return count ? cons(input->value, NULL) : NULL;
  a = sorted_copy(input, count / 2);
  for (long i = 0; i < count / 2; i++)
    input = input->next;
  b = sorted_copy(input, count - count / 2);
  while (a || b) {
    list *from = !b || (a && a->value <= b->value) ? &a : &b;
    reversed = cons((*from)->value, reversed);
    *from = (*from)->next;
  }
  for (; reversed; reversed = reversed->next)
    result = cons(reversed->value, result);
  return result;
}

static unsigned long check(list cell)
{
  unsigned long sum = 0;

  for (; cell; cell = cell->next) {
    if (cell->next && cell->next->value < cell->value) {
      printf("not sorted\n");
      exit(1);
    }
    sum = sum * 31 + (unsigned long)cell->value;
  }
  return sum;
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: list_sort [cells [rounds]]") < 0;

  long count = argc > 1 ? atol(argv[1]) : 10000;
  long rounds = argc > 2 ? atol(argv[2]) : 10;
  unsigned long seed = 7, checksum = 0;

  for (long round = 0; round < rounds; round++) {
    list cells = NULL;
    for (long i = 0; i < count; i++) {
      seed = seed * 6364136223846793005ul + 1442695040888963407ul;
      cells = cons((long)(seed >> 44), cells);
    }
    list copy = sorted_copy(cells, count);
    list sorted = sort(&cells, count);
    if (check(copy) != check(sorted)) {
      printf("the two sorts differ\n");
      return 1;
    }
    checksum = checksum * 7 + check(sorted);
  }
  printf("%ld rounds of %ld cells sorted twice, checksum %016lx\n", rounds, count, checksum);
  return 0;
}
