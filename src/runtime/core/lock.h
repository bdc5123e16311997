/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks for threads and their signal handlers. If a thread holds a lock and its signal handler takes the lock again,
 * the handler gets an error instead of a deadlock. While a thread holds a lock, only faults interrupt the thread: other
 * signals are deferred, because their handlers may jump out.
 */
#ifndef CN_RUNTIME_CORE_LOCK_H
#define CN_RUNTIME_CORE_LOCK_H

#include <stdbool.h>

enum cn_lock {
  CN_LOCK_IMAGES,   /* changes of the list of images (image.h), and tables made from details of images */
  CN_LOCK_FRAMES,   /* the index over frame maps (index.h) */
  CN_LOCK_HANDLES,  /* the list of unused handles (handles.h) */
  CN_LOCK_WEAK,     /* objects registered for finalisers, and queues; taken before CN_LOCK_HANDLES */
  CN_LOCK_PINS,     /* pins (pins.h) */
  CN_LOCK_UNFILLED, /* the list of objects that may be unfilled (uncleared.h); the holder takes no other lock */
  CN_LOCK_ANCHORS,  /* memory for anchors (anchors.h); the holder takes no other lock */
  CN_LOCK_PATCH,    /* code with points, and the tables of patches (src/patch); the holder takes no other lock */
  CN_LOCK_CODE,     /* names of code without a file (src/runtime/code); the holder takes no other lock */
  CN_LOCK_COUNT
};

/* False: the calling thread holds the lock already. */
bool cn_lock_take(enum cn_lock lock);
void cn_lock_release(enum cn_lock lock);

/* The locks that the calling thread holds, a bit for each. After a jump out of a failure, cn_locks_release_others()
 * restores an earlier result: it releases all other locks of the thread. The thread must still hold the locks of
 * `held`. */
unsigned cn_locks_held_by_thread(void);
void cn_locks_release_others(unsigned held);

/* Free the locks of other threads in the child of a fork(). This handler of the fork runs first, since other handlers
 * take locks. */
void cn_locks_reset_in_child(void);

#endif
