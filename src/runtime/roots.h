/* SPDX-License-Identifier: Apache-2.0
 *
 * Roots: where they lie in a frame, and all of them for a collector.
 */
#ifndef CN_RUNTIME_ROOTS_H
#define CN_RUNTIME_ROOTS_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/walk.h"

/* One root of a frame. `base` is null if the slot holds the start of an object itself, else it is
 * the place of the reference from which the slot's value was derived. */
typedef void cn_root_found(void *env, uintptr_t *slot, uintptr_t *base);

/* Every root of the walk's current frame: registers, slots and described allocas. */
void cn_roots_of_frame(const struct cn_walk *walk, cn_root_found *found, void *env);

#endif
