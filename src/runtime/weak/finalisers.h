/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects that are registered for finalisers, and queues of registered objects that a collection found unreachable.
 */
#ifndef CN_RUNTIME_WEAK_FINALISERS_H
#define CN_RUNTIME_WEAK_FINALISERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>

/* Register an object of a finalisable type. Phase MUTATE, on the thread that allocated the object. */
void cn_finalisers_add_object(uintptr_t reference);

/* Queue the registered objects that are still unreached, and reach them and all objects that they keep alive. True if
 * there was such an object. Phase STOP. */
bool cn_finalisers_queue_dead(const struct cairn_closure *closure);

/* Drop the registered and the queued objects of this image's types. Phase STOP. */
void cn_finalisers_forget_image(const struct cairn_image *image);

/* ---- order.c: sorts objects that died together into the order of their finalisation ---- */

/* An unreached registered object. */
struct cn_dead_object {
  uint64_t place; /* rank in the order */
  uintptr_t word; /* a reference */
  unsigned queue;
};

/* Sort dead objects: except on cycles, an object comes before the objects that it reaches. Unrelated objects keep their
 * order. If memory is exhausted, all objects keep their order. Phase STOP. */
void cn_order_dead_objects(struct cn_dead_object *dead, size_t count, const struct cairn_closure *closure);

/* ---- waiting.c ---- */

/* A table of items that wait until an object is reached, with a list for each address. Memory comes from the system. */

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
