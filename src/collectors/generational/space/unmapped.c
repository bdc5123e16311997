/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns the log (`unmapped_log`) of the last 4,096 ranges of addresses whose objects were moved away, in the order of
 * collections. The collecting thread writes the log in phase STOP, without a lock; handlers of faults read it on any
 * thread at any time.
 */
#include "collectors/generational/space/blocks.h"

#include "base/check.h"

enum { MAX_UNMAPPED_RANGES = 4096 };

static struct {
  struct unmapped_range {
    uintptr_t start, end;
    uint64_t number;
  } at[MAX_UNMAPPED_RANGES];
  size_t next;
} unmapped_log;

void cn_unmapped_note_range(uintptr_t start, uintptr_t end, uint64_t number)
{
  CN_CHECK(start <= end && number != 0);
  unmapped_log.at[unmapped_log.next++ % MAX_UNMAPPED_RANGES] = (struct unmapped_range){start, end, number};
}

uint64_t cn_unmapped_find_collection(uintptr_t address)
{
  uint64_t number = 0;

  for (int i = 0; i < MAX_UNMAPPED_RANGES; i++)
    if (address - unmapped_log.at[i].start < unmapped_log.at[i].end - unmapped_log.at[i].start &&
        unmapped_log.at[i].number > number)
      number = unmapped_log.at[i].number;
  return number;
}
