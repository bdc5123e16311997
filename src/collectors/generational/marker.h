/* SPDX-License-Identifier: Apache-2.0
 *
 * Marking the old space and large objects while the program runs. It copies nothing, and changes no
 * object.
 *
 * What was reachable when it began is marked, but for what the program hides meanwhile: it stores a
 * reference into an object that has been looked at, and takes it away from where it was. Such a
 * store is on a dirty card (incremental update). So each young collection notes the cards that it
 * cleans, to be looked at again, and those of the copies that it makes, and has what roots lead to
 * marked. When nothing is left to look at at the end of one, all is marked that is reachable.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_MARKER_H
#define CN_COLLECTORS_GENERATIONAL_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "collectors/generational/space/tables.h"

struct cn_marker {
  bool on;      /* it marks, and young collections tell it what is said above */
  bool idle;    /* it had nothing left to look at when the stop began */
  bool rooted;  /* it has been told of all roots: of older activations, too */
  size_t bytes; /* of objects that it has marked, large ones left out */
};
extern struct cn_marker cn_marker;

/* STOP. Nothing is marked; it is on from here. Young collections give it the roots that they visit,
 * from that of this stop on; and those of older activations are given to it, once. */
void cn_marker_begin(void);

/* STOP, any number of threads at once. What this slot of a root leads to is reachable; young
 * objects are passed over. And so is this large object. */
void cn_marker_root(const uintptr_t *slot);
void cn_marker_large(uintptr_t object);

/* The same. Look again at objects of this card of the old space, and take all whose header is there
 * for reachable. Or at the fields in [from, to) of a large object. */
static inline void cn_marker_again(uintptr_t address)
{
  __atomic_store_n(cn_tables_again(address), 1, __ATOMIC_RELAXED);
  __atomic_store_n(&cn_tables.again_blocks[cn_tables_block(address)], 1, __ATOMIC_RELAXED);
}
void cn_marker_again_large(uintptr_t object, uintptr_t from, uintptr_t to);

/* STOP. It is about to go on, after a stop in which it was told things. */
void cn_marker_resume(void);

/* One thread. Look at about so many fields. False: nothing is left to look at. In phase MUTATE what
 * leads nowhere is passed over, as a part of a reference may be; in STOP it ends the program. */
bool cn_marker_step(size_t fields, bool stopped);

/* STOP. Nothing is left to look at: weak fields, ephemerons and finalisers, and all that these
 * reach. */
void cn_marker_weak(void);

/* STOP. It is off, and its marks stay; or they go. */
void cn_marker_end(void);
void cn_marker_give_up(void);

/* ---- full collections beside the program: within a collection, on the collecting thread ---- */

/* Before anything else in a collection. True: the last block was swept since the one before. */
bool cn_concurrent_enter(void);

/* Neither marks nor sweeps: it may begin. */
bool cn_concurrent_is_free(void);
/* No block is to be swept. */
bool cn_concurrent_is_swept(void);

/* Before a young collection. Mark, from its roots on. */
void cn_concurrent_begin(void);

/* At the end of a young collection, when it marks: until `deadline`, in the time that this thread
 * had a processor. Roots of older activations; then: is all marked that is reachable? The rest goes
 * on beside the program. */
void cn_concurrent_roots(uint64_t deadline);
bool cn_concurrent_finish(uint64_t deadline);

/* It is: the old space and large objects consist of that. Returns the bytes of the former. Blocks
 * are swept beside the program, and then memory is given back but for `bytes` that are free. */
size_t cn_concurrent_turn(void);
void cn_concurrent_keep(size_t bytes);
/* Blocks became free since: give memory back again. */
void cn_concurrent_trim(void);

/* Before a collection that does all itself: nothing is marked, all is swept. */
void cn_concurrent_give_up(void);

#endif
