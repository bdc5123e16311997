/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements cairn_heap_path() by a breadth-first search from all roots except the target's handle, which finds a
 * shortest path. For each reached object the search keeps its predecessor; at the end it reverses the path from the
 * target to a root, and calls the caller's visitor for each step. Called on any thread in phase MUTATE; the thread
 * stops all others, and searches in phase STOP. The state of a search is in struct path_search.
 */
#include <cairn/abi.h>
#include <cairn/heap.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/inspect/inspect.h"
#include "runtime/os/os.h"
#include "runtime/roots/roots.h"

/* The predecessor of a reached object: if even, the payload of another object; if odd, a root's number. */
enum { FROM_ROOT_BIT = 1, ROOT_NUMBER_SHIFT = 1 };

struct path_search {
  struct cn_stopped_world world;
  struct cairn_slot asked; /* the slot of the target's handle */
  uintptr_t target;
  uintptr_t *from, *queue; /* `from`: predecessors by objects' numbers; `queue`: reached payloads */
  size_t bytes;            /* size of each table */
  uint64_t reached, done;
  CN_GROW(struct cn_root_place) roots;
  uintptr_t object; /* the object whose fields are being read */
};

/* The object that contains the address or ends at it; 0: there is no such object. */
static uintptr_t object_at(const struct path_search *search, uintptr_t address)
{
  const struct cn_heap_range *range = cn_heap_walk_find_range(&search->world.walk, address - CAIRN_ABI_HEADER_SIZE);

  return range != NULL && range->blocks ? cn_object_starts_find_last(range, address) : 0;
}

static void reach_object(struct path_search *search, uintptr_t object, uintptr_t from)
{
  const struct cn_heap_range *range = cn_heap_walk_find_range(&search->world.walk, object - CAIRN_ABI_HEADER_SIZE);
  CN_CHECK(range != NULL && range->blocks);
  uint64_t number = cn_object_starts_number_of(range, object);
  CN_CHECK(number < search->world.walk.objects);
  if (search->from[number] != 0)
    return;
  search->from[number] = from;
  search->queue[search->reached++] = object;
}

static void reach_root(void *env, const struct cn_root_place *place, uintptr_t address)
{
  struct path_search *search = env;
  uintptr_t object = object_at(search, address);

  if (object == 0 || (place->kind == CN_DUMP_ROOT_HANDLE && place->at == (uintptr_t)search->asked.address))
    return;
  cn_grow_push(&search->roots, *place);
  reach_object(search, object, (search->roots.count - 1) << ROOT_NUMBER_SHIFT | FROM_ROOT_BIT);
}

static void reach_field(void *env, struct cairn_slot slot)
{
  struct path_search *search = env;
  uintptr_t to = cairn_slot_object(slot);

  if (to != 0 && object_at(search, to) == to)
    reach_object(search, to, search->object);
}

/* True: the target has been reached. */
static bool search_breadth_first(struct path_search *search)
{
  CN_ASSERT(search->reached <= search->world.walk.objects);
  while (search->done < search->reached) {
    search->object = search->queue[search->done++];
    if (search->object == search->target)
      return true;
    struct cn_heap_object object = cn_world_object_at(&search->world, search->object);
    if (object.layout != NULL)
      cairn_object_visit(object.payload, object.layout, reach_field, search);
  }
  return false;
}

static uintptr_t predecessor_of(const struct path_search *search, uintptr_t object)
{
  const struct cn_heap_range *range = cn_heap_walk_find_range(&search->world.walk, object - CAIRN_ABI_HEADER_SIZE);

  return search->from[cn_object_starts_number_of(range, object)];
}

/* ---- the steps ---- */

struct field_name_search {
  uintptr_t object, to;
  char *text;
  size_t size;
  bool found;
};

_Static_assert((FROM_ROOT_BIT & (CAIRN_ABI_OBJECT_ALIGN - 1)) == FROM_ROOT_BIT, "no payload is odd");

