/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the requester's side of handshakes, in phase MUTATE, and releases all requesters at the end of the
 * program, by the atomic flag `handshakes_ended`. There is one requester at a time, on any thread, which holds the lock
 * of stops and defers signals. A word of each mutator is the state of its handshake:
 *
 *          requester           CAS: the mutator, or the requester while the mutator is resting
 *     NONE ---------> PENDING ---------------------------------------------------> TAKEN
 *      ^                 |  the deadline has passed (requester, CAS)                 |
 *      +-----------------+-----------------------------------------------------------+
 *                                       the operation has run (the side that set TAKEN)
 *
 * A resting mutator is native or at a safepoint. The requester disarms the poll at the end; a mutator that runs the
 * operation also disarms it. A mutator waits while the requester has set TAKEN. Between arming the poll and reading the
 * state, the requester executes a fence on all threads, so either the requester sees the managed state, or the mutator
 * sees the armed poll (stop.c).
 */
#include "runtime/threads/handshake.h"

#include <stdatomic.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/core/poll_word.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"

enum { RECHECK_NANOSECONDS = 100000 }; /* time between two reads of a state by the requester */

static atomic_bool handshakes_ended;

void cn_handshake_end_all(void)
{
  atomic_store(&handshakes_ended, true);
  cn_stop_wake_excluders();
}

const char *cn_handshake_wrong(void)
{
  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;) {
    if (atomic_load(&m->handshake) != CN_HANDSHAKE_NONE)
      return "handshake: a mutator has a request, and there is no requester";
    if (cn_poll_word_is_armed(m, CN_POLL_REASON_HANDSHAKE))
      return "handshake: a poll is armed, and there is no requester";
  }
  return NULL;
}

static bool is_target(const struct cn_handshake *request, const struct cairn_mutator *mutator)
{
  return request->thread == CN_HANDSHAKE_ALL || request->thread == mutator->thread;
}

static void choose_random_thread(struct cn_handshake *request)
{
  size_t count = cairn_mutator_count();
  struct cairn_mutator *mutator = cairn_mutator_next(NULL);

  for (size_t i = count ? request->random % count : 0; i > 0; i--)
    mutator = cairn_mutator_next(mutator);
  if (mutator)
    request->thread = mutator->thread;
}

static void choose_thread_at_address(struct cn_handshake *request)
{
  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    if (m != &cairn_mutator && request->address >= m->stack_bottom && request->address < m->stack_end)
      request->thread = m->thread;
}

/* Returns the number of target mutators. */
static size_t post_request(struct cn_handshake *request)
{
  size_t count = 0;

  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;) {
    if (!is_target(request, m))
      continue;
    CN_CHECK(atomic_load(&m->handshake) == CN_HANDSHAKE_NONE);
    if (request->prepare)
      request->prepare(m, request->env);
    m->request = request;
    atomic_store(&m->handshake, CN_HANDSHAKE_PENDING);
    cn_poll_word_arm(m, CN_POLL_REASON_HANDSHAKE);
    count++;
  }
  request->armed = cn_os_clock_nanoseconds();
  return count;
}

/* The requester's own mutator counts as resting in any state. */
static bool run_for_resting_mutator(struct cairn_mutator *mutator)
{
  if ((mutator != &cairn_mutator && !cn_stop_is_resting(mutator)) ||
      !cn_handshake_change_state(mutator, CN_HANDSHAKE_PENDING, CN_HANDSHAKE_TAKEN))
    return false;
  cn_handshake_run_operation(mutator);
  return true;
}

/* The state is read again at intervals, because a thread that enters native code does not wake the requester. */
static enum cairn_status await_mutator(struct cairn_mutator *mutator, uint64_t deadline)
{
  uint32_t word;

  while (!run_for_resting_mutator(mutator) && (word = atomic_load(&mutator->handshake)) != CN_HANDSHAKE_NONE) {
    uint64_t now = cn_os_clock_nanoseconds();
    bool over = atomic_load(&handshakes_ended);
    if ((over || now >= deadline) && cn_handshake_change_state(mutator, CN_HANDSHAKE_PENDING, CN_HANDSHAKE_NONE))
      return over ? CAIRN_E_ENDED : CAIRN_E_TIMEOUT;
    cn_os_wait_on_word(&mutator->handshake, word, now + RECHECK_NANOSECONDS);
  }
  return CAIRN_OK;
}

