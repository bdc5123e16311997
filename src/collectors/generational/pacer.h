/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes nurseries for short pauses, and decides which nurseries are promoted in place. Used only if there is a goal for
 * pauses. Phase STOP, the collecting thread; cn_pacer_nursery_bytes() also in phase INIT.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_PACER_H
#define CN_COLLECTORS_GENERATIONAL_PACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a nursery that a young collection can empty within the pause. The next marking, or the end of a running
 * one, is due when the program has promoted `headroom` bytes; there are `old` bytes of old objects. */
size_t cn_pacer_nursery_bytes(size_t headroom, size_t old);

/* Begins a young collection of `bytes` bytes. cn_pacer_promotes_nursery() is true if the collection should promote all
 * objects in place, because most survivors of recent collections could not be copied in time. */
void cn_pacer_begin_young(size_t bytes);
bool cn_pacer_promotes_nursery(void);

/* The end of copies in this collection, in processor time of this thread. */
uint64_t cn_pacer_copy_deadline(void);

/* Notes the end of all visits of roots and cards, when a promotion of the rest of the nursery may begin, and the end of
 * a promotion, of the rest or of all. */
void cn_pacer_note_visits(void);
void cn_pacer_note_promotion(void);

/* Notes the bytes that were copied and promoted in place, at the end of a young collection. */
void cn_pacer_note_survival(size_t copied, size_t promoted);

#endif
