/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks that signal handlers take as well. A thread that takes a lock again, in a handler that interrupted it at any
 * instruction, gets an error instead of waiting for itself. While a thread holds one, only faults interrupt it:
 * other signals are deferred, because their handlers may jump out.
 */
#ifndef CN_RUNTIME_CORE_LOCK_H
#define CN_RUNTIME_CORE_LOCK_H

#include <stdbool.h>

enum cn_lock {
  CN_LOCK_IMAGES,   /* changes of the list of images (image.h), and the data made of their details */
  CN_LOCK_FRAMES,   /* the index over frame maps (index.h) */
  CN_LOCK_HANDLES,  /* the list of unused handles (handles.h) */
  CN_LOCK_WEAK,     /* objects registered for finalisers, and queues; before CN_LOCK_HANDLES */
  CN_LOCK_PINS,     /* pins (pins.h) */
  CN_LOCK_UNFILLED, /* blocks that may still have to be filled (uncleared.h); its holder takes no other lock */
  CN_LOCK_ANCHORS,  /* memory for anchors (anchors.h); its holder takes no other lock */
  CN_LOCK_COUNT
};

/* False: the calling thread holds it already. */
bool cn_lock_take(enum cn_lock lock);
void cn_lock_release(enum cn_lock lock);

/* The locks that the calling thread holds, a bit for each. After a jump out of a failure: release those that the
 * thread has taken since then; it must still hold all older ones. */
unsigned cn_locks_held_by_thread(void);
void cn_locks_release_others(unsigned held);

/* In the child of a fork(): free the locks of other threads. Call it first, since the other handlers take some of
 * them. */
void cn_locks_reset_in_child(void);

#endif
