/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of items that wait until an object is reached, with a list for each address. Memory comes from the system.
 */
#ifndef CN_RUNTIME_WEAK_WAITING_H
#define CN_RUNTIME_WEAK_WAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CN_WAITING_NONE SIZE_MAX

/* A zeroed table is empty. */
struct cn_waiting_table {
  struct cn_waiting_cell {
    uintptr_t address; /* 0: the cell is free */
    size_t first;      /* first item of the list; CN_WAITING_NONE: the list is empty */
  } *cells;
  size_t room, used; /* numbers of cells; `room` is a power of two, or 0 */
};

/* The head of the list of `address`, which is not 0. With `made`, a missing list is added. Null: there is no list, or
 * memory for a new list is exhausted. */
size_t *cn_waiting_find_list(struct cn_waiting_table *waiting, uintptr_t address, bool made);

void cn_waiting_free_table(struct cn_waiting_table *waiting);

#endif
