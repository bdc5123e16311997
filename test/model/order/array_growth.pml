/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread lengthens an array that the marker scans at the same time. Claimed: the marker visits no
 * element that is not cleared.
 */
#include "weak_order.pml"

bool garbage = true, longer;

/* ---- the thread ---- */
#define CLEAR 0
#define STORE_COUNT 1
#ifdef BUG_count_without_release
#define COUNT_AFTER NOTHING
#else
#define COUNT_AFTER RELEASED(STORE_COUNT)
#endif

/* @ src/runtime/heap/resize_array.c: cn_resize_array_in_place */
active proctype thread()
{
  do
  :: atomic { EVENT(0, CLEAR, NOTHING); garbage = false }
  :: atomic { EVENT(0, STORE_COUNT, COUNT_AFTER); longer = true }
  :: OVER(0, 2) -> break
  od
}

/* ---- the marker: a branch on the count orders no load ---- */
#define LOAD_COUNT 0
#define LOAD_ELEMENT 1
#ifdef BUG_count_without_acquire
#define COUNT_SEEN NOTHING
#else
#define COUNT_SEEN ACQUIRED(LOAD_COUNT)
#endif

/* @ src/collectors/generational/marker.c: count_of_array */
active proctype marker()
{
  bool visits, wrong;

  do
  :: atomic { EVENT(1, LOAD_COUNT, NOTHING); visits = longer }
  :: atomic { EVENT(1, LOAD_ELEMENT, COUNT_SEEN); wrong = garbage }
  :: OVER(1, 2) -> break
  od;
  assert(!visits || !wrong)
}
