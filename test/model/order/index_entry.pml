/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread adds a safepoint to the index while another looks it up without a lock. Claimed: who finds
 * the key finds the value, the codes of roots and the map.
 */
#include "weak_order.pml"

bool map, code, value, key;

/* ---- the thread that adds ---- */
#define STORE_MAP 0
#define STORE_CODE 1
#define STORE_VALUE 2
#define STORE_KEY 3
#ifdef BUG_key_without_release
#define KEY_AFTER NOTHING
#else
#define KEY_AFTER RELEASED(STORE_KEY)
#endif

/* @ src/runtime/walk/index.c: put_entry */
active proctype adder()
{
  do
  :: atomic { EVENT(0, STORE_MAP, NOTHING); map = true }
  :: atomic { EVENT(0, STORE_CODE, NOTHING); code = true }
  :: atomic { EVENT(0, STORE_VALUE, RELEASED(STORE_VALUE)); value = true }
  :: atomic { EVENT(0, STORE_KEY, KEY_AFTER); key = true }
  :: OVER(0, 4) -> break
  od
}

/* ---- the walk ---- */
#define LOAD_KEY 0
#define LOAD_VALUE 1
#define LOAD_CODE 2
#define LOAD_MAP 3
#ifdef BUG_key_without_acquire
#define KEY_SEEN NOTHING
#else
#define KEY_SEEN ACQUIRED(LOAD_KEY)
#endif

/* @ src/runtime/walk/index.h: cn_index_find_entry
 * @ src/runtime/roots/fast_walk_loop.h: walk_regular_frames */
active proctype walk()
{
  bool found, seen_value, seen_code, seen_map;

  do
  :: atomic { EVENT(1, LOAD_KEY, NOTHING); found = key }
  :: atomic { EVENT(1, LOAD_VALUE, KEY_SEEN); seen_value = value }
  :: atomic { EVENT(1, LOAD_CODE, KEY_SEEN); seen_code = code }
  :: atomic { EVENT(1, LOAD_MAP, ADDRESS(LOAD_VALUE)); seen_map = map }
  :: OVER(1, 4) -> break
  od;
  assert(!found || (seen_value && seen_code && seen_map))
}
