/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes heap dumps: implements cairn_heap_dump(), and the dump of CAIRN_DUMP after memory is exhausted. The records of
 * dump/format.h follow the order of the walk over objects and roots. The record of a type precedes its first object,
 * the record of a place its first root. Owns `dump`, the state of the current dump. A failure of CAIRN_DUMP is printed
 * on stderr. cairn_heap_dump() is called in phase MUTATE, and stops all other threads; the other functions run in phase
 * STOP, on the thread that stopped the others.
 */
#include <string.h>
#include <unistd.h>
#include <cairn/abi.h>
#include <cairn/heap.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "base/sorted.h"
#include "dump/format.h"
#include "runtime/core/counts.h"
#include "runtime/core/grow.h"
#include "runtime/core/image.h"
#include "runtime/core/options.h"
#include "runtime/core/messages.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/inspect/inspect.h"
#include "runtime/inspect/out.h"
#include "runtime/os/os.h"

struct numbered_key {
  uint64_t key, number;
};
typedef CN_GROW(struct numbered_key) key_numbers;

static struct {
  struct cn_out_file out;
  const struct cn_stopped_world *world;
  key_numbers types;  /* by the layout's address */
  key_numbers places; /* places on one thread's stack by pc, or slots of tables by address */
  int thread;
  uint64_t type_count, place_count;
  uint64_t last;       /* address of the previous object */
  int64_t slot;        /* address of the previous reference */
  uint64_t references; /* number of references of the current object */
  uintptr_t object;    /* payload of the current object */
  uint64_t all_objects, all_references, all_roots;
} dump;

/* ---- numbers ---- */

/* The number of the key; UINT64_MAX: the key is new and now has number `next`. */
static uint64_t find_or_add_number(key_numbers *known, uint64_t key, uint64_t next)
{
  size_t at = cn_sorted_count_below(&known->at->key, known->count, sizeof *known->at, key);

  if (at < known->count && known->at[at].key == key)
    return known->at[at].number;
  cn_grow_push(known, (struct numbered_key){key, next});
  memmove(&known->at[at + 1], &known->at[at], (known->count - 1 - at) * sizeof *known->at);
  known->at[at] = (struct numbered_key){key, next};
  return UINT64_MAX;
}

/* ---- types ---- */

static void put_field_names(const struct cairn_layout *layout, uint32_t from, uint32_t count)
{
  char name[2 * CN_LAYOUT_TEXT_BYTES];

  CN_ASSERT(from + count <= layout->base_refs + layout->elem_refs);
  cn_out_write_number(&dump.out, count);
  for (uint32_t i = from; i < from + count; i++) {
    cn_out_write_number(&dump.out, layout->offsets[i]);
    cn_layouts_format_field(layout, i, name, sizeof name);
    cn_out_write_text(&dump.out, name);
  }
}

_Static_assert(CAIRN_ABI_LAYOUT_WEAK_OFFSET == 1, "dump/format.h");
_Static_assert((int)CN_DUMP_UNIT_BYTES == (int)CAIRN_ABI_OBJECT_ALIGN, "dump/format.h");

static void put_type(const struct cairn_layout *layout)
{
  static const struct cairn_layout gone; /* a layout without fields */
  char name[CN_LAYOUT_TEXT_BYTES] = "of images that were unloaded";

  if (layout != NULL)
    cairn_layout_type(layout, name, sizeof name);
  else
    layout = &gone;
  cn_out_write_byte(&dump.out, CN_DUMP_RECORD_TYPE);
  cn_out_write_text(&dump.out, name);
  put_field_names(layout, 0, layout->base_refs);
  cn_out_write_number(&dump.out, layout->elem_size);
  cn_out_write_number(&dump.out, layout->elem_offset);
  put_field_names(layout, layout->base_refs, layout->elem_refs);
}

