/* SPDX-License-Identifier: Apache-2.0
 *
 * The world stands still, and somebody looks at its heap (<cairn/heap.h>).
 */
#ifndef CN_RUNTIME_INSPECT_WORLD_H
#define CN_RUNTIME_INSPECT_WORLD_H

#include <cairn/status.h>
#include "runtime/heap/heap_walk.h"

struct cn_world {
  struct cn_heap_walk walk;
  bool entered; /* the images */
};

/* Stop all threads and open a walk of the heap. `what`: the function that was called, for messages;
 * `pc`: by whom. BUSY, UNSEEN: as <cairn/heap.h> says; nothing has happened then. */
enum cairn_status cn_world_stop(struct cn_world *world, const char *what, uintptr_t pc);
void cn_world_go(struct cn_world *world);

/* Call `visit` for each object but fillers, in the order of addresses. */
void cn_world_walk(const struct cn_world *world, cn_heap_visitor *visit, void *env);

/* The object at this address, which is one of an open walk's; for visitors of others. */
struct cn_heap_object cn_world_object(const struct cn_world *world, uintptr_t payload);

#endif
