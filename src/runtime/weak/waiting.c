/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps addresses of objects to numbers: a hash table with open addressing that is at most half full. weak.c keeps there
 * the heads of lists of ephemerons that wait for a key, order.c the ranks of dead objects. Runs in phase STOP, on any
 * tracing thread; the caller owns the table and serialises the calls. Memory is mapped from the system; a call that
 * finds no memory returns null.
 */
#include "runtime/weak/finalisers.h"

#include "base/check.h"
#include "runtime/os/os.h"

enum { MIN_CELLS = 256 };

static struct cn_waiting_cell *find_cell(const struct cn_waiting_table *waiting, uintptr_t address)
{
  size_t at = (address * UINT64_C(0x9e3779b97f4a7c15)) >> 20;

  CN_ASSERT(address != 0 && waiting->used < waiting->room);
  for (;; at++) {
    struct cn_waiting_cell *cell = &waiting->cells[at & (waiting->room - 1)];
    if (cell->address == address || cell->address == 0)
      return cell;
  }
}

static bool grow_cells(struct cn_waiting_table *waiting)
{
  struct cn_waiting_table more = {.room = waiting->room != 0 ? 2 * waiting->room : MIN_CELLS, .used = waiting->used};

  more.cells = cn_os_resize_mapping(NULL, 0, more.room * sizeof *more.cells);
  if (more.cells == NULL)
    return false;
  for (size_t i = 0; i < waiting->room; i++)
    if (waiting->cells[i].address != 0)
      *find_cell(&more, waiting->cells[i].address) = waiting->cells[i];
  cn_waiting_free_table(waiting);
  *waiting = more;
  return true;
}

size_t *cn_waiting_find_list(struct cn_waiting_table *waiting, uintptr_t address, bool made)
{
  struct cn_waiting_cell *cell = waiting->room != 0 ? find_cell(waiting, address) : NULL;

  if (cell != NULL && cell->address != 0)
    return &cell->first;
  if (!made || (2 * (waiting->used + 1) > waiting->room && !grow_cells(waiting)))
    return NULL;
  cell = find_cell(waiting, address);
  CN_CHECK(cell->address == 0);
  *cell = (struct cn_waiting_cell){address, CN_WAITING_NONE};
  waiting->used++;
  return &cell->first;
}

void cn_waiting_free_table(struct cn_waiting_table *waiting)
{
  if (waiting->cells != NULL)
    cn_os_free_mapping(waiting->cells, waiting->room * sizeof *waiting->cells);
  *waiting = (struct cn_waiting_table){0};
}
