/* SPDX-License-Identifier: Apache-2.0
 *
 * The roots of images: globals, and thread-locals of each thread.
 */
#ifndef CN_RUNTIME_ROOTS_GLOBAL_ROOTS_H
#define CN_RUNTIME_ROOTS_GLOBAL_ROOTS_H

#include <stdbool.h>
#include "runtime/core/mutator.h"
#include "runtime/roots/frame_roots.h"

/* Begin an enumeration of each reference in globals, and in the thread-locals of each mutator.
 * Phase STOP, any thread, as of the next one; one thread at a time. */
void cn_global_roots_begin(void);
/* Add the next of their addresses to `slots`, until there are `most`. False: there were none
 * left. */
bool cn_global_roots_next(struct cn_root_slots *slots, size_t most);

/* Set the references in the mutator's thread-locals to null: it ends, and no collection will update
 * them. Its own thread, while no stop is under way. */
void cn_global_roots_clear(struct cairn_mutator *mutator);

#endif
