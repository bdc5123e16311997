/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs: words that slow paths of barriers note, a list of chunks for each mutator. Those of threads
 * that have ended are kept together.
 */
#ifndef CN_RUNTIME_HEAP_BARRIER_LOG_H
#define CN_RUNTIME_HEAP_BARRIER_LOG_H

#include <cairn/collector.h>
#include "runtime/core/mutator.h"

/* Give the visitor the words of one mutator's log, the newest first, and empty it; null: those of
 * threads that have ended. Phase STOP, or the mutator rests and no other thread does this for it;
 * for null the caller holds the registry of mutators. */
void cn_log_take(struct cairn_mutator *mutator, cairn_log_visitor *visit, void *env);

/* Its thread has ended, or the child of a fork() does not have it: keep its words. The caller holds
 * the registry. */
void cn_log_retire(struct cairn_mutator *mutator);

#endif
