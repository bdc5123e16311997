/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the places of one frame's roots.
 */
#ifndef CN_RUNTIME_ROOTS_FRAME_ROOTS_H
#define CN_RUNTIME_ROOTS_FRAME_ROOTS_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/walk/walk.h"

/* A list of addresses of roots. A zeroed list is empty. */
struct cn_root_slots {
  uintptr_t **at;
  size_t count, room;
};

void cn_root_slots_reserve(struct cn_root_slots *slots, size_t more);

/* Call back for every root of the walk's current frame: in registers, slots and described allocas, or the roots that
 * the region's manager enumerates. */
void cn_frame_roots_visit_all(const struct cn_walk *walk, cairn_stack_root *found, void *env);

/* Call back only for the roots in described allocas. */
void cn_frame_roots_visit_areas(const struct cn_walk *walk, cairn_stack_root *found, void *env);

/* The described alloca of the walk's current frame that may have a reference at `slot`, with its first reference at
 * *start; null: there is no such alloca, or the frame has no frame map. */
const struct cn_described_area *cn_frame_roots_area_at(const struct cn_walk *walk, uintptr_t slot, uintptr_t *start);

/* Call back only for the roots of the frame's map that have no code (index.h): derived pointers, described allocas, and
 * roots in unusual places. */
void cn_frame_roots_visit_others(const struct cn_walk *walk, cairn_stack_root *found, void *env);

/* End the program with a message: the frame map or the manager of the walk's current frame is wrong. */
_Noreturn void cn_frame_roots_report_bad(const struct cn_walk *walk, const char *what);

#endif
