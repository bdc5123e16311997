/* SPDX-License-Identifier: Apache-2.0
 *
 * Records whether the program has made uncleared arrays, and which objects may be unfilled. Mutators' threads add to
 * the list (`unfilled`) under CN_LOCK_UNFILLED, in phase MUTATE or with the registry's lock. In phase STOP, when no
 * thread adds, the collecting thread empties the list, and walks over the heap read it, without the lock. The three
 * flags are atomic: threads that end and the collecting thread set them, and any thread reads them.
 */
#include "runtime/heap/managed_heap.h"

#include <stdatomic.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/core/image.h"
#include "runtime/core/lock.h"

struct unfilled_range {
  uintptr_t start, end;
};

static CN_GROW(struct unfilled_range) unfilled; /* ranges noted since the last collection; under CN_LOCK_UNFILLED */

static _Atomic bool ended_mutator_made_uncleared; /* set since the last collection */
static _Atomic bool made_uncleared_lately;        /* between the last two collections */
static _Atomic bool made_uncleared_ever;

void cn_uncleared_begin_collection(void)
{
  bool made = atomic_exchange(&ended_mutator_made_uncleared, false);

  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;) {
    made |= m->uncleared != 0;
    m->uncleared = 0;
  }
  atomic_store(&made_uncleared_lately, made);
  if (made)
    atomic_store(&made_uncleared_ever, true);
  unfilled.count = 0;
}

void cn_uncleared_note_mutator_end(const struct cairn_mutator *mutator)
{
  CN_ASSERT(mutator != NULL);
  if (mutator->uncleared != 0)
    atomic_store(&ended_mutator_made_uncleared, true);
}

static bool has_uncleared_image(void)
{
  return (cn_image_joint_flags() & CAIRN_ABI_IMAGE_UNCLEARED) != 0;
}

bool cairn_arrays_uncleared(void)
{
  return atomic_load(&made_uncleared_ever) || has_uncleared_image();
}

bool cairn_arrays_uncleared_lately(void)
{
  return atomic_load(&made_uncleared_lately) || has_uncleared_image();
}

/* ---- unfilled objects ---- */

void cn_unfilled_note_range(uintptr_t start, uintptr_t end)
{
  bool taken = cn_lock_take(CN_LOCK_UNFILLED);

  CN_CHECK(taken && start < end);
  cn_grow_push(&unfilled, (struct unfilled_range){start, end});
  cn_lock_release(CN_LOCK_UNFILLED);
}

bool cn_unfilled_exist(void)
{
  return unfilled.count != 0;
}

bool cn_unfilled_has_object(uintptr_t payload)
{
  CN_ASSERT(payload != 0);
  for (size_t i = 0; i < unfilled.count; i++)
    if (payload > unfilled.at[i].start && payload <= unfilled.at[i].end)
      return true;
  return false;
}
