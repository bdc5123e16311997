/* SPDX-License-Identifier: Apache-2.0
 *
 * Stopping the world: no thread runs managed code while one collects. docs/threads.md draws the
 * protocol and says why it holds; test/model/stop.pml is its model.
 */
#ifndef CN_RUNTIME_THREADS_STOP_H
#define CN_RUNTIME_THREADS_STOP_H

#include "runtime/core/mutator.h"

/* ---- the registry of mutators ---- */

/* A mutator is there from cn_stop_add() to cn_stop_remove(), which its own thread calls in native
 * code. Each waits for a stop that is under way. */
void cn_stop_add(struct cairn_mutator *mutator);
/* `farewell` is called just before it goes, when no stop is under way. */
typedef void cn_stop_farewell(struct cairn_mutator *mutator);
void cn_stop_remove(struct cairn_mutator *mutator, cn_stop_farewell *farewell);

/* From exclude to include no stop begins, and no mutator comes or goes. Native code, for what takes
 * microseconds. cairn_mutator_next() may be called there, too. */
void cn_stop_exclude(void);
/* False: it is `deadline` by cn_os_nanoseconds(). */
bool cn_stop_exclude_until(uint64_t deadline);
void cn_stop_include(void);

/* ---- the requester ---- */

/* Stop all mutators but the caller's own, `self`, which is at a safepoint; null: the caller is no
 * mutator. When it returns no mutator runs managed code, and none will until cn_stop_end(). Waits
 * for another requester's stop first: it may find a collection done. At the end `self` is managed
 * again before anybody else can stop it, so that a block that it was given meanwhile is its own. */
bool cn_stop_begin(struct cairn_mutator *self);
/* The same for a fork(), in which handlers of signals run on that interrupted native code: for what
 * that holds fork() waits. False, of both: another thread forks, and this one is in such a handler,
 * and must not wait. */
bool cn_stop_begin_fork(struct cairn_mutator *self);
void cn_stop_end(struct cairn_mutator *self);

/* After its poll was armed and a barrier: is it native or at a safepoint, and will it look at its
 * poll word before it is managed? */
bool cn_stop_rests(const struct cairn_mutator *mutator);

/* ---- the stopped ---- */

/* Is a stop requested of this mutator, or a handshake? Its own thread. */
bool cn_stop_is_requested(const struct cairn_mutator *mutator);

/* The mutator's own thread is at a safepoint, or native code has returned, and it is managed: let
 * stops pass, and answer handshakes, as many as are requested. What the walk of its stack needs is
 * in the mutator. */
void cn_stop_arrive(struct cairn_mutator *mutator);

/* For native code of the runtime that touches what stops guard, on the mutator's own thread: it is
 * managed from here on, after the stops that are requested. Then native again. The mutator is
 * busy. */
void cn_stop_come_back(struct cairn_mutator *mutator);
void cn_stop_leave(struct cairn_mutator *mutator);

/* The mutator of the thread with this number; null: it has none. Is it `*stopped`? So it is for the
 * collecting thread, and for others that this one waits for; and for who runs the operation of a
 * handshake with it. Another thread's answer may be over
 * when it has it. */
struct cairn_mutator *cn_stop_find(int thread, bool *stopped);

/* In the child of a fork(), which began in a stop if possible: `self`, or nobody if it is null, is
 * the only mutator. `farewell` is called for the others. */
void cn_stop_forked(struct cairn_mutator *self, cn_stop_farewell *farewell);

#endif
