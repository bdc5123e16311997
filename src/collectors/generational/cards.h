/* SPDX-License-Identifier: Apache-2.0
 *
 * Cards: 512 bytes of old objects to which the program has stored since the last collection. Phase
 * STOP, within a collection.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_CARDS_H
#define CN_COLLECTORS_GENERATIONAL_CARDS_H

#include <stdbool.h>
#include <stdint.h>
#include "collectors/generational/trace.h"

/* CN_TRACE_YOUNG, before anything is visited: dirty cards (0). Where pauses are to be short all
 * cards are looked at now, which takes as long for what is old as if nothing had changed: so many
 * nanoseconds, in time of the processor. Or, before tracers visit cards from which something may
 * lead to blocks of this group (emptying.h). */
void cn_cards_begin(uint16_t group);
uint64_t cn_cards_time(void);

/* Visit the slots of these cards, and what they lead to, and clean dirty ones; any number of
 * tracers at once. May leave some as cn_trace_drain() does. */
void cn_cards_visit(struct cn_tracer *tracer);

/* No old object leads to a young one. */
void cn_cards_clear(void);

bool cn_cards_is_dirty(uintptr_t address);

#endif
