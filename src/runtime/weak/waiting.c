/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of waiting items by address, in a table with open addressing that is at most half full.
 */
#include "runtime/weak/waiting.h"

#include "base/check.h"
#include "runtime/os/os.h"

enum { MIN_ENTRIES = 256 };

static struct cn_waiting_cell *cell_of(const struct cn_waiting *waiting, uintptr_t address)
{
  size_t at = (address * UINT64_C(0x9e3779b97f4a7c15)) >> 20;

  CN_ASSERT(address != 0 && waiting->used < waiting->room);
  for (;; at++) {
    struct cn_waiting_cell *cell = &waiting->cells[at & (waiting->room - 1)];
    if (cell->address == address || cell->address == 0)
      return cell;
  }
}

static bool grow_cells(struct cn_waiting *waiting)
{
  struct cn_waiting more = {.room = waiting->room != 0 ? 2 * waiting->room : MIN_ENTRIES, .used = waiting->used};

  more.cells = cn_os_resize(NULL, 0, more.room * sizeof *more.cells);
  if (more.cells == NULL)
    return false;
  for (size_t i = 0; i < waiting->room; i++)
    if (waiting->cells[i].address != 0)
      *cell_of(&more, waiting->cells[i].address) = waiting->cells[i];
  cn_waiting_free(waiting);
  *waiting = more;
  return true;
}

size_t *cn_waiting_list(struct cn_waiting *waiting, uintptr_t address, bool made)
{
  struct cn_waiting_cell *cell = waiting->room != 0 ? cell_of(waiting, address) : NULL;

  if (cell != NULL && cell->address != 0)
    return &cell->first;
  if (!made || (2 * (waiting->used + 1) > waiting->room && !grow_cells(waiting)))
    return NULL;
  cell = cell_of(waiting, address);
  CN_CHECK(cell->address == 0);
  *cell = (struct cn_waiting_cell){address, CN_WAITING_NONE};
  waiting->used++;
  return &cell->first;
}

void cn_waiting_free(struct cn_waiting *waiting)
{
  if (waiting->cells != NULL)
    cn_os_free(waiting->cells, waiting->room * sizeof *waiting->cells);
  *waiting = (struct cn_waiting){0};
}
