/* SPDX-License-Identifier: Apache-2.0
 *
 * Root-scanning tasks: the walks of a collection. Together they find all activations, and several threads may make them
 * at a time.
 */
#ifndef CN_RUNTIME_ROOTS_ROOT_TASKS_H
#define CN_RUNTIME_ROOTS_ROOT_TASKS_H

#include <stdbool.h>
#include <cairn/stack.h>
#include "runtime/core/mutator.h"
#include "runtime/walk/walk.h"

/* The place of a mutator, on its current stack; or (`waits`) the place that waits on a stack that all threads have
 * left: a null stack is the mutator's own. */
struct cn_root_task {
  struct cairn_mutator *mutator;
  struct cairn_stack *stack;
  bool waits;
};

/* Phase STOP, collecting thread: begin an enumeration. */
void cn_root_tasks_begin(void);

/* Phase STOP, any thread: take the next task. False: all are taken. A mutator's walk may continue over several stacks.
 * So this waits for the walks of all mutators before it names a stack with a waiting place. */
bool cn_root_tasks_take_next(struct cn_root_task *source);

/* Begin the walk. False: the stack has no activation. The thread that took the task may repeat the walk, until it calls
 * cn_root_tasks_end_walk(). */
bool cn_root_tasks_begin_walk(const struct cn_root_task *source, struct cn_walk *walk);
void cn_root_tasks_end_walk(const struct cn_root_task *source);

/* True if each task has been taken and walked. */
bool cn_root_tasks_are_done(void);

#endif
