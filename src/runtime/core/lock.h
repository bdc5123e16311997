/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks that signal handlers take as well. If a thread holds one and takes it again, in a handler
 * that has interrupted it at whichever instruction, it is told so instead of waiting for itself.
 * While a thread holds one only faults come: other signals wait, for their handlers may leave by a
 * jump.
 */
#ifndef CN_RUNTIME_CORE_LOCK_H
#define CN_RUNTIME_CORE_LOCK_H

#include <stdbool.h>

enum cn_lock {
  CN_LOCK_IMAGES,  /* changes of the list of images (image.h), and what is made of their details */
  CN_LOCK_FRAMES,  /* the index over frame maps (index.h) */
  CN_LOCK_HANDLES, /* the list of unused handles (handles.h) */
  CN_LOCK_ANCHORS, /* memory for anchors (anchors.h); whoever holds it takes no other */
  CN_LOCKS
};

/* Held for microseconds: a thread that waits yields. False: the calling thread holds it already. */
bool cn_lock_take(enum cn_lock lock);
void cn_lock_release(enum cn_lock lock);

/* Which ones the calling thread holds, a bit for each. After a jump out of a failure: give back all
 * that it has taken since then; it has given none back meanwhile. */
unsigned cn_locks_held(void);
void cn_locks_restore(unsigned held);

/* Once, before there is a second thread: have locks that others hold freed in the child of a
 * fork(). */
void cn_locks_prepare(void);

#endif
