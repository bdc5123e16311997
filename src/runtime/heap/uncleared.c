/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells collections whether the program has made uncleared arrays, and walks over all objects which of them may never
 * have been filled. Mutators' threads in phase MUTATE, the collecting thread in phase STOP; flags are atomic, and
 * CN_LOCK_UNFILLED guards the list.
 */
#include "runtime/heap/uncleared.h"

#include <stdatomic.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/core/image.h"
#include "runtime/core/lock.h"

struct unfilled {
  uintptr_t start, end;
};

static CN_GROW(struct unfilled) unfilled; /* since the last collection; under CN_LOCK_UNFILLED */

static _Atomic bool left;   /* since the last collection, by an ended mutator */
static _Atomic bool lately; /* between the last collection and the one before it */
static _Atomic bool ever;

void cn_uncleared_begin(void)
{
  bool made = atomic_exchange(&left, false);

  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;) {
    made |= m->uncleared != 0;
    m->uncleared = 0;
  }
  atomic_store(&lately, made);
  if (made)
    atomic_store(&ever, true);
  unfilled.count = 0;
}

void cn_uncleared_leave(const struct cairn_mutator *mutator)
{
  CN_ASSERT(mutator != NULL);
  if (mutator->uncleared != 0)
    atomic_store(&left, true);
}

static bool is_unknown(void)
{
  return (cn_image_flags() & CAIRN_ABI_IMAGE_UNCLEARED) != 0;
}

bool cairn_arrays_uncleared(void)
{
  return atomic_load(&ever) || is_unknown();
}

bool cairn_arrays_uncleared_lately(void)
{
  return atomic_load(&lately) || is_unknown();
}

/* ---- objects that were never filled ---- */

void cn_unfilled_note(uintptr_t start, uintptr_t end)
{
  bool taken = cn_lock_take(CN_LOCK_UNFILLED);

  CN_CHECK(taken && start < end);
  cn_grow_push(&unfilled, (struct unfilled){start, end});
  cn_lock_release(CN_LOCK_UNFILLED);
}

bool cn_unfilled_exist(void)
{
  return unfilled.count != 0;
}

bool cn_unfilled_has(uintptr_t payload)
{
  CN_ASSERT(payload != 0);
  for (size_t i = 0; i < unfilled.count; i++)
    if (payload > unfilled.at[i].start && payload <= unfilled.at[i].end)
      return true;
  return false;
}
