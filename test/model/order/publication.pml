/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread makes an object and stores its address, by a race, where another thread or a marker finds
 * it. Claimed: who finds the address finds the header, and a field that is cleared.
 */
#include "weak_order.pml"

#define GARBAGE 9
byte header = GARBAGE, field = GARBAGE;
bool shared, found; /* the address is there; it was found */

/* ---- the thread ---- */
#define STORE_HEADER 0
#define STORE_FIELD 1
#define FENCE 2 /* dmb ishst */
#define PUBLISH 3
#if defined BUG_no_fence
#define FENCE_AFTER NOTHING
#define PUBLISH_AFTER NOTHING
#elif defined BUG_fence_before_clearing
#define FENCE_AFTER FENCED(STORE_HEADER)
#define PUBLISH_AFTER FENCED(FENCE)
#else
#define FENCE_AFTER (FENCED(STORE_HEADER) | FENCED(STORE_FIELD))
#define PUBLISH_AFTER FENCED(FENCE)
#endif

/* @ src/runtime/heap/managed_heap.h: cn_heap_order_new_object
 * @ src/compile/core/emit.c: cn_emit_store_fence */
active proctype thread()
{
  do
  :: atomic { EVENT(0, STORE_HEADER, NOTHING); header = 1 }
  :: atomic { EVENT(0, STORE_FIELD, NOTHING); field = 0 }
  :: atomic { EVENT(0, FENCE, FENCE_AFTER) }
  :: atomic { EVENT(0, PUBLISH, PUBLISH_AFTER); shared = true }
  :: OVER(0, 4) -> break
  od
}

/* ---- the reader: a managed thread, or the marker ---- */
#define LOAD_REFERENCE 0
#define LOAD_HEADER 1
#define LOAD_FIELD 2
#ifdef BUG_no_dependency
#define REFERENCE_SEEN NOTHING /* such as a branch on the reference, and a load from an address known before */
#else
#define REFERENCE_SEEN ADDRESS(LOAD_REFERENCE)
#endif

/* @ src/collectors/generational/marker.c: visit_slot */
active proctype reader()
{
  byte seen_header, seen_field;

  do
  :: atomic { EVENT(1, LOAD_REFERENCE, NOTHING); found = shared }
  :: atomic { EVENT(1, LOAD_HEADER, REFERENCE_SEEN); seen_header = header }
  :: atomic { EVENT(1, LOAD_FIELD, REFERENCE_SEEN); seen_field = field }
  :: OVER(1, 3) -> break
  od;
  assert(!found || (seen_header == 1 && seen_field == 0))
}
