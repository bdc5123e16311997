/* SPDX-License-Identifier: Apache-2.0
 *
 * Stops the world for a reader of the heap (<cairn/heap.h>).
 */
#ifndef CN_RUNTIME_INSPECT_WORLD_H
#define CN_RUNTIME_INSPECT_WORLD_H

#include <cairn/status.h>
#include "runtime/heap/heap_walk.h"

struct cn_stopped_world {
  struct cn_heap_walk walk;
  bool entered; /* result of cn_image_begin_reading() */
};

/* Stop all threads and open a walk of the heap. Messages name `what`, the called function, and `pc`, its caller. The
 * results BUSY and UNSEEN are as in <cairn/heap.h>; all threads then run on. */
enum cairn_status cn_world_stop(struct cn_stopped_world *world, const char *what, uintptr_t pc);
void cn_world_resume(struct cn_stopped_world *world);

/* Call `visit` for each object except fillers, in the order of addresses. */
void cn_world_walk_objects(const struct cn_stopped_world *world, cn_heap_object_visitor *visit, void *env);

/* The object at this payload in the open walk; for visitors that read other objects. */
struct cn_heap_object cn_world_object_at(const struct cn_stopped_world *world, uintptr_t payload);

#endif
