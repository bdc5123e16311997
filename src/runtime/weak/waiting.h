/* SPDX-License-Identifier: Apache-2.0
 *
 * Items that wait until an object is reached: a list for each address. Memory comes from the system.
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
    size_t first;      /* of its list; CN_WAITING_NONE: the list is empty */
  } *cells;
  size_t room, used; /* of cells; a power of two, or 0 */
};

/* The head of the list of `address`, which differs from 0. With `made` a missing list is made. Null if the list is
 * missing, or if memory for it is exhausted. */
size_t *cn_waiting_find_list(struct cn_waiting_table *waiting, uintptr_t address, bool made);

/* Empty the table and free its memory. */
void cn_waiting_free_table(struct cn_waiting_table *waiting);

#endif
