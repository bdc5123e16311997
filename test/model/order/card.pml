/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread marks a card and stores a young reference, without an order between the two. A collection
 * reads the card and the field. Claimed: a field with a young reference has a dirty card, because the
 * collection begins after the thread's next safepoint.
 */
#include "weak_order.pml"

bool rests, dirty, young;

/* ---- the thread ---- */
#define MARK_CARD 0
#define STORE_FIELD 1
#define REST 2
#ifdef BUG_rests_without_release
#define REST_AFTER NOTHING
#else
#define REST_AFTER RELEASED(REST)
#endif

/* @ src/compile/barriers/barrier_templates.c: emit_card_mark
 * @ src/runtime/threads/stop.c: rest_at_safepoint */
active proctype thread()
{
  do
  :: atomic { EVENT(0, MARK_CARD, NOTHING); dirty = true }
  :: atomic { EVENT(0, STORE_FIELD, NOTHING); young = true }
  :: atomic { EVENT(0, REST, REST_AFTER); rests = true }
  :: OVER(0, 3) -> break
  od
}

/* ---- the collection ---- */
#define LOAD_STATE 0
#define LOAD_CARD 1
#define LOAD_FIELD 2

/* @ src/collectors/generational/cards.c: cn_cards_begin_visits */
active proctype collection()
{
  bool stopped, visited, is_young;

  do
  :: atomic { EVENT(1, LOAD_STATE, NOTHING); stopped = rests }
  :: atomic { EVENT(1, LOAD_CARD, ACQUIRED(LOAD_STATE)); visited = dirty }
  :: atomic { EVENT(1, LOAD_FIELD, ACQUIRED(LOAD_STATE)); is_young = young }
  :: OVER(1, 3) -> break
  od;
#ifdef BUG_cards_read_concurrently
  stopped = true;
#endif
  assert(!stopped || !is_young || visited)
}