static void choose_target(struct cn_handshake *request)
{
  if (request->thread == 0)
    request->thread = cn_os_main_thread();
  else if (request->thread == CN_HANDSHAKE_ANY_THREAD)
    choose_random_thread(request);
  else if (request->thread == CN_HANDSHAKE_AT_ADDRESS)
    choose_thread_at_address(request);
}

static enum cairn_status perform_handshake(struct cn_handshake *request)
{
  bool has_main_ended = request->thread == 0 && cn_mutator_of_main_thread() != NULL; /* if it has no mutator */
  enum cairn_status result = CAIRN_OK;

  CN_ASSERT_VALID(cn_handshake_wrong());
  choose_target(request);
  size_t count = post_request(request);
  if (count == 0 && request->thread != CN_HANDSHAKE_ALL)
    return has_main_ended ? CAIRN_E_ENDED : CAIRN_E_UNKNOWN;
  cn_os_fence_all_threads();
  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;) {
    if (!is_target(request, m))
      continue;
    enum cairn_status status = await_mutator(m, request->deadline);
    cn_poll_word_disarm(m, CN_POLL_REASON_HANDSHAKE); /* not earlier, because the mutator must see the request */
    if (status != CAIRN_OK)
      result = status;
  }
  CN_ASSERT_VALID(cn_handshake_wrong());
  return result;
}

static bool have_handshakes_ended(const void *unused)
{
  (void)unused;
  return atomic_load(&handshakes_ended);
}

static enum cairn_status exclude_stops(uint64_t deadline)
{
  if (have_handshakes_ended(NULL))
    return CAIRN_E_ENDED;
  if (cn_stop_exclude_stops_unless(deadline, have_handshakes_ended))
    return CAIRN_OK;
  return have_handshakes_ended(NULL) ? CAIRN_E_ENDED : CAIRN_E_TIMEOUT;
}

/* False for a managed thread, because this thread and another requester would wait for each other. */
static bool may_wait_for_handshake(const struct cairn_mutator *self)
{
  return cn_handshake_examined_mutator() == NULL &&
         (!self->attached || (!self->busy && self->interruptions % 2 == 0 && self->state == CAIRN_ABI_NATIVE));
}

enum cairn_status cn_handshake(struct cn_handshake *request)
{
  if (!may_wait_for_handshake(&cairn_mutator))
    return CAIRN_E_BUSY;
  cn_defer_signals();
  enum cairn_status status = exclude_stops(request->deadline);
  if (status == CAIRN_OK) {
    CN_ASSERT(request->operation != NULL);
    status = perform_handshake(request);
    cn_stop_permit_stops();
  }
  cn_undefer_signals();
  return status;
}

enum cairn_status cn_handshake_from_managed(struct cn_handshake *request)
{
  enum cairn_status status = CAIRN_E_TIMEOUT;

  if (cn_handshake_examined_mutator() != NULL)
    return CAIRN_E_BUSY;
  cn_defer_signals();
  if (cn_stop_exclude_stops_unless(0, NULL)) {
    status = perform_handshake(request);
    cn_stop_permit_stops();
  }
  cn_undefer_signals();
  return status;
}

static uint64_t deadline_of(uint64_t timeout)
{
  uint64_t now = cn_os_clock_nanoseconds();

  return timeout < UINT64_MAX - now ? now + timeout : UINT64_MAX;
}

enum cairn_status cairn_handshake(int thread, cairn_handshake_operation *operation, void *env, uint64_t timeout)
{
  struct cn_handshake request = {
      .thread = thread, .operation = operation, .env = env, .deadline = deadline_of(timeout)};

  return thread < 0 ? CAIRN_E_UNKNOWN : cn_handshake(&request);
}

enum cairn_status cairn_handshake_all(cairn_handshake_operation *operation, void *env, uint64_t timeout)
{
  struct cn_handshake request = {
      .thread = CN_HANDSHAKE_ALL, .operation = operation, .env = env, .deadline = deadline_of(timeout)};

  return cn_handshake(&request);
}
