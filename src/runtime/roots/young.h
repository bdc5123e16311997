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

/* What a scan has seen. Of the roots that were found with tags DEFAULT and BASE, counted from 0 in
 * their order, those of [settled, end) may not be found by the next scan: their activations lie
 * below the youngest barrier. All others will, or their activations have gone. */
struct cn_young {
  uint64_t visited; /* activations: all, if it is not known which have run */
  size_t settled, end;
};

/* Phase STOP, the thread that took the source. Walk it, and call back for each root of the
 * activations that may have run since the last call, and for each area of the others; then set
 * barriers, so that the next call knows which have run. False: the stack can have no barriers now;
 * nothing was walked, and `young` tells what a walk over all of it will have seen. */
bool cn_young_scan(const struct cn_root_task *source, struct cn_walk *walk, cairn_stack_root *found, void *env,
                   struct cn_young *young);

/* The same phase. A full enumeration of the source is over. If there ever was a cn_young_scan(),
 * the next one need not look at what has not run since now. */
void cn_young_all_seen(const struct cn_root_task *source, struct cn_walk *walk);

#endif
