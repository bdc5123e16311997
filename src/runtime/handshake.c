/* SPDX-License-Identifier: Apache-2.0
 *
 * One question at a time, from any thread to the main one:
 *
 *            asks                 is at a safepoint          has written the answer
 *     IDLE ---------> ASKED ------------------------> TAKEN ------------------------> ANSWERED
 *      ^    (asker)     |         (main thread)               (main thread)              |
 *      |                | gives up (asker)                             reads it (asker)  |
 *      +----------------+----------------------------------------------------------------+
 *
 *     ASKED or TAKEN --> ENDED: the program, or the main thread, is over (the thread that ends it)
 *
 * The asker writes the question's fields in IDLE, the main thread the answer's in TAKEN. No wake-up
 * is lost: the asker sets the state first and arms the poll then, the main thread disarms first and
 * looks at the state then. The main thread never waits.
 */
#include <cairn/thread.h>

#include <pthread.h>
#include <stdatomic.h>
#include "runtime/core/poll_word.h"
#include "runtime/handshake.h"
#include "runtime/os/os.h"

enum state { IDLE, ASKED, TAKEN, ANSWERED, ENDED };
enum lock { FREE, HELD, CONTENDED };

static struct {
  _Atomic uint32_t lock; /* among askers */
  _Atomic uint32_t state;
  atomic_bool ended;
  bool prepared;       /* for fork() */
  uint64_t asked, ran; /* clocks of the question */
  const struct cn_anchor *anchor;
  uint64_t transitions;
  uint64_t switches; /* at the last arrival; the main thread's own */
  struct cairn_arrival arrival;
} question;

/* ---- the main thread ---- */

/* Native code was entered, or left after it had been entered before. */
static bool crossed(const struct cairn_mutator *mutator)
{
  return mutator->transitions != question.transitions || mutator->anchor < question.anchor;
}

static void answer(const struct cairn_mutator *mutator, uintptr_t pc, bool before, uint64_t now)
{
  uint64_t ran = cn_os_thread_ran(mutator->thread) - question.ran;
  uint64_t switches = cn_os_switches();

  question.arrival = (struct cairn_arrival){
      .nanoseconds = before || now < question.asked ? 0 : now - question.asked,
      .ran = ran,
      .switches = switches - question.switches,
      .pc = pc,
      .thread = mutator->thread,
      .safepoint = before,
      .native = crossed(mutator)};
  question.switches = switches;
}

void cn_handshake_arrive(uintptr_t pc, bool before)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  uint32_t asked = ASKED, taken = TAKEN;

  if (!cn_poll_word_is_armed(mutator, CN_REASON_ASKED))
    return;
  uint64_t now = cn_os_nanoseconds();
  cn_poll_word_disarm(mutator, CN_REASON_ASKED);
  if (!atomic_compare_exchange_strong(&question.state, &asked, TAKEN))
    return;
  answer(mutator, pc, before, now);
  if (atomic_compare_exchange_strong(&question.state, &taken, ANSWERED))
    cn_os_wake(&question.state);
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
    pthread_setspecific(key, &question);
}

/* ---- the askers ---- */

void cn_handshake_end(void)
{
  atomic_store(&question.ended, true);
  uint32_t state = atomic_load(&question.state);
  while ((state == ASKED || state == TAKEN) &&
         !atomic_compare_exchange_weak(&question.state, &state, ENDED))
    ;
  cn_os_wake(&question.state);
}

static bool acquire(uint64_t deadline)
{
  uint32_t expected = FREE;

  if (atomic_compare_exchange_strong(&question.lock, &expected, HELD))
    return true;
  while (atomic_exchange(&question.lock, CONTENDED) != FREE)
    if (!cn_os_wait(&question.lock, CONTENDED, deadline))
      return false;
  return true;
}

static void release(void)
{
  if (atomic_exchange(&question.lock, FREE) == CONTENDED)
    cn_os_wake(&question.lock);
}

/* The thread's own clock first, then the clock, without a preemption between them: what the thread
 * does in that time would look like work after the question. */
static uint64_t read_clocks(const struct cairn_mutator *mutator)
{
  uint64_t now = 0;

  for (int attempt = 0; attempt < 8; attempt++) {
    uint64_t before = cn_os_nanoseconds();
    question.ran = cn_os_thread_ran(mutator->thread);
    now = cn_os_nanoseconds();
    if (now - before < 5000)
      break;
  }
  return now;
}

/* Returns how long it took. */
static uint64_t put(struct cairn_mutator *mutator)
{
  question.anchor = __atomic_load_n(&mutator->anchor, __ATOMIC_RELAXED);
  question.transitions = __atomic_load_n(&mutator->transitions, __ATOMIC_RELAXED);
  uint64_t start = question.asked = read_clocks(mutator);
  atomic_store(&question.state, ASKED);
  cn_poll_word_arm(mutator, CN_REASON_ASKED);
  return cn_os_nanoseconds() - start;
}

static enum cairn_status await(uint64_t deadline)
{
  uint32_t state;
  bool late = false;

  while ((state = atomic_load(&question.state)) == ASKED || state == TAKEN) {
    if (state == ASKED && (late || atomic_load(&question.ended)) &&
        atomic_compare_exchange_strong(&question.state, &state, IDLE))
      return late ? CAIRN_E_TIMEOUT : CAIRN_E_ENDED;
    late = !cn_os_wait(&question.state, state, state == ASKED ? deadline : CAIRN_ASK_FOREVER);
  }
  return state == ANSWERED ? CAIRN_OK : CAIRN_E_ENDED;
}

/* In the child of a fork(), whose only thread has another number. Whoever asked is not there. */
static void forked(void)
{
  cn_mutator_main()->thread = cn_os_thread();
  question.switches = 0;
  atomic_store(&question.state, IDLE);
  atomic_store(&question.lock, FREE);
}

static void prepare(void)
{
  if (!question.prepared)
    cn_os_forked(forked);
  question.prepared = true;
}

enum cairn_status cairn_safepoint_ask(struct cairn_arrival *arrival, uint64_t timeout)
{
  uint64_t now = cn_os_nanoseconds();
  uint64_t deadline = timeout < UINT64_MAX - now ? now + timeout : UINT64_MAX;
  struct cairn_mutator *mutator = cn_mutator_main();

  if (cairn_mutator.attached)
    return CAIRN_E_SELF;
  if (!acquire(deadline))
    return CAIRN_E_TIMEOUT;
  prepare();
  uint64_t asking = put(mutator);
  enum cairn_status result = await(deadline);
  if (result == CAIRN_OK && arrival) {
    *arrival = question.arrival;
    arrival->asking = asking;
  }
  atomic_store(&question.state, IDLE);
  release();
  return result;
}
