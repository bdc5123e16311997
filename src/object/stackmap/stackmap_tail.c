/* SPDX-License-Identifier: Apache-2.0
 *
 * Cuts the lists that Cairn appends to the values of a record, for stackmap_described.c and stackmap_point.c. Runs on
 * maps that stackmap_read.c has checked, only reads them, and holds no state. An error has a status and an offset.
 */
#include "object/stackmap/stackmap_tail.h"

enum cairn_status cn_stackmap_fail_at_record(const struct cn_record_reader *r, enum cairn_status status,
                                             struct cairn_stackmap_error *error)
{
  if (error) {
    error->offset = r->record->offset;
    error->reason = cairn_status_text(status);
  }
  return status;
}

bool cn_stackmap_read_constant(const struct cn_record_reader *r, uint32_t index, uint64_t *value)
{
  struct cairn_stackmap_location l = cairn_stackmap_location(r->map, r->record, index);

  *value = l.value;
  return l.kind == CAIRN_STACKMAP_CONSTANT;
}

bool cn_stackmap_cut_tail(const struct cn_record_reader *r, uint64_t mark, uint32_t first, uint32_t *end,
                          uint32_t *from, uint32_t *to)
{
  uint64_t length, found;

  if (*end < first + 2 || !cn_stackmap_read_constant(r, *end - 1, &length) || length == 0 || length > *end - 1 - first)
    return false;
  uint32_t at = *end - 1 - (uint32_t)length;
  if (!cn_stackmap_read_constant(r, at, &found) || found != mark)
    return false;
  *from = at + 1;
  *to = *end - 1;
  *end = at;
  return true;
}

bool cn_stackmap_has_mark(const struct cn_record_reader *r, uint64_t mark, uint32_t first, uint32_t end)
{
  uint64_t value;

  for (uint32_t i = first; i < end; i++)
    if (cn_stackmap_read_constant(r, i, &value) && value == mark)
      return true;
  return false;
}
