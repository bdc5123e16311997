/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts objects that died together into the order of their finalisation.
 */
#ifndef CN_RUNTIME_WEAK_ORDER_H
#define CN_RUNTIME_WEAK_ORDER_H

#include <stddef.h>
#include <cairn/collector.h>

/* A registered object that is unreached. */
struct cn_dead_object {
  uint64_t place; /* in the order */
  uintptr_t word; /* a reference */
  unsigned queue;
};

/* Sort dead objects: an object comes before those that it reaches, except on cycles. Unrelated objects keep their
 * order. All keep their order if memory is exhausted. STOP. */
void cn_order_dead_objects(struct cn_dead_object *dead, size_t count, const struct cairn_closure *closure);

#endif
