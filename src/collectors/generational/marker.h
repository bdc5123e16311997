/* SPDX-License-Identifier: Apache-2.0
 *
 * Concurrent marking of the old space and of large objects. The marker leaves objects unchanged and in place.
 *
 * The marking is an incremental update. The marker would miss an object if the program stored a reference to it into an
 * object that is already scanned, and overwrote the reference in its former place. But the store dirties a card, and
 * young collections visit all fields of the cards that they clean, or pass the cards to the marker, which visits the
 * fields again. So each young collection passes to the marker the old objects that its roots, these fields and the
 * fields of its copies point to; the one that begins the marking leaves out fields on cards, because no object has been
 * scanned. Its copies are marked at once. When the marker has scanned everything at the end of a
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
  bool scanned; /* the marker has scanned objects since the marking began */
  bool rooted;  /* the marker has received all roots, including the roots of deferred frames */
  size_t found; /* bytes of objects that the marker has scanned since the pacer last cleared the number */
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
 * point to: if the marker has nothing else to scan, with fewer than cn_marker_rescan_bytes of old objects, whose marks
 * stay in the processor's caches; if several tracers are at work; or if too many cards wait. A test sets other bytes.
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

/* STOP. cn_marker_begin() begins a marking: no object is marked. cn_marker_process_weak_objects(), when the marker has
 * nothing left to scan, processes weak fields, ephemerons and finalisers, and marks everything that ephemerons and
 * finalisers reach. cn_marker_end() ends the marking, whose marks stay; cn_marker_abandon() clears them. */
void cn_marker_begin(void);
void cn_marker_process_weak_objects(void);
void cn_marker_end(void);
void cn_marker_abandon(void);

#endif
