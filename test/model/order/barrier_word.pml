/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector prepares itself and sets the word of a snapshot barrier in a running thread's mutator.
 * Claimed: if compiled code finds the word set, the slow path finds the collector prepared.
 */
#include "weak_order.pml"

bool barrier, prepared, slow;

/* ---- the thread ---- */
#define LOAD_BARRIER 0
#define FENCE 1 /* of loads */
#define LOAD_COLLECTOR 2
#ifdef BUG_slow_path_without_fence
#define COLLECTOR_AFTER NOTHING
#else
#define COLLECTOR_AFTER FENCED(FENCE)
#endif

/* @ src/runtime/heap/barrier_slow_paths.c: see_collector */
active proctype thread()
{
  bool seen;

  do
  :: atomic { EVENT(0, LOAD_BARRIER, NOTHING); slow = barrier }
  :: atomic { EVENT(0, FENCE, FENCED(LOAD_BARRIER)) }
  :: atomic { EVENT(0, LOAD_COLLECTOR, COLLECTOR_AFTER); seen = prepared }
  :: OVER(0, 3) -> break
  od;
  assert(!slow || seen)
}

/* ---- the requester of the handshake ---- */
#define PREPARE 0
#define STORE_BARRIER 1
#ifdef BUG_word_without_release
#define BARRIER_AFTER NOTHING
#else
#define BARRIER_AFTER RELEASED(STORE_BARRIER)
#endif

/* @ src/runtime/core/mutator.c: cn_mutator_copy_barrier_words */
active proctype requester()
{
  do
  :: atomic { EVENT(1, PREPARE, NOTHING); prepared = true }
  :: atomic { EVENT(1, STORE_BARRIER, BARRIER_AFTER); barrier = true }
  :: OVER(1, 2) -> break
  od
}
