/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the walks of a collection begin: together they find all activations, and several threads
 * may make them at a time.
 */
#ifndef CN_RUNTIME_ROOTS_ROOT_TASKS_H
#define CN_RUNTIME_ROOTS_ROOT_TASKS_H

#include <stdbool.h>
#include <cairn/stack.h>
#include "runtime/core/mutator.h"
#include "runtime/walk/walk.h"

/* The place of a mutator, on whatever stack it is; or (`waits`) what waits on a stack that no
 * thread is on: null is the mutator's own. */
struct cn_root_task {
  struct cairn_mutator *mutator;
  struct cairn_stack *stack;
  bool waits;
};

/* Phase STOP, collecting thread: begin an enumeration. */
void cn_root_tasks_begin(void);

/* Phase STOP, any thread: take the next one. False: none is left. A mutator's walk may lead over
 * several stacks; so this waits for the walks of all mutators before it names a stack on which
 * something waits. */
bool cn_root_tasks_next(struct cn_root_task *source);

/* Begin the walk. False: there is no activation. The thread that took the source may repeat it,
 * until it says cn_root_tasks_walked(). */
bool cn_root_tasks_walk(const struct cn_root_task *source, struct cn_walk *walk);
void cn_root_tasks_walked(const struct cn_root_task *source);

/* Has each source been taken and walked? */
bool cn_root_tasks_done(void);

#endif
