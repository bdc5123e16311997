/* SPDX-License-Identifier: Apache-2.0
 *
 * Stops mutators and keeps their registry. A mutator's state says whether a requester has to wait for it. Managed
 * code changes it by plain stores, and reads the poll word after that. A requester sets poll words, has every
 * processor order its accesses (cn_os_barrier()), and reads the states after that. So one of the two sees the other:
 *
 *    mutator, back from native code          requester
 *      state = MANAGED                         poll |= STOP
 *      (no fence)                              barrier on all processors
 *      poll & STOP? arrive                     state == MANAGED? wait for it
 *
 * A waiting mutator counts as one in native code. A requester that has a mutator counts as waiting from before it
 * takes the lock, so that two requesters do not wait for each other.
 */
#include "runtime/threads/stop.h"

#include <stdatomic.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/core/hooks.h"
#include "runtime/core/mutex.h"
#include "runtime/core/poll_word.h"
#include "runtime/events/event_dispatch.h"
#include "runtime/os/os.h"
#include "runtime/threads/background.h"
#include "runtime/threads/handshake.h"
#include "runtime/threads/unseen.h"
#include "runtime/threads/workers.h"

enum { RECHECK_NANOSECONDS = 100000 }; /* nanoseconds between two reads of a state, by one requester */

static struct cn_mutex lock;        /* of the registry, and held during a stop */
static struct cairn_mutator *first; /* of the registry; the last one added */
static _Atomic size_t count;        /* of mutators */
static _Atomic bool forking;        /* the stop is for a fork() */
static _Atomic uint32_t stopping;   /* true if a stop is under way */
static uint64_t standing;           /* time since which all stand */
static struct cn_mutex fork_lock;   /* of `open`, and of the registry while that is set */
static _Atomic bool open;           /* fork() is under way: handlers may add their mutators */
static _Thread_local bool holding;  /* the calling thread has `lock` */
static _Atomic uint32_t arrivals;   /* changes after each change of a state that a requester awaits */
static _Atomic bool awaiting;       /* the requester waits in the kernel */

/* ---- states ---- */

static uint8_t state_of(const struct cairn_mutator *mutator)
{
  return __atomic_load_n(&mutator->state, __ATOMIC_SEQ_CST);
}

static void set_state(struct cairn_mutator *mutator, uint8_t state)
{
  __atomic_store_n(&mutator->state, state, __ATOMIC_SEQ_CST);
}

static void rest_at_safepoint(struct cairn_mutator *mutator)
{
  set_state(mutator, CAIRN_ABI_SAFEPOINT);
  atomic_fetch_add(&arrivals, 1);
  if (atomic_load(&awaiting))
    cn_os_wake(&arrivals);
}

bool cn_stop_is_requested(const struct cairn_mutator *mutator)
{
  return cn_poll_word_is_armed(mutator, CN_REASON_STOP) || cn_handshake_is_requested(mutator);
}

/* Set the state, then read the word, in one order for all threads. */
static bool goes_on(struct cairn_mutator *mutator)
{
  set_state(mutator, CAIRN_ABI_MANAGED);
  return !cn_stop_is_requested(mutator);
}

/* True if the thread may run during this stop. A stop for a fork() excludes collections, and the child repairs the
 * data of other threads. So a signal handler runs on: it may have interrupted malloc(), whose locks fork() waits
 * for. */
static bool goes_through(const struct cairn_mutator *mutator)
{
  return mutator == &cairn_mutator && atomic_load(&forking) && cn_thread_delivers();
}

static void let_pass(struct cairn_mutator *mutator)
{
  rest_at_safepoint(mutator);
  while (atomic_load(&stopping) && !goes_through(mutator))
    cn_os_wait(&stopping, 1, UINT64_MAX);
}

/* A handler that interrupted managed code runs on: walks end at it, and requesters wait for its end. A thread that
 * runs during the stop of a fork() checks again once it is managed: another stop, which saw it wait, may have begun
 * in between. */
static bool need_not_wait(struct cairn_mutator *mutator)
{
  bool interrupting = mutator->interruptions % 2 != 0;

  if (!interrupting && !goes_through(mutator))
    return false;
  set_state(mutator, CAIRN_ABI_MANAGED);
  return interrupting || goes_through(mutator);
}

