/* SPDX-License-Identifier: Apache-2.0
 *
 * Discards unused memory of a space part by part, in steps of the background thread, so that no step takes long. The
 * file has no state; the caller keeps the position. Phase MUTATE, under the lock that guards the space's allocation.
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
