/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks for threads and their signal handlers. If a thread holds a lock and its signal handler takes the lock again,
 * the handler gets an error instead of a deadlock. While a thread holds a lock, only faults interrupt the thread: other
 * signals are deferred, because their handlers may jump out.
 */
#ifndef CN_RUNTIME_CORE_LOCK_H
#define CN_RUNTIME_CORE_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum cn_lock {
  CN_LOCK_IMAGES,     /* changes of the list of images (image.h), and tables made from details of images */
  CN_LOCK_FRAMES,     /* the index over frame maps (index.h) */
  CN_LOCK_HANDLES,    /* the list of unused handles (handles.c) */
  CN_LOCK_WEAK,       /* objects registered for finalisers, and queues; taken before CN_LOCK_HANDLES */
  CN_LOCK_PINS,       /* pins (pins.c) */
  CN_LOCK_PIN_SCOPES, /* open scopes of pins (pin_scopes.c); the holder takes no other lock */
  CN_LOCK_UNFILLED,   /* the list of objects that may be unfilled (uncleared.c); the holder takes no other lock */
  CN_LOCK_ANCHORS,    /* memory for anchors (anchors.h); the holder takes no other lock */
  CN_LOCK_PATCH,      /* code with points, and the tables of patches (src/patch); the holder takes no other lock */
  CN_LOCK_CODE,       /* names of code without a file (src/runtime/code); the holder takes no other lock */
  CN_LOCK_MARKS,      /* the table of marks in phase MUTATE (marked_returns.c); the holder takes no other lock */
  CN_LOCK_LAYOUTS,    /* additions to the layout store (shared_layouts.c); the holder takes no other lock */
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

/* ---- mutex.c ---- */

/* A lock whose waiting threads sleep in the kernel. Any number of threads may wait; a release wakes one thread.
 * test/model/mutex.pml is the lock's model. */

/* A zeroed mutex is free. The child of a fork() may zero a mutex again. */
struct cn_mutex {
  _Atomic uint32_t word;
};

/* Take the mutex; false if another thread still holds it at `deadline` (cn_os_clock_nanoseconds(); UINT64_MAX: wait
 * without limit). The holder must not take the mutex again. Signals are deferred during the wait. */
bool cn_mutex_take(struct cn_mutex *mutex, uint64_t deadline);
void cn_mutex_release(struct cn_mutex *mutex);

/* Like cn_mutex_take(); also false if another thread holds the mutex and `over` returns true. */
typedef bool cn_mutex_give_up_test(const void *env);
bool cn_mutex_take_unless(struct cn_mutex *mutex, uint64_t deadline, cn_mutex_give_up_test *over, const void *env);
/* Make each waiting thread call `over` again, after a change of its result. Any thread. */
void cn_mutex_wake_waiters(struct cn_mutex *mutex);

/* A lock whose holder inherits the real-time priority of waiting threads, for a holder of low priority that threads of
 * high priority wait for. `thread` is the calling thread's number. A zeroed mutex is free; the child of a fork() may
 * zero a mutex again. The holder must not take the mutex again. */
struct cn_inheriting_mutex {
  _Atomic uint32_t word;
};

void cn_inheriting_mutex_take(struct cn_inheriting_mutex *mutex, int thread);
void cn_inheriting_mutex_release(struct cn_inheriting_mutex *mutex, int thread);

#endif
