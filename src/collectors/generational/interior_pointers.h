/* SPDX-License-Identifier: Apache-2.0
 *
 * Roots that point into objects, or just past them: where the object starts. In the old space a bit
 * says so; in the nursery a walk from block to block does (collectors/crossing_map.h). Phase STOP.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_INTERIOR_POINTERS_H
#define CN_COLLECTORS_GENERATIONAL_INTERIOR_POINTERS_H

#include <stddef.h>
#include <stdint.h>

/* The start of the object that `address`, found in the slot, leads to. Never fail: they call
 * cairn_fatal(). */
uintptr_t cn_interior_nursery(const uintptr_t *slot, uintptr_t address);
uintptr_t cn_interior_old(const uintptr_t *slot, uintptr_t address);
/* The same of an address of the old space, found anywhere; 0: no object reaches there. */
uintptr_t cn_interior_find_old(uintptr_t address);
uintptr_t cn_interior_large(const uintptr_t *slot, uintptr_t address);

/* Forget what the walk has found out. */
void cn_interior_end(void);

/* Where the block of the nursery ends that begins at `block`; its payload through `payload`. What
 * has been copied is as long as the copy. */
uintptr_t cn_interior_step(uintptr_t block, uintptr_t *payload);

#endif
