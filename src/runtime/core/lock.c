/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements locks for threads and their signal handlers. Owns the words of all locks (`lock_words`) and a thread-local
 * variable whose address names the thread (`thread_identity`). The word of a lock names the holder: one atomic
 * operation, unlike a mutex of libc, takes the lock and records which thread holds it. A bit of the word says that
 * threads wait on the low half of the word; a release wakes one waiting thread. Runs on any thread, in any phase;
 * async-signal-safe. The child of a fork() frees the locks of other threads.
 */
#include "runtime/core/lock.h"

#include <stdatomic.h>
#include <stdint.h>
#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/os/os.h"

static _Atomic uintptr_t lock_words[CN_LOCK_COUNT]; /* address of the holder's `thread_identity`; 0: free lock */
static _Thread_local uint64_t thread_identity;
enum { HAS_WAITERS_BIT = 1, SPINS_BEFORE_WAIT = 100 };
_Static_assert(_Alignof(uint64_t) > HAS_WAITERS_BIT, "no address of a `self` has the bit");
_Static_assert(CN_LOCK_COUNT <= 32, "cn_locks_held_by_thread() has a bit for each");

static bool is_held_by_thread(enum cn_lock lock)
{
  return (atomic_load(&lock_words[lock]) & ~(uintptr_t)HAS_WAITERS_BIT) == (uintptr_t)&thread_identity;
}

/* Locks are held for microseconds, so read the word a few times before the wait. A thread that has waited cannot tell
 * whether other threads wait. */
static void wait_for_lock(enum cn_lock lock)
{
  uintptr_t seen = atomic_load(&lock_words[lock]);

  CN_ASSERT(!is_held_by_thread(lock));
  for (int i = 0; i < SPINS_BEFORE_WAIT && seen != 0; i++)
    seen = atomic_load(&lock_words[lock]);
  for (;;)
    if (seen == 0) {
      if (atomic_compare_exchange_weak(&lock_words[lock], &seen, (uintptr_t)&thread_identity | HAS_WAITERS_BIT))
        return;
    } else if ((seen & HAS_WAITERS_BIT) != 0 ||
               atomic_compare_exchange_weak(&lock_words[lock], &seen, seen | HAS_WAITERS_BIT)) {
      cn_os_wait_on_word((_Atomic uint32_t *)&lock_words[lock], (uint32_t)(seen | HAS_WAITERS_BIT), UINT64_MAX);
      seen = atomic_load(&lock_words[lock]);
    }
}

bool cn_lock_take(enum cn_lock lock)
{
  uintptr_t free = 0;

  CN_ASSERT(lock < CN_LOCK_COUNT);
  cn_defer_signals();
  if (atomic_compare_exchange_strong(&lock_words[lock], &free, (uintptr_t)&thread_identity))
    return true;
  if (is_held_by_thread(lock)) {
    cn_undefer_signals();
    return false;
  }
  wait_for_lock(lock);
  return true;
}

void cn_lock_release(enum cn_lock lock)
{
  CN_CHECK(lock < CN_LOCK_COUNT && is_held_by_thread(lock)); /* fails on another thread's lock */
  if ((atomic_exchange(&lock_words[lock], 0) & HAS_WAITERS_BIT) != 0)
    cn_os_wake_one((_Atomic uint32_t *)&lock_words[lock]);
  cn_undefer_signals();
}

unsigned cn_locks_held_by_thread(void)
{
  unsigned held = 0;

  for (unsigned lock = 0; lock < CN_LOCK_COUNT; lock++)
    held |= (unsigned)is_held_by_thread((enum cn_lock)lock) << lock;
  return held;
}

void cn_locks_release_others(unsigned held)
{
  unsigned taken = cn_locks_held_by_thread() & ~held;

  for (unsigned lock = 0; lock < CN_LOCK_COUNT; lock++)
    if (taken >> lock & 1)
      cn_lock_release((enum cn_lock)lock);
  CN_ASSERT(cn_locks_held_by_thread() == held);
}

void cn_locks_reset_in_child(void)
{
  unsigned held = cn_locks_held_by_thread();

  for (unsigned lock = 0; lock < CN_LOCK_COUNT; lock++)
    if (!(held >> lock & 1))
      atomic_store_explicit(&lock_words[lock], 0, memory_order_relaxed);
}
