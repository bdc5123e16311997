/* SPDX-License-Identifier: Apache-2.0
 *
 * Root-scanning tasks: the stack walks of a collection. Together the tasks find all activations; several threads may do
 * tasks in parallel.
 */
#ifndef CN_RUNTIME_ROOTS_ROOT_TASKS_H
#define CN_RUNTIME_ROOTS_ROOT_TASKS_H

#include <stdbool.h>
#include <cairn/stack.h>
#include "runtime/core/mutator.h"
#include "runtime/walk/walk.h"

/* A mutator with its current stack, or (`waits`) a stack that no thread runs on. A null stack is the mutator's own
 * stack. */
struct cn_root_task {
  struct cairn_mutator *mutator;
  struct cairn_stack *stack;
  bool waits;
};

/* Phase STOP, collecting thread: begin an enumeration. */
void cn_root_tasks_begin(void);

/* Phase STOP, any thread: take the next task. False: all tasks are taken. A mutator's walk may continue on several
 * stacks, so this call waits for the walks of all mutators before it returns a waiting stack. */
bool cn_root_tasks_take_next(struct cn_root_task *source);

/* Begin the walk. False: the stack has no activation. The thread that took the task may repeat the walk, until it calls
 * cn_root_tasks_end_walk(). */
bool cn_root_tasks_begin_walk(const struct cn_root_task *source, struct cn_walk *walk);
void cn_root_tasks_end_walk(const struct cn_root_task *source);

/* True if all tasks have been taken and all walks have ended. */
bool cn_root_tasks_are_done(void);

#endif
