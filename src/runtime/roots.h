/* SPDX-License-Identifier: Apache-2.0
 *
 * Roots: where they lie in a frame, and all of them for a collector.
 */
#ifndef CN_RUNTIME_ROOTS_H
#define CN_RUNTIME_ROOTS_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/walk.h"

/* Every root of the walk's current frame: registers, slots and described allocas; or what the
 * region's manager enumerates. */
void cn_roots_of_frame(const struct cn_walk *walk, cairn_stack_root *found, void *env);

/* Those of them that lie in described allocas. */
void cn_roots_of_areas(const struct cn_walk *walk, cairn_stack_root *found, void *env);

#endif
