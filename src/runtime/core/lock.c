/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements locks that signal handlers take as well. The word of each lock names its holder: one step takes the
 * lock and tells which thread has it. No mutex of libc does that. A bit of the word says that threads wait, for the
 * low half of the word; a release wakes one of them.
 */
#include "runtime/core/lock.h"

#include <stdatomic.h>
#include <stdint.h>
#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/os/os.h"

static _Atomic uintptr_t holder[CN_LOCKS]; /* address of its thread's `self`; 0: it is free */
static _Thread_local uint64_t self;
enum { STATE_WAITED = 1, SPINS_BEFORE_WAIT = 100 };
_Static_assert(_Alignof(uint64_t) > STATE_WAITED, "no address of a `self` has the bit");
_Static_assert(CN_LOCKS <= 32, "cn_locks_held() has a bit for each");

static bool is_mine(enum cn_lock lock)
{
  return (atomic_load(&holder[lock]) & ~(uintptr_t)STATE_WAITED) == (uintptr_t)&self;
}

/* A lock is held for microseconds: read it a few times before the wait. A thread that has waited cannot tell whether
 * others wait. */
static void await(enum cn_lock lock)
{
  uintptr_t seen = atomic_load(&holder[lock]);

  CN_ASSERT(!is_mine(lock));
  for (int i = 0; i < SPINS_BEFORE_WAIT && seen != 0; i++)
    seen = atomic_load(&holder[lock]);
  for (;;)
    if (seen == 0) {
      if (atomic_compare_exchange_weak(&holder[lock], &seen, (uintptr_t)&self | STATE_WAITED))
        return;
    } else if ((seen & STATE_WAITED) != 0 || atomic_compare_exchange_weak(&holder[lock], &seen, seen | STATE_WAITED)) {
      cn_os_wait((_Atomic uint32_t *)&holder[lock], (uint32_t)(seen | STATE_WAITED), UINT64_MAX);
      seen = atomic_load(&holder[lock]);
    }
}

bool cn_lock_take(enum cn_lock lock)
{
  uintptr_t free = 0;

  CN_ASSERT(lock < CN_LOCKS);
  cn_defer_signals();
  if (atomic_compare_exchange_strong(&holder[lock], &free, (uintptr_t)&self))
    return true;
  if (is_mine(lock)) {
    cn_defer_let_signals();
    return false;
  }
  await(lock);
  return true;
}

void cn_lock_release(enum cn_lock lock)
{
  CN_CHECK(lock < CN_LOCKS && is_mine(lock)); /* fails on another thread's lock */
  if ((atomic_exchange(&holder[lock], 0) & STATE_WAITED) != 0)
    cn_os_wake_one((_Atomic uint32_t *)&holder[lock]);
  cn_defer_let_signals();
}

unsigned cn_locks_held(void)
{
  unsigned held = 0;

  for (unsigned lock = 0; lock < CN_LOCKS; lock++)
    held |= (unsigned)is_mine((enum cn_lock)lock) << lock;
  return held;
}

void cn_locks_restore(unsigned held)
{
  unsigned taken = cn_locks_held() & ~held;

  for (unsigned lock = 0; lock < CN_LOCKS; lock++)
    if (taken >> lock & 1)
      cn_lock_release((enum cn_lock)lock);
  CN_ASSERT(cn_locks_held() == held); /* fails if a lock that was held then was released */
}

void cn_locks_forked(void)
{
  unsigned held = cn_locks_held();

  for (unsigned lock = 0; lock < CN_LOCKS; lock++)
    if (!(held >> lock & 1))
      atomic_store_explicit(&holder[lock], 0, memory_order_relaxed);
}
