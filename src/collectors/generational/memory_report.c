/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports the memory of the generational collector by parts: objects, holes, free blocks, nursery, large objects, mark
 * stacks and tables. Phase STOP, or at the end of the program; the file has no state, and takes no lock. The system
 * tells which pages are in memory. Objects and holes share pages, so their bytes are computed.
 */
#include "collectors/generational/memory_report.h"

#include <cairn/collector.h>
#include "base/check.h"
#include "collectors/generational/large_objects.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/space/blocks.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/space/tables.h"
#include "collectors/generational/tracers.h"
#include "collectors/large_space.h"

enum use { FREE, WITH_OBJECTS, ELSEWHERE, USE_COUNT };

static enum use use_of_block(size_t block)
{
  if (cn_tables_block_state(block) == CN_BLOCK_FREE)
    return FREE;
  return cn_blocks_block_has_objects(block) ? WITH_OBJECTS : ELSEWHERE;
}

/* Adds up the bytes in memory of all blocks, by use. */
static void add_up_blocks(size_t bytes[USE_COUNT])
{
  size_t low, high;

  cn_blocks_bounds(&low, &high);
  for (size_t block = low, end; block < high; block = end) {
    enum use use = use_of_block(block);
    for (end = block + 1; end < high && use_of_block(end) == use;)
      end++;
    if (use != ELSEWHERE)
      bytes[use] += cairn_resident_bytes(cn_tables_block_address(block), (end - block) * CN_BLOCK_BYTES);
  }
}

static void report_blocks(size_t left, size_t old)
{
  struct cn_extent ahead = cn_blocks_precommit_extent();
  size_t bytes[USE_COUNT] = {0};

  add_up_blocks(bytes);
  old = old < bytes[WITH_OBJECTS] ? old : bytes[WITH_OBJECTS];
  left = left < old ? left : old;
  cairn_memory_part("old objects at the last full collection", left);
  cairn_memory_part("old objects since", old - left);
  cairn_memory_part("holes", bytes[WITH_OBJECTS] - old);
  cairn_memory_part("free blocks", bytes[FREE]);
  cairn_memory_part("blocks committed ahead", cairn_resident_bytes(ahead.start, ahead.end - ahead.start));
}

void cn_memory_report_parts(size_t left, size_t old)
{
  CN_ASSERT(cn_nursery.start <= cn_nursery.memory);
  report_blocks(left, old);
  cairn_memory_part("nursery", cairn_resident_bytes(cn_nursery.start, cn_nursery.memory - cn_nursery.start));
  cn_large_report_memory(cn_large_objects.young + cn_large_objects.old);
  cairn_memory_part("mark stacks", cn_tracers_stack_bytes());
  cn_tables_report_memory();
}
