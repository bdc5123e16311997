/* SPDX-License-Identifier: Apache-2.0
 *
 * Stops mutators, and keeps their registry. A stop also holds the steps of the background thread, and is reported by
 * events. Runs on requesters and on each stopped mutator's own thread, in phase MUTATE up to the stop; the requester
 * ends the stop. A requester waits for each mutator in the managed state. Managed code changes its state by plain
 * stores, and then reads the poll word. A requester sets poll words, executes a fence on all threads
 * (cn_os_fence_all_threads()), and then reads the states. At least one of the two sees the other's change:
 *
 *    mutator, back from native code          requester
 *      state = MANAGED                         poll |= STOP
 *      (no fence)                              fence on all threads
 *      poll & STOP? arrive                     state == MANAGED? wait for it
 *
 * A waiting mutator counts as native. A requester with a mutator sets the waiting state before it takes the lock, so
 * that two requesters do not wait for each other. `registry_lock` guards the registry, in any phase, and is held during
 * a stop and a handshake. While a thread forks, handlers add their mutators under `fork_lock`. Other state is the time
 * of the last full stop, under `registry_lock`, the atomic words that mutators and requesters wait on, and each
 * thread's mark that it holds the lock.
 */
#include "runtime/threads/stop.h"

#include <stdatomic.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/core/hooks.h"
#include "runtime/core/lock.h"
#include "runtime/core/poll_word.h"
#include "runtime/events/event_dispatch.h"
#include "runtime/os/os.h"
#include "runtime/threads/workers.h"
#include "runtime/threads/handshake.h"

enum {
  RECHECK_NANOSECONDS = 100000, /* minimum of the time between two reads of a state by the requester */
  RECHECK_WAIT_SHARE = 8,       /* this part of the wait so far is added */
  MAX_RECHECK_NANOSECONDS = 10000000
};

static struct cn_mutex registry_lock;
static struct cairn_mutator *first_mutator; /* the registry's first mutator, which was added last */
static _Atomic size_t mutator_count;
static _Atomic bool stop_is_for_fork;
static _Atomic uint32_t stop_active; /* 1 during a stop */
static uint64_t all_standing_since;  /* since then all mutators have been stopped */
static struct cn_mutex fork_lock;    /* guards `registry_open`, and the registry while this is true */
static _Atomic bool registry_open;   /* during a fork(): handlers may add their mutators */
static _Thread_local bool holds_registry_lock;
static _Atomic uint32_t arrival_count; /* changes when a mutator has reached a safepoint */
static _Atomic bool requester_waits;   /* the requester waits in the kernel */

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
  atomic_fetch_add(&arrival_count, 1);
  if (atomic_load(&requester_waits))
    cn_os_wake_all(&arrival_count);
}

bool cn_stop_is_requested(const struct cairn_mutator *mutator)
{
  return cn_poll_word_is_armed(mutator, CN_POLL_REASON_STOP) || cn_handshake_is_requested(mutator);
}

/* Sets the state, then reads the poll word; both accesses are sequentially consistent. */
static bool resume_unless_requested(struct cairn_mutator *mutator)
{
  set_state(mutator, CAIRN_ABI_MANAGED);
  return !cn_stop_is_requested(mutator);
}

/* During a stop for a fork() signal handlers continue, because they may have interrupted malloc(), whose locks fork()
 * waits for. This is safe: the stop excludes collections, and the child repairs the data of other threads. */
static bool may_run_during_stop(const struct cairn_mutator *mutator)
{
  return mutator == &cairn_mutator && atomic_load(&stop_is_for_fork) && cn_thread_is_in_handler();
}

static void let_stop_pass(struct cairn_mutator *mutator)
{
  rest_at_safepoint(mutator);
  while (atomic_load(&stop_active) && !may_run_during_stop(mutator))
    cn_os_wait_on_word(&stop_active, 1, UINT64_MAX);
}

/* A handler that interrupted managed code continues, since walks cannot pass the handler, and requesters wait for the
 * handler's end. A thread that may run during the stop of a fork() checks again in the managed state, because another
 * stop may have begun in between and have seen the thread waiting. */
static bool continue_if_exempt(struct cairn_mutator *mutator)
{
  bool interrupting = mutator->interruptions % 2 != 0;

  if (!interrupting && !may_run_during_stop(mutator))
    return false;
  set_state(mutator, CAIRN_ABI_MANAGED);
  return interrupting || may_run_during_stop(mutator);
}

void cn_stop_answer_requests(struct cairn_mutator *mutator)
{
  do {
    if (continue_if_exempt(mutator))
      return;
    cn_handshake_answer(mutator);
    if (cn_poll_word_is_armed(mutator, CN_POLL_REASON_STOP))
      let_stop_pass(mutator);
  } while (!resume_unless_requested(mutator));
}

