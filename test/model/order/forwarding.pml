/* SPDX-License-Identifier: Apache-2.0
 *
 * One tracer copies an object, sets the forwarding address and updates a slot; another finds the copy
 * by the old object's header or by the slot. Claimed: the copy is complete, and has its start bit.
 */
#include "weak_order.pml"

bool copy, start, forwarded, updated;

/* ---- the tracer that copies ---- */
#define COPY 0
#define SET_START 1
#define FORWARD 2 /* compare-and-swap */
#define UPDATE_SLOT 3
#ifdef BUG_forwarded_without_release
#define FORWARD_AFTER NOTHING
#else
#define FORWARD_AFTER RELEASED(FORWARD)
#endif
#ifdef BUG_slot_without_release
#define UPDATE_AFTER NOTHING
#else
#define UPDATE_AFTER RELEASED(UPDATE_SLOT)
#endif

/* @ src/collectors/generational/trace.c: copy_and_forward_object
 * @ include/cairn/heap_object.h: cairn_object_forward */
active proctype copier()
{
  do
  :: atomic { EVENT(0, COPY, NOTHING); copy = true }
  :: atomic { EVENT(0, SET_START, RELEASED(SET_START)); start = true }
  :: atomic { EVENT(0, FORWARD, FORWARD_AFTER); forwarded = true }
  :: atomic { EVENT(0, UPDATE_SLOT, UPDATE_AFTER); updated = true }
  :: OVER(0, 4) -> break
  od
}

/* ---- another tracer ---- */
#define LOAD_HEADER 0
#define LOAD_SLOT 1
#define LOAD_COPY_BY_HEADER 2
#define LOAD_COPY_BY_SLOT 3
#define LOAD_START 4
#ifdef BUG_header_without_acquire
#define HEADER_SEEN NOTHING
#else
#define HEADER_SEEN ACQUIRED(LOAD_HEADER)
#endif

/* @ src/collectors/generational/trace.c: evacuate_object
 * @ src/collectors/generational/trace.c: visit_slot */
active proctype finder()
{
  bool by_header, by_slot, seen_by_header, seen_by_slot, seen_start;

  do
  :: atomic { EVENT(1, LOAD_HEADER, NOTHING); by_header = forwarded }
  :: atomic { EVENT(1, LOAD_SLOT, NOTHING); by_slot = updated }
  :: atomic { EVENT(1, LOAD_COPY_BY_HEADER, ADDRESS(LOAD_HEADER) | HEADER_SEEN); seen_by_header = copy }
  :: atomic { EVENT(1, LOAD_COPY_BY_SLOT, ADDRESS(LOAD_SLOT) | ACQUIRED(LOAD_SLOT)); seen_by_slot = copy }
  :: atomic { EVENT(1, LOAD_START, HEADER_SEEN); seen_start = start }
  :: OVER(1, 5) -> break
  od;
  assert(!by_header || (seen_by_header && seen_start));
  assert(!by_slot || seen_by_slot)
}
