/* SPDX-License-Identifier: Apache-2.0
 *
 * The roots of images: globals, and thread-locals of each thread.
 */
#ifndef CN_RUNTIME_ROOTS_GLOBAL_ROOTS_H
#define CN_RUNTIME_ROOTS_GLOBAL_ROOTS_H

#include <cairn/collector.h>
#include "runtime/core/mutator.h"

/* Visit each reference in globals, and in the thread-locals of each mutator; returns how many there
 * are. Phase STOP, any thread. */
uint64_t cn_global_roots_visit(cairn_root_visitor *visit, void *env);

/* Set the references in the mutator's thread-locals to null: it ends, and no collection will update
 * them. Its own thread, while no stop is under way. */
void cn_global_roots_clear(struct cairn_mutator *mutator);

#endif