/* As in the stubs, there is no fence between the store and the load. Signals are deferred, because a handler between
 * the two could run managed code during a collection. */
void cn_stop_become_managed(struct cairn_mutator *mutator)
{
  CN_CHECK(mutator->busy && state_of(mutator) != CAIRN_ABI_SAFEPOINT);
  __atomic_store_n(&mutator->state, CAIRN_ABI_MANAGED, __ATOMIC_RELAXED);
  atomic_signal_fence(memory_order_seq_cst);
  if (cn_stop_is_requested(mutator))
    cn_stop_answer_requests(mutator);
}

void cn_stop_become_native(struct cairn_mutator *mutator)
{
  CN_CHECK(state_of(mutator) == CAIRN_ABI_MANAGED);
  __atomic_store_n(&mutator->state, CAIRN_ABI_NATIVE, __ATOMIC_RELEASE);
}

/* ---- the registry ---- */

const char *cn_stop_registry_wrong(void)
{
  const struct cairn_mutator *previous = NULL;
  size_t seen = 0;

  for (const struct cairn_mutator *m = first_mutator; m; previous = m, m = m->next, seen++)
    if (m->previous != previous || seen == mutator_count)
      return "registry: links differ, or there are more mutators than it counts";
  return seen == mutator_count ? NULL : "registry: there are fewer mutators than it counts";
}

bool cn_stop_is_only_mutator(void)
{
  return atomic_load(&registry_lock.word) == 0 && mutator_count == (cairn_mutator.attached != 0);
}

static bool take_lock_unless(uint64_t deadline, cn_mutex_give_up_test *over, const void *env)
{
  cn_unseen_check_process();
  CN_CHECK(!holds_registry_lock); /* otherwise the thread would wait for itself */
  cn_defer_cancellation();
  holds_registry_lock = cn_mutex_take_unless(&registry_lock, deadline, over, env);
  if (!holds_registry_lock)
    cn_undefer_cancellation();
  return holds_registry_lock;
}

static void take_stop_lock(void)
{
  bool taken = take_lock_unless(UINT64_MAX, NULL, NULL);

  CN_CHECK(taken);
}

static void release_stop_lock(void)
{
  holds_registry_lock = false;
  cn_mutex_release(&registry_lock);
  cn_undefer_cancellation();
}

bool cn_stop_is_own_stop(void)
{
  return holds_registry_lock || cn_handshake_examined_mutator() != NULL || cn_thread.works != 0;
}

/* The child of a fork() may see this change half done. */
static void register_mutator(struct cairn_mutator *mutator)
{
  CN_ASSERT_VALID(cn_stop_registry_wrong());
  cn_mutator_copy_barrier_words(mutator);
  mutator->next = first_mutator;
  mutator->previous = NULL;
  if (first_mutator)
    first_mutator->previous = mutator;
  atomic_signal_fence(memory_order_release);
  first_mutator = mutator;
  mutator_count++;
  CN_ASSERT_VALID(cn_stop_registry_wrong());
}

static void set_registry_open(bool now)
{
  bool taken = cn_mutex_take(&fork_lock, UINT64_MAX);

  CN_CHECK(taken);
  atomic_store(&registry_open, now);
  cn_mutex_release(&fork_lock);
  if (now)
    cn_mutex_wake_waiters(&registry_lock);
}

static bool may_add_during_fork(const void *unused)
{
  (void)unused;
  return atomic_load(&registry_open) && cn_thread_is_in_handler();
}

/* Add a handler's mutator during a fork(), with its poll armed for the stop. The handler must not wait for the fork(),
 * because it may have interrupted malloc(), whose locks fork() waits for. */
static bool add_during_fork(struct cairn_mutator *mutator)
{
  bool taken = cn_mutex_take(&fork_lock, UINT64_MAX);
  bool added = atomic_load(&registry_open);

  CN_CHECK(taken);
  if (added) {
    cn_poll_word_arm(mutator, CN_POLL_REASON_STOP);
    register_mutator(mutator);
  }
  cn_mutex_release(&fork_lock);
  return added;
}

void cn_stop_add_mutator(struct cairn_mutator *mutator)
{
  CN_CHECK(state_of(mutator) != CAIRN_ABI_MANAGED && mutator->next == NULL);
  while (!take_lock_unless(UINT64_MAX, may_add_during_fork, NULL))
    if (add_during_fork(mutator))
      return;
  register_mutator(mutator);
  release_stop_lock();
}

