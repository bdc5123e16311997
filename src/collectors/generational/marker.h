/* SPDX-License-Identifier: Apache-2.0
 *
 * Concurrent marking of the old space and of large objects. The marker copies no object, and changes none.
 *
 * All objects are marked that were reachable at the start, except those that the program hides: it stores a reference
 * into an object that is already scanned, and overwrites it where it was. Such a store dirties a card (incremental
 * update). So each young collection notes the cards that it cleans, and those of its copies, for another scan, and
 * marks the objects that its roots point to. When the marker has nothing left to scan at the end of a young collection,
 * all reachable objects are marked.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_MARKER_H
#define CN_COLLECTORS_GENERATIONAL_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "collectors/generational/space/tables.h"

struct cn_marker {
  bool on;      /* a marking runs, and young collections inform it as above */
  bool idle;    /* its work was done when the stop began */
  bool rooted;  /* it has got all roots, those of deferred frames too */
  size_t bytes; /* of objects in the old space that it has marked */
};
extern struct cn_marker cn_marker;

/* STOP, when no object is marked. Start a marking. From this stop on young collections pass it the roots that they
 * visit; it gets the roots of deferred frames once. */
void cn_marker_begin_marking(void);

/* STOP, any number of threads at once. Mark the object that this slot of a root points to, unless it is young; mark
 * this large object. */
void cn_marker_mark_root(const uintptr_t *slot);
void cn_marker_mark_large(uintptr_t object);

/* STOP, any number of threads at once. Have the objects of this card of the old space scanned again, and treat all
 * whose header is there as reachable; or have the fields in [from, to) of a large object scanned again. */
static inline void cn_marker_rescan_card(uintptr_t address)
{
  __atomic_store_n(cn_tables_rescan_note_of(address), 1, __ATOMIC_RELAXED);
  __atomic_store_n(&cn_tables.again_blocks[cn_tables_block_of(address)], 1, __ATOMIC_RELAXED);
}
void cn_marker_rescan_large(uintptr_t object, uintptr_t from, uintptr_t to);

/* STOP. The marker is about to continue, after a stop that passed it roots and cards. */
void cn_marker_resume(void);

/* A single thread at a time. Scan about `fields` fields. False: the marker has nothing left to scan. In phase MUTATE it
 * passes over a word that points to no object: it may be a part of a reference. In phase STOP such a word ends the
 * program. */
bool cn_marker_step(size_t fields, bool stopped);

/* STOP, when the marker has nothing left to scan. Process weak fields, ephemerons and finalisers, and mark all that
 * these reach. */
void cn_marker_process_weak(void);

/* STOP. End the marking, and keep its marks; or give it up, and clear them. */
void cn_marker_end_marking(void);
void cn_marker_abandon_marking(void);

/* ---- concurrent full collections: called within a collection, by the collecting thread ---- */

/* First call of a collection. True: the sweep of all blocks has ended since the collection before. */
bool cn_concurrent_note_sweep_end(void);

/* True if a marking may begin: no marking and no sweep is running. */
bool cn_concurrent_may_begin_marking(void);
/* True if all blocks are swept. */
bool cn_concurrent_is_swept(void);

/* Before a young collection: start to mark, from its roots on. */
void cn_concurrent_begin_marking(void);

/* At the end of a young collection during marking, until `deadline`, in processor time of this thread.
 * cn_concurrent_mark_roots() visits roots of deferred frames. cn_concurrent_finish_marking() scans, and is true if all
 * reachable objects are marked; otherwise the marker continues concurrently. */
void cn_concurrent_mark_roots(uint64_t deadline);
bool cn_concurrent_finish_marking(uint64_t deadline);

/* After cn_concurrent_finish_marking() was true: the marked objects become the old space and the large objects. Returns
 * the bytes of the old space. Blocks are swept concurrently; then the memory of free blocks is released, except `bytes`
 * of it. */
size_t cn_concurrent_start_sweep(void);
void cn_concurrent_set_kept_bytes(size_t bytes);
/* Blocks became free since: release memory again. */
void cn_concurrent_release_memory(void);

/* Before a collection that does all itself: give up a marking, and end a sweep. */
void cn_concurrent_abandon_work(void);

#endif
