/* SPDX-License-Identifier: Apache-2.0
 *
 * Explaining faults: on memory that a collection moved objects away from, or below the stack.
 */
#ifndef CN_RUNTIME_SIGNALS_FAULT_H
#define CN_RUNTIME_SIGNALS_FAULT_H

#include <signal.h>
#include "runtime/core/mutator.h"

/* From here on faults are explained, on their own stack, before the program's handler or the default action has
 * them. Once; later calls do nothing. */
void cn_fault_watch_signals(void);

/* A thread is attached: give it such a stack, if faults are explained. A thread ends: take its stack back. */
void cn_fault_give_alternate_stack(struct cairn_mutator *mutator);
void cn_fault_free_alternate_stack(struct cairn_mutator *mutator);

/* Print the explanation of this fault, if it is one of those. Async-signal-safe. */
void cn_fault_explain(const siginfo_t *info, const void *context);

#endif
