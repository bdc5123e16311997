/* SPDX-License-Identifier: Apache-2.0
 *
 * A mutator's state says whether a requester has to wait for it. Managed code changes it by plain
 * stores, and looks at the poll word after that; a requester sets poll words, has every processor
 * order its accesses (cn_os_barrier()), and looks at the states after that. So one of the two sees
 * the other:
 *
 *    mutator, back from native code          requester
 *      state = MANAGED                         poll |= STOP
 *      (no fence)                              barrier on all processors
 *      poll & STOP? arrive                     state == MANAGED? wait for it
 *
 * A mutator that waits is as good as one in native code. Whoever is one and wants to stop the
 * others counts as waiting from before it takes the lock, so two requesters do not wait for each
 * other.
 */
#include "runtime/threads/stop.h"

#include <stdatomic.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/core/mutex.h"
#include "runtime/core/poll_word.h"
#include "runtime/os/os.h"

enum { AGAIN = 100000 }; /* nanoseconds between two looks at a state */

static struct cn_mutex lock;        /* of the registry, and held during a stop */
static struct cairn_mutator *first; /* of the registry; the last one added */
static _Atomic uint32_t stopping;   /* is a stop under way? */
static _Atomic uint32_t arrivals; /* changes after each change of a state that a requester awaits */

/* ---- states ---- */

static uint8_t state_of(const struct cairn_mutator *mutator)
{
  return __atomic_load_n(&mutator->state, __ATOMIC_SEQ_CST);
}

static void set_state(struct cairn_mutator *mutator, uint8_t state)
{
  __atomic_store_n(&mutator->state, state, __ATOMIC_SEQ_CST);
}

static void rest(struct cairn_mutator *mutator)
{
  set_state(mutator, CAIRN_ABI_SAFEPOINT);
  atomic_fetch_add(&arrivals, 1);
  if (atomic_load(&stopping))
    cn_os_wake(&arrivals);
}

bool cn_stop_is_requested(const struct cairn_mutator *mutator)
{
  return cn_poll_word_is_armed(mutator, CN_REASON_STOP);
}

/* The word is read after the state is set, in one order for all threads. */
static bool goes_on(struct cairn_mutator *mutator)
{
  set_state(mutator, CAIRN_ABI_MANAGED);
  return !cn_stop_is_requested(mutator);
}

void cn_stop_arrive(struct cairn_mutator *mutator)
{
  CN_CHECK(state_of(mutator) == CAIRN_ABI_MANAGED);
  do {
    rest(mutator);
    while (atomic_load(&stopping))
      cn_os_wait(&stopping, 1, UINT64_MAX);
  } while (!goes_on(mutator));
}

/* ---- the registry ---- */

static void take(void)
{
  bool taken = cn_mutex_take(&lock, UINT64_MAX);

  CN_CHECK(taken);
}

void cn_stop_add(struct cairn_mutator *mutator)
{
  CN_CHECK(state_of(mutator) != CAIRN_ABI_MANAGED && mutator->next == NULL);
  take();
  mutator->next = first;
  mutator->previous = NULL;
  if (first)
    first->previous = mutator;
  first = mutator;
  cn_mutex_release(&lock);
}

void cn_stop_remove(struct cairn_mutator *mutator)
{
  CN_CHECK(state_of(mutator) != CAIRN_ABI_MANAGED);
  take();
  CN_CHECK(mutator->previous ? mutator->previous->next == mutator : first == mutator);
  if (mutator->previous)
    mutator->previous->next = mutator->next;
  else
    first = mutator->next;
  if (mutator->next)
    mutator->next->previous = mutator->previous;
  mutator->next = mutator->previous = NULL;
  cn_mutex_release(&lock);
}

struct cairn_mutator *cn_stop_first(void)
{
  CN_ASSERT(atomic_load(&stopping));
  return first;
}

struct cairn_mutator *cn_stop_next(const struct cairn_mutator *mutator)
{
  return mutator->next;
}

void cn_stop_fork_begins(void)
{
  take();
}

void cn_stop_fork_ends(void)
{
  cn_mutex_release(&lock);
}

void cn_stop_forked(struct cairn_mutator *self)
{
  CN_CHECK(!atomic_load(&stopping) && (!self || !cn_stop_is_requested(self)));
  first = self;
  if (self)
    self->next = self->previous = NULL;
  atomic_store(&lock.word, 0);
}

/* ---- requesters ---- */

/* The number of arrivals is read first: whoever arrives after the look changes it. But a thread
 * that goes to native code tells nobody, so look again from time to time. */
static void await(const struct cairn_mutator *mutator)
{
  uint32_t before = atomic_load(&arrivals);

  while (state_of(mutator) == CAIRN_ABI_MANAGED) {
    cn_os_wait(&arrivals, before, cn_os_nanoseconds() + AGAIN);
    before = atomic_load(&arrivals);
  }
}

void cn_stop_begin(struct cairn_mutator *self)
{
  if (self && state_of(self) == CAIRN_ABI_MANAGED)
    rest(self);
  take();
  atomic_store(&stopping, 1);
  for (struct cairn_mutator *m = first; m; m = m->next)
    if (m != self)
      cn_poll_word_arm(m, CN_REASON_STOP);
  if (first != self || (self && self->next))
    cn_os_barrier();
  for (struct cairn_mutator *m = first; m; m = m->next)
    if (m != self)
      await(m);
}

void cn_stop_end(struct cairn_mutator *self)
{
  CN_CHECK(atomic_load(&stopping) && (!self || state_of(self) != CAIRN_ABI_MANAGED));
  for (struct cairn_mutator *m = first; m; m = m->next)
    if (m != self)
      cn_poll_word_disarm(m, CN_REASON_STOP);
  atomic_store(&stopping, 0);
  cn_os_wake(&stopping);
  cn_mutex_release(&lock);
  if (self && state_of(self) == CAIRN_ABI_SAFEPOINT && !goes_on(self))
    cn_stop_arrive(self);
}
