/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of the runtime.
 */
#include "runtime/grow.h"

#include "base/check.h"
#include "runtime/os/os.h"
#include "runtime/report.h"

void *cn_grow(void *at, size_t *room, size_t item)
{
  size_t page = cn_os_page();
  size_t old_bytes = *room == 0 ? 0 : (*room * item + page - 1) / page * page;
  size_t bytes = old_bytes == 0 ? 4 * page : 2 * old_bytes;

  CN_CHECK((at == NULL) == (*room == 0));
  at = cn_os_resize(at, old_bytes, bytes);
  if (at == NULL)
    cairn_fatal("no memory for a table of %zu bytes", bytes);
  /* Rounding down loses less than an item; old_bytes is then found again by rounding up to pages.
   * */
  *room = bytes / item;
  CN_CHECK((*room * item + page - 1) / page * page == bytes);
  return at;
}
