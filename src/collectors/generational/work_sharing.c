/* SPDX-License-Identifier: Apache-2.0
 *
 * Shares the work of tracers. Phase STOP, any number of tracers, under the pool's lock. A waiting tracer spins for a
 * while, since a thread that sleeps takes long to wake, and then sleeps.
 */
#include "collectors/generational/work_sharing.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include "base/check.h"
#include "runtime/os/os.h"

enum {
  MAX_GIVEN_WORDS = 512, /* given at a time */
  SPINS_BEFORE_SLEEP = 200
};

unsigned cn_work_sharing_wanted;

static struct {
  pthread_mutex_t lock;
  uintptr_t words[MAX_GIVEN_WORDS];
  size_t count;
  unsigned waiting; /* tracers */
  bool done;
  _Atomic uint32_t turn; /* changes when the pool has work, and when all is done */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Under the lock, after a change. */
static void set_wanted(void)
{
  unsigned wanted = pool.count == 0 && !pool.done ? pool.waiting : 0;

  __atomic_store_n(&cn_work_sharing_wanted, wanted, __ATOMIC_RELAXED);
}

void cn_work_sharing_begin(void)
{
  CN_CHECK(pool.count == 0);
  pool.waiting = 0;
  pool.done = false;
  set_wanted();
}

static void next_turn(void)
{
  atomic_fetch_add(&pool.turn, 1);
  cn_os_wake(&pool.turn);
}

/* The words of the oldest half; an entry of two words stays whole. */
static size_t half_of_stack(const struct cn_tracer *tracer)
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
  if (!cn_work_sharing_has_enough(tracer))
    return;
  size_t words = half_of_stack(tracer);
  pthread_mutex_lock(&pool.lock);
  bool given = pool.count == 0 && pool.waiting != 0;
  if (given) {
    memcpy(pool.words, &tracer->stack[tracer->bottom], words * sizeof *pool.words);
    pool.count = words;
    set_wanted();
  }
  pthread_mutex_unlock(&pool.lock);
  if (!given)
    return;
  tracer->bottom += words;
  next_turn();
}

/* Take a share of the pool, which is for all that wait. */
static void take_share(struct cn_tracer *tracer)
{
  size_t left = pool.count - (pool.count + pool.waiting - 1) / pool.waiting, from = pool.count;

  while (from > left)
    from -= 1 + (pool.words[from - 1] & 1);
  CN_CHECK(from < pool.count);
  cn_trace_push(tracer, &pool.words[from], pool.count - from);
  pool.count = from;
  pool.waiting--;
  set_wanted();
}

/* Wait for another turn than `seen`. */
static void await_turn(uint32_t seen)
{
  for (int i = 0; i < SPINS_BEFORE_SLEEP; i++) {
    if (atomic_load(&pool.turn) != seen)
      return;
    sched_yield();
  }
  while (atomic_load(&pool.turn) == seen)
    cn_os_wait(&pool.turn, seen, UINT64_MAX);
}

bool cn_work_sharing_take(struct cn_tracer *tracer, unsigned tracers)
{
  bool found;

  CN_CHECK(tracer->count == tracer->bottom);
  tracer->count = tracer->bottom = 0;
  pthread_mutex_lock(&pool.lock);
  pool.waiting++;
  CN_CHECK(pool.waiting <= tracers);
  while (pool.count == 0 && !pool.done && pool.waiting != tracers) {
    uint32_t seen = atomic_load(&pool.turn);
    set_wanted();
    pthread_mutex_unlock(&pool.lock);
    await_turn(seen);
    pthread_mutex_lock(&pool.lock);
  }
  found = pool.count != 0;
  if (found)
    take_share(tracer);
  else
    pool.done = true;
  set_wanted();
  pthread_mutex_unlock(&pool.lock);
  if (!found)
    next_turn();
  return found;
}
