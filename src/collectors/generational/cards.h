/* SPDX-License-Identifier: Apache-2.0
 *
 * Cards are 512 bytes of old or large objects; a card is dirty if the program has stored to it since the last
 * collection. Phase STOP, within a collection; cn_cards_clean_range() also in phase MUTATE.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_CARDS_H
#define CN_COLLECTORS_GENERATIONAL_CARDS_H

#include <stdbool.h>
#include <stdint.h>
#include "collectors/generational/trace.h"

/* CN_TRACE_YOUNG, before the first visit. Group 0: the tracers will visit dirty cards; if pauses are to be short, all
 * cards are scanned now, in a time that depends on the size of the old space and not on the stores.
 * cn_cards_scan_time() is that time, in nanoseconds of processor time. Another group: they will visit cards whose
 * fields may point to blocks of that group (evacuation.h). */
void cn_cards_begin_visits(uint16_t group);
uint64_t cn_cards_scan_time(void);

/* Visit the slots of these cards and all that they reach, and clean dirty cards; any number of tracers at once. Like
 * cn_trace_drain_stack() it may return early. */
void cn_cards_visit_dirty(struct cn_tracer *tracer);

/* A young large object has been reached. cn_cards_push_large_object() pushes its dirty cards, from byte `from` on, onto
 * the stack. cn_cards_visit_new_large() visits some of them, so that the objects that they point to are copied near to
 * each other. The clean cards have only references to old objects, since stores into a large object mark cards from the
 * first on. */
void cn_cards_push_large_object(struct cn_tracer *tracer, uintptr_t object, size_t from);
void cn_cards_visit_new_large(struct cn_tracer *tracer, uintptr_t object, size_t from);

/* Clean the cards of [from, to), multiples of 4 KiB, which have no object. */
void cn_cards_clean_range(uintptr_t from, uintptr_t to);

/* Clean all cards: every reference of an old object points to an old one. */
void cn_cards_clean_all(void);

bool cn_cards_is_dirty(uintptr_t address);

#endif
