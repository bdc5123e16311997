/* SPDX-License-Identifier: Apache-2.0
 *
 * Grows and frees the memory of growable arrays, the tables of the runtime. The file has no state. It runs on the
 * thread that owns the table or holds the table's lock, in any phase, and takes no lock.
 */
#include "runtime/core/grow.h"

#include "base/check.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"

/* The size of a table: whole pages, with less than one item unused. */
static size_t table_bytes_of(size_t room, size_t item)
{
  size_t page = cn_os_page_bytes();

  return (room * item + page - 1) / page * page;
}

void *cn_grow_array(void *at, size_t *room, size_t item)
{
  size_t page = cn_os_page_bytes();
  size_t old_bytes = table_bytes_of(*room, item);
  size_t bytes = old_bytes == 0 ? 4 * page : 2 * old_bytes;

  CN_CHECK((at == NULL) == (*room == 0));
  CN_ASSERT(item != 0 && item <= 4 * page); /* so that the first growth has space for an item */
  CN_CHECK(bytes > old_bytes);              /* fails on overflow */
  at = cn_os_resize_mapping(at, old_bytes, bytes);
  if (at == NULL)
    cn_report_out_of_memory("no memory for a table of %zu bytes", bytes);
  /* `*room` determines `bytes`, because the division drops less than an item and table_bytes_of() rounds up to
   * pages. */
  *room = bytes / item;
  CN_CHECK(table_bytes_of(*room, item) == bytes);
  return at;
}

void cn_grow_free_memory(void *at, size_t room, size_t item)
{
  CN_CHECK((at == NULL) == (room == 0));
  if (at != NULL)
    cn_os_free_mapping(at, table_bytes_of(room, item));
}
