/* SPDX-License-Identifier: Apache-2.0
 *
 * Hands out root-scanning tasks, first for mutators, and begins and ends their walks. A code info manager may continue
 * the walk of a mutator on other stacks; each walk claims the stacks that it reaches. The remaining tasks are for
 * stacks that no thread runs on: stacks of coroutines, and a thread's own stack while the thread runs on a coroutine's
 * stack. Owns the position among the tasks, under the mutex `task_lock`, and the atomic count of mutators' walks, which
 * threads await. Runs in phase STOP: the collecting thread, or a thread that reports on the heap, begins; any thread
 * takes tasks.
 */
#include "runtime/roots/roots.h"

#include <stdatomic.h>
#include <stdint.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/lock.h"
#include "runtime/os/os.h"
#include "runtime/walk/coroutine_stacks.h"

static struct cn_mutex task_lock;
static struct {
  struct cairn_mutator *self;
  struct cairn_mutator *thread; /* the next mutator's task */
  struct cairn_mutator *own;    /* the next waiting own stack; taken after coroutines' stacks */
  size_t stack;                 /* number of the next coroutine's stack */
} task_cursor;
static _Atomic uint32_t walking_mutators;
static _Atomic bool walks_awaited; /* a thread waits until `walking_mutators` is 0 */

void cn_root_tasks_begin(void)
{
  CN_CHECK(atomic_load(&walking_mutators) == 0);
  cn_coroutine_stacks_begin_claims();
  task_cursor.self = &cairn_mutator;
  task_cursor.thread = task_cursor.own = cairn_mutator_next(NULL);
  task_cursor.stack = 0;
}

/* The value that identifies this walk in claims of stacks. */
static uintptr_t claim_name_of(const struct cn_root_task *source)
{
  if (!source->waits)
    return (uintptr_t)source->mutator;
  return source->stack ? (uintptr_t)source->stack : (uintptr_t)&source->mutator->own;
}

static bool claim_task_stack(struct cn_root_task *source)
{
  return cn_coroutine_stacks_claim_stack(source->mutator, source->stack, claim_name_of(source));
}

static bool take_next_mutator(struct cn_root_task *source)
{
  if (task_cursor.thread == NULL)
    return false;
  *source = (struct cn_root_task){task_cursor.thread, task_cursor.thread->stack, .waits = false};
  task_cursor.thread = cairn_mutator_next(task_cursor.thread);
  atomic_fetch_add(&walking_mutators, 1);
  return true;
}

static void await_mutator_walks(void)
{
  uint32_t count;

  atomic_store(&walks_awaited, true);
  while ((count = atomic_load(&walking_mutators)) != 0)
    cn_os_wait_on_word(&walking_mutators, count, UINT64_MAX);
  atomic_store(&walks_awaited, false);
}

static bool take_next_waiting_stack(struct cn_root_task *source)
{
  struct cairn_stack *stack;

  if (!cn_coroutine_stacks_exist())
    return false;
  await_mutator_walks();
  while ((stack = cn_coroutine_stacks_by_number(task_cursor.stack)) != NULL) {
    task_cursor.stack++;
    *source = (struct cn_root_task){task_cursor.self, stack, .waits = true};
    if (claim_task_stack(source))
      return true;
  }
  while (task_cursor.own != NULL) {
    *source = (struct cn_root_task){task_cursor.own, NULL, .waits = true};
    task_cursor.own = cairn_mutator_next(task_cursor.own);
    if (source->mutator->stack != NULL && claim_task_stack(source))
      return true;
  }
  return false;
}

bool cn_root_tasks_take_next(struct cn_root_task *source)
{
  cn_mutex_take(&task_lock, UINT64_MAX);
  bool found = take_next_mutator(source) || take_next_waiting_stack(source);
  cn_mutex_release(&task_lock);
  return found;
}

/* A mutator without a saved safepoint is in native code, and the walk begins at its youngest anchor. The mutator's
 * state may be managed for a moment, until it reads its poll word and waits. */
bool cn_root_tasks_begin_walk(const struct cn_root_task *source, struct cn_walk *walk)
{
  bool there = source->waits ? cn_walk_begin_waiting(walk, source->mutator, source->stack)
                             : cn_walk_begin(walk, source->mutator, source->mutator->stopped);

  walk->claims = claim_name_of(source);
  return there;
}

void cn_root_tasks_end_walk(const struct cn_root_task *source)
{
  if (!source->waits && atomic_fetch_sub(&walking_mutators, 1) == 1 && atomic_load(&walks_awaited))
    cn_os_wake_all(&walking_mutators);
}

bool cn_root_tasks_are_done(void)
{
  struct cn_root_task left;

  return atomic_load(&walking_mutators) == 0 && !cn_root_tasks_take_next(&left);
}