void cn_stop_arrive(struct cairn_mutator *mutator)
{
  do {
    if (need_not_wait(mutator))
      return;
    cn_handshake_answer(mutator);
    if (cn_poll_word_is_armed(mutator, CN_REASON_STOP))
      let_pass(mutator);
  } while (!goes_on(mutator));
}

/* No fence between the store and the load, as in the stubs. Signals are deferred: a handler between the two would
 * run managed code during a collection. */
void cn_stop_come_back(struct cairn_mutator *mutator)
{
  CN_CHECK(mutator->busy && state_of(mutator) != CAIRN_ABI_SAFEPOINT);
  __atomic_store_n(&mutator->state, CAIRN_ABI_MANAGED, __ATOMIC_RELAXED);
  atomic_signal_fence(memory_order_seq_cst);
  if (cn_stop_is_requested(mutator))
    cn_stop_arrive(mutator);
}

void cn_stop_leave(struct cairn_mutator *mutator)
{
  CN_CHECK(state_of(mutator) == CAIRN_ABI_MANAGED);
  __atomic_store_n(&mutator->state, CAIRN_ABI_NATIVE, __ATOMIC_RELEASE);
}

/* ---- the registry ---- */

const char *cn_stop_registry_wrong(void)
{
  const struct cairn_mutator *previous = NULL;
  size_t seen = 0;

  for (const struct cairn_mutator *m = first; m; previous = m, m = m->next, seen++)
    if (m->previous != previous || seen == count)
      return "registry: links differ, or there are more mutators than it counts";
  return seen == count ? NULL : "registry: there are fewer mutators than it counts";
}

bool cn_stop_is_alone(void)
{
  return atomic_load(&lock.word) == 0 && count == (cairn_mutator.attached != 0);
}

static bool take_unless(uint64_t deadline, cn_mutex_over *over, const void *env)
{
  cn_unseen_look();
  CN_CHECK(!holding); /* it would wait for itself */
  cn_defer_cancellation();
  holding = cn_mutex_take_unless(&lock, deadline, over, env);
  if (!holding)
    cn_defer_let_cancellation();
  return holding;
}

static void take_stop_lock(void)
{
  bool taken = take_unless(UINT64_MAX, NULL, NULL);

  CN_CHECK(taken);
}

static void give_back(void)
{
  holding = false;
  cn_mutex_release(&lock);
  cn_defer_let_cancellation();
}

bool cn_stop_is_own(void)
{
  return holding || cn_handshake_examined() != NULL || cn_thread.works != 0;
}

/* The child of a fork() may see it half done. */
static void register_mutator(struct cairn_mutator *mutator)
{
  CN_ASSERT_VALID(cn_stop_registry_wrong());
  cn_mutator_give_barrier_words(mutator);
  mutator->next = first;
  mutator->previous = NULL;
  if (first)
    first->previous = mutator;
  atomic_signal_fence(memory_order_release);
  first = mutator;
  count++;
  CN_ASSERT_VALID(cn_stop_registry_wrong());
}

static void set_open(bool now)
{
  bool taken = cn_mutex_take(&fork_lock, UINT64_MAX);

  CN_CHECK(taken);
  atomic_store(&open, now);
  cn_mutex_release(&fork_lock);
  if (now)
    cn_mutex_tell(&lock);
}

static bool may_add_during_fork(const void *unused)
{
  (void)unused;
  return atomic_load(&open) && cn_thread_delivers();
}

/* A handler may have interrupted malloc(), whose locks fork() waits for: the handler must not wait for the fork().
 * Its mutator is told of the stop as the others were. */
static bool add_during_fork(struct cairn_mutator *mutator)
{
  bool taken = cn_mutex_take(&fork_lock, UINT64_MAX);
  bool added = atomic_load(&open);

  CN_CHECK(taken);
  if (added) {
    cn_poll_word_arm(mutator, CN_REASON_STOP);
    register_mutator(mutator);
  }
  cn_mutex_release(&fork_lock);
  return added;
}

void cn_stop_add(struct cairn_mutator *mutator)
{
  CN_CHECK(state_of(mutator) != CAIRN_ABI_MANAGED && mutator->next == NULL);
  while (!take_unless(UINT64_MAX, may_add_during_fork, NULL))
    if (add_during_fork(mutator))
      return;
  register_mutator(mutator);
  give_back();
}

