/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread comes back from native code while a requester stops it and collects (docs/threads.md, "A
 * stop"). The collection moves the thread's object from place 1 to place 2. Claimed: if the thread
 * finds no request, then it sees the object where it is now, and its store to the object is not lost.
 */
#include "weak_order.pml"

bool managed, poll;
byte root = 1;          /* the place of the object, in the thread's anchor */
byte first = 1, second; /* the object's field, in each place; 0: there is no object */
#define FIELD(place) (place == 1 -> first : second)
byte found, seen;       /* by the thread */
bool asked, waits;      /* the thread has found the request; the requester has found the thread managed */

/* ---- the thread ---- */
#define STORE_MANAGED 0
#define LOAD_POLL 1
#define LOAD_ROOT 2
#define LOAD_FIELD 3
#define STORE_FIELD 4
#ifdef BUG_poll_without_acquire
#define POLL_SEEN NOTHING
#else
#define POLL_SEEN ACQUIRED(LOAD_POLL)
#endif

/* @ src/runtime/arch/x86_64/stubs.S: become_managed
 * @ src/runtime/arch/aarch64/stubs.S: become_managed
 * @ src/runtime/threads/stop.c: cn_stop_become_managed */
active proctype thread()
{
  do
  :: atomic { EVENT(0, STORE_MANAGED, NOTHING); managed = true }
  :: atomic { EVENT(0, LOAD_POLL, NOTHING); asked = poll }
  :: atomic { EVENT(0, LOAD_ROOT, POLL_SEEN); found = root }
  :: atomic { EVENT(0, LOAD_FIELD, ADDRESS(LOAD_ROOT) | POLL_SEEN); seen = FIELD(found) }
  :: atomic { EVENT(0, STORE_FIELD, CONTROL(LOAD_POLL) | ADDRESS(LOAD_ROOT) | SAME_PLACE(LOAD_FIELD));
       if
       :: asked
       :: else ->
          if
          :: found == 1 -> first = 7
          :: else -> second = 7
          fi
       fi }
  :: OVER(0, 5) -> break
  od
}

/* ---- the requester ---- */
#define ARM 0
#define FENCE 1
#define LOAD_STATE 2
#define COPY 3
#define UPDATE_ROOT 4
#define FREE 5
#define DISARM 6
#ifdef BUG_fence_before_arming
#define FENCE_AFTER NOTHING
#define ARM_AFTER FENCED(FENCE)
#else
#define FENCE_AFTER FENCED(ARM)
#define ARM_AFTER NOTHING
#endif
#ifdef BUG_disarmed_without_release
#define DISARM_AFTER (CONTROL(LOAD_STATE) | SAME_PLACE(ARM))
#else
#define DISARM_AFTER RELEASED(DISARM)
#endif
#ifdef BUG_no_fence
#define IS_FENCED true
#else
#define IS_FENCED IS_BETWEEN_INSTRUCTIONS(0)
#endif

/* @ src/runtime/threads/stop.c: stop_mutators
 * @ src/runtime/os/thread.c: cn_os_fence_all_threads
 * @ src/runtime/core/poll_word.c: cn_poll_word_arm
 * @ src/runtime/core/poll_word.c: cn_poll_word_disarm */
active proctype requester()
{
  do
  :: atomic { EVENT(1, ARM, ARM_AFTER); poll = true }
  :: atomic { IS_FENCED && EVENT(1, FENCE, FENCE_AFTER) }
  :: atomic { EVENT(1, LOAD_STATE, FENCED(FENCE) | FENCED(ARM)); waits = managed }
  :: atomic { EVENT(1, COPY, ACQUIRED(LOAD_STATE));
       if
       :: waits
       :: else -> second = first
       fi }
  :: atomic { EVENT(1, UPDATE_ROOT, ACQUIRED(LOAD_STATE));
       if
       :: waits
       :: else -> root = 2
       fi }
  :: atomic { EVENT(1, FREE, ACQUIRED(LOAD_STATE) | SAME_PLACE(COPY));
       if
       :: waits
       :: else -> first = 0
       fi }
  :: atomic { EVENT(1, DISARM, DISARM_AFTER);
       if
       :: waits
       :: else -> poll = false
       fi }
  :: OVER(1, 7) -> break
  od;
  OVER(0, 5);
  assert(asked || seen == 1);
  assert(asked || FIELD(root) == 7)
}
