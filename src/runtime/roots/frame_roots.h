/* SPDX-License-Identifier: Apache-2.0
 *
 * The places of one frame's roots.
 */
#ifndef CN_RUNTIME_ROOTS_FRAME_ROOTS_H
#define CN_RUNTIME_ROOTS_FRAME_ROOTS_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/walk/walk.h"

/* Addresses of roots. A zeroed list is empty. */
struct cn_root_slots {
  uintptr_t **at;
  size_t count, room;
};

/* Make room for `more` addresses after the present ones. */
void cn_root_slots_reserve(struct cn_root_slots *slots, size_t more);

/* Give every root of the walk's current frame: registers, slots and described allocas; or the roots that the region's
 * manager enumerates. */
void cn_frame_roots_visit_all(const struct cn_walk *walk, cairn_stack_root *found, void *env);

/* Give only the roots in described allocas. */
void cn_frame_roots_visit_areas(const struct cn_walk *walk, cairn_stack_root *found, void *env);

/* The described alloca of the walk's current frame that may have a reference at `slot`; null: there is no such alloca,
 * or the frame has no frame map. */
const struct cn_described_area *cn_frame_roots_area_at(const struct cn_walk *walk, uintptr_t slot);

/* Give only the roots that the frame's map has without a code (index.h): derived pointers, areas, and roots in unusual
 * places. */
void cn_frame_roots_visit_others(const struct cn_walk *walk, cairn_stack_root *found, void *env);

/* End the program: the frame map or the manager of the walk's current frame says an impossible fact. */
_Noreturn void cn_frame_roots_report_bad(const struct cn_walk *walk, const char *what);

#endif
