/* SPDX-License-Identifier: Apache-2.0
 *
 * Concurrent marking of the old space and of large objects. The marker leaves objects unchanged and in place.
 *
 * The marking is an incremental update. The marker would miss an object if the program stored a reference to it into an
 * object that is already scanned, and overwrote the reference in its former place. But the store dirties a card, and
 * young collections visit all fields of the cards that they clean, or pass the cards to the marker, which visits the
 * fields again. So each young collection passes to the marker the old objects that its roots, these fields and the
 * fields of its copies point to. Its copies are marked at once. When the marker has scanned everything at the end of a
 * young collection, all reachable objects are marked.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_MARKER_H
#define CN_COLLECTORS_GENERATIONAL_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "collectors/generational/space/tables.h"

struct cn_marker {
  bool on;      /* a marking runs, and young collections pass roots and cards to the marker */
  bool idle;    /* the marker had nothing left to scan when the stop began */
  bool rooted;  /* the marker has received all roots, including the roots of deferred frames */
  size_t bytes; /* bytes of marked objects in the old space */
};
extern struct cn_marker cn_marker;

/* STOP, any number of threads at once. cn_marker_mark_root() marks the object that the root in `slot` points to, unless
 * the object is young. cn_marker_mark_old() marks the object of the old space that `slot` points to, unless it is
 * marked. cn_marker_mark_large() marks a large object, unless it is young or marked. The marker will scan the objects.
 * cn_marker_note_weak_copy() notes a marked copy that has weak fields. */
void cn_marker_mark_root(const uintptr_t *slot);
void cn_marker_mark_old(const uintptr_t *slot, uintptr_t object);
void cn_marker_mark_large(uintptr_t object);
void cn_marker_note_weak_copy(uintptr_t object);

/* STOP. The marker will scan the objects that begin in [from, to), which are marked. */
void cn_marker_scan_later(uintptr_t from, uintptr_t to);

/* STOP. Tells the marker to visit again the fields in the card of marked objects: of the old large object, or, if
 * `large` is 0, of objects of the old space. Returns false if the tracer should pass the objects that these fields
 * point to: with fewer than cn_marker_rescan_bytes of old objects, whose marks stay in the processor's caches, if the
 * marker has nothing else to scan, if several tracers are at work, or if too many cards wait. A test sets other bytes.
 */
bool cn_marker_rescan_later(uintptr_t large, uintptr_t card);
extern size_t cn_marker_rescan_bytes;

/* STOP, any number of threads. True if the old or large object is marked. */
static inline bool cn_marker_is_marked(uintptr_t object)
{
  if (cn_tables_is_in_old_space(object - CAIRN_ABI_HEADER_SIZE))
    return cn_tables_is_marked(object);
  return __atomic_load_n(cn_tables_large_state_of(object), __ATOMIC_RELAXED) == CN_LARGE_REACHED;
}

/* STOP. Prepares the marker for further steps, after a young collection has passed objects to the marker, and counts
 * the bytes of marked copies. */
void cn_marker_resume(void);
void cn_marker_add_copies(size_t bytes);

/* Scans about `fields` fields, on a single thread at a time. Returns false when the marker has nothing left to scan. In
 * phase MUTATE the marker ignores a word that points to no object, because it may be a part of a reference. In phase
 * STOP such a word ends the program. */
bool cn_marker_step(size_t fields, bool stopped);

/* ---- concurrent full collections: called within a collection, by the collecting thread ---- */

/* Called once, at the start of a collection. True if the sweep of all blocks has ended since the previous
 * collection. */
bool cn_concurrent_note_sweep_end(void);

/* True if a marking may begin, because neither a marking nor a sweep is running. */
bool cn_concurrent_may_begin_marking(void);
/* True if all blocks are swept. */
bool cn_concurrent_is_swept(void);

/* Begins a marking before a young collection, whose roots are the first roots of the marking. */
void cn_concurrent_begin_marking(void);

/* Called at the end of a young collection during marking. Both functions work until `deadline`, in processor time of
 * this thread. cn_concurrent_mark_roots() visits roots of deferred frames. cn_concurrent_finish_marking() scans, and
 * returns true if all reachable objects are marked; otherwise the marker continues concurrently. */
void cn_concurrent_mark_roots(uint64_t deadline);
bool cn_concurrent_finish_marking(uint64_t deadline);

/* Called after cn_concurrent_finish_marking() has returned true. Unmarked objects of the old space and unreached large
 * objects are gone. Returns the bytes of objects in the old space. A concurrent sweep begins; then the memory of free
 * blocks is released, except the bytes of cn_concurrent_set_kept_bytes(). */
size_t cn_concurrent_start_sweep(void);
void cn_concurrent_set_kept_bytes(size_t bytes);
/* Releases memory again, after more blocks have become free. */
void cn_concurrent_release_memory(void);

/* Abandons a marking, and completes a sweep, before a full collection in one stop. */
void cn_concurrent_abandon_work(void);

#endif
