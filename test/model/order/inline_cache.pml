/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread changes an entry of an inline cache between an odd and an even version, while another looks
 * it up without a lock. Claimed: a look-up that finds one even version finds key and value of one state.
 */
#include "weak_order.pml"

byte version, key, value;

/* ---- the writer ---- */
#define STORE_ODD 0
#define WRITER_FENCE 1
#define STORE_KEY 2
#define STORE_VALUE 3
#define STORE_EVEN 4
#ifdef BUG_writer_without_fence
#define DATA_AFTER NOTHING
#else
#define DATA_AFTER FENCED(WRITER_FENCE)
#endif
#ifdef BUG_even_without_release
#define EVEN_AFTER SAME_PLACE(STORE_ODD)
#else
#define EVEN_AFTER RELEASED(STORE_EVEN)
#endif

/* @ src/patch/inline_cache.c: cn_cache_begin_change
 * @ src/patch/inline_cache.c: set_entry */
active proctype writer()
{
  do
  :: atomic { EVENT(0, STORE_ODD, NOTHING); version = 1 }
  :: atomic { EVENT(0, WRITER_FENCE, FENCED(STORE_ODD)) }
  :: atomic { EVENT(0, STORE_KEY, DATA_AFTER); key = 1 }
  :: atomic { EVENT(0, STORE_VALUE, DATA_AFTER); value = 1 }
  :: atomic { EVENT(0, STORE_EVEN, EVEN_AFTER); version = 2 }
  :: OVER(0, 5) -> break
  od
}

/* ---- the reader ---- */
#define LOAD_VERSION 0
#define LOAD_KEY 1
#define LOAD_VALUE 2
#define READER_FENCE 3
#define LOAD_AGAIN 4
#ifdef BUG_version_without_acquire
#define VERSION_SEEN NOTHING
#else
#define VERSION_SEEN ACQUIRED(LOAD_VERSION)
#endif
#ifdef BUG_reader_without_fence
#define AGAIN_AFTER SAME_PLACE(LOAD_VERSION)
#else
#define AGAIN_AFTER (SAME_PLACE(LOAD_VERSION) | FENCED(READER_FENCE))
#endif

/* @ include/cairn/inline_cache.h: cairn_inline_cache_match_ */
active proctype reader()
{
  byte before, after, seen_key, seen_value;

  do
  :: atomic { EVENT(1, LOAD_VERSION, NOTHING); before = version }
  :: atomic { EVENT(1, LOAD_KEY, VERSION_SEEN); seen_key = key }
  :: atomic { EVENT(1, LOAD_VALUE, VERSION_SEEN); seen_value = value }
  :: atomic { EVENT(1, READER_FENCE, FENCED(LOAD_VERSION) | FENCED(LOAD_KEY) | FENCED(LOAD_VALUE)) }
  :: atomic { EVENT(1, LOAD_AGAIN, AGAIN_AFTER); after = version }
  :: OVER(1, 5) -> break
  od;
  assert(before != after || before % 2 != 0 || seen_key == seen_value)
}
