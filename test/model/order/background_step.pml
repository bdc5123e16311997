/* SPDX-License-Identifier: Apache-2.0
 *
 * The background thread begins a step while a stop holds steps: each side stores its word and then
 * loads the other's. Claimed: at least one of the two sees the other. Epochs of readers (readers.c),
 * checks of images (managed_heap.c) and waits of requesters (stop.c) have the same form: their orders
 * are sequentially consistent, since release and acquire do not order a store before a later load.
 */
#include "weak_order.pml"

bool active_step, held, runs, awaits;

#define STORE 0
#define LOAD 1
#ifdef BUG_release_and_acquire_only
#define LOAD_AFTER NOTHING
#else
#define LOAD_AFTER ORDERED(STORE)
#endif

/* @ src/runtime/threads/background.c: run_step_unless_held */
active proctype background()
{
  do
  :: atomic { EVENT(0, STORE, NOTHING); active_step = true }
  :: atomic { EVENT(0, LOAD, LOAD_AFTER); runs = !held }
  :: OVER(0, 2) -> break
  od
}

/* @ src/runtime/threads/background.c: cn_background_hold_steps
 * @ src/runtime/threads/background.c: cn_background_await_step */
active proctype requester()
{
  do
  :: atomic { EVENT(1, STORE, NOTHING); held = true }
  :: atomic { EVENT(1, LOAD, LOAD_AFTER); awaits = active_step }
  :: OVER(1, 2) -> break
  od;
  OVER(0, 2);
  assert(!runs || awaits)
}