static uint64_t type_number_of(const struct cairn_layout *layout)
{
  uint64_t number = find_or_add_number(&dump.types, (uintptr_t)layout, dump.type_count);

  if (number != UINT64_MAX)
    return number;
  put_type(layout);
  return dump.type_count++;
}

/* ---- objects ---- */

/* The object that a field points to; 0: the field is null, or points outside the heap. */
static uintptr_t heap_target_of(struct cairn_slot slot)
{
  uintptr_t to = cairn_slot_object(slot);
  const struct cn_heap_range *range;

  if (to == 0)
    return 0;
  range = cn_heap_walk_find_range(&dump.world->walk, to - CAIRN_ABI_HEADER_SIZE);
  if (range == NULL)
    return 0;
  if (!range->blocks || to % CN_DUMP_UNIT_BYTES != 0)
    CN_HEAP_WALK_FAIL(&dump.world->walk, "the object at 0x%lx has the reference 0x%lx: no object",
                      (unsigned long)dump.object, (unsigned long)to);
  return to;
}

static void count_reference(void *env, uint32_t field, struct cairn_slot slot)
{
  (void)env;
  (void)field;
  dump.references += heap_target_of(slot) != 0;
}

static int64_t distance_in_units(uintptr_t to, uintptr_t from)
{
  CN_ASSERT((to - from) % CN_DUMP_UNIT_BYTES == 0);
  return (int64_t)(to - from) / CN_DUMP_UNIT_BYTES;
}

static void put_reference(void *env, uint32_t field, struct cairn_slot slot)
{
  uintptr_t to = heap_target_of(slot);
  int64_t place = distance_in_units((uintptr_t)slot.address, dump.object);

  (void)env;
  (void)field;
  if (to == 0)
    return;
  cn_out_write_difference(&dump.out, place - dump.slot);
  cn_out_write_difference(&dump.out, distance_in_units(to, dump.object));
  dump.slot = place;
}

static void put_object(void *env, const struct cn_heap_object *object, const struct cn_heap_range *range)
{
  uint64_t type = type_number_of(object->layout);

  (void)env;
  CN_ASSERT(range->blocks && object->payload > dump.last);
  dump.object = object->payload;
  dump.references = 0;
  dump.slot = 0;
  cn_heap_walk_visit_fields(object, count_reference, NULL);
  cn_out_write_byte(&dump.out, CN_DUMP_RECORD_OBJECT);
  cn_out_write_number(&dump.out, type);
  cn_out_write_number(&dump.out, (object->payload - dump.last) / CN_DUMP_UNIT_BYTES);
  cn_out_write_number(&dump.out, (object->end - object->block) / CN_DUMP_UNIT_BYTES);
  cn_out_write_number(&dump.out, dump.references);
  if (dump.references != 0)
    cn_heap_walk_visit_fields(object, put_reference, NULL);
  dump.last = object->payload;
  dump.all_objects++;
  dump.all_references += dump.references;
}

/* ---- roots ---- */

/* Places of stacks are numbered separately for each thread, in the order of the walk. */
static uint64_t place_number_of(const struct cn_root_place *place)
{
  char text[CN_PLACE_TEXT_BYTES];
  uint64_t key = place->kind == CN_DUMP_ROOT_HANDLE ? 0 : place->at;

  if (place->thread != dump.thread)
    dump.places.count = 0;
  dump.thread = place->thread;
  uint64_t number = find_or_add_number(&dump.places, key, dump.place_count);
  if (number != UINT64_MAX)
    return number;
  cn_describe_place(place, text, sizeof text);
  cn_out_write_byte(&dump.out, CN_DUMP_RECORD_PLACE);
  cn_out_write_text(&dump.out, text);
  return dump.place_count++;
}

