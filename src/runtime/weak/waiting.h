/* SPDX-License-Identifier: Apache-2.0
 *
 * What waits until an object is reached: a list for each of its addresses. Memory is the system's.
 */
#ifndef CN_RUNTIME_WEAK_WAITING_H
#define CN_RUNTIME_WEAK_WAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CN_WAITING_NONE SIZE_MAX

/* A zeroed one is empty. */
struct cn_waiting {
  struct cn_waiting_cell {
    uintptr_t address; /* 0: there is none */
    size_t first;      /* of its list; CN_WAITING_NONE: it is empty */
  } *cells;
  size_t room, used; /* of cells; a power of two, or 0 */
};

/* Where the list of the address begins, which is not 0; made if there is none and it is to be
 * `made`. Null: no memory for that, or there is none. */
size_t *cn_waiting_list(struct cn_waiting *waiting, uintptr_t address, bool made);

/* It is empty, and has no memory. */
void cn_waiting_free(struct cn_waiting *waiting);

#endif
