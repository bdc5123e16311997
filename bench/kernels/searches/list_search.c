/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches of linked lists by key. A list has eight cells, and the cell that is found may be any of these.
 */
#include "../../programs/kernel.h"

enum { LISTS = 64, CELLS = 8 };

struct cell {
  struct cell managed *next;
  long key;
};

static struct cell managed *managed *lists;

void setup_list_search(void)
{
  lists = bench_array(struct cell managed *, LISTS);
  for (long i = 0; i < LISTS * CELLS; i++) {
    struct cell managed *cell = bench_new(struct cell);
    cell->key = i / LISTS;
    cell->next = lists[i % LISTS];
    lists[i % LISTS] = cell;
  }
}

NOINLINE static const struct cell managed *search(const struct cell managed *cell, long key)
{
  while (cell && cell->key != key)
    cell = cell->next;
  return cell;
}

long kernel_list_search(void)
{
  unsigned seed = 1;
  long found = 0;

  for (int i = 0; i < 40000; i++) {
    seed = seed * 1103515245 + 12345;
    const struct cell managed *cell = search(lists[(seed >> 16) % LISTS], (seed >> 24) % (CELLS + 1));
    found += cell ? cell->key : 1;
  }
  return found;
}
