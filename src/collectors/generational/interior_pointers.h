/* SPDX-License-Identifier: Apache-2.0
 *
 * Interior pointers: roots that point into an object, or just past it, and the start of that object. In the old space a
 * bit tells the start; in the nursery a walk from block to block does (collectors/crossing_map.h). Phase STOP.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_INTERIOR_POINTERS_H
#define CN_COLLECTORS_GENERATIONAL_INTERIOR_POINTERS_H

#include <stddef.h>
#include <stdint.h>

/* The start of the object that `address`, found in the slot, points to. If there is no object, they call
 * cairn_fatal(). */
uintptr_t cn_interior_find_in_nursery(const uintptr_t *slot, uintptr_t address);
uintptr_t cn_interior_find_in_old(const uintptr_t *slot, uintptr_t address);
/* Like cn_interior_find_in_old(), for an address found anywhere; 0: no object reaches there. */
uintptr_t cn_interior_find_old_or_none(uintptr_t address);
uintptr_t cn_interior_find_in_large(const uintptr_t *slot, uintptr_t address);

/* Forget the results of the walk. */
void cn_interior_forget_map(void);

/* The end of the nursery's block that begins at `block`; `payload` gets its payload. A copied object has the length of
 * its copy. */
uintptr_t cn_interior_step_in_nursery(uintptr_t block, uintptr_t *payload);

#endif
