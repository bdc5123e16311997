/* SPDX-License-Identifier: Apache-2.0
 *
 * Tracing: reachable objects are copied out of the nursery; those in the old space are marked, or copied as well. Phase
 * STOP, within a collection.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_TRACE_H
#define CN_COLLECTORS_GENERATIONAL_TRACE_H

#include <cairn/collector.h>
#include "collectors/generational/space/blocks.h"

enum cn_trace {
  CN_TRACE_YOUNG, /* visits objects of the nursery and young large ones only */
  CN_TRACE_FULL,  /* copies the nursery's objects, and marks the others */
  CN_TRACE_MOVE   /* copies all objects */
};

enum { CN_TRACER_LAYOUT_CACHE_SIZE = 64 };

/* A thread's tracer. */
struct cn_tracer {
  struct cn_copy_cursor cursor;      /* where copies go */
  struct cn_copy_cursor long_cursor; /* where copies of more than a line go that do not fit `cursor` */
  uintptr_t *stack;                  /* objects and parts to be scanned, from `bottom` on; the newest is the last */
  size_t bottom, count, depth;
  const struct cairn_layout *known[CN_TRACER_LAYOUT_CACHE_SIZE]; /* checked in this collection */
  size_t objects, moved, marked;                                 /* copies; their bytes; bytes of marked objects */
  size_t asked;                  /* marked objects that were asked for an identity hash */
} __attribute__((aligned(128))); /* each in its own pair of cache lines */

/* The task of the collection, by mode; the same for all tracers. */
struct cn_trace_cycle {
  enum cn_trace mode;
  bool shared;                    /* several tracers are at work */
  bool marks;                     /* the marker is told of roots and copies (marker.h) */
  bool notes;                     /* cards are noted for later evacuations (evacuation.h) */
  bool evacuates;                 /* this collection evacuates blocks */
  bool keeps_blocks;              /* the next young collection may leave out the current roots */
  bool mapped;                    /* the crossing map of the nursery is in use */
  bool uncleared;                 /* a word of the nursery that looks like a header may be data */
  uintptr_t young, young_bytes;   /* the range of all objects to visit: one comparison */
  uintptr_t copies, copies_bytes; /* CN_TRACE_MOVE: the range of the copies */
  uintptr_t copied;               /* several tracers have filled it up to here */
  size_t alone;                   /* bytes that one tracer copies and marks before others join */
  struct cairn_words words;
  uint64_t number;
};
extern struct cn_trace_cycle cn_trace_cycle;

/* Begin with a tracer, when cn_trace_cycle has been set; end with it. */
void cn_trace_begin_tracer(struct cn_tracer *tracer);
void cn_trace_end_tracer(struct cn_tracer *tracer);

/* Fetch roots, and visit them and all that they reach, until all roots are fetched. */
void cn_trace_fetch_roots(struct cn_tracer *tracer);

/* CN_TRACE_YOUNG: visit the slots of an object of this layout that lie in [from, to). */
void cn_trace_visit_slots_within(struct cn_tracer *tracer, uintptr_t object, const struct cairn_layout *layout,
                                 uintptr_t from, uintptr_t to);

/* Visit a slot that points to the start of an object. */
void cn_trace_visit_slot(struct cn_tracer *tracer, struct cairn_slot slot);

/* Copy the object of the old space that a slot points to, and that lies in [from, end), unless it has been copied.
 * Returns its address now. */
uintptr_t cn_trace_evacuate(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address, uintptr_t from,
                            uintptr_t end);

/* Visit the entries of the tracer's stack, and all that they reach. */
void cn_trace_drain_stack(struct cn_tracer *tracer);

/* True if the tracer has done so much that others should join. If it is alone, cn_trace_drain_stack() and
 * cn_trace_fetch_roots() may then return early, with work for others. */
bool cn_trace_wants_helpers(const struct cn_tracer *tracer);

/* True if an array's elements are references one after another. */
static inline bool cn_trace_is_reference_array(const struct cairn_layout *layout)
{
  return layout->elem_size == sizeof(uintptr_t) && layout->elem_refs == 1;
}

/* Enlarge the tracer's stack, or make its first one. False: there is no memory. */
bool cn_trace_grow_stack(struct cn_tracer *tracer);

/* Push these entries, perhaps of another tracer's stack, onto the tracer's. */
void cn_trace_push_entries(struct cn_tracer *tracer, const uintptr_t *entries, size_t count);

/* The layout of a reached object, by its header; `slot` points to the object. If it has none, they call
 * cairn_fatal(). */
const struct cairn_layout *cn_trace_layout_of(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t object);
_Noreturn void cn_trace_die_nothing_there(const uintptr_t *slot, uintptr_t address);
_Noreturn void cn_trace_die_no_object(const uintptr_t *slot, uintptr_t address, const char *why);

#endif
