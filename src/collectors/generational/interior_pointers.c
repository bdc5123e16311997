/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks up the objects of interior pointers, which are roots that point into an object or just past it. The file owns
 * one lock, under which tracers share the crossing map of the nursery (`cn_trace_cycle.mapped`); the map is made at the
 * first look-up. Phase STOP, any number of tracers at once; cn_interior_forget_map() on the collecting thread,
 * cn_interior_step_in_nursery() also on a thread that unloads an image. The functions check headers, because a word
 * that looks like a header may be data.
 */
#include "collectors/generational/interior_pointers.h"

#include <pthread.h>
#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/generational/large_objects.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/space/tables.h"
#include "collectors/generational/trace.h"
#include "collectors/interior.h"
#include "collectors/large_space.h"
#include "collectors/crossing_map.h"

uintptr_t cn_interior_step_in_nursery(uintptr_t block, uintptr_t *payload)
{
  CN_CHECK(block >= cn_nursery.start && block < cn_nursery.free);
  return cn_interior_step_over_block(block, cn_nursery.free, payload, cn_tables_is_forwarding_word);
}

/* Looks up an object in the crossing map, which all tracers share and each lookup extends. */
static uintptr_t find_nursery_object(const uintptr_t *slot, uintptr_t address)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

  pthread_mutex_lock(&lock);
  if (!cn_trace_cycle.mapped && !cn_crossing_begin_map(cn_nursery.free, cn_interior_step_in_nursery))
    cairn_out_of_memory(false, "no memory to find the object of interior pointer 0x%lx", (unsigned long)address);
  cn_trace_cycle.mapped = true;
  uintptr_t start = cn_crossing_find_object(address);
  pthread_mutex_unlock(&lock);
  if (start == 0)
    cn_trace_die_no_object(slot, address, "no object reaches there");
  CN_ASSERT(start > cn_nursery.start && start <= address);
  return start;
}

uintptr_t cn_interior_find_in_nursery(const uintptr_t *slot, uintptr_t address)
{
  return cn_interior_is_certain_start(address, cn_trace_cycle.uncleared, cn_tables_is_forwarding_word)
             ? address
             : find_nursery_object(slot, address);
}

void cn_interior_forget_map(void)
{
  if (cn_trace_cycle.mapped)
    cn_crossing_drop_map();
  cn_nursery_expect_lookups(cn_trace_cycle.mapped);
  cn_trace_cycle.mapped = false;
}

uintptr_t cn_interior_find_old_or_none(uintptr_t address)
{
  uintptr_t start = cn_tables_last_object_before(address), at = start;
  uint64_t bytes;
  size_t grown;

  if (start == 0 || start == address)
    return start;
  uintptr_t header = cn_interior_follow_to_header(&at, &grown, cn_tables_is_forwarding_word);
  const struct cairn_layout *layout = cairn_header_layout(header);
  bool reaches = cn_crossing_measure_payload(header, at, layout != NULL && layout->elem_size != 0, &bytes) &&
                 address - start <= bytes - grown;
  return reaches ? start : 0;
}

uintptr_t cn_interior_find_in_old(const uintptr_t *slot, uintptr_t address)
{
  uintptr_t start = cn_interior_find_old_or_none(address);

  if (start == 0)
    cn_trace_die_no_object(slot, address, "no object reaches there");
  return start;
}

uintptr_t cn_interior_find_in_large(const uintptr_t *slot, uintptr_t address)
{
  uintptr_t end, block = cn_large_find_block(address - CAIRN_ABI_HEADER_SIZE, &end);
  uintptr_t start = block != 0 ? cn_large_objects_payload_of(block) : 0;

  if (block == 0)
    cn_trace_die_no_object(slot, address, "an earlier collection freed it");
  if (start > address)
    cn_trace_die_no_object(slot, address, "it leads to a header");
  return start;
}
