/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists made by a deep recursion: `deep THREADS DEPTH ROUNDS GARBAGE`. Each activation makes
 * GARBAGE objects that die at once, and one that stays.
 */
#include "workload.h"

struct cell {
  struct cell managed *next;
  long number;
};

static struct cell managed *cell(struct cell managed *next, long number)
{
  struct cell managed *cell = make(struct cell);

  cell->next = next;
  cell->number = number;
  return cell;
}

static struct cell managed *build(long depth, long *sum)
{
  if (depth == 0)
    return NULL;
  for (long i = 0; i < arguments[2]; i++) {
    struct cell managed *garbage = cell(NULL, depth + i);
    *sum += garbage->number & 1;
    drop(garbage);
  }
  struct cell managed *rest = build(depth - 1, sum);
  return cell(rest, depth & 63);
}

static long work(void)
{
  long sum = 0;

  for (long i = 0; i < arguments[1]; i++) {
    struct cell managed *list = build(arguments[0], &sum);
    while (list != NULL) {
      struct cell managed *next = list->next;
      sum += list->number;
      drop(list);
      list = next;
    }
  }
  return sum;
}
