/* SPDX-License-Identifier: Apache-2.0
 *
 * Stops the world: no managed code runs while a thread collects. docs/threads.md explains the protocol;
 * test/model/stop.pml is its model.
 */
#ifndef CN_RUNTIME_THREADS_STOP_H
#define CN_RUNTIME_THREADS_STOP_H

#include <stdbool.h>
#include "runtime/core/lock.h"
#include "runtime/core/mutator.h"
#include "runtime/os/os.h"

/* ---- the registry of mutators ---- */

/* Add a mutator to the registry, and remove it. The mutator's own thread calls both functions, in native code. Both
 * wait for the end of a stop. */
void cn_stop_add_mutator(struct cairn_mutator *mutator);
/* `farewell` runs just before the mutator is removed, outside stops. */
typedef void cn_stop_removal_callback(struct cairn_mutator *mutator);
void cn_stop_remove_mutator(struct cairn_mutator *mutator, cn_stop_removal_callback *farewell);
/* Like cn_stop_remove_mutator(), in a signal handler, which may have interrupted malloc(). False: another thread forks
 * and may wait for malloc()'s lock; the mutator stays. */
bool cn_stop_remove_unless_fork(struct cairn_mutator *mutator, cn_stop_removal_callback *farewell);

/* Check the registry's links and its count. Returns the error, or null. Linear. The caller holds the registry, by
 * cn_stop_exclude_stops() or in a stop. */
const char *cn_stop_registry_wrong(void);

/* Hold the registry up to cn_stop_permit_stops(): stops cannot begin, and mutators cannot be added or removed. Called
 * in native code, for work of microseconds. The holder may call cairn_mutator_next(). */
void cn_stop_exclude_stops(void);
/* Like cn_stop_exclude_stops(). False: `deadline` (cn_os_clock_nanoseconds()) has passed, or another thread holds the
 * registry and `over` returns true. */
bool cn_stop_exclude_stops_unless(uint64_t deadline, cn_mutex_give_up_test *over);
/* Make waiting threads call `over` again, after a change of its result. Any thread. */
void cn_stop_wake_excluders(void);
void cn_stop_permit_stops(void);

/* ---- the requester ---- */

/* Stop all mutators except the caller's mutator `self`, which is at a safepoint; null: the caller has no mutator. From
 * the return to cn_stop_end() no mutator runs managed code. First waits for another requester's stop, which may have
 * collected. At the end `self` becomes managed before any other thread can stop it, so that it keeps a block that it
 * allocated during the stop. */
bool cn_stop_begin(struct cairn_mutator *self);
/* Like cn_stop_begin(), for a fork(). During this stop handlers that interrupted native code continue, because they may
 * hold locks that fork() waits for. Both functions return false if another thread forks and the caller is in such a
 * handler, which must not wait. */
bool cn_stop_begin_fork(struct cairn_mutator *self);
/* Like cn_stop_begin(), for a managed mutator. After other stops have ended, the function calls `served`, and begins
 * the stop only if the result is false. */
enum cn_stop_begun { CN_STOP_BEGUN, CN_STOP_SERVED, CN_STOP_POSTPONED };
typedef bool cn_stop_served_predicate(const void *env);
enum cn_stop_begun cn_stop_begin_unless(struct cairn_mutator *self, cn_stop_served_predicate *served, const void *env);
void cn_stop_end(struct cairn_mutator *self);

/* True if the mutator is native or at a safepoint, and will read its poll word before it runs managed code. The caller
 * has armed the poll, and then called cn_os_fence_all_threads(). */
bool cn_stop_is_resting(const struct cairn_mutator *mutator);

/* True if the calling thread has stopped the others, works for a stop of another thread (workers.h, background.c), or
 * runs the operation of a handshake. Such a thread would wait for itself in all functions above except
 * cn_stop_end(). */
