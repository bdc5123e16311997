/* SPDX-License-Identifier: Apache-2.0
 *
 * Fetches roots from the runtime, finds the object of each root, and passes the object to the trace (trace.c), to the
 * marker while it runs, and to the plan of evacuation. The file has no state, and takes no lock itself. Phase STOP, any
 * number of tracers. A root may point into an object, in contrast to a field, which points to the start of an object.
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

static bool is_in_nursery(uintptr_t header)
{
  return header - cn_nursery.start < cn_nursery.free - cn_nursery.start;
}

static uintptr_t object_start_of(const uintptr_t *slot, uintptr_t address)
{
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE;

  if (is_in_nursery(header))
    return cn_interior_find_in_nursery(slot, address);
  if (cn_large_contains(header))
    return cn_interior_find_in_large(slot, address);
  if (!cn_tables_is_in_old_space(header) ||
      (cn_trace_cycle.mode == CN_TRACE_YOUNG && cn_tables_block_state(cn_tables_block_of(header)) != CN_BLOCK_SOURCE))
    return address;
  if (cn_tables_block_state(cn_tables_block_of(header)) == CN_BLOCK_WITHOUT_MEMORY)
    cn_trace_die_nothing_there(slot, address);
  return cn_interior_find_in_old(slot, address);
}

static void visit_root(struct cn_tracer *tracer, uintptr_t *slot)
{
  uintptr_t tag = cn_trace_cycle.words.reference, address = *slot - tag;

  if (cn_trace_cycle.keeps_blocks)
    cn_evacuation_keep_block(address);
  if (cn_trace_cycle.marks) {
    cn_marker_mark_root(slot);
    if (cn_tables_is_in_old_space(address - CAIRN_ABI_HEADER_SIZE) && !is_in_nursery(address - CAIRN_ABI_HEADER_SIZE))
      return;
  }
  if ((address & cn_trace_cycle.words.mask) != 0 ||
      address - CAIRN_ABI_HEADER_SIZE - cn_trace_cycle.all.start >= cn_trace_cycle.all.bytes)
    return;
  uintptr_t start = object_start_of(slot, address), moved = start + tag;
  CN_ASSERT(start <= address);
  cn_trace_visit_slot(tracer, (struct cairn_slot){&moved});
  *slot = moved + (address - start);
}

static void visit_root_batch(void *env, uintptr_t *const *slots, size_t count)
{
  for (size_t i = 0; i < count; i++)
    visit_root(env, slots[i]);
  cn_trace_drain_stack(env);
}

void cn_trace_fetch_roots(struct cn_tracer *tracer)
{
  struct cairn_root_set *roots;

  while ((cn_trace_cycle.shared || !cn_trace_wants_helpers(tracer)) && (roots = cairn_roots_fetch()) != NULL)
    cairn_roots_visit_array(roots, visit_root_batch, tracer);
}
