/* SPDX-License-Identifier: Apache-2.0
 *
 * Stopping the world: all managed code stands while a thread collects. docs/threads.md draws the protocol and says
 * why it holds; test/model/stop.pml is its model.
 */
#ifndef CN_RUNTIME_THREADS_STOP_H
#define CN_RUNTIME_THREADS_STOP_H

#include "runtime/core/mutator.h"
#include "runtime/core/mutex.h"

/* ---- the registry of mutators ---- */

/* Add a mutator to the registry, and remove it. Its own thread calls both, in native code. Each waits for a stop
 * that is under way. */
void cn_stop_add_mutator(struct cairn_mutator *mutator);
/* `farewell` runs just before the mutator goes, outside stops. */
typedef void cn_stop_removal_callback(struct cairn_mutator *mutator);
void cn_stop_remove_mutator(struct cairn_mutator *mutator, cn_stop_removal_callback *farewell);
/* Like cn_stop_remove_mutator(), in a signal handler, which may have interrupted malloc(). False: a fork() is under
 * way, which may wait for malloc()'s lock; the mutator stays. */
bool cn_stop_remove_unless_fork(struct cairn_mutator *mutator, cn_stop_removal_callback *farewell);

/* Check the registry. Returns the error, or null. These hold: each mutator is linked with its neighbours, and the
 * count is right. Linear. The caller holds the registry, by exclude or in a stop. */
const char *cn_stop_registry_wrong(void);

/* Between exclude and include stops cannot begin, and mutators cannot come or go. Native code, for work of
 * microseconds. cairn_mutator_next() may be called there, too. */
void cn_stop_exclude_stops(void);
/* False: `deadline`, by cn_os_clock_nanoseconds(), has passed, or another thread excludes stops and `over` is true. */
bool cn_stop_exclude_stops_unless(uint64_t deadline, cn_mutex_give_up_test *over);
/* An `over` may have become true. Any thread. */
void cn_stop_wake_excluders(void);
void cn_stop_permit_stops(void);

/* ---- the requester ---- */

/* Stop all mutators except the caller's own, `self`, which is at a safepoint; null: the caller is without one. From
 * its return to cn_stop_end() no mutator runs managed code. Waits for another requester's stop first, which may have
 * collected. At the end `self` becomes managed before any other thread can stop it, so that it keeps a block that it
 * was given meanwhile. */
bool cn_stop_begin(struct cairn_mutator *self);
/* Like cn_stop_begin(), for a fork(): during this stop handlers run that interrupted native code, since they may
 * hold locks that fork() waits for. Both return false if another thread forks and this one is in such a handler: it
 * must not wait. */
bool cn_stop_begin_fork(struct cairn_mutator *self);
/* Like cn_stop_begin() for a managed mutator. As soon as the caller could stop the others, outside other stops, the
 * function calls `served`; if that returns true, the stop does not begin. */
enum cn_stop_begun { CN_STOP_BEGUN, CN_STOP_SERVED, CN_STOP_POSTPONED };
typedef bool cn_stop_served_predicate(const void *env);
enum cn_stop_begun cn_stop_begin_unless(struct cairn_mutator *self, cn_stop_served_predicate *served, const void *env);
void cn_stop_end(struct cairn_mutator *self);

/* True if the mutator is native or at a safepoint, and will read its poll word before it is managed. The caller has
 * armed its poll, and then sent a barrier. */
bool cn_stop_is_resting(const struct cairn_mutator *mutator);

/* True if the calling thread has stopped the others, works for a thread that has (workers.h, background.h), or runs
 * the operation of a handshake. Then it would wait for itself in all functions above except cn_stop_end(). */
bool cn_stop_is_own_stop(void);
/* True if this is the only mutator, outside stops and handshakes. */
bool cn_stop_is_only_mutator(void);
/* End the program with a message that names `pc` (own_stop.c). */
_Noreturn void cn_stop_refuse_thread(uintptr_t pc);
/* End the program if cn_stop_is_own_stop(). */
static inline void cn_stop_refuse_own(uintptr_t pc)
{
  if (cn_stop_is_own_stop())
    cn_stop_refuse_thread(pc);
}
/* Like cn_stop_refuse_thread(), as a cleanup of a thread that runs an operation: pthread_exit() or a cancellation ends
 * it. */
void cn_stop_refuse_thread_end(void *unused);

/* ---- the stopped ---- */

/* True if a stop or a handshake is requested of this mutator. Its own thread. */
bool cn_stop_is_requested(const struct cairn_mutator *mutator);

/* Let all requested stops pass, and answer all requested handshakes. The mutator's own thread, managed, at a
 * safepoint or after native code has returned. The mutator has all data that a walk of its stack needs. */
void cn_stop_answer_requests(struct cairn_mutator *mutator);

/* For native code of the runtime that touches data guarded by stops: become managed, after the stops that are
 * requested; then native again. The mutator's own thread; the mutator is busy. */
void cn_stop_become_managed(struct cairn_mutator *mutator);
void cn_stop_become_native(struct cairn_mutator *mutator);

/* The mutator of the thread with this number, or null. `*stopped`: a stop is under way, the calling thread's or one
 * that it waits for, or the calling thread runs the operation of a handshake with that mutator. Otherwise the
 * mutator may be gone when this returns. */
struct cairn_mutator *cn_stop_find_mutator(int thread, bool *stopped);

/* In the child of a fork(), which began in a stop if possible: leave `self` as the only mutator, or an empty
 * registry if it is null. `farewell` runs for the others. */
void cn_stop_reset_after_fork(struct cairn_mutator *self, cn_stop_removal_callback *farewell);

#endif
