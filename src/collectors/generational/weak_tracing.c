/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells the runtime which targets of weak fields a collection has reached, and traces the objects that ephemerons and
 * finalisers keep. The file has no state, and takes no lock. Phase STOP, the collecting thread. After a young
 * collection all objects are old, so that a weak field of an old object can point to a young object only if its card is
 * dirty.
 */
#include "collectors/generational/trace.h"

#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/evacuation.h"
#include "collectors/generational/space/tables.h"
#include "collectors/large_space.h"

/* Updates the slot to its object's copy, unless the object stayed in place. Returns false if the object was not
 * reached. */
static bool follow_forwarding_address(struct cairn_slot slot, uintptr_t object)
{
  uintptr_t header = *cairn_object_header(object);

  if (cairn_header_is_forwarded(header)) {
    cairn_slot_set(slot, cairn_header_forwarded_to(header));
    return true;
  }
  return cn_trace_cycle.stays || ((header & CAIRN_ABI_HEADER_PINNED) != 0 && cn_pinned_is_reached(object));
}

static bool is_large_object_reached(struct cairn_slot slot, uintptr_t object)
{
  uintptr_t end, block = cn_large_find_block(object - CAIRN_ABI_HEADER_SIZE, &end);

  if (block == 0)
    cn_trace_die_no_object(slot.address, object, "an earlier collection freed it");
  return cn_trace_cycle.mode == CN_TRACE_MOVE ? follow_forwarding_address(slot, object) : cn_large_is_marked(block);
}

/* True if an object of the old space was reached, in a collection that visits the old space. */
static bool is_old_object_reached(struct cairn_slot slot, uintptr_t object)
{
  CN_ASSERT(cn_trace_cycle.mode != CN_TRACE_YOUNG);
  if (cn_trace_cycle.mode == CN_TRACE_MOVE ||
      cn_tables.states[cn_tables_block_of(object - CAIRN_ABI_HEADER_SIZE)] == CN_BLOCK_SOURCE)
    return follow_forwarding_address(slot, object);
  return (*cn_tables_bit_word_of(object, cn_tables.marks) & cn_tables_bit_of(object)) != 0;
}

/* Always true, in a young collection: all objects of an evacuated block have been copied, and the slot is updated. */
static bool is_evacuated_object_reached(struct cairn_slot slot, uintptr_t object)
{
  size_t block = cn_tables_block_of(object - CAIRN_ABI_HEADER_SIZE);
  bool moved = cn_tables_block_state(block) == CN_BLOCK_SOURCE;

  if (moved && !follow_forwarding_address(slot, object))
    cn_trace_die_nothing_there(slot.address, object);
  return true;
}

static bool is_target_reached(void *env, struct cairn_slot slot)
{
  uintptr_t object = cairn_slot_object(slot), header = object - CAIRN_ABI_HEADER_SIZE;

  (void)env;
  if (object == 0)
    return true;
  if (header - cn_nursery.start < cn_nursery.free - cn_nursery.start)
    return follow_forwarding_address(slot, object);
  if (cn_large_contains(header))
    return is_large_object_reached(slot, object);
  if (cn_trace_cycle.evacuates && cn_tables_is_in_old_space(header))
    return is_evacuated_object_reached(slot, object);
  if (cn_trace_cycle.mode == CN_TRACE_YOUNG || !cn_tables_is_in_old_space(header) ||
      header - cn_trace_cycle.copies < cn_trace_cycle.copies_bytes)
    return true;
  return is_old_object_reached(slot, object);
}

static void trace_slot(void *env, struct cairn_slot slot)
{
  cn_trace_visit_slot(env, slot);
}

static void trace_until_done(void *env)
{
  cn_trace_drain_stack(env);
}

void cn_trace_weak_references(struct cn_tracer *tracer)
{
  struct cairn_closure closure = {is_target_reached, trace_slot, trace_until_done, tracer,
                                  cn_trace_cycle.mode == CN_TRACE_YOUNG && !cn_trace_cycle.evacuates};

  CN_CHECK(tracer->count == 0);
  cairn_weak_process(&closure);
  CN_ASSERT(tracer->count == 0);
}
