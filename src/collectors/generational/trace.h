/* SPDX-License-Identifier: Apache-2.0
 *
 * Tracing: tracers copy reachable objects out of the nursery, and mark or copy reachable objects of the old space.
 * Phase STOP, within a collection.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_TRACE_H
#define CN_COLLECTORS_GENERATIONAL_TRACE_H

#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "collectors/generational/space/blocks.h"

enum cn_trace {
  CN_TRACE_YOUNG, /* visits only objects of the nursery and young large objects */
  CN_TRACE_FULL,  /* copies the nursery's objects, and marks other objects */
  CN_TRACE_MOVE   /* copies all objects */
};

enum { CN_TRACER_LAYOUT_CACHE_SIZE = 64 };

/* A thread's tracer. */
struct cn_tracer {
  struct cn_copy_cursor cursor;      /* where copies go */
  struct cn_copy_cursor long_cursor; /* where copies of more than a line go if they do not fit into `cursor` */
  uintptr_t *stack;                  /* objects and parts to scan, from `bottom` on; the newest is the last */
  size_t bottom, count, depth;
  const struct cairn_layout *known[CN_TRACER_LAYOUT_CACHE_SIZE]; /* layouts that were checked in this collection */
  size_t objects, moved, marked; /* number of copies; bytes of copies; bytes of marked objects */
  size_t promoted;               /* bytes of objects that were promoted in place */
  size_t asked;                  /* number of marked objects with a computed identity hash */
  size_t cards, useful_cards;    /* number of visited cards, and of those with references to objects to copy */
  size_t objects_from_cards;     /* number of copies of objects that fields on cards refer to */
} __attribute__((aligned(128))); /* each tracer has its own pairs of cache lines */

struct cn_address_range {
  uintptr_t start, bytes;
};

/* The task of the collection, which all tracers share. */
struct cn_trace_cycle {
  enum cn_trace mode;
  bool shared;                    /* several tracers are at work */
  bool marks;                     /* roots and copies are passed to the marker (marker.h) */
  bool notes;                     /* cards are noted for later evacuations (evacuation.h) */
  bool evacuates;                 /* this collection evacuates blocks */
  bool keeps_blocks;              /* the next young collection may leave out the current roots */
  bool mapped;                    /* the crossing map of the nursery is in use */
  bool uncleared;                 /* a word of the nursery that looks like a header may be data */
  struct cn_address_range all;    /* the headers of all objects to visit, for one comparison */
  struct cn_address_range young;  /* the headers of all young objects */
  uintptr_t copies, copies_bytes; /* CN_TRACE_MOVE: the range of the copies */
  uintptr_t copied;               /* end of the part of `copies` that several tracers have taken */
  bool stays;                     /* the rest of the nursery is promoted in place (promotion.c) */
  size_t budget;                  /* bytes of copies after which the tracer asks whether the rest stays, or SIZE_MAX */
  uint64_t deadline;              /* end of copies, in processor time of the collecting thread, or 0 */
  size_t alone;                   /* bytes that one tracer copies and marks before other tracers join */
  struct cairn_words words;
  uint64_t number;
};
extern struct cn_trace_cycle cn_trace_cycle;

/* The header of an object of `bytes`, prefix included, that a tracer alone has copied to `copy`. A walk over the
 * nursery finds the size there, and skips the copy. Objects of the nursery are small; other sizes are 0. */
static inline uintptr_t cn_forwarding_header_of(uintptr_t copy, size_t bytes)
{
  return cairn_header_to(copy) | (bytes < (size_t)8 << 16 ? bytes / 8 << 48 : 0);
}
static inline size_t cn_forwarded_bytes(uintptr_t header)
{
  return (header >> 48) * 8;
}

/* Begin and end the use of a tracer in a collection, after cn_trace_cycle has been set. */
void cn_trace_begin_tracer(struct cn_tracer *tracer);
void cn_trace_end_tracer(struct cn_tracer *tracer);

/* Fetches and visits roots, and everything reachable from them, until all roots are fetched. */
void cn_trace_fetch_roots(struct cn_tracer *tracer);

