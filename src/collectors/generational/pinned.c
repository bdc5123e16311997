/* SPDX-License-Identifier: Apache-2.0
 *
 * Pins objects for a collection, tells which pinned objects were reached, and ends the pins of unreached objects. The
 * file owns the list of pinned addresses with their objects (`pinned_list`), which each collection makes anew. Phase
 * STOP, the collecting thread, which makes the list under CN_LOCK_PINS. A pinned address may point into an object; each
 * collection looks up the object once.
 */
#include "collectors/generational/evacuation.h"

#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/generational/space/blocks.h"
#include "collectors/generational/interior_pointers.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/space/tables.h"
#include "collectors/generational/trace.h"
#include "collectors/large_space.h"
#include "runtime/os/os.h"

static struct {
  struct pinned_entry {
    uintptr_t address, object;
  } *at;
  size_t count, room;
} pinned_list;

static void push_pinned(uintptr_t address, uintptr_t object)
{
  if (pinned_list.count == pinned_list.room) {
    size_t room = pinned_list.room != 0 ? 2 * pinned_list.room : cn_os_page_bytes() / sizeof *pinned_list.at;
    void *at =
        cn_os_resize_mapping(pinned_list.at, pinned_list.room * sizeof *pinned_list.at, room * sizeof *pinned_list.at);
    if (at == NULL)
      cairn_out_of_memory(true, "no memory for a list of %zu pinned objects", pinned_list.count);
    pinned_list.at = at;
    pinned_list.room = room;
  }
  pinned_list.at[pinned_list.count++] = (struct pinned_entry){address, object};
}

static bool is_in_nursery(uintptr_t object)
{
  return object - CAIRN_ABI_HEADER_SIZE - cn_nursery.start < cn_nursery.free - cn_nursery.start;
}

static uintptr_t find_object_at(uintptr_t address)
{
  if (is_in_nursery(address))
    return cn_interior_find_in_nursery(&address, address);
  if (cn_large_contains(address - 1))
    return cn_interior_find_in_large(&address, address);
  bool old = cn_tables_is_in_old_space(address - 1) && cn_blocks_block_has_objects(cn_tables_block_of(address - 1));
  return old ? cn_interior_find_old_or_none(address) : 0;
}

static uintptr_t pin_object(void *env, uintptr_t address)
{
  uintptr_t object = find_object_at(address);

  (void)env;
  if (object == 0)
    return 0;
  push_pinned(address, object);
  *cairn_object_header(object) |= CAIRN_ABI_HEADER_PINNED;
  if (!cn_large_contains(object - 1))
    cn_blocks_keep_source(cn_tables_block_of(object - 1));
  return object;
}

void cn_pinned_pin_objects(void)
{
  CN_CHECK(pinned_list.count == 0);
  cairn_pins_visit(pin_object, NULL);
}

bool cn_pinned_is_reached(uintptr_t object)
{
  uintptr_t end;

  if (cn_large_contains(object - 1))
    return cn_large_is_marked(cn_large_find_block(object - 1, &end));
  if (cn_trace_cycle.mode == CN_TRACE_YOUNG)
    return !is_in_nursery(object) || cn_tables_is_object_start(object);
  return (*cn_tables_bit_word_of(object, cn_tables.marks) & cn_tables_bit_of(object)) != 0;
}

/* Passes a pinned object to the marker, because pinned objects count as reachable during marking. */
static void mark_pinned_object(uintptr_t object)
{
  if (cn_large_contains(object - 1))
    cn_marker_mark_large(object);
  else if (cn_pinned_is_reached(object))
    cn_marker_mark_old(&object, object);
}

bool cn_pinned_end_collection(void)
{
  bool stayed = false;

  for (size_t i = 0; i < pinned_list.count; i++) {
    uintptr_t object = pinned_list.at[i].object;
    CN_ASSERT(!cairn_header_is_forwarded(*cairn_object_header(object)));
    *cairn_object_header(object) &= ~(uintptr_t)CAIRN_ABI_HEADER_PINNED;
    if (!cn_pinned_is_reached(object))
      cairn_pins_forget(pinned_list.at[i].address);
    else if (is_in_nursery(object))
      stayed = true;
    if (cn_marker.on)
      mark_pinned_object(object);
  }
  pinned_list.count = 0;
  return stayed;
}
