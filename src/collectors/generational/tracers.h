/* SPDX-License-Identifier: Apache-2.0
 *
 * The tracers of a collection. The collecting thread's tracer begins alone; when it has done so much that it pays to
 * wake others, the runtime's workers join. Phase STOP, the collecting thread.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_TRACERS_H
#define CN_COLLECTORS_GENERATIONAL_TRACERS_H

#include "collectors/generational/trace.h"

/* Phase INIT. False: there is no memory. */
bool cn_tracers_init(void);

/* The largest number of tracers. */
size_t cn_tracers_max_count(void);

/* Bytes that copies of `bytes` may take in CN_TRACE_MOVE. */
size_t cn_tracers_copy_space_bytes(size_t bytes);

/* Bytes that one tracer copies and marks before others join. A test sets less. */
extern size_t cn_tracers_max_bytes_alone;

/* Begin collection `number`. CN_TRACE_MOVE: all objects fit into `copies`; in the other modes that is null. */
void cn_tracers_begin(enum cn_trace mode, uint64_t number, const struct cn_extent *copies);

/* Visit all roots, or the dirty cards, and all that they reach. */
void cn_tracers_visit_roots(void);
void cn_tracers_visit_cards(void);

/* After these: copy all objects of the group of blocks that is evacuated, and visit the cards that point to them. */
void cn_tracers_evacuate_group(void);

/* The collecting thread's tracer, which goes on alone: for objects that are found one by one after these calls. */
struct cn_tracer *cn_tracers_collecting_tracer(void);

/* Blocks are about to be swept: later copies go elsewhere. */
void cn_tracers_drop_cursors(void);

/* The sums of all tracers. */
struct cn_tracers_totals {
  size_t objects, moved; /* copies, and their bytes */
  size_t marked;         /* bytes of marked objects */
  size_t asked;          /* marked objects that were asked for an identity hash */
  uintptr_t end;         /* CN_TRACE_MOVE: of the copies */
  size_t tracers;        /* how many joined */
};
struct cn_tracers_totals cn_tracers_end_collection(void);

#endif