/* The calling thread has the lock. */
static void remove_taken(struct cairn_mutator *mutator, cn_stop_farewell *farewell)
{
  CN_ASSERT_VALID(cn_stop_registry_wrong());
  farewell(mutator);
  CN_CHECK(mutator->previous ? mutator->previous->next == mutator : first == mutator);
  if (mutator->previous)
    mutator->previous->next = mutator->next;
  else
    first = mutator->next;
  if (mutator->next)
    mutator->next->previous = mutator->previous;
  mutator->next = mutator->previous = NULL;
  count--;
  CN_ASSERT_VALID(cn_stop_registry_wrong());
  give_back();
}

void cn_stop_remove(struct cairn_mutator *mutator, cn_stop_farewell *farewell)
{
  CN_CHECK(state_of(mutator) != CAIRN_ABI_MANAGED);
  take_stop_lock();
  remove_taken(mutator, farewell);
}

static bool is_fork_open(const void *unused)
{
  (void)unused;
  return atomic_load(&open);
}

bool cn_stop_remove_unless_fork(struct cairn_mutator *mutator, cn_stop_farewell *farewell)
{
  CN_CHECK(state_of(mutator) != CAIRN_ABI_MANAGED);
  if (!take_unless(UINT64_MAX, is_fork_open, NULL))
    return false;
  remove_taken(mutator, farewell);
  return true;
}

void cn_stop_exclude(void)
{
  take_stop_lock();
}

bool cn_stop_exclude_unless(uint64_t deadline, cn_mutex_over *over)
{
  return take_unless(deadline, over, NULL);
}

void cn_stop_tell(void)
{
  cn_mutex_tell(&lock);
}

void cn_stop_include(void)
{
  give_back();
}

struct cairn_mutator *cairn_mutator_next(const struct cairn_mutator *mutator)
{
  CN_ASSERT(atomic_load(&lock.word) != 0 || !first || !first->next);
  return mutator ? mutator->next : first;
}

static struct cairn_mutator *find_mutator(int thread)
{
  struct cairn_mutator *mutator = first;

  while (mutator && mutator->thread != thread)
    mutator = mutator->next;
  return mutator;
}

struct cairn_mutator *cn_stop_find(int thread, bool *stopped)
{
  struct cairn_mutator *found;

  struct cairn_mutator *examined = cn_handshake_examined();

  *stopped = examined ? examined->thread == thread : atomic_load(&stopping) != 0;
  if (*stopped || examined)
    return find_mutator(thread);
  take_stop_lock();
  found = find_mutator(thread);
  give_back();
  return found;
}

size_t cairn_mutator_count(void)
{
  return atomic_load_explicit(&count, memory_order_relaxed);
}

void cn_stop_forked(struct cairn_mutator *self, cn_stop_farewell *farewell)
{
  for (struct cairn_mutator *m = first; m; m = m->next)
    if (m != self)
      farewell(m);
  atomic_store(&forking, false);
  atomic_store(&stopping, 0);
  atomic_store(&lock.word, 0);
  atomic_store(&fork_lock.word, 0);
  atomic_store(&open, false);
  if (holding)
    cn_defer_let_cancellation();
  holding = false;
  first = self;
  count = self != NULL;
  if (!self)
    return;
  self->next = self->previous = NULL;
  cn_poll_word_disarm(self, CN_REASON_STOP);
  cn_handshake_forked(self);
}

/* ---- requesters ---- */

/* True if the mutator is native or at a safepoint; false while a handler runs that interrupted managed code, even in
 * native code that the handler called. Such handlers may begin and end between two reads; the number of
 * interruptions tells. */
bool cn_stop_rests(const struct cairn_mutator *mutator)
{
  uint64_t before = __atomic_load_n(&mutator->interruptions, __ATOMIC_SEQ_CST);
  uint8_t state = state_of(mutator);

  return state != CAIRN_ABI_MANAGED && before % 2 == 0 &&
         __atomic_load_n(&mutator->interruptions, __ATOMIC_SEQ_CST) == before;
}

