/* SPDX-License-Identifier: Apache-2.0
 *
 * Discards unused memory in steps of the background thread. Phase MUTATE, under the lock that guards the space's
 * allocation; no state.
 */
#include "collectors/idle.h"

#include "base/check.h"
#include "runtime/os/os.h"

bool cn_discard_idle_memory(uintptr_t *from, uintptr_t start, uintptr_t end)
{
  size_t page = cn_os_page_bytes();

  CN_ASSERT(end % page == 0);
  start = ((*from > start ? *from : start) + page - 1) & ~(uintptr_t)(page - 1);
  if (start >= end)
    return false;
  *from = end - start > CN_IDLE_BYTES ? start + CN_IDLE_BYTES : end;
  cn_os_discard_contents(start, *from - start);
  return *from < end;
}
