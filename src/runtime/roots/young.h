/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans stacks for young collections: the activations that may have run since the previous scan.
 */
#ifndef CN_RUNTIME_ROOTS_YOUNG_H
#define CN_RUNTIME_ROOTS_YOUNG_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/stack.h>
#include "runtime/roots/root_tasks.h"

/* The result of a scan. Roots with tags DEFAULT and BASE are counted from 0, in the order of the callbacks. The next
 * scan may skip the roots in [settled, end), whose activations lie below the youngest barrier. The next scan will find
 * all other roots again, except roots of activations that have returned. */
struct cn_young_scan_result {
  uint64_t visited;
  size_t settled, end;
};

/* Phase STOP, the thread that took the task. Walk the task's stack. Call back for each root of the activations that may
 * have run since the previous scan, and for the described allocas of the other activations. Then set barriers, so that
 * the next scan finds which activations have run. False: the stack can have no barriers now; the caller must walk all
 * of it, and `*young` is the result of that walk. */
bool cn_young_scan_stack(const struct cn_root_task *source, struct cn_walk *walk, cairn_stack_root *found, void *env,
                         struct cn_young_scan_result *young);

/* Phase STOP, the thread that took the task. Set barriers after a full enumeration of the task, if
 * cn_young_scan_stack() was ever called. The next call of cn_young_scan_stack() may skip the activations that do not
 * run from now on. */
void cn_young_note_full_scan(const struct cn_root_task *source, struct cn_walk *walk);

#endif
