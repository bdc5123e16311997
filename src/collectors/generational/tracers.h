/* SPDX-License-Identifier: Apache-2.0
 *
 * The tracers of a collection: the collecting thread's begins alone; when it has done so much that
 * to wake others pays, the runtime's workers join in. Phase STOP, the collecting thread.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_TRACERS_H
#define CN_COLLECTORS_GENERATIONAL_TRACERS_H

#include "collectors/generational/trace.h"

/* Phase INIT. False: no memory. */
bool cn_tracers_init(void);

/* How many there may be. */
size_t cn_tracers_most(void);

/* Bytes that copies of `bytes` may take in CN_TRACE_MOVE. */
size_t cn_tracers_cursor(size_t bytes);

/* Bytes that one copies and marks before others join. A test sets less. */
extern size_t cn_tracers_alone;

/* Begin collection `number`; all objects have room in `copies`, which is null but for
 * CN_TRACE_MOVE. */
void cn_tracers_begin(enum cn_trace mode, uint64_t number, const struct cn_extent *copies);

/* Visit all roots; or the dirty cards; and all that they lead to. */
void cn_tracers_visit_roots(void);
void cn_tracers_visit_cards(void);

/* When that is done: copy all of the blocks that are emptied, and visit what leads to them. */
void cn_tracers_empty(void);

/* For what is found one by one when that is done: the tracer of the collecting thread, which goes
 * on alone. */
struct cn_tracer *cn_tracers_last(void);

/* Blocks are about to be swept: copies go elsewhere from here. */
void cn_tracers_leave_cursors(void);

/* What all have done. */
struct cn_traced {
  size_t objects, moved; /* copies, and their bytes */
  size_t marked;         /* bytes of what was marked, */
  size_t asked;          /* and objects of that which were asked for an identity hash */
  uintptr_t end;         /* CN_TRACE_MOVE: of the copies */
  size_t tracers;        /* how many there were */
};
struct cn_traced cn_tracers_end(void);

#endif