/* The calling thread holds `registry_lock`; this function releases the lock. */
static void remove_locked_mutator(struct cairn_mutator *mutator, cn_stop_removal_callback *farewell)
{
  CN_ASSERT_VALID(cn_stop_registry_wrong());
  farewell(mutator);
  CN_CHECK(mutator->previous ? mutator->previous->next == mutator : first_mutator == mutator);
  if (mutator->previous)
    mutator->previous->next = mutator->next;
  else
    first_mutator = mutator->next;
  if (mutator->next)
    mutator->next->previous = mutator->previous;
  mutator->next = mutator->previous = NULL;
  mutator_count--;
  CN_ASSERT_VALID(cn_stop_registry_wrong());
  release_stop_lock();
}

void cn_stop_remove_mutator(struct cairn_mutator *mutator, cn_stop_removal_callback *farewell)
{
  CN_CHECK(state_of(mutator) != CAIRN_ABI_MANAGED);
  take_stop_lock();
  remove_locked_mutator(mutator, farewell);
}

static bool is_fork_open(const void *unused)
{
  (void)unused;
  return atomic_load(&registry_open);
}

bool cn_stop_remove_unless_fork(struct cairn_mutator *mutator, cn_stop_removal_callback *farewell)
{
  CN_CHECK(state_of(mutator) != CAIRN_ABI_MANAGED);
  if (!take_lock_unless(UINT64_MAX, is_fork_open, NULL))
    return false;
  remove_locked_mutator(mutator, farewell);
  return true;
}

void cn_stop_exclude_stops(void)
{
  take_stop_lock();
}

bool cn_stop_exclude_stops_unless(uint64_t deadline, cn_mutex_give_up_test *over)
{
  return take_lock_unless(deadline, over, NULL);
}

void cn_stop_wake_excluders(void)
{
  cn_mutex_wake_waiters(&registry_lock);
}

void cn_stop_permit_stops(void)
{
  release_stop_lock();
}

struct cairn_mutator *cairn_mutator_next(const struct cairn_mutator *mutator)
{
  CN_ASSERT(atomic_load(&registry_lock.word) != 0 || !first_mutator || !first_mutator->next);
  return mutator ? mutator->next : first_mutator;
}

static struct cairn_mutator *find_mutator(int thread)
{
  struct cairn_mutator *mutator = first_mutator;

  while (mutator && mutator->thread != thread)
    mutator = mutator->next;
  return mutator;
}

struct cairn_mutator *cn_stop_find_mutator(int thread, bool *stopped)
{
  struct cairn_mutator *found;

  struct cairn_mutator *examined = cn_handshake_examined_mutator();

  *stopped = examined ? examined->thread == thread : atomic_load(&stop_active) != 0;
  if (*stopped || examined)
    return find_mutator(thread);
  take_stop_lock();
  found = find_mutator(thread);
  release_stop_lock();
  return found;
}

size_t cairn_mutator_count(void)
{
  return atomic_load_explicit(&mutator_count, memory_order_relaxed);
}

void cn_stop_reset_after_fork(struct cairn_mutator *self, cn_stop_removal_callback *farewell)
{
  for (struct cairn_mutator *m = first_mutator; m; m = m->next)
    if (m != self)
      farewell(m);
  atomic_store(&stop_is_for_fork, false);
  atomic_store(&stop_active, 0);
  atomic_store(&registry_lock.word, 0);
  atomic_store(&fork_lock.word, 0);
  atomic_store(&registry_open, false);
  if (holds_registry_lock)
    cn_undefer_cancellation();
  holds_registry_lock = false;
  first_mutator = self;
  mutator_count = self != NULL;
  if (!self)
    return;
  self->next = self->previous = NULL;
  cn_poll_word_disarm(self, CN_POLL_REASON_STOP);
  cn_handshake_reset_after_fork(self);
}

/* ---- requesters ---- */

/* False during a handler that interrupted managed code, even in native code that the handler called. The number of
 * interruptions detects a handler that begins or ends between the reads. */
bool cn_stop_is_resting(const struct cairn_mutator *mutator)
{
  uint64_t before = __atomic_load_n(&mutator->interruptions, __ATOMIC_SEQ_CST);
  uint8_t state = state_of(mutator);

  return state != CAIRN_ABI_MANAGED && before % 2 == 0 &&
         __atomic_load_n(&mutator->interruptions, __ATOMIC_SEQ_CST) == before;
}

/* The time of the next read. Intervals grow with the wait, so that a late thread costs its requester next to no
 * processor time, and is still noticed soon in proportion. */
static uint64_t next_recheck_time(uint64_t since)
{
  uint64_t now = cn_os_clock_nanoseconds(), interval = RECHECK_NANOSECONDS + (now - since) / RECHECK_WAIT_SHARE;

  CN_ASSERT(since <= now);
  return now + (interval < MAX_RECHECK_NANOSECONDS ? interval : MAX_RECHECK_NANOSECONDS);
}

