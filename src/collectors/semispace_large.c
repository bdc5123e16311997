/* SPDX-License-Identifier: Apache-2.0
 *
 * Visits the ranges of large objects of the semispace heap, for heap walks. The file has no state, and only reads the
 * large-object space. The thread that stopped the others runs it in phase STOP, without locks.
 */
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "collectors/large_space.h"
#include "collectors/semispace.h"

/* The end of the object at `payload`, whose pages end at `end`. */
static uintptr_t large_payload_end(uintptr_t payload, uintptr_t end)
{
  const struct cairn_layout *layout = cairn_object_layout(payload);
  uint64_t bytes;

  if (layout == NULL)
    return end; /* forget() has erased the layout */
  if (!cairn_layout_is_known(layout) || cairn_object_payload(payload, layout, &bytes) != CAIRN_OK ||
      bytes > end - payload)
    cairn_fatal("the heap is damaged at 0x%lx: no large object is there", (unsigned long)payload);
  return payload + bytes;
}

void cn_semispace_visit_large_ranges(cairn_range_visitor *visit, void *env)
{
  uintptr_t at, last, end;

  cn_large_space_bounds(&at, &last);
  for (uintptr_t block = 0; (block = cn_large_next_block(block)) != 0;) {
    visit(env, at, block, false);
    cn_large_find_block(block, &end);
    at = large_payload_end(cairn_block_object(block), end);
    visit(env, block, at, true);
  }
  visit(env, at, last, false);
}
