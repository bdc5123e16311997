/* SPDX-License-Identifier: Apache-2.0
 *
 * Cards: 512 bytes of old objects, or of large ones, to which the program has stored since the last
 * collection. Phase STOP, within a collection, but for cn_cards_clean().
 */
#ifndef CN_COLLECTORS_GENERATIONAL_CARDS_H
#define CN_COLLECTORS_GENERATIONAL_CARDS_H

#include <stdbool.h>
#include <stdint.h>
#include "collectors/generational/trace.h"

/* CN_TRACE_YOUNG, before anything is visited: dirty cards (0). Where pauses are to be short all
 * cards are looked at now, which takes as long for what is old as if nothing had changed: so many
 * nanoseconds, in time of the processor. Or, before tracers visit cards from which something may
 * lead to blocks of this group (evacuation.h). */
void cn_cards_begin(uint16_t group);
uint64_t cn_cards_time(void);

/* Visit the slots of these cards, and what they lead to, and clean dirty ones; any number of
 * tracers at once. May leave some as cn_trace_drain() does. */
void cn_cards_visit(struct cn_tracer *tracer);

/* A young large object has been reached: its dirty cards, from that byte on, wait on the stack; and
 * some of them are visited, so that what they lead to is copied near to each other. All else in it
 * leads to nothing young, since stores into it have marked cards from the first on. */
void cn_cards_wait(struct cn_tracer *tracer, uintptr_t object, size_t from);
void cn_cards_visit_new(struct cn_tracer *tracer, uintptr_t object, size_t from);

/* Nothing is on these cards: [from, to) are multiples of 4 KiB. */
void cn_cards_clean(uintptr_t from, uintptr_t to);

/* No old object leads to a young one. */
void cn_cards_clear(void);

bool cn_cards_is_dirty(uintptr_t address);

#endif
