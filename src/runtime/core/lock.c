/* SPDX-License-Identifier: Apache-2.0
 *
 * A word for each lock names its holder: one step takes the lock and tells which thread has it. No
 * mutex of libc does that.
 */
#include "runtime/core/lock.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include "base/check.h"
#include "runtime/core/hold.h"
#include "runtime/os/os.h"

static _Atomic uintptr_t holder[CN_LOCKS]; /* address of its thread's `self`; 0: it is free */
static _Thread_local char self;
_Static_assert(CN_LOCKS <= 32, "cn_locks_held() has a bit for each");

bool cn_lock_take(enum cn_lock lock)
{
  uintptr_t mine = (uintptr_t)&self, free = 0;

  CN_ASSERT(lock < CN_LOCKS);
  cn_hold_signals();
  while (!atomic_compare_exchange_weak_explicit(&holder[lock], &free, mine, memory_order_acquire,
                                                memory_order_relaxed)) {
    if (free == mine) {
      cn_hold_let_signals();
      return false;
    }
    if (free != 0)
      sched_yield();
    free = 0;
  }
  return true;
}

void cn_lock_release(enum cn_lock lock)
{
  CN_CHECK(lock < CN_LOCKS && holder[lock] == (uintptr_t)&self); /* another thread's else */
  atomic_store_explicit(&holder[lock], 0, memory_order_release);
  cn_hold_let_signals();
}

unsigned cn_locks_held(void)
{
  unsigned held = 0;

  for (unsigned lock = 0; lock < CN_LOCKS; lock++)
    held |= (unsigned)(holder[lock] == (uintptr_t)&self) << lock;
  return held;
}

void cn_locks_restore(unsigned held)
{
  unsigned taken = cn_locks_held() & ~held;

  for (unsigned lock = 0; lock < CN_LOCKS; lock++)
    if (taken >> lock & 1)
      cn_lock_release((enum cn_lock)lock);
  CN_ASSERT(cn_locks_held() == held); /* none was given back that was held then */
}

static void forked(void)
{
  unsigned held = cn_locks_held();

  for (unsigned lock = 0; lock < CN_LOCKS; lock++)
    if (!(held >> lock & 1))
      atomic_store_explicit(&holder[lock], 0, memory_order_relaxed);
}

void cn_locks_prepare(void)
{
  cn_os_forked(forked);
}
