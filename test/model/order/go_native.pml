/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread goes to native code, and a requester that finds it there collects. Claimed: the collection
 * sees the thread's stores to the heap and its anchor, and the thread's loads see no change of the
 * collection.
 */
#include "weak_order.pml"

bool native, anchored, finds;
byte stored, loaded = 1, seen;

/* ---- the thread ---- */
#define STORE_FIELD 0
#define LOAD_FIELD 1
#define STORE_ANCHOR 2
#define STORE_NATIVE 3
#if defined BUG_native_without_release
#define NATIVE_AFTER NOTHING
#elif defined BUG_native_orders_stores_only
#define NATIVE_AFTER (FENCED(STORE_FIELD) | FENCED(STORE_ANCHOR))
#else
#define NATIVE_AFTER RELEASED(STORE_NATIVE)
#endif

/* @ src/runtime/arch/x86_64/stubs.S: call_native
 * @ src/runtime/arch/aarch64/stubs.S: cairn_call_native
 * @ src/runtime/threads/stop.c: cn_stop_become_native */
active proctype thread()
{
  do
  :: atomic { EVENT(0, STORE_FIELD, NOTHING); stored = 1 }
  :: atomic { EVENT(0, LOAD_FIELD, NOTHING); seen = loaded }
  :: atomic { EVENT(0, STORE_ANCHOR, NOTHING); anchored = true }
  :: atomic { EVENT(0, STORE_NATIVE, NATIVE_AFTER); native = true }
  :: OVER(0, 4) -> break
  od
}

/* ---- the requester ---- */
#define LOAD_STATE 0
#define LOAD_ANCHOR 1
#define LOAD_STORED 2
#define STORE_LOADED 3
#ifdef BUG_state_without_acquire
#define STATE_SEEN NOTHING
#else
#define STATE_SEEN ACQUIRED(LOAD_STATE)
#endif

/* @ src/runtime/threads/stop.c: cn_stop_is_resting */
active proctype requester()
{
  bool walked;
  byte copied;

  do
  :: atomic { EVENT(1, LOAD_STATE, NOTHING); finds = native }
  :: atomic { EVENT(1, LOAD_ANCHOR, STATE_SEEN); walked = anchored }
  :: atomic { EVENT(1, LOAD_STORED, STATE_SEEN); copied = stored }
  :: atomic { EVENT(1, STORE_LOADED, CONTROL(LOAD_STATE));
       if
       :: finds -> loaded = 0
       :: else
       fi }
  :: OVER(1, 4) -> break
  od;
  OVER(0, 4);
  assert(!finds || walked);
  assert(!finds || copied == 1);
  assert(seen == 1)
}
