/* SPDX-License-Identifier: Apache-2.0
 *
 * A walk along a linked list.
 */
#include "../programs/kernel.h"

struct cell {
  struct cell managed *next;
  long value;
};

static struct cell ANEW list;

void setup_list_walk(void)
{
  for (long i = 0; i < 1000; i++) {
    struct cell managed *cell = bench_new(struct cell);
    cell->next = list;
    cell->value = i;
    list = cell;
  }
}

NOINLINE static long walk(const struct cell managed *cell)
{
  long s = 0;

  for (; cell; cell = cell->next)
    s += cell->value;
  return s;
}

long kernel_list_walk(void)
{
  long s = 0;

  for (int round = 0; round < 1000; round++)
    s += walk(list);
  return s;
}
