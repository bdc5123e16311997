/* SPDX-License-Identifier: Apache-2.0
 *
 * A tracer gives an object that it has copied to the pool, under the pool's lock, and another takes the
 * object. Claimed: the taker finds the entry, and the object complete.
 */
#include "weak_order.pml"

bool locked, object, entry, count;

/* ---- the giver ---- */
#define STORE_OBJECT 0
#define GIVER_LOCK 1
#define STORE_ENTRY 2
#define STORE_COUNT 3
#define GIVER_UNLOCK 4
#ifdef BUG_unlock_without_release
#define GIVER_UNLOCK_AFTER CONTROL(GIVER_LOCK)
#else
#define GIVER_UNLOCK_AFTER RELEASED(GIVER_UNLOCK)
#endif

/* @ src/collectors/generational/work_sharing.c: cn_work_sharing_give */
active proctype giver()
{
  do
  :: atomic { EVENT(0, STORE_OBJECT, NOTHING); object = true }
  :: atomic { !locked && EVENT(0, GIVER_LOCK, NOTHING); locked = true }
  :: atomic { EVENT(0, STORE_ENTRY, ACQUIRED(GIVER_LOCK)); entry = true }
  :: atomic { EVENT(0, STORE_COUNT, ACQUIRED(GIVER_LOCK)); count = true }
  :: atomic { EVENT(0, GIVER_UNLOCK, GIVER_UNLOCK_AFTER); locked = false }
  :: OVER(0, 5) -> break
  od
}

/* ---- the taker ---- */
#define TAKER_LOCK 0
#define LOAD_COUNT 1
#define LOAD_ENTRY 2
#define TAKER_UNLOCK 3
#define LOAD_OBJECT 4
#ifdef BUG_lock_without_acquire
#define LOCK_SEEN NOTHING
#else
#define LOCK_SEEN ACQUIRED(TAKER_LOCK)
#endif

/* @ src/collectors/generational/work_sharing.c: take_pool_share */
active proctype taker()
{
  bool some, seen_entry, seen_object;

  do
  :: atomic { !locked && EVENT(1, TAKER_LOCK, NOTHING); locked = true }
  :: atomic { EVENT(1, LOAD_COUNT, LOCK_SEEN); some = count }
  :: atomic { EVENT(1, LOAD_ENTRY, LOCK_SEEN); seen_entry = entry }
  :: atomic { EVENT(1, TAKER_UNLOCK, RELEASED(TAKER_UNLOCK)); locked = false }
  :: atomic { EVENT(1, LOAD_OBJECT, ADDRESS(LOAD_ENTRY)); seen_object = object }
  :: OVER(1, 5) -> break
  od;
  assert(!some || (seen_entry && seen_object))
}
