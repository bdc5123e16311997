/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes the heap and its nurseries, and decides when markings begin, when full collections are due, and which nurseries
 * are promoted in place. `old` is always the bytes of all old objects. Phase STOP, the collecting thread; sizes are
 * first set in phase INIT. Allocation reads sizes in phase MUTATE.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_PACER_H
#define CN_COLLECTORS_GENERATIONAL_PACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CN_MAX_NURSERY_BYTES = 128 << 20 };

struct cn_pacer {
  size_t maximum;    /* of the heap, bytes */
  size_t usual;      /* lower bound of the nursery, bytes, if the heap has space */
  size_t nursery;    /* size of the nursery by survival, bytes */
  size_t room;       /* size of the nursery by survival and pause, bytes */
  size_t large_room; /* bytes that several young large objects may take */
  size_t threshold;  /* a full collection is due at so many bytes of old objects */
  size_t start;      /* concurrent marking begins at so many bytes of old objects */
  size_t survived;   /* bytes of old objects after the last full collection */
  unsigned tries;    /* number of pauses that failed to end this marking */
};
extern struct cn_pacer cn_pacer;

/* Phase INIT. Multiples of 8. */
void cn_pacer_init(size_t initial_bytes, size_t max_bytes);

/* The limit of old objects, in bytes: beyond it a full collection stops the program. It is higher during a marking. */
size_t cn_pacer_old_limit(bool marking);

/* Called at the begin and at the end of a marking; garbage still counts as old. */
void cn_pacer_begin_marking(size_t old);
void cn_pacer_end_marking(size_t old);

/* Called in this order at the end of a young collection during a marking. Both return a deadline in processor time of
 * this thread, or UINT64_MAX if the marking must end in this pause. The first is for visits of deferred roots, the
 * second for marking: 0 if the pause should not mark, because the marker has work, and will end before old objects
 * reach the threshold. */
uint64_t cn_pacer_root_deadline(size_t old);
uint64_t cn_pacer_marking_deadline(size_t old);

/* After a full collection, concurrent or in a stop: sets the threshold. An allocation of `bytes_needed` waits. */
void cn_pacer_set_threshold(size_t old, size_t bytes_needed, bool concurrent);

/* After a young collection: sizes the nursery by survival, and before its next use also by the goal for pauses. */
void cn_pacer_adapt_nursery(size_t old, size_t bytes, size_t survived);
void cn_pacer_bound_nursery(size_t old);

/* ---- short pauses, used only if there is a goal for pauses ---- */

/* Begins a young collection of `bytes` bytes. cn_pacer_promotes_nursery() is true if the collection should promote all
 * objects in place, because most survivors of recent collections could not be copied in time. */
void cn_pacer_begin_young(size_t bytes);
bool cn_pacer_promotes_nursery(void);

/* The end of copies in this collection, in processor time of this thread. */
uint64_t cn_pacer_copy_deadline(void);

/* Notes the end of the visits of roots in a collection with a goal for its pause; then the end of all visits, when a
 * promotion of the rest of the nursery may begin, and the end of a promotion, of the rest or of all. */
void cn_pacer_note_root_visits(void);
void cn_pacer_note_visits(void);
void cn_pacer_note_promotion(void);

/* Notes the bytes that were copied and promoted in place, at the end of a young collection. */
void cn_pacer_note_survival(size_t copied, size_t promoted);

#endif
