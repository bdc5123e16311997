/* SPDX-License-Identifier: Apache-2.0
 *
 * The roots of images: globals, and thread-locals of each thread.
 */
#ifndef CN_RUNTIME_ROOTS_GLOBAL_ROOTS_H
#define CN_RUNTIME_ROOTS_GLOBAL_ROOTS_H

#include <stdbool.h>
#include "runtime/core/mutator.h"
#include "runtime/roots/frame_roots.h"

/* Begin an enumeration of each reference in globals, and in the thread-locals of each mutator. Phase STOP, any thread,
 * one thread at a time; also for the next function. */
void cn_global_roots_begin(void);
/* Add the next of their addresses to `slots`, up to `most`. False: the enumeration is complete. */
bool cn_global_roots_fetch_next(struct cn_root_slots *slots, size_t most);

/* Set the references in the mutator's thread-locals to null: the mutator ends, and collections stop updating them. Its
 * own thread, while no stop is under way. */
void cn_global_roots_clear_thread(struct cairn_mutator *mutator);

#endif
