/* SPDX-License-Identifier: Apache-2.0
 *
 * The tracers of a collection. The collecting thread's tracer begins alone; the runtime's workers join when the work
 * pays for waking them. Phase STOP, the collecting thread.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_TRACERS_H
#define CN_COLLECTORS_GENERATIONAL_TRACERS_H

#include "collectors/generational/trace.h"

/* Phase INIT. Returns false if memory is exhausted. */
bool cn_tracers_init(void);

size_t cn_tracers_max_count(void);
/* The bytes of all mark stacks that are in memory. */
size_t cn_tracers_stack_bytes(void);

/* Bytes that copies of `bytes` may take in CN_TRACE_MOVE. */
size_t cn_tracers_copy_space_bytes(size_t bytes);

/* Bytes that one tracer copies and marks before other tracers join. A test sets less. */
extern size_t cn_tracers_max_bytes_alone;

/* Begins a young collection that visits neither roots nor cards, and promotes all young objects in place. All cards
 * become clean. No marker runs. */
void cn_tracers_promote_nursery(uint64_t number);

/* Begins collection `number`. In CN_TRACE_MOVE all objects fit into `copies`, which is null in the other modes. */
void cn_tracers_begin(enum cn_trace mode, uint64_t number, const struct cn_extent *copies);

/* Called after cn_tracers_begin(). Copies of a young collection end at `deadline`, in processor time of this thread
 * (promotion.c). */
void cn_tracers_end_copies_at(uint64_t deadline);

/* Visit all roots, or all dirty cards, and everything reachable from them. */
void cn_tracers_visit_roots(void);
void cn_tracers_visit_cards(void);

/* Called after cn_tracers_visit_cards(). Copies all objects of the group of blocks to evacuate, and visits the cards
 * that point to them. */
void cn_tracers_evacuate_group(void);

/* The collecting thread's tracer, which then works alone, on objects that ephemerons and finalisers reach. */
struct cn_tracer *cn_tracers_collecting_tracer(void);

/* Drops the copy cursors of all tracers, because a sweep will find the holes anew. */
void cn_tracers_drop_cursors(void);

/* The sums of all tracers. */
struct cn_tracers_totals {
  size_t objects, moved;                          /* number of copies, and bytes of copies */
  size_t marked;                                  /* bytes of marked objects */
  size_t promoted;                                /* bytes of objects that were promoted in place */
  size_t asked;                                   /* number of marked objects with a computed identity hash */
  uintptr_t end;                                  /* CN_TRACE_MOVE: end of the copies */
  size_t tracers;                                 /* number of tracers that joined */
  size_t cards, useful_cards, objects_from_cards; /* as in struct cn_tracer */
};
struct cn_tracers_totals cn_tracers_end_collection(void);

#endif
