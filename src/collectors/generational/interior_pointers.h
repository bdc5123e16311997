/* SPDX-License-Identifier: Apache-2.0
 *
 * The objects of interior pointers, which are roots that point into an object or just past it. In the old space a bit
 * marks the start of an object; in the nursery a walk from block to block finds it (collectors/crossing_map.h). Phase
 * STOP.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_INTERIOR_POINTERS_H
#define CN_COLLECTORS_GENERATIONAL_INTERIOR_POINTERS_H

#include <stddef.h>
#include <stdint.h>

/* The start of the object that `address`, which the slot contains, points to. The functions call cairn_fatal() if there
 * is no object. */
uintptr_t cn_interior_find_in_nursery(const uintptr_t *slot, uintptr_t address);
uintptr_t cn_interior_find_in_old(const uintptr_t *slot, uintptr_t address);
/* Like cn_interior_find_in_old(), for any address; returns 0 if no object reaches to the address. */
uintptr_t cn_interior_find_old_or_none(uintptr_t address);
uintptr_t cn_interior_find_in_large(const uintptr_t *slot, uintptr_t address);

/* Drops the crossing map of the nursery. */
void cn_interior_forget_map(void);

/* Returns the end of the nursery's block that begins at `block`, and stores the address of its payload in *payload. The
 * size of a copied object is the size of its copy. */
uintptr_t cn_interior_step_in_nursery(uintptr_t block, uintptr_t *payload);

#endif
