/* SPDX-License-Identifier: Apache-2.0
 *
 * A native thread walks, and reads the table of the index between two plain stores to `busy`. Another
 * thread replaces the table and frees it in a later stop. Claimed: the walk reads no freed table.
 */
#include "weak_order.pml"

bool busy, current, freed; /* current: the new table; freed: the old one */
bool walked_freed;

/* ---- the walk ---- */
#define STORE_BUSY 0
#define LOAD_TABLE 1
#define LOAD_ENTRY 2
#define STORE_IDLE 3
#ifdef BUG_leaves_without_release
#define IDLE_AFTER SAME_PLACE(STORE_BUSY)
#else
#define IDLE_AFTER RELEASED(STORE_IDLE)
#endif

/* @ src/runtime/walk/index.h: cn_index_enter
 * @ src/runtime/walk/index.h: cn_index_leave */
active proctype walk()
{
  bool is_new;

  do
  :: atomic { EVENT(0, STORE_BUSY, NOTHING); busy = true }
  :: atomic { EVENT(0, LOAD_TABLE, NOTHING); is_new = current }
  :: atomic { EVENT(0, LOAD_ENTRY, ADDRESS(LOAD_TABLE)); walked_freed = !is_new && freed }
  :: atomic { EVENT(0, STORE_IDLE, IDLE_AFTER); busy = false }
  :: OVER(0, 4) -> break
  od;
  assert(!walked_freed)
}

/* ---- the writer: a stop's fence follows the replacement ---- */
#define REPLACE 0
#define FENCE 1
#define LOAD_BUSY 2
#define FREE 3
#ifdef BUG_freed_in_the_stop_of_the_replacement
#define IS_FENCED true
#else
#define IS_FENCED IS_BETWEEN_INSTRUCTIONS(0)
#endif

/* @ src/runtime/walk/index.c: replace_table
 * @ src/runtime/walk/index.c: cn_index_free_replaced */
active proctype writer()
{
  bool reads;

  do
  :: atomic { EVENT(1, REPLACE, NOTHING); current = true }
  :: atomic { IS_FENCED && EVENT(1, FENCE, FENCED(REPLACE)) }
  :: atomic { EVENT(1, LOAD_BUSY, FENCED(FENCE)); reads = busy }
#ifdef BUG_busy_ignored
  :: atomic { EVENT(1, FREE, FENCED(FENCE)); freed = true }
#else
  :: atomic { EVENT(1, FREE, CONTROL(LOAD_BUSY)); freed = !reads }
#endif
  :: OVER(1, 4) -> break
  od
}
