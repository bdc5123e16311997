/* SPDX-License-Identifier: Apache-2.0
 *
 * Visits roots. Phase STOP, any number of tracers. A root may point into an object, while a field points to the start
 * of one.
 */
#include <cairn/abi.h>
#include "base/check.h"
#include "collectors/generational/evacuation.h"
#include "collectors/generational/space/blocks.h"
#include "collectors/generational/interior_pointers.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/space/tables.h"
#include "collectors/generational/trace.h"
#include "collectors/large_space.h"

static uintptr_t start_of(const uintptr_t *slot, uintptr_t address)
{
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE;

  if (header - cn_nursery.start < cn_nursery.free - cn_nursery.start)
    return cn_interior_nursery(slot, address);
  if (cn_large_contains(header))
    return cn_interior_large(slot, address);
  if (!cn_tables_is_old(header) ||
      (cn_cycle.mode == CN_TRACE_YOUNG && cn_tables_state(cn_tables_block(header)) != CN_BLOCK_SOURCE))
    return address;
  if (cn_tables_state(cn_tables_block(header)) == CN_BLOCK_NONE)
    cn_trace_nothing_there(slot, address);
  return cn_interior_old(slot, address);
}

static void visit_root(struct cn_tracer *tracer, uintptr_t *slot)
{
  uintptr_t tag = cn_cycle.words.reference, address = *slot - tag;

  if (cn_cycle.marks)
    cn_marker_root(slot);
  if (cn_cycle.keeps_blocks)
    cn_evacuation_keep_block(address);
  if ((address & cn_cycle.words.mask) != 0 || address - CAIRN_ABI_HEADER_SIZE - cn_cycle.young >= cn_cycle.young_bytes)
    return;
  uintptr_t start = start_of(slot, address), moved = start + tag;
  CN_ASSERT(start <= address);
  cn_trace_visit(tracer, (struct cairn_slot){&moved});
  *slot = moved + (address - start);
}

static void visit_roots(void *env, uintptr_t *const *slots, size_t count)
{
  for (size_t i = 0; i < count; i++)
    visit_root(env, slots[i]);
  cn_trace_drain(env);
}

void cn_trace_fetch(struct cn_tracer *tracer)
{
  struct cairn_root_set *roots;

  while ((cn_cycle.shared || !cn_trace_is_over(tracer)) && (roots = cairn_roots_fetch()) != NULL)
    cairn_roots_visit_array(roots, visit_roots, tracer);
}
