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
void cn_stop_remove(struct cairn_mutator *mutator);

/* All mutators, for a requester between begin and end: the first one, and the one after another;
 * null: none. */
struct cairn_mutator *cn_stop_first(void);
struct cairn_mutator *cn_stop_next(const struct cairn_mutator *mutator);

/* ---- the requester ---- */

/* Stop all mutators but the caller's own, `self`, which is at a safepoint; null: the caller is no
 * mutator. When it returns no mutator runs managed code, and none will until cn_stop_end(). Waits
 * for another requester's stop first: it may find a collection done. */
void cn_stop_begin(struct cairn_mutator *self);
void cn_stop_end(struct cairn_mutator *self);

/* ---- the stopped ---- */

/* Is a stop requested of this mutator? Its own thread. */
bool cn_stop_is_requested(const struct cairn_mutator *mutator);

/* The mutator's own thread is at a safepoint, or native code has returned, and it is managed: let
 * stops pass, as many as are requested. What the walk of its stack needs is in the mutator. */
void cn_stop_arrive(struct cairn_mutator *mutator);

/* Before a fork(), on the thread that forks, and after it in the parent: no stop is under way
 * between them. In the child instead: `self`, or nobody if it is null, is the only mutator. */
void cn_stop_fork_begins(void);
void cn_stop_fork_ends(void);
void cn_stop_forked(struct cairn_mutator *self);

#endif
