/* SPDX-License-Identifier: Apache-2.0
 *
 * The order in which objects that died together are finalised.
 */
#ifndef CN_RUNTIME_WEAK_ORDER_H
#define CN_RUNTIME_WEAK_ORDER_H

#include <stddef.h>
#include <cairn/collector.h>

/* One that has not been reached, as it was registered. */
struct cn_dead {
  uint64_t place; /* in the order */
  uintptr_t word; /* a reference */
  unsigned queue;
};

/* Sort them so that one that leads to another comes before it, unless that leads back. Objects that
 * lead to no others stay in their order. If there is no memory for it all stay as they are. STOP.
 */
void cn_order(struct cn_dead *dead, size_t count, const struct cairn_closure *closure);

#endif
