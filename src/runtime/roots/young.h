/* SPDX-License-Identifier: Apache-2.0
 *
 * The stack's part of a young collection: the activations that may have run.
 */
#ifndef CN_RUNTIME_ROOTS_YOUNG_H
#define CN_RUNTIME_ROOTS_YOUNG_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/stack.h>
#include "runtime/roots/sources.h"

/* Phase STOP, the thread that took the source. Walk it, and call back for each root of the
 * activations that may have run since the last call, and for each area of the others; then set
 * barriers, so that the next call knows which have run. Stores through `visited` how many
 * activations were looked at: all, if it is not known which have run. False: the stack has no
 * barriers and can have none; nothing was walked. */
bool cn_young_scan(const struct cn_source *source, struct cn_walk *walk, cairn_stack_root *found,
                   void *env, uint64_t *visited);

/* The same phase. A full enumeration of the source is over. If there ever was a cn_young_scan(),
 * the next one need not look at what has not run since now. */
void cn_young_all_seen(const struct cn_source *source, struct cn_walk *walk);

#endif
