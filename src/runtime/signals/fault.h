/* SPDX-License-Identifier: Apache-2.0
 *
 * Explains faults: accesses to memory that a collection has moved objects out of, to memory below the stack, or to an
 * image that was unmapped but not unregistered.
 */
#ifndef CN_RUNTIME_SIGNALS_FAULT_H
#define CN_RUNTIME_SIGNALS_FAULT_H

#include <signal.h>
#include "runtime/core/mutator.h"

/* From now on explain faults, on an alternate stack, before the program's handler or the default action runs. Later
 * calls do nothing. */
void cn_fault_watch_signals(void);

/* Give an alternate stack to a thread that is being attached, if faults are explained; free the stack of a thread that
 * ends. */
void cn_fault_give_alternate_stack(struct cairn_mutator *mutator);
void cn_fault_free_alternate_stack(struct cairn_mutator *mutator);

/* Print the explanation of this fault, if there is one. Async-signal-safe. */
void cn_fault_explain(const siginfo_t *info, const void *context);

#endif
