/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the ends of threads' stacks.
 */
#include "runtime/core/bounds.h"

#include "base/check.h"
#include "runtime/os/os.h"

enum {
  NATIVE_RESERVE_BYTES = 256 << 10, /* the least stack for native code called from managed code */
  SMALL_STACK_DIVISOR = 4,          /* the part of a small stack kept for it instead */
};

uintptr_t cn_bounds_stack_floor(uintptr_t bottom, uintptr_t end)
{
  size_t size = end > bottom ? end - bottom : 0;
  uintptr_t floor =
      bottom + (size / SMALL_STACK_DIVISOR < NATIVE_RESERVE_BYTES ? size / SMALL_STACK_DIVISOR : NATIVE_RESERVE_BYTES);

  CN_ASSERT(floor == bottom || floor < end);
  return floor;
}

/* Only the bounds of the main thread's own stack change. */
void cn_bounds_find_stack(struct cairn_mutator *mutator)
{
  uintptr_t end = mutator->stack_end, bottom = cn_os_main_stack_bottom();

  CN_ASSERT(mutator == &cairn_mutator && end != 0);
  if (mutator->stack != NULL || mutator != cn_mutator_of_main_thread())
    return;
  /* Without a limit of the system, allow the stack as much memory as the heap. */
  if (bottom == 0)
    bottom = end - (cn_os_memory_bytes() / 2 < end / 2 ? cn_os_memory_bytes() / 2 : end / 2);
  mutator->stack_bottom = bottom;
  mutator->stack_floor = cn_bounds_stack_floor(bottom, end);
}
