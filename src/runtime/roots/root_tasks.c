/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives out root-scanning tasks, first the mutators. A code info manager may continue the walk of a mutator on other
 * stacks; each walk claims the stacks that it comes to. The remaining stacks have a waiting place: coroutines' stacks,
 * and the own stacks of threads that are on a coroutine's. Phase STOP, any thread; the mutex `taking` guards the state.
 */
#include "runtime/roots/root_tasks.h"

#include <stdatomic.h>
#include <stdint.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/mutex.h"
#include "runtime/os/os.h"
#include "runtime/walk/coroutine_stacks.h"

static struct cn_mutex taking;
static struct {
  struct cairn_mutator *self;   /* the collecting thread's */
  struct cairn_mutator *thread; /* to be taken next */
  struct cairn_mutator *own;    /* its own stack comes next, after those of coroutines */
  size_t stack;                 /* the coroutine's stack that comes next */
} now;
static _Atomic uint32_t walking; /* mutators that were taken, and are still being walked */
static _Atomic bool awaited;     /* a thread waits until `walking` is 0 */

void cn_root_tasks_begin(void)
{
  CN_CHECK(atomic_load(&walking) == 0);
  cn_coroutine_stacks_begin();
  now.self = &cairn_mutator;
  now.thread = now.own = cairn_mutator_next(NULL);
  now.stack = 0;
}

/* The name for claims of stacks. */
static uintptr_t name_of(const struct cn_root_task *source)
{
  if (!source->waits)
    return (uintptr_t)source->mutator;
  return source->stack ? (uintptr_t)source->stack : (uintptr_t)&source->mutator->own;
}

static bool claim_task_stack(struct cn_root_task *source)
{
  return cn_coroutine_stacks_claim(source->mutator, source->stack, name_of(source));
}

static bool next_thread(struct cn_root_task *source)
{
  if (now.thread == NULL)
    return false;
  *source = (struct cn_root_task){now.thread, now.thread->stack, .waits = false};
  now.thread = cairn_mutator_next(now.thread);
  atomic_fetch_add(&walking, 1);
  return true;
}

static void await_threads(void)
{
  uint32_t count;

  atomic_store(&awaited, true);
  while ((count = atomic_load(&walking)) != 0)
    cn_os_wait(&walking, count, UINT64_MAX);
  atomic_store(&awaited, false);
}

static bool next_waiting(struct cn_root_task *source)
{
  struct cairn_stack *stack;

  if (!cn_coroutine_stacks_any())
    return false;
  await_threads();
  while ((stack = cn_coroutine_stacks_number(now.stack)) != NULL) {
    now.stack++;
    *source = (struct cn_root_task){now.self, stack, .waits = true};
    if (claim_task_stack(source))
      return true;
  }
  while (now.own != NULL) {
    *source = (struct cn_root_task){now.own, NULL, .waits = true};
    now.own = cairn_mutator_next(now.own);
    if (source->mutator->stack != NULL && claim_task_stack(source))
      return true;
  }
  return false;
}

bool cn_root_tasks_next(struct cn_root_task *source)
{
  cn_mutex_take(&taking, UINT64_MAX);
  bool found = next_thread(source) || next_waiting(source);
  cn_mutex_release(&taking);
  return found;
}

/* A mutator outside of safepoints is in native code, and its youngest anchor tells its place. Its state may be managed
 * for a moment, until it reads its poll word and waits. */
bool cn_root_tasks_walk(const struct cn_root_task *source, struct cn_walk *walk)
{
  bool there = source->waits ? cn_walk_waiting(walk, source->mutator, source->stack)
                             : cn_walk_begin(walk, source->mutator, source->mutator->stopped);

  walk->claims = name_of(source);
  return there;
}

void cn_root_tasks_walked(const struct cn_root_task *source)
{
  if (!source->waits && atomic_fetch_sub(&walking, 1) == 1 && atomic_load(&awaited))
    cn_os_wake(&walking);
}

bool cn_root_tasks_done(void)
{
  struct cn_root_task left;

  return atomic_load(&walking) == 0 && !cn_root_tasks_next(&left);
}