static void name_matching_field(void *env, uint32_t field, struct cairn_slot slot)
{
  struct field_name_search *link = env;
  const struct cairn_layout *layout = cairn_object_layout(link->object);

  (void)field;
  if (link->found || cairn_slot_object(slot) != link->to)
    return;
  link->found = true;
  cairn_layout_place(layout, (uintptr_t)slot.address - link->object, link->text, link->size);
}

static void show_step(struct path_search *search, uintptr_t from, uintptr_t to, cairn_heap_step_visitor *visit,
                      void *env)
{
  char text[CN_PLACE_TEXT_BYTES], type[CN_LAYOUT_TEXT_BYTES] = "of images that were unloaded";
  struct cn_heap_object object = cn_world_object_at(&search->world, to);
  struct field_name_search link = {from, to, text, sizeof text, false};

  CN_CHECK((from & FROM_ROOT_BIT) == 0 || from >> ROOT_NUMBER_SHIFT < search->roots.count);
  if ((from & FROM_ROOT_BIT) != 0) {
    cn_describe_place(&search->roots.at[from >> ROOT_NUMBER_SHIFT], text, sizeof text);
  } else {
    struct cn_heap_object holder = cn_world_object_at(&search->world, from);
    cn_heap_walk_visit_fields(&holder, name_matching_field, &link);
    CN_CHECK(link.found);
  }
  if (object.layout != NULL)
    cairn_layout_type(object.layout, type, sizeof type);
  visit(env, &(struct cairn_heap_step){text, {to, object.layout, object.end - object.block}, type});
}

/* The reversed path uses the queue's memory, which the search no longer needs. */
static void show_path(struct path_search *search, cairn_heap_step_visitor *visit, void *env)
{
  uint64_t steps = 0;
  uintptr_t at = search->target, from;

  do {
    CN_CHECK(steps < search->world.walk.objects);
    search->queue[steps++] = at;
    from = predecessor_of(search, at);
    at = from;
  } while ((from & FROM_ROOT_BIT) == 0);
  for (; steps > 0; from = search->queue[steps])
    show_step(search, from, search->queue[--steps], visit, env);
}

/* ---- */

static bool make_search_tables(struct path_search *search)
{
  size_t page = cn_os_page_bytes();

  if (!cn_object_starts_make(&search->world.walk))
    return false;
  search->bytes = (search->world.walk.objects * sizeof *search->from + page) / page * page;
  search->from = cn_os_resize_mapping(NULL, 0, search->bytes);
  search->queue = cn_os_resize_mapping(NULL, 0, search->bytes);
  return search->from != NULL && search->queue != NULL;
}

static void free_search_tables(struct path_search *search)
{
  if (search->from != NULL)
    cn_os_free_mapping(search->from, search->bytes);
  if (search->queue != NULL)
    cn_os_free_mapping(search->queue, search->bytes);
  cn_grow_free_array(&search->roots);
  cn_object_starts_free(&search->world.walk);
}

static enum cairn_status find_path(struct path_search *search, cairn_heap_step_visitor *visit, void *env)
{
  if (!make_search_tables(search))
    return CAIRN_E_MEMORY;
  CN_ASSERT(search->reached == 0 && search->roots.count == 0);
  uintptr_t address = cairn_slot_object(search->asked);
  search->target = address != 0 ? object_at(search, address) : 0;
  if (search->target == 0)
    return CAIRN_E_UNKNOWN;
  cn_places_visit_roots(reach_root, search);
  if (!search_breadth_first(search))
    return CAIRN_E_UNKNOWN;
  show_path(search, visit, env);
  return CAIRN_OK;
}

enum cairn_status cairn_heap_path(struct cairn_handle *object, cairn_heap_step_visitor *visit, void *env)
{
  struct path_search search = {.asked = cn_handles_slot_of(object)};
  enum cairn_status status = cn_world_stop(&search.world, "cairn_heap_path", (uintptr_t)__builtin_return_address(0));

  CN_CHECK(visit != NULL);
  if (status != CAIRN_OK)
    return status;
  status = find_path(&search, visit, env);
  free_search_tables(&search);
  cn_world_resume(&search.world);
  return status;
}
