/* SPDX-License-Identifier: Apache-2.0
 *
 * Tracing: what is reachable is copied out of the nursery, and in the old space marked, or copied
 * as well. Phase STOP, within a collection.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_TRACE_H
#define CN_COLLECTORS_GENERATIONAL_TRACE_H

#include <cairn/collector.h>
#include "collectors/generational/space/blocks.h"

enum cn_trace {
  CN_TRACE_YOUNG, /* objects of the nursery and young large ones; the others are not looked at */
  CN_TRACE_FULL,  /* all: those of the nursery are copied, the others marked */
  CN_TRACE_MOVE   /* all, and each is copied */
};

enum { CN_KNOWN = 64 };

/* Who traces: one for each thread that does. */
struct cn_tracer {
  struct cn_copy_cursor room;  /* where copies go */
  struct cn_copy_cursor whole; /* and those that did not fit a hole */
  uintptr_t *stack;            /* what is to be looked at, from `bottom` on: the newest first */
  size_t bottom, count, depth;
  const struct cairn_layout *known[CN_KNOWN]; /* layouts that were checked in this collection */
  size_t objects, moved, marked;              /* copies; their bytes; bytes of what was marked */
  size_t asked;                               /* of what was marked: objects that were asked for an identity hash */
} __attribute__((aligned(128)));              /* no two of them in a pair of cache lines */

/* What the collection is to do, by mode; the same for all tracers. */
struct cn_cycle {
  enum cn_trace mode;
  bool shared;                   /* several tracers are at work */
  bool marks;                    /* the marker is told what is found (marker.h) */
  bool notes;                    /* and what leads to blocks that are to be emptied (evacuation.h) */
  bool empties;                  /* some of which it empties */
  bool settles;                  /* roots that the next young collection may leave out */
  bool mapped;                   /* object starts in the nursery are being looked up */
  bool uncleared;                /* what looks like a header in the nursery may be none */
  uintptr_t young, young_bytes;  /* where what may be young lies: one comparison */
  uintptr_t copies, copies_room; /* CN_TRACE_MOVE: where there are only copies, */
  uintptr_t copied;              /* which several tracers have filled up to here */
  size_t alone;                  /* bytes that one tracer copies and marks before it wants others */
  struct cairn_words words;
  uint64_t number;
};
extern struct cn_cycle cn_cycle;

/* When cn_cycle has been set: begin with a tracer; and be done with it. */
void cn_trace_enter(struct cn_tracer *tracer);
void cn_trace_leave(struct cn_tracer *tracer);

/* Fetch roots, and visit them and what they lead to, until none are left. */
void cn_trace_fetch(struct cn_tracer *tracer);

/* CN_TRACE_YOUNG: visit the slots of an object of this layout that lie in [from, to). */
void cn_trace_slots(struct cn_tracer *tracer, uintptr_t object, const struct cairn_layout *layout, uintptr_t from,
                    uintptr_t to);

/* Visit a slot that leads to the start of an object. */
void cn_trace_visit(struct cn_tracer *tracer, struct cairn_slot slot);

/* Copy the object of the old space that a slot led to, and that lies in [from, end), unless that
 * was done. Returns where it is now. */
uintptr_t cn_trace_evacuate(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address, uintptr_t from,
                            uintptr_t end);

/* Visit what the tracer has on its stack, and what that leads to. */
void cn_trace_drain(struct cn_tracer *tracer);

/* This and cn_trace_fetch() may leave something if the tracer is alone, has done so much that it
 * wants others, and has something for them. */
bool cn_trace_is_over(const struct cn_tracer *tracer);

/* Are an array's elements references one after another? */
static inline bool cn_trace_is_run(const struct cairn_layout *layout)
{
  return layout->elem_size == sizeof(uintptr_t) && layout->elem_refs == 1;
}

/* Let the tracer's stack hold more, or a few for a beginning. False: there is no memory. */
bool cn_trace_deepen(struct cn_tracer *tracer);

/* Have the tracer look at these, from the stack of another. */
void cn_trace_push(struct cn_tracer *tracer, const uintptr_t *entries, size_t count);

/* The layout of an object that was reached, by its header; `slot` led to it. Never fails: calls
 * cairn_fatal(). */
const struct cairn_layout *cn_trace_layout(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t object);
_Noreturn void cn_trace_nothing_there(const uintptr_t *slot, uintptr_t address);
_Noreturn void cn_trace_no_object(const uintptr_t *slot, uintptr_t address, const char *why);

#endif