/* The number of arrivals is read before the state, so that a later arrival ends the wait. A thread that enters native
 * code does not wake the requester, so the wait ends at intervals. */
static bool await_mutator(const struct cairn_mutator *mutator, uint64_t since)
{
  uint32_t before = atomic_load(&arrival_count);
  bool waited = false;

  for (; !cn_stop_is_resting(mutator); waited = true) {
    cn_hooks.stop_waits(mutator->thread, since);
    atomic_store(&requester_waits, true);
    cn_os_wait_on_word(&arrival_count, before, next_recheck_time(since));
    atomic_store(&requester_waits, false);
    before = atomic_load(&arrival_count);
  }
  if (waited)
    cn_hooks.stop_waits(mutator->thread, since);
  return waited;
}

/* Awaits all mutators, then the background thread. The last thread that needed a wait is reported as the slowest. */
static void await_all_threads(const struct cairn_mutator *self, uint64_t since)
{
  int slowest = 0;

  for (struct cairn_mutator *m = first_mutator; m; m = m->next)
    if (m != self && await_mutator(m, since))
      slowest = m->thread;
  int background = cn_background_await_step(since);
  if (background != 0)
    slowest = background;
  all_standing_since =
      cn_events_report((struct cairn_event){.kind = CAIRN_EVENT_STOPPED, .since = since, .slowest = slowest});
}

static bool is_exempt_from_stop(const void *self)
{
  return self != NULL && may_run_during_stop(self);
}

/* False: another thread forks, and the calling thread is in a signal handler. */
static bool take_lock_if_may_wait(struct cairn_mutator *self, bool managed)
{
  CN_CHECK(!self || self->interruptions % 2 == 0); /* fails if two requesters would wait for each other */
  if (managed)
    rest_at_safepoint(self);
  if (take_lock_unless(UINT64_MAX, is_exempt_from_stop, self))
    return true;
  if (managed)
    cn_stop_answer_requests(self);
  return false;
}

/* The caller holds `registry_lock`. */
static void stop_mutators(struct cairn_mutator *self, bool forks)
{
  uint64_t since = cn_os_clock_nanoseconds();

  atomic_store(&stop_is_for_fork, forks);
  atomic_store(&stop_active, 1);
  if (forks)
    cn_mutex_wake_waiters(&registry_lock);
  cn_background_hold_steps();
  for (struct cairn_mutator *m = first_mutator; m; m = m->next)
    if (m != self)
      cn_poll_word_arm(m, CN_POLL_REASON_STOP);
  if (first_mutator != self || (self && self->next))
    cn_os_fence_all_threads();
  await_all_threads(self, since);
  if (forks)
    set_registry_open(true);
}

static bool is_managed(const struct cairn_mutator *self)
{
  return self && state_of(self) == CAIRN_ABI_MANAGED;
}

bool cn_stop_begin(struct cairn_mutator *self)
{
  if (!take_lock_if_may_wait(self, is_managed(self)))
    return false;
  stop_mutators(self, false);
  return true;
}

bool cn_stop_begin_fork(struct cairn_mutator *self)
{
  if (!take_lock_if_may_wait(self, is_managed(self)))
    return false;
  stop_mutators(self, true);
  return true;
}

enum cn_stop_begun cn_stop_begin_unless(struct cairn_mutator *self, cn_stop_served_predicate *served, const void *env)
{
  CN_CHECK(is_managed(self));
  if (!take_lock_if_may_wait(self, true))
    return CN_STOP_POSTPONED;
  if (served(env)) {
    set_state(self, CAIRN_ABI_MANAGED); /* before the lock is released, as at the end of a stop */
    release_stop_lock();
    return CN_STOP_SERVED;
  }
  stop_mutators(self, false);
  return CN_STOP_BEGUN;
}

void cn_stop_end(struct cairn_mutator *self)
{
  CN_CHECK(atomic_load(&stop_active) && (!self || state_of(self) != CAIRN_ABI_MANAGED));
  cn_events_report((struct cairn_event){.kind = CAIRN_EVENT_STOP_ENDS, .since = all_standing_since});
  if (registry_open)
    set_registry_open(false);
  cn_background_release_steps();
  for (struct cairn_mutator *m = first_mutator; m; m = m->next)
    if (m != self)
      cn_poll_word_disarm(m, CN_POLL_REASON_STOP);
  atomic_store(&stop_is_for_fork, false);
  atomic_store(&stop_active, 0);
  cn_os_wake_all(&stop_active);
  if (self && state_of(self) == CAIRN_ABI_SAFEPOINT)
    set_state(self, CAIRN_ABI_MANAGED);
  release_stop_lock();
  cn_events_flush_trace();
}
