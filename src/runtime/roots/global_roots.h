/* SPDX-License-Identifier: Apache-2.0
 *
 * The roots of images: globals, and each thread's thread-locals.
 */
#ifndef CN_RUNTIME_ROOTS_GLOBAL_ROOTS_H
#define CN_RUNTIME_ROOTS_GLOBAL_ROOTS_H

#include <cairn/collector.h>
#include "runtime/core/mutator.h"

/* Visit each reference in a global, and in a thread-local of each mutator. Phase STOP. */
void cn_global_roots_visit(cairn_root_visitor *visit, void *env);

/* Make the references in the mutator's thread-locals null: it leaves, and nobody will update them.
 * Its own thread, while no stop is under way. */
void cn_global_roots_clear(struct cairn_mutator *mutator);

#endif
