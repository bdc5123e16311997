/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the invariants of mutators (mutator.h): allocation buffer, stack, anchors and cards. Runs on the mutator's own
 * thread, in a slow path, its attachment or its detachment, in any phase; or on the collecting thread, in phase STOP.
 * Async-signal-safe. The file has no state, and takes no lock.
 */
#include "runtime/core/mutator.h"

#include <cairn/abi.h>
#include "runtime/core/anchors.h"

/* Other threads may lower the limit during the check. */
static const char *alloc_buffer_wrong(const struct cairn_mutator *mutator)
{
  uintptr_t limit = __atomic_load_n(&mutator->limit, __ATOMIC_SEQ_CST);
  uintptr_t all = mutator->buffer_start | mutator->alloc | mutator->buffer_end;

  if (mutator->buffer_start > mutator->alloc || mutator->alloc > mutator->buffer_end)
    return "mutator: the next block is not in the allocation buffer";
  if (all % CAIRN_ABI_OBJECT_ALIGN != 0)
    return "mutator: the allocation buffer is not aligned";
  if (limit != 0 && limit != mutator->buffer_end)
    return "mutator: the limit is not the end of the allocation buffer";
  return NULL;
}

/* Other threads may raise the limit during the check. */
static const char *stack_wrong(const struct cairn_mutator *mutator)
{
  uintptr_t limit = __atomic_load_n(&mutator->stack_limit, __ATOMIC_SEQ_CST);

  if (mutator->stack_bottom > mutator->stack_floor)
    return "mutator: managed code may use more of the stack than there is";
  if (limit != mutator->stack_floor && limit != UINTPTR_MAX)
    return "mutator: the stack limit is not what the poll word says";
  return NULL;
}

static const char *cards_wrong(const struct cairn_mutator *mutator)
{
  if (mutator->cards == NULL)
    return "mutator: it has no cards for barriers to write to";
  if ((mutator->card_mask & (mutator->card_mask + 1)) != 0)
    return "mutator: the mask of its cards is no 2^n - 1";
  return NULL;
}

const char *cn_mutator_wrong(const struct cairn_mutator *mutator)
{
  const char *wrong = alloc_buffer_wrong(mutator);

  if (mutator->attached > 1 || mutator->busy > 2 || mutator->uncleared > 1)
    return "mutator: a flag is neither 0 nor 1";
  if (!mutator->attached)
    return mutator->anchors == NULL && mutator->buffer_end == 0
               ? NULL
               : "mutator: no thread is attached, and it has anchors or a buffer";
  if (cn_anchors_wrong(mutator->anchors, mutator->anchor) != NULL)
    return cn_anchors_wrong(mutator->anchors, mutator->anchor);
  if (mutator->stack_end == 0 || mutator->stack_end % sizeof mutator->stack_end != 0)
    return "mutator: the stack has no end, or it is not aligned";
  if (wrong == NULL)
    wrong = cards_wrong(mutator);
  return wrong != NULL ? wrong : stack_wrong(mutator);
}