/* The address may be in an object or just past its end, and so equal the end of a range. */
static void put_root(void *env, const struct cn_root_place *place, uintptr_t address)
{
  const struct cn_heap_range *range = cn_heap_walk_find_range(&dump.world->walk, address - CAIRN_ABI_HEADER_SIZE);

  (void)env;
  if (range == NULL || !range->blocks)
    return;
  uint64_t number = place_number_of(place);
  CN_ASSERT(number < dump.place_count);
  cn_out_write_byte(&dump.out, CN_DUMP_RECORD_ROOT);
  cn_out_write_number(&dump.out, place->kind);
  cn_out_write_number(&dump.out, number);
  cn_out_write_number(&dump.out, address);
  dump.all_roots++;
}

/* ---- the dump ---- */

static void put_dump_header(void)
{
  static const unsigned char version[] = {CN_DUMP_VERSION, 0, 0, 0, 0, 0, 0, 0};
  char program[32];

  CN_CHECK(sizeof CN_DUMP_MAGIC - 1 + sizeof version == CN_DUMP_HEADER_BYTES);
  cn_out_write_bytes(&dump.out, CN_DUMP_MAGIC, sizeof CN_DUMP_MAGIC - 1);
  cn_out_write_bytes(&dump.out, version, sizeof version);
  cn_os_thread_read_name(getpid(), program, sizeof program);
  cn_out_write_byte(&dump.out, CN_DUMP_RECORD_INFO);
  cn_out_write_text(&dump.out, program);
  cn_out_write_text(&dump.out, cn_heap_collector()->name);
  cn_out_write_number(&dump.out, cn_stats.collections);
  cn_out_write_number(&dump.out, cn_options.heap_max);
}

static void put_end_record(void)
{
  cn_out_write_byte(&dump.out, CN_DUMP_RECORD_END);
  cn_out_write_number(&dump.out, dump.all_objects);
  cn_out_write_number(&dump.out, dump.all_references);
  cn_out_write_number(&dump.out, dump.all_roots);
}

static void reset_dump(const struct cn_stopped_world *world)
{
  dump.world = world;
  dump.types.count = dump.places.count = 0;
  dump.thread = 0;
  dump.type_count = dump.place_count = dump.last = 0;
  dump.all_objects = dump.all_references = dump.all_roots = 0;
}

static enum cairn_status write_dump(const struct cn_stopped_world *world, const char *path, char *message, size_t size)
{
  reset_dump(world);
  cn_out_begin_file(&dump.out, path);
  put_dump_header();
  cn_world_walk_objects(world, put_object, NULL);
  cn_places_visit_roots(put_root, NULL);
  put_end_record();
  bool done = cn_out_finish_file(&dump.out, message, size);
  cn_grow_free_array(&dump.types);
  cn_grow_free_array(&dump.places);
  return done ? CAIRN_OK : CAIRN_E_WRITE;
}

enum cairn_status cairn_heap_dump(const char *path, char *message, size_t size)
{
  struct cn_stopped_world world;
  enum cairn_status status = cn_world_stop(&world, "cairn_heap_dump", (uintptr_t)__builtin_return_address(0));

  CN_CHECK(path != NULL);
  if (status != CAIRN_OK)
    return status;
  status = write_dump(&world, path, message, size);
  cn_world_resume(&world);
  return status;
}

void cn_dump_exhausted_heap(void)
{
  struct cn_stopped_world world = {.walk = {.what = "CAIRN_DUMP: after", .collection = cn_stats.collections}};
  const char *path = CN_OPTION_TEXT(cn_options.dump);
  char message[PATH_MAX + 128];

  if (!cn_os_is_dumpable()) {
    cn_report_print_text("cairn: CAIRN_DUMP: %.900s: the process may not be dumped (PR_SET_DUMPABLE)\n", path);
    return;
  }
  world.entered = cn_image_begin_reading();
  cn_heap_walk_open(&world.walk);
  cn_heap_clear_unfilled_objects(&world.walk);
  if (write_dump(&world, path, message, sizeof message) != CAIRN_OK)
    cn_report_print_text("cairn: CAIRN_DUMP: %.900s\n", message);
  cn_heap_walk_close(&world.walk);
  cn_image_end_reading(world.entered);
}
