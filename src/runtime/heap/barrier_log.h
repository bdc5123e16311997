/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the words that slow paths of barriers log. Each mutator has a list of chunks; the chunks of ended threads form
 * one more list.
 */
#ifndef CN_RUNTIME_HEAP_BARRIER_LOG_H
#define CN_RUNTIME_HEAP_BARRIER_LOG_H

#include <cairn/collector.h>
#include "runtime/core/mutator.h"

/* Visit the words of one mutator's log, the newest first, and empty the log; null: the log of ended threads. Phase
 * STOP; or the mutator is stopped, and no other thread drains its log. For null, the caller holds the registry of
 * mutators. */
void cn_barrier_log_drain(struct cairn_mutator *mutator, cairn_log_visitor *visit, void *env);

/* Move the mutator's words to the log of ended threads. The thread has ended, or is missing in the child of a fork().
 * The caller holds the registry. */
void cn_barrier_log_retire(struct cairn_mutator *mutator);

#endif