/* CN_TRACE_YOUNG: visits the slots in [from, to) of an object of this layout. With `greys`, passes old objects to the
 * marker if the object is marked. */
void cn_trace_visit_slots_within(struct cn_tracer *tracer, uintptr_t object, const struct cairn_layout *layout,
                                 uintptr_t from, uintptr_t to, bool greys);

/* CN_TRACE_YOUNG, a tracer alone. The first word of [from, to) that may be a reference to a young object, or `to`. */
uintptr_t cn_trace_next_young_word(uintptr_t from, uintptr_t to);

/* Visit a slot that points to the start of an object. */
void cn_trace_visit_slot(struct cn_tracer *tracer, struct cairn_slot slot);

/* Copies an object of the old space, which `slot` points to and which lies in [from, end), unless it has been copied.
 * Returns its current address. */
uintptr_t cn_trace_evacuate(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address, uintptr_t from,
                            uintptr_t end);

/* Scans the entries of the tracer's stack, and everything reachable from them. */
void cn_trace_drain_stack(struct cn_tracer *tracer);

/* True if the tracer has copied and marked so much that other tracers should join. cn_trace_drain_stack() and
 * cn_trace_fetch_roots() of a single tracer may then return early, and leave work for other tracers. */
bool cn_trace_wants_helpers(const struct cn_tracer *tracer);

/* True if an array's elements are references one after another. */
static inline bool cn_trace_is_reference_array(const struct cairn_layout *layout)
{
  return layout->elem_size == sizeof(uintptr_t) && layout->elem_refs == 1;
}

/* Enlarges the tracer's stack, or makes its first stack. Returns false if memory is exhausted. */
bool cn_trace_grow_stack(struct cn_tracer *tracer);

/* Pushes entries, for instance of another tracer, onto the tracer's stack. */
void cn_trace_push_entries(struct cn_tracer *tracer, const uintptr_t *entries, size_t count);

/* The layout of a reached object, which `slot` points to; calls cairn_fatal() if the header is invalid. */
const struct cairn_layout *cn_trace_layout_of(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t object);
_Noreturn void cn_trace_die_nothing_there(const uintptr_t *slot, uintptr_t address);
_Noreturn void cn_trace_die_no_object(const uintptr_t *slot, uintptr_t address, const char *why);

/* CN_TRACE_YOUNG: scans a reached object of the nursery that stays in place; `header` is its header. */
void cn_trace_push_promoted(struct cn_tracer *tracer, uintptr_t object, uintptr_t header);

/* ---- promotion.c ---- */

/* CN_TRACE_YOUNG, a tracer alone that has copied `budget` bytes. Returns true if the time for copies is over: then no
 * other object of the nursery is copied. */
bool cn_promotion_is_due(const struct cn_tracer *tracer);

/* Bytes of copies between two readings of the clock. A test sets less. */
extern size_t cn_promotion_bytes_per_clock_read;

/* CN_TRACE_YOUNG, after all roots and cards have been visited. If copies have ended early,
 * cn_promotion_promote_rest() promotes all other objects of the nursery in place, and updates their fields. Otherwise
 * cn_promotion_end_limit() ends the limit of copies. */
void cn_promotion_promote_rest(struct cn_tracer *tracer);
void cn_promotion_end_limit(void);

/* CN_TRACE_YOUNG, instead of visits of roots and cards: promotes all objects of the nursery in place, and all young
 * large objects. */
void cn_promotion_promote_all(struct cn_tracer *tracer);

/* ---- weak_tracing.c ---- */

/* Traces the objects that ephemerons and finalisers reach, after all objects that roots and cards reach. */
void cn_trace_weak_references(struct cn_tracer *tracer);

/* ---- object_walk.c ---- */

/* Walks over all objects, garbage included, for other parts of the runtime. Phase STOP, when all allocation buffers
 * have been taken, or the runtime knows their free parts. */

/* `ranges` of struct cairn_collector; puts fillers into free memory in blocks. */
void cn_object_walk_visit_ranges(cairn_range_visitor *visit, void *env);

/* Part of `forget` of struct cairn_collector. Returns true if a young object may have lost its layout. */
bool cn_object_walk_forget_layouts(const unsigned char *start, const unsigned char *stop);

#endif
