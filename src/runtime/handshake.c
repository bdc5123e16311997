/* SPDX-License-Identifier: Apache-2.0
 *
 * One request at a time, from any thread to the main one:
 *
 *           requests               is at a safepoint          has written the answer
 *     IDLE ---------> REQUESTED --------------------> TAKEN ------------------------> ANSWERED
 *      ^  (requester)    |         (main thread)              (main thread)              |
 *      |                 | gives up (requester)                     reads it (requester) |
 *      +-----------------+---------------------------------------------------------------+
 *
 *     REQUESTED or TAKEN --> ENDED: the program, or the main thread, is over (the thread that ends
 *                            it)
 *
 * The requester writes the request's fields in IDLE, the main thread the answer's in TAKEN. No
 * wake-up is lost: the requester sets the state before it arms the poll, and the main thread
 * disarms the poll before it looks at the state. The main thread never waits.
 */
#include <cairn/thread.h>

#include <pthread.h>
#include <stdatomic.h>
#include "base/check.h"
#include "runtime/core/mutex.h"
#include "runtime/core/poll_word.h"
#include "runtime/handshake.h"
#include "runtime/os/os.h"

enum state { IDLE, REQUESTED, TAKEN, ANSWERED, ENDED };

static struct {
  struct cn_mutex lock; /* among requesters */
  _Atomic uint32_t state;
  atomic_bool ended;
  bool prepared;           /* for fork() */
  uint64_t requested, ran; /* clocks at the request */
  const struct cn_anchor *anchor;
  uint64_t transitions;
  uint64_t switches; /* at the last arrival; the main thread's own */
  struct cairn_arrival arrival;
} request;

/* ---- the main thread ---- */

/* Native code was entered, or left after it had been entered before. */
static bool crossed(const struct cairn_mutator *mutator)
{
  return mutator->transitions != request.transitions || mutator->anchor < request.anchor;
}

static void answer(const struct cairn_mutator *mutator, uintptr_t pc, bool before, uint64_t now)
{
  uint64_t ran = cn_os_thread_ran(mutator->thread) - request.ran;
  uint64_t switches = cn_os_switches();

  request.arrival = (struct cairn_arrival){
      .nanoseconds = before || now < request.requested ? 0 : now - request.requested,
      .ran = ran,
      .switches = switches - request.switches,
      .pc = pc,
      .thread = mutator->thread,
      .safepoint = before,
      .native = crossed(mutator)};
  request.switches = switches;
}

void cn_handshake_arrive(uintptr_t pc, bool before)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  uint32_t requested = REQUESTED, taken = TAKEN;

  CN_ASSERT(mutator->attached);
  if (!cn_poll_word_is_armed(mutator, CN_REASON_HANDSHAKE))
    return;
  uint64_t now = cn_os_nanoseconds();
  cn_poll_word_disarm(mutator, CN_REASON_HANDSHAKE);
  if (!atomic_compare_exchange_strong(&request.state, &requested, TAKEN))
    return;
  answer(mutator, pc, before, now);
  if (atomic_compare_exchange_strong(&request.state, &taken, ANSWERED))
    cn_os_wake(&request.state);
}

/* The main thread called pthread_exit(): the program goes on without it. */
static void main_thread_left(void *unused)
{
  (void)unused;
  cn_handshake_end();
}

__attribute__((constructor)) static void expect_that(void)
{
  pthread_key_t key;

  if (cairn_mutator.attached && pthread_key_create(&key, main_thread_left) == 0)
    pthread_setspecific(key, &request);
}

/* ---- the requesters ---- */

void cn_handshake_end(void)
{
  atomic_store(&request.ended, true);
  uint32_t state = atomic_load(&request.state);
  while ((state == REQUESTED || state == TAKEN) &&
         !atomic_compare_exchange_weak(&request.state, &state, ENDED))
    ;
  cn_os_wake(&request.state);
}

/* Read the thread's own clock, then the clock, with no preemption between them: what the thread
 * does in that time would look like work after the request. */
static uint64_t read_clocks(const struct cairn_mutator *mutator)
{
  uint64_t now = 0;

  for (int attempt = 0; attempt < 8; attempt++) {
    uint64_t before = cn_os_nanoseconds();
    request.ran = cn_os_thread_ran(mutator->thread);
    now = cn_os_nanoseconds();
    if (now - before < 5000)
      break;
  }
  return now;
}

/* Returns how long it took, in nanoseconds. */
static uint64_t post(struct cairn_mutator *mutator)
{
  CN_ASSERT(atomic_load(&request.lock.word) != 0 && atomic_load(&request.state) == IDLE);
  request.anchor = __atomic_load_n(&mutator->anchor, __ATOMIC_RELAXED);
  request.transitions = __atomic_load_n(&mutator->transitions, __ATOMIC_RELAXED);
  uint64_t start = request.requested = read_clocks(mutator);
  atomic_store(&request.state, REQUESTED);
  cn_poll_word_arm(mutator, CN_REASON_HANDSHAKE);
  return cn_os_nanoseconds() - start;
}

static enum cairn_status await(uint64_t deadline)
{
  uint32_t state;
  bool late = false;

  while ((state = atomic_load(&request.state)) == REQUESTED || state == TAKEN) {
    if (state == REQUESTED && (late || atomic_load(&request.ended)) &&
        atomic_compare_exchange_strong(&request.state, &state, IDLE))
      return late ? CAIRN_E_TIMEOUT : CAIRN_E_ENDED;
    late = !cn_os_wait(&request.state, state, state == REQUESTED ? deadline : CAIRN_ASK_FOREVER);
  }
  return state == ANSWERED ? CAIRN_OK : CAIRN_E_ENDED;
}

/* In the child of a fork(). No requester is there. */
static void forked(void)
{
  request.switches = 0;
  atomic_store(&request.state, IDLE);
  atomic_store(&request.lock.word, 0);
}

static void prepare(void)
{
  if (!request.prepared)
    cn_os_forked(forked);
  request.prepared = true;
}

enum cairn_status cairn_safepoint_ask(struct cairn_arrival *arrival, uint64_t timeout)
{
  uint64_t now = cn_os_nanoseconds();
  uint64_t deadline = timeout < UINT64_MAX - now ? now + timeout : UINT64_MAX;
  struct cairn_mutator *mutator = cn_mutator_main();

  if (cairn_mutator.attached)
    return CAIRN_E_SELF;
  if (!cn_mutex_take(&request.lock, deadline))
    return CAIRN_E_TIMEOUT;
  prepare();
  uint64_t took = post(mutator);
  enum cairn_status result = await(deadline);
  if (result == CAIRN_OK && arrival) {
    *arrival = request.arrival;
    arrival->asking = took;
  }
  atomic_store(&request.state, IDLE);
  cn_mutex_release(&request.lock);
  return result;
}