bool cn_stop_is_own_stop(void);
/* True if the caller's mutator is the only one, outside stops and handshakes. */
bool cn_stop_is_only_mutator(void);
/* End the program with a message that names `pc` (own_stop.c). */
_Noreturn void cn_stop_refuse_thread(uintptr_t pc);
static inline void cn_stop_refuse_own(uintptr_t pc)
{
  if (cn_stop_is_own_stop())
    cn_stop_refuse_thread(pc);
}
/* Like cn_stop_refuse_thread(), as the cleanup function of a thread that runs an operation: called if pthread_exit() or
 * a cancellation ends the thread. */
void cn_stop_refuse_thread_end(void *unused);

/* ---- the stopped ---- */

/* True if a stop or a handshake of this mutator is requested. Called by the mutator's own thread. */
bool cn_stop_is_requested(const struct cairn_mutator *mutator);

/* Let all requested stops pass, and answer all requested handshakes. Called by the mutator's own thread in the managed
 * state, at a safepoint or after native code has returned. The mutator has the data for a walk of its stack. */
void cn_stop_answer_requests(struct cairn_mutator *mutator);

/* Become managed after all requested stops have passed, and become native again, for native code of the runtime that
 * accesses data guarded by stops. Called by the mutator's own thread; the mutator is busy. */
void cn_stop_become_managed(struct cairn_mutator *mutator);
void cn_stop_become_native(struct cairn_mutator *mutator);

/* The mutator of the thread with this number, or null. `*stopped` is true during a stop that the calling thread has
 * begun or waits for, and during the operation of a handshake with this mutator on the calling thread. If `*stopped` is
 * false, the mutator may have ended when this returns. */
struct cairn_mutator *cn_stop_find_mutator(int thread, bool *stopped);

/* Called in the child of a fork(), which began in a stop if possible: keep only `self` in the registry, or no mutator
 * if `self` is null. `farewell` runs for all other mutators. */
void cn_stop_reset_after_fork(struct cairn_mutator *self, cn_stop_removal_callback *farewell);

/* ---- native_stop.c ---- */

/* Stops of the world that native code requests, outside of collections: to unload an image, or to change code. */

/* The reason why the calling thread must not stop the world. */
enum cn_native_stop_refusal {
  CN_NATIVE_STOP_ALLOWED,
  CN_NATIVE_STOP_WITHOUT_SAFEPOINTS, /* code without safepoints is loaded: stops, and so collections, are impossible */
  CN_NATIVE_STOP_AT_EXIT,            /* the thread runs exit handlers at a safepoint */
  CN_NATIVE_STOP_OWN,                /* the thread has stopped others, or works for such a thread */
  CN_NATIVE_STOP_HANDLER,            /* a handler that interrupted managed code: another thread may wait for its end */
  CN_NATIVE_STOP_LEAF,               /* managed code called the function as a leaf, without an anchor */
};
enum cn_native_stop_refusal cn_native_stop_check(void);

/* Stop the world until cn_native_stop_end(); cn_native_stop_check() has allowed the stop. False: another thread forks,
 * and the caller is a signal handler. */
bool cn_native_stop_begin(void);
void cn_native_stop_end(void);

/* ---- slow_path.c ---- */

/* Slow paths that change data guarded by stops. The mutator is busy and managed, so that signals and stops wait. */

/* Begin and end a slow path of the calling thread's mutator. A `native` mutator becomes managed after all requested
 * stops have passed, and native again at the end. The end of the outermost slow path delivers the signals that came
 * during the slow path. A handler of these signals may jump out. */
void cn_slow_path_enter(struct cairn_mutator *mutator, bool native);
void cn_slow_path_leave(struct cairn_mutator *mutator, bool native);

/* Let a requested stop pass when native code returns to managed code, or calls it. The stubs also call this. */
void cn_slow_path_back(void);

/* ---- unseen.c ---- */

/* Detects and repairs child processes made without the handlers of fork(): by _Fork(), clone() or the system call. */

/* Do the work of the handlers in such a child, or end the child if the parent had other threads that ran managed
 * code. */
void cn_unseen_repair_child(void);

/* Each entry into the runtime that waits for other threads, or writes to files, begins with this call. */
static inline void cn_unseen_check_process(void)
{
  if (cn_os_is_new_process())
    cn_unseen_repair_child();
}

#endif
