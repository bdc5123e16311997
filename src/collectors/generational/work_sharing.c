/* SPDX-License-Identifier: Apache-2.0
 *
 * Shares the work of tracers through a pool of stack entries. Owns the pool (`shared_pool`), which tracers use under
 * the pool's lock, and the number of tracers that want work, which they read without the lock. Phase STOP, any number
 * of tracers. A waiting tracer spins for a while before it sleeps, because it takes long to wake a sleeping thread.
 */
#include "collectors/generational/work_sharing.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include "base/check.h"
#include "runtime/os/os.h"

enum { MAX_GIVEN_WORDS = 512, SPINS_BEFORE_SLEEP = 200 };

unsigned cn_work_sharing_wanted_count;

static struct {
  pthread_mutex_t lock;
  uintptr_t words[MAX_GIVEN_WORDS];
  size_t count;
  unsigned waiting; /* tracers */
  bool done;
  _Atomic uint32_t turn; /* changes when the pool has work, and when all is done */
} shared_pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Called under the lock, after a change of the pool. */
static void update_wanted_count(void)
{
  unsigned wanted = shared_pool.count == 0 && !shared_pool.done ? shared_pool.waiting : 0;

  __atomic_store_n(&cn_work_sharing_wanted_count, wanted, __ATOMIC_RELAXED);
}

void cn_work_sharing_begin(void)
{
  CN_CHECK(shared_pool.count == 0);
  shared_pool.waiting = 0;
  shared_pool.done = false;
  update_wanted_count();
}

static void wake_waiting_tracers(void)
{
  atomic_fetch_add(&shared_pool.turn, 1);
  cn_os_wake_all(&shared_pool.turn);
}

/* The number of words in the oldest half of the stack, without splitting an entry of two words. */
static size_t count_oldest_half(const struct cn_tracer *tracer)
{
  size_t all = tracer->count - tracer->bottom, wanted = (all + 1) / 2, words = 0;

  if (wanted > MAX_GIVEN_WORDS)
    wanted = MAX_GIVEN_WORDS;
  while (words < wanted)
    words += 1 + (tracer->stack[tracer->bottom + words] & 1);
  CN_ASSERT(words <= all);
  return words <= MAX_GIVEN_WORDS ? words : words - 2;
}

void cn_work_sharing_give(struct cn_tracer *tracer)
{
  if (!cn_work_sharing_has_spare_work(tracer))
    return;
  size_t words = count_oldest_half(tracer);
  pthread_mutex_lock(&shared_pool.lock);
  bool given = shared_pool.count == 0 && shared_pool.waiting != 0;
  if (given) {
    memcpy(shared_pool.words, &tracer->stack[tracer->bottom], words * sizeof *shared_pool.words);
    shared_pool.count = words;
    update_wanted_count();
  }
  pthread_mutex_unlock(&shared_pool.lock);
  if (!given)
    return;
  tracer->bottom += words;
  wake_waiting_tracers();
}

/* Takes a tracer's share of the pool, which the waiting tracers divide among themselves. */
static void take_pool_share(struct cn_tracer *tracer)
{
  size_t left = shared_pool.count - (shared_pool.count + shared_pool.waiting - 1) / shared_pool.waiting,
         from = shared_pool.count;

  while (from > left)
    from -= 1 + (shared_pool.words[from - 1] & 1);
  CN_CHECK(from < shared_pool.count);
  cn_trace_push_entries(tracer, &shared_pool.words[from], shared_pool.count - from);
  shared_pool.count = from;
  shared_pool.waiting--;
  update_wanted_count();
}

static void await_next_turn(uint32_t seen)
{
  for (int i = 0; i < SPINS_BEFORE_SLEEP; i++) {
    if (atomic_load(&shared_pool.turn) != seen)
      return;
    sched_yield();
  }
  while (atomic_load(&shared_pool.turn) == seen)
    cn_os_wait_on_word(&shared_pool.turn, seen, UINT64_MAX);
}

bool cn_work_sharing_await_work(struct cn_tracer *tracer, unsigned tracers)
{
  bool found;

  CN_CHECK(tracer->count == tracer->bottom);
  tracer->count = tracer->bottom = 0;
  pthread_mutex_lock(&shared_pool.lock);
  shared_pool.waiting++;
  CN_CHECK(shared_pool.waiting <= tracers);
  while (shared_pool.count == 0 && !shared_pool.done && shared_pool.waiting != tracers) {
    uint32_t seen = atomic_load(&shared_pool.turn);
    update_wanted_count();
    pthread_mutex_unlock(&shared_pool.lock);
    await_next_turn(seen);
    pthread_mutex_lock(&shared_pool.lock);
  }
  found = shared_pool.count != 0;
  if (found)
    take_pool_share(tracer);
  else
    shared_pool.done = true;
  update_wanted_count();
  pthread_mutex_unlock(&shared_pool.lock);
  if (!found)
    wake_waiting_tracers();
  return found;
}
