/* SPDX-License-Identifier: Apache-2.0
 *
 * The roots of one frame: where they lie.
 */
#ifndef CN_RUNTIME_ROOTS_FRAME_ROOTS_H
#define CN_RUNTIME_ROOTS_FRAME_ROOTS_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/walk/walk.h"

/* Addresses of roots. Zero-initialised is empty. */
struct cn_root_slots {
  uintptr_t **at;
  size_t count, room;
};

/* Make room for `more` beyond those that are there. */
void cn_root_slots_room(struct cn_root_slots *slots, size_t more);

/* Every root of the walk's current frame: registers, slots and described allocas; or what the
 * region's manager enumerates. */
void cn_frame_roots(const struct cn_walk *walk, cairn_stack_root *found, void *env);

/* Only those that lie in described allocas. */
void cn_frame_roots_areas(const struct cn_walk *walk, cairn_stack_root *found, void *env);

/* The described alloca of the walk's current frame in which a reference may lie at `slot`; null:
 * there is none, or the frame has no frame map. */
const struct cn_area *cn_frame_roots_area_at(const struct cn_walk *walk, uintptr_t slot);

/* Only those that have no code in the frame's map (index.h): derived pointers, areas, and roots in
 * unusual places. */
void cn_frame_roots_others(const struct cn_walk *walk, cairn_stack_root *found, void *env);

/* End the program: the walk's current frame has a frame map, or a manager, that says what no frame
 * can be. */
_Noreturn void cn_frame_roots_bad(const struct cn_walk *walk, const char *what);

#endif
