/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread opens its buffer at the end of a slow path while a requester arms its poll. Claimed: in the
 * end the limit is 0 if the poll word is set, so that the next allocation in line arrives.
 */
#include "weak_order.pml"

bool poll, armed;
byte limit;

/* ---- the thread ---- */
#define OPEN 0
#define LOAD_POLL 1
#define CLOSE 2
#ifdef BUG_poll_read_early
#define POLL_AFTER NOTHING
#else
#define POLL_AFTER ORDERED(OPEN)
#endif

/* @ src/runtime/core/poll_word.c: cn_poll_word_open_alloc_limit */
active proctype thread()
{
  do
  :: atomic { EVENT(0, OPEN, NOTHING); limit = 1 }
  :: atomic { EVENT(0, LOAD_POLL, POLL_AFTER); armed = poll }
  :: atomic { EVENT(0, CLOSE, CONTROL(LOAD_POLL) | SAME_PLACE(OPEN));
       if
       :: armed -> limit = 0
       :: else
       fi }
  :: OVER(0, 3) -> break
  od
}

/* ---- the requester ---- */
#define ARM 0
#define LOWER 1
#ifdef BUG_lowered_early
#define LOWER_AFTER NOTHING
#else
#define LOWER_AFTER RELEASED(LOWER)
#endif

/* @ src/runtime/core/poll_word.c: cn_poll_word_arm */
active proctype requester()
{
  do
  :: atomic { EVENT(1, ARM, NOTHING); poll = true }
  :: atomic { EVENT(1, LOWER, LOWER_AFTER); limit = 0 }
  :: OVER(1, 2) -> break
  od;
  OVER(0, 3);
  assert(limit == 0)
}
