/* SPDX-License-Identifier: Apache-2.0
 *
 * Enumerates the roots of images: globals, and thread-local variables of each thread.
 */
#ifndef CN_RUNTIME_ROOTS_GLOBAL_ROOTS_H
#define CN_RUNTIME_ROOTS_GLOBAL_ROOTS_H

#include <stdbool.h>
#include "runtime/core/mutator.h"
#include "runtime/roots/frame_roots.h"

/* Begin an enumeration of each reference in globals, and in the thread-local variables of each mutator. Phase STOP, any
 * thread, one thread at a time; also for the next function. */
void cn_global_roots_begin(void);
/* Add the next slots of the enumeration to `slots`, at most `most`. False: the enumeration is complete. */
bool cn_global_roots_fetch_next(struct cn_root_slots *slots, size_t most);

/* Set the references in the thread-local variables of a mutator that ends to null, because collections no longer update
 * them. Called by the mutator's own thread, outside of stops. */
void cn_global_roots_clear_thread(struct cairn_mutator *mutator);

#endif
