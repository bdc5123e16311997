/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts objects that died together into the order of their finalisation.
 */
#ifndef CN_RUNTIME_WEAK_ORDER_H
#define CN_RUNTIME_WEAK_ORDER_H

#include <stddef.h>
#include <cairn/collector.h>

/* An unreached registered object. */
struct cn_dead_object {
  uint64_t place; /* rank in the order */
  uintptr_t word; /* a reference */
  unsigned queue;
};

/* Sort dead objects: except on cycles, an object comes before the objects that it reaches. Unrelated objects keep their
 * order. If memory is exhausted, all objects keep their order. Phase STOP. */
void cn_order_dead_objects(struct cn_dead_object *dead, size_t count, const struct cairn_closure *closure);

#endif