/* Read the number of arrivals first: a later arrival changes it. Read the state again from time to time: a thread
 * that enters native code does so silently. */
static bool await_mutator(const struct cairn_mutator *mutator, uint64_t since)
{
  uint32_t before = atomic_load(&arrivals);
  bool waited = false;

  for (; !cn_stop_rests(mutator); waited = true) {
    cn_hooks.stop_waits(mutator->thread, since);
    atomic_store(&awaiting, true);
    cn_os_wait(&arrivals, before, cn_os_nanoseconds() + RECHECK_NANOSECONDS);
    atomic_store(&awaiting, false);
    before = atomic_load(&arrivals);
  }
  if (waited)
    cn_hooks.stop_waits(mutator->thread, since);
  return waited;
}

/* Wait for all. The last awaited mutator is the last to arrive. */
static void await_all(const struct cairn_mutator *self, uint64_t since)
{
  int slowest = 0;

  for (struct cairn_mutator *m = first; m; m = m->next)
    if (m != self && await_mutator(m, since))
      slowest = m->thread;
  standing = cn_events_tell((struct cairn_event){.kind = CAIRN_EVENT_STOPPED, .since = since, .slowest = slowest});
}

static bool may_not_wait(const void *self)
{
  return self != NULL && goes_through(self);
}

/* False: another thread forks, and this one is in a signal handler. */
static bool take_if_it_may_wait(struct cairn_mutator *self, bool managed)
{
  CN_CHECK(!self || self->interruptions % 2 == 0); /* fails if two requesters would wait for each other */
  if (managed)
    rest_at_safepoint(self);
  if (take_unless(UINT64_MAX, may_not_wait, self))
    return true;
  if (managed)
    cn_stop_arrive(self);
  return false;
}

/* The caller has the lock. */
static void stop_mutators(struct cairn_mutator *self, bool forks)
{
  uint64_t since = cn_os_nanoseconds();

  atomic_store(&forking, forks);
  atomic_store(&stopping, 1);
  if (forks)
    cn_mutex_tell(&lock);
  cn_background_hold();
  for (struct cairn_mutator *m = first; m; m = m->next)
    if (m != self)
      cn_poll_word_arm(m, CN_REASON_STOP);
  if (first != self || (self && self->next))
    cn_os_barrier();
  await_all(self, since);
  cn_background_await();
  if (forks)
    set_open(true);
}

static bool is_managed(const struct cairn_mutator *self)
{
  return self && state_of(self) == CAIRN_ABI_MANAGED;
}

bool cn_stop_begin(struct cairn_mutator *self)
{
  if (!take_if_it_may_wait(self, is_managed(self)))
    return false;
  stop_mutators(self, false);
  return true;
}

bool cn_stop_begin_fork(struct cairn_mutator *self)
{
  if (!take_if_it_may_wait(self, is_managed(self)))
    return false;
  stop_mutators(self, true);
  return true;
}

enum cn_stop_begun cn_stop_begin_unless(struct cairn_mutator *self, cn_stop_served *served, const void *env)
{
  CN_CHECK(is_managed(self));
  if (!take_if_it_may_wait(self, true))
    return CN_STOP_NOT_NOW;
  if (served(env)) {
    set_state(self, CAIRN_ABI_MANAGED); /* as at the end of a stop */
    give_back();
    return CN_STOP_SERVED;
  }
  stop_mutators(self, false);
  return CN_STOP_BEGUN;
}

void cn_stop_end(struct cairn_mutator *self)
{
  CN_CHECK(atomic_load(&stopping) && (!self || state_of(self) != CAIRN_ABI_MANAGED));
  cn_events_tell((struct cairn_event){.kind = CAIRN_EVENT_STOP_ENDS, .since = standing});
  if (open)
    set_open(false);
  cn_background_release();
  for (struct cairn_mutator *m = first; m; m = m->next)
    if (m != self)
      cn_poll_word_disarm(m, CN_REASON_STOP);
  atomic_store(&forking, false);
  atomic_store(&stopping, 0);
  cn_os_wake(&stopping);
  if (self && state_of(self) == CAIRN_ABI_SAFEPOINT)
    set_state(self, CAIRN_ABI_MANAGED);
  give_back();
  cn_events_flush();
}
