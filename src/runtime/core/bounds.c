/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the bounds of threads' stacks, and computes the floor for managed code. The bounds are members of the mutator;
 * the file has no state. Each thread updates its own bounds, when it attaches and before it reports a stack overflow,
 * in any phase; no locks.
 */
#include "runtime/core/bounds.h"

#include "base/check.h"
#include "runtime/os/os.h"

enum {
  NATIVE_RESERVE_BYTES = 256 << 10, /* stack reserved for native code that managed code calls */
  SMALL_STACK_DIVISOR = 4,          /* a small stack reserves this fraction instead */
};

uintptr_t cn_bounds_stack_floor(uintptr_t bottom, uintptr_t end)
{
  size_t size = end > bottom ? end - bottom : 0;
  uintptr_t floor =
      bottom + (size / SMALL_STACK_DIVISOR < NATIVE_RESERVE_BYTES ? size / SMALL_STACK_DIVISOR : NATIVE_RESERVE_BYTES);

  CN_ASSERT(floor == bottom || floor < end);
  return floor;
}

/* Update the bounds of the main thread's original stack, the only bounds that change. */
void cn_bounds_find_stack(struct cairn_mutator *mutator)
{
  uintptr_t end = mutator->stack_end, bottom = cn_os_main_stack_bottom();

  CN_ASSERT(mutator == &cairn_mutator && end != 0);
  if (mutator->stack != NULL || mutator != cn_mutator_of_main_thread())
    return;
  /* Without a limit of the system, the stack may use half of the memory. */
  if (bottom == 0)
    bottom = end - (cn_os_memory_bytes() / 2 < end / 2 ? cn_os_memory_bytes() / 2 : end / 2);
  mutator->stack_bottom = bottom;
  mutator->stack_floor = cn_bounds_stack_floor(bottom, end);
}
