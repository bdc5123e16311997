/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements cn_mutex, a lock whose waiting threads sleep in the kernel, by a futex with two bits, as in U. Drepper,
 * "Futexes Are Tricky" (2011), "Mutex, Take 2": the release of an uncontended lock makes no system call. The higher
 * bits count the calls of cn_mutex_wake_waiters(), so that a thread notices a call between its test of `over` and its
 * wait.
 *
 * A release wakes one thread. The woken thread tries again. It either takes the lock with STATE_CONTENDED, because
 * other threads may wait, or waits again. Any thread may call the functions, in any phase; signals are deferred during
 * a wait. All state is in the mutex.
 *
 * Also implements cn_inheriting_mutex, whose word has the holder's number, as the kernel's priority inheritance
 * requires. If the kernel refuses to wait, or denies threads their numbers, the thread tries again at intervals.
 */
#include "runtime/core/lock.h"

#include <stddef.h>
#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/os/os.h"

enum { STATE_HELD = 1, STATE_CONTENDED = 2, STATE_WAKE_COUNT_UNIT = 4, RETRY_NANOSECONDS = 100000 };

/* Take the lock, or set STATE_CONTENDED. True: the calling thread has taken the lock. */
static bool take_or_mark_contended(struct cn_mutex *mutex, uint32_t also, uint32_t *seen)
{
  uint32_t next;

  *seen = atomic_load(&mutex->word);
  do
    next = (*seen & STATE_HELD) == 0 ? *seen | STATE_HELD | also : *seen | STATE_CONTENDED;
  while (!atomic_compare_exchange_weak(&mutex->word, seen, next));
  bool taken = (*seen & STATE_HELD) == 0;
  CN_ASSERT((next & STATE_HELD) != 0 && (taken || (next & STATE_CONTENDED) != 0));
  *seen = next;
  return taken;
}

static bool take_contended_mutex(struct cn_mutex *mutex, uint32_t seen, uint64_t deadline, cn_mutex_give_up_test *over,
                                 const void *env)
{
  do {
    if (over != NULL && over(env))
      return false;
    if (!cn_os_wait_on_word(&mutex->word, seen, deadline))
      return false;
  } while (!take_or_mark_contended(mutex, STATE_CONTENDED, &seen));
  return true;
}

/* Signals are deferred during the wait: a woken thread whose handler jumped out would never release the lock to the
 * next thread. */
bool cn_mutex_take_unless(struct cn_mutex *mutex, uint64_t deadline, cn_mutex_give_up_test *over, const void *env)
{
  uint32_t seen = 0;

  if (atomic_compare_exchange_strong(&mutex->word, &seen, STATE_HELD) || take_or_mark_contended(mutex, 0, &seen))
    return true;
  cn_defer_signals();
  CN_ASSERT((seen & STATE_CONTENDED) != 0); /* the bit makes the holder wake this thread */
  bool taken = take_contended_mutex(mutex, seen, deadline, over, env);
  cn_undefer_signals();
  return taken;
}

bool cn_mutex_take(struct cn_mutex *mutex, uint64_t deadline)
{
  return cn_mutex_take_unless(mutex, deadline, NULL, NULL);
}

/* The call ignores STATE_CONTENDED, which may be clear while threads wait: a thread that a release woke sets the bit a
 * little later. */
void cn_mutex_wake_waiters(struct cn_mutex *mutex)
{
  atomic_fetch_add(&mutex->word, STATE_WAKE_COUNT_UNIT);
  cn_os_wake_all(&mutex->word);
}

void cn_mutex_release(struct cn_mutex *mutex)
{
  uint32_t before = atomic_fetch_and(&mutex->word, ~(uint32_t)(STATE_HELD | STATE_CONTENDED));

  CN_CHECK((before & STATE_HELD) != 0); /* fails on another thread's lock */
  if ((before & STATE_CONTENDED) != 0)
    cn_os_wake_one(&mutex->word);
}

/* ---- priority inheritance ---- */

void cn_inheriting_mutex_take(struct cn_inheriting_mutex *mutex, int thread)
{
  uint32_t seen = 0;

  while (!atomic_compare_exchange_strong(&mutex->word, &seen, (uint32_t)thread)) {
    if (cn_os_take_inheriting_word(&mutex->word))
      return;
    cn_os_wait_on_word(&mutex->word, seen, cn_os_clock_nanoseconds() + RETRY_NANOSECONDS);
    seen = 0;
  }
}

void cn_inheriting_mutex_release(struct cn_inheriting_mutex *mutex, int thread)
{
  uint32_t seen = (uint32_t)thread;

  if (!atomic_compare_exchange_strong(&mutex->word, &seen, 0) && !cn_os_release_inheriting_word(&mutex->word))
    atomic_store(&mutex->word, 0);
}
