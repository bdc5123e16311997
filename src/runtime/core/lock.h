/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks of what signal handlers ask about as well. A thread that holds one and asks again, from a
 * handler that has interrupted it, is told so instead of waiting for itself, at whichever
 * instruction the signal came. Only a fault comes while it holds one: other signals wait, for their
 * handlers may leave by a jump.
 */
#ifndef CN_RUNTIME_CORE_LOCK_H
#define CN_RUNTIME_CORE_LOCK_H

#include <stdbool.h>

enum cn_lock {
  CN_LOCK_IMAGES, /* the list of images (image.h), and what is made of their details */
  CN_LOCK_FRAMES, /* the index over frame maps (index.h); may take the first one */
  CN_LOCKS
};

/* Held for microseconds: who waits, yields. False: the calling thread holds it already. */
bool cn_lock_take(enum cn_lock lock);
void cn_lock_release(enum cn_lock lock);

/* Which ones the calling thread holds, a bit for each; and to give back all that it has taken since
 * then, for who comes back from a failure by a jump. */
unsigned cn_locks_held(void);
void cn_locks_restore(unsigned held);

/* Once, before there is a second thread: locks that others hold are free in the child of a
 * fork(). */
void cn_locks_prepare(void);

#endif
