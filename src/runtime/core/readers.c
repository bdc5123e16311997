/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts readers, in two generations. All accesses are in one order for all threads.
 */
#include "runtime/core/readers.h"

#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/os/os.h"

enum { COUNTED_BASE = 2 }; /* `inside` is this plus the number of the thread's count */

static void count_out(struct cn_readers *readers, unsigned which)
{
  atomic_fetch_sub(&readers->count[which], 1);
  if (atomic_load(&readers->waiting))
    cn_os_wake(&readers->count[which]);
}

void cn_readers_enter(struct cn_readers *readers, volatile unsigned *inside)
{
  cn_defer_signals();
  CN_CHECK(*inside == 0);
  for (;;) {
    uint64_t seen = atomic_load(&readers->generation);
    atomic_fetch_add(&readers->count[seen & 1], 1);
    if (atomic_load(&readers->generation) == seen) {
      *inside = COUNTED_BASE + (unsigned)(seen & 1);
      return;
    }
    count_out(readers, seen & 1);
  }
}

void cn_readers_leave(struct cn_readers *readers, volatile unsigned *inside)
{
  unsigned which = *inside - COUNTED_BASE;

  CN_CHECK(*inside >= COUNTED_BASE); /* a lower value would decrement another reader's count */
  *inside = 0;
  count_out(readers, which);
  cn_defer_let_signals();
}

uint64_t cn_readers_now(struct cn_readers *readers)
{
  return atomic_load(&readers->generation);
}

/* Begin the next generation if the last but one is without readers. A reader that is about to find its generation
 * over may be counted for a moment. */
static bool advance(struct cn_readers *readers)
{
  uint64_t now = atomic_load(&readers->generation);

  return atomic_load(&readers->count[(now + 1) & 1]) == 0 &&
         atomic_compare_exchange_strong(&readers->generation, &now, now + 1);
}

bool cn_readers_left(struct cn_readers *readers, uint64_t since)
{
  while (atomic_load(&readers->generation) - since < 2)
    if (!advance(readers))
      return atomic_load(&readers->generation) - since >= 2;
  return true;
}

static void wait_for_last(struct cn_readers *readers)
{
  uint64_t now = atomic_load(&readers->generation);
  _Atomic uint32_t *count = &readers->count[(now + 1) & 1];
  uint32_t seen = atomic_load(count);

  if (seen != 0 && atomic_load(&readers->generation) == now)
    cn_os_wait(count, seen, UINT64_MAX);
}

void cn_readers_wait(struct cn_readers *readers)
{
  uint64_t since = cn_readers_now(readers);

  atomic_fetch_add(&readers->waiting, 1);
  while (!cn_readers_left(readers, since))
    wait_for_last(readers);
  atomic_fetch_sub(&readers->waiting, 1);
}

void cn_readers_forked(struct cn_readers *readers, unsigned inside)
{
  atomic_store(&readers->count[0], 0);
  atomic_store(&readers->count[1], 0);
  if (inside != 0)
    atomic_store(&readers->count[inside - COUNTED_BASE], 1);
  atomic_store(&readers->waiting, 0);
}

const char *cn_readers_wrong(const struct cn_readers *readers, unsigned inside)
{
  if (inside != 0 && atomic_load(&readers->count[inside & 1]) == 0)
    return "readers: a thread reads, and is not counted";
  return NULL;
}
