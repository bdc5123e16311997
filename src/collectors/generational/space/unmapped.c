/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs the last few thousand ranges that collections left, in the order of collections. Written in phase STOP, read by
 * signal handlers.
 */
#include "collectors/generational/space/unmapped.h"

#include "base/check.h"

enum { LOG_ENTRIES = 4096 };

static struct {
  struct left {
    uintptr_t start, end;
    uint64_t number;
  } at[LOG_ENTRIES];
  size_t next;
} record;

void cn_unmapped_note(uintptr_t start, uintptr_t end, uint64_t number)
{
  CN_CHECK(start <= end && number != 0);
  record.at[record.next++ % LOG_ENTRIES] = (struct left){start, end, number};
}

uint64_t cn_unmapped_find(uintptr_t address)
{
  uint64_t number = 0;

  for (int i = 0; i < LOG_ENTRIES; i++)
    if (address - record.at[i].start < record.at[i].end - record.at[i].start && record.at[i].number > number)
      number = record.at[i].number;
  return number;
}
