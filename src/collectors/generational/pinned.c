/* SPDX-License-Identifier: Apache-2.0
 *
 * Pins objects for a collection. Phase STOP, the collecting thread. A pinned address may point into an object; each
 * collection looks that object up once, like a root's.
 */
#include "collectors/generational/pinned.h"

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
  struct pinned {
    uintptr_t address, object;
  } *at;
  size_t count, room;
} list;

static void push_pinned(uintptr_t address, uintptr_t object)
{
  if (list.count == list.room) {
    size_t room = list.room != 0 ? 2 * list.room : cn_os_page() / sizeof *list.at;
    void *at = cn_os_resize(list.at, list.room * sizeof *list.at, room * sizeof *list.at);
    if (at == NULL)
      cairn_out_of_memory(true, "no memory for a list of %zu pinned objects", list.count);
    list.at = at;
    list.room = room;
  }
  list.at[list.count++] = (struct pinned){address, object};
}

static bool in_nursery(uintptr_t object)
{
  return object - CAIRN_ABI_HEADER_SIZE - cn_nursery.start < cn_nursery.free - cn_nursery.start;
}

static uintptr_t object_at(uintptr_t address)
{
  if (in_nursery(address))
    return cn_interior_nursery(&address, address);
  if (cn_large_contains(address - 1))
    return cn_interior_large(&address, address);
  bool old = cn_tables_is_old(address - 1) && cn_blocks_has_objects(cn_tables_block(address - 1));
  return old ? cn_interior_find_old(address) : 0;
}

static uintptr_t pin_object(void *env, uintptr_t address)
{
  uintptr_t object = object_at(address);

  (void)env;
  if (object == 0)
    return 0;
  push_pinned(address, object);
  *cairn_object_header(object) |= CAIRN_ABI_HEADER_PINNED;
  if (!cn_large_contains(object - 1))
    cn_blocks_keep(cn_tables_block(object - 1));
  return object;
}

void cn_pinned_begin(void)
{
  CN_CHECK(list.count == 0);
  cairn_pins_visit(pin_object, NULL);
}

bool cn_pinned_is_reached(uintptr_t object)
{
  uintptr_t end;

  if (cn_large_contains(object - 1))
    return cn_large_is_marked(cn_large_find(object - 1, &end));
  if (cn_cycle.mode == CN_TRACE_YOUNG)
    return !in_nursery(object) || cn_tables_starts(object);
  return (*cn_tables_word(object, cn_tables.marks) & cn_tables_bit(object)) != 0;
}

/* During marking a pinned object counts as reachable. */
static void mark_pinned(uintptr_t object)
{
  if (cn_large_contains(object - 1))
    cn_marker_large(object);
  else if (cn_pinned_is_reached(object))
    cn_marker_again(object - CAIRN_ABI_HEADER_SIZE);
}

bool cn_pinned_end(void)
{
  bool stayed = false;

  for (size_t i = 0; i < list.count; i++) {
    uintptr_t object = list.at[i].object;
    CN_ASSERT(!cairn_header_is_forwarded(*cairn_object_header(object)));
    *cairn_object_header(object) &= ~(uintptr_t)CAIRN_ABI_HEADER_PINNED;
    if (!cn_pinned_is_reached(object))
      cairn_pins_forget(list.at[i].address);
    else if (in_nursery(object))
      stayed = true;
    if (cn_marker.on)
      mark_pinned(object);
  }
  list.count = 0;
  return stayed;
}
