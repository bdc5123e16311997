/* SPDX-License-Identifier: Apache-2.0
 *
 * Begins and ends slow paths of native code, and lets stops pass when native code returns to managed code. Before a
 * thread's first managed code, it also sets the heap up.
 *
 * Runs on each thread, for its own mutator, in phase MUTATE. The thread holds no lock; stops may pass when a slow path
 * begins and when native code returns. The mutator has all state.
 */
#include "runtime/threads/stop.h"

#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/core/hooks.h"
#include "runtime/core/poll_word.h"

void cn_slow_path_enter(struct cairn_mutator *mutator, bool native)
{
  CN_ASSERT(mutator == &cairn_mutator && mutator->attached);
  cn_defer_cancellation();
  mutator->busy++;
  if (native)
    cn_stop_become_managed(mutator);
}

void cn_slow_path_leave(struct cairn_mutator *mutator, bool native)
{
  CN_CHECK(mutator->busy != 0);
  if (native)
    cn_stop_become_native(mutator);
  uint64_t busy = --mutator->busy;
  cn_undefer_cancellation();
  if (busy == 0)
    cn_deliver_postponed_signals();
}

/* Set up the heap before the native thread first runs managed code. The thread may have attached before the collector
 * set the table of cards, while another thread set up the heap. */
static void begin_heap(struct cairn_mutator *mutator)
{
  CN_ASSERT(mutator->state == CAIRN_ABI_NATIVE);
  cn_hooks.begin_heap();
  cn_mutator_copy_card_table(mutator);
  cn_poll_word_disarm(mutator, CN_POLL_REASON_HEAP);
}

/* Called after native code has returned. The anchor of the call is still complete, so that walks find the caller's
 * registers. The stub has set the state to native, so that signal handlers may run until `busy` is set. */
void cn_slow_path_back(void)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  uint64_t busy = mutator->busy;

  CN_CHECK(mutator->attached && mutator->stopped == NULL);
  cn_defer_cancellation();
  mutator->busy = 1;
  if (cn_poll_word_is_armed(mutator, CN_POLL_REASON_HEAP))
    begin_heap(mutator);
  cn_stop_become_managed(mutator);
  mutator->busy = busy;
  cn_undefer_cancellation();
  if (busy == 0)
    cn_deliver_postponed_signals();
}
