/* SPDX-License-Identifier: Apache-2.0
 *
 * A card is a piece of 512 bytes of old or large objects; a card is dirty if the program has stored to it since the
 * last collection. Phase STOP, within a collection; cn_cards_clean_range() also in phase MUTATE.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_CARDS_H
#define CN_COLLECTORS_GENERATIONAL_CARDS_H

#include <stdbool.h>
#include <stdint.h>
#include "collectors/generational/trace.h"

/* CN_TRACE_YOUNG, before the first visit. With group 0 the tracers will visit dirty cards. If there is a goal for
 * pauses, the function scans all cards at once, in a time that depends only on the size of the old space.
 * cn_cards_scan_time() is the processor time of this scan, in nanoseconds, and cn_cards_scanned_bytes() the memory of
 * blocks with objects that the scan found. With another group the tracers will visit cards whose fields may point to
 * blocks of the group (evacuation.h). */
void cn_cards_begin_visits(uint16_t group);
uint64_t cn_cards_scan_time(void);
size_t cn_cards_scanned_bytes(void);

/* Visits the slots of the cards that cn_cards_begin_visits() has chosen, and everything reachable from them, and cleans
 * dirty cards; any number of tracers at once. Like cn_trace_drain_stack() it may return early. */
void cn_cards_visit_dirty(struct cn_tracer *tracer);

/* Functions for a young large object that has been reached. cn_cards_push_large_object() pushes the object's dirty
 * cards, from byte `from` on, onto the stack. cn_cards_visit_new_large() visits some of the dirty cards, so that the
 * objects that they point to are copied near to each other. Clean cards only have references to old objects, because
 * every store into a large object marks its card. */
void cn_cards_push_large_object(struct cn_tracer *tracer, uintptr_t object, size_t from);
void cn_cards_visit_new_large(struct cn_tracer *tracer, uintptr_t object, size_t from);

/* Cleans the cards of [from, to), a range without objects, whose bounds are multiples of 4 KiB. */
void cn_cards_clean_range(uintptr_t from, uintptr_t to);

/* Cleans all cards, once every reference in an old object points to an old object. */
void cn_cards_clean_all(void);

bool cn_cards_is_dirty(uintptr_t address);

#endif
