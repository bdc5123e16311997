/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the words that slow paths of barriers log: a list of chunks for each mutator. The chunks of threads that have
 * ended are in one further list.
 */
#ifndef CN_RUNTIME_HEAP_BARRIER_LOG_H
#define CN_RUNTIME_HEAP_BARRIER_LOG_H

#include <cairn/collector.h>
#include "runtime/core/mutator.h"

/* Give the visitor the words of one mutator's log, the newest first, and empty the log; null: the log of ended threads.
 * Phase STOP; or the mutator rests, and only the calling thread does this for the mutator. For null, the caller holds
 * the registry of mutators. */
void cn_barrier_log_drain(struct cairn_mutator *mutator, cairn_log_visitor *visit, void *env);

/* The mutator's thread has ended, or is missing in the child of a fork(): keep its words. The caller holds the
 * registry. */
void cn_barrier_log_retire(struct cairn_mutator *mutator);

#endif
