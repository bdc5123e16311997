/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts readers of published data, in two generations, and waits until they have left. The counts are in the caller's
 * struct; the file has no state. Runs on any thread, in any phase, without locks: readers never wait, writers may
 * sleep. All atomic accesses are sequentially consistent.
 */
#include "runtime/core/readers.h"

#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/os/os.h"

enum { FIRST_COUNTED_VALUE = 2 }; /* `inside` is this value plus the index of the thread's count */

static void uncount_reader(struct cn_reader_epochs *readers, unsigned which)
{
  atomic_fetch_sub(&readers->count[which], 1);
  if (atomic_load(&readers->waiting))
    cn_os_wake_all(&readers->count[which]);
}

void cn_readers_enter(struct cn_reader_epochs *readers, volatile unsigned *inside)
{
  cn_defer_signals();
  CN_CHECK(*inside == 0);
  for (;;) {
    uint64_t seen = atomic_load(&readers->generation);
    atomic_fetch_add(&readers->count[seen & 1], 1);
    if (atomic_load(&readers->generation) == seen) {
      *inside = FIRST_COUNTED_VALUE + (unsigned)(seen & 1);
      return;
    }
    uncount_reader(readers, seen & 1);
  }
}

void cn_readers_leave(struct cn_reader_epochs *readers, volatile unsigned *inside)
{
  unsigned which = *inside - FIRST_COUNTED_VALUE;

  CN_CHECK(*inside >= FIRST_COUNTED_VALUE); /* a lower value would name no count of this reader */
  *inside = 0;
  uncount_reader(readers, which);
  cn_undefer_signals();
}

uint64_t cn_readers_current_generation(struct cn_reader_epochs *readers)
{
  return atomic_load(&readers->generation);
}

/* Begin the next generation if the previous generation has no readers. The previous generation's count may include, for
 * a moment, a reader that is about to notice the generation's end. */
static bool advance_generation(struct cn_reader_epochs *readers)
{
  uint64_t now = atomic_load(&readers->generation);

  return atomic_load(&readers->count[(now + 1) & 1]) == 0 &&
         atomic_compare_exchange_strong(&readers->generation, &now, now + 1);
}

bool cn_readers_have_left(struct cn_reader_epochs *readers, uint64_t since)
{
  while (atomic_load(&readers->generation) - since < 2)
    if (!advance_generation(readers))
      return atomic_load(&readers->generation) - since >= 2;
  return true;
}

static void wait_for_last_reader(struct cn_reader_epochs *readers)
{
  uint64_t now = atomic_load(&readers->generation);
  _Atomic uint32_t *count = &readers->count[(now + 1) & 1];
  uint32_t seen = atomic_load(count);

  if (seen != 0 && atomic_load(&readers->generation) == now)
    cn_os_wait_on_word(count, seen, UINT64_MAX);
}

void cn_readers_wait(struct cn_reader_epochs *readers)
{
  uint64_t since = cn_readers_current_generation(readers);

  atomic_fetch_add(&readers->waiting, 1);
  while (!cn_readers_have_left(readers, since))
    wait_for_last_reader(readers);
  atomic_fetch_sub(&readers->waiting, 1);
}

void cn_readers_reset_in_child(struct cn_reader_epochs *readers, unsigned inside)
{
  atomic_store(&readers->count[0], 0);
  atomic_store(&readers->count[1], 0);
  if (inside != 0)
    atomic_store(&readers->count[inside - FIRST_COUNTED_VALUE], 1);
  atomic_store(&readers->waiting, 0);
}

const char *cn_readers_wrong(const struct cn_reader_epochs *readers, unsigned inside)
{
  if (inside != 0 && atomic_load(&readers->count[inside & 1]) == 0)
    return "readers: a thread reads, and is not counted";
  return NULL;
}
