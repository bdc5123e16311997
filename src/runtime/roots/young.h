/* SPDX-License-Identifier: Apache-2.0
 *
 * The stack's part of a young collection: the activations that may have run.
 */
#ifndef CN_RUNTIME_ROOTS_YOUNG_H
#define CN_RUNTIME_ROOTS_YOUNG_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/stack.h>
#include "runtime/roots/root_tasks.h"

/* The result of a scan. Roots with tags DEFAULT and BASE are counted from 0, in the order of the callbacks. The next
 * scan may leave out the roots of [settled, end): their activations lie below the youngest barrier. It will find all
 * others again, except those of activations that have gone. */
struct cn_young_scan_result {
  uint64_t visited; /* activations; all, if it is unknown which have run */
  size_t settled, end;
};

/* Phase STOP, the thread that took the task. Walk its stack, and call back for each root of the activations that may
 * have run since the last call, and for each area of the others. Then set barriers, so that the next call knows which
 * activations have run. False: the stack can have no barriers now, nothing was walked, and `young` is for a walk over
 * all of it. */
bool cn_young_scan_stack(const struct cn_root_task *source, struct cn_walk *walk, cairn_stack_root *found, void *env,
                         struct cn_young_scan_result *young);

/* Phase STOP, the thread that took the task. A full enumeration of the task is over. If cn_young_scan_stack() was ever
 * called, its next call may skip the activations that stand still from now on. */
void cn_young_note_full_scan(const struct cn_root_task *source, struct cn_walk *walk);

#endif
