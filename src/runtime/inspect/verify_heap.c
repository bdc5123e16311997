/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the heap for CAIRN_VERIFY=heap, and clears invalid references in unfilled objects. The first walk over all
 * blocks notes the starts of objects; the second walk checks references, and their barriers if the collector has
 * barriers. Then the checks of noted stores and roots follow; at the end the notes of stores are forgotten. Runs in
 * phase STOP: checks on the collecting thread, cn_heap_clear_unfilled_objects() on any thread that stopped the others.
 * All state is local.
 */
#include "runtime/inspect/inspect.h"

#include <stddef.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/counts.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/heap/heap_walk.h"

#define FAIL_VERIFICATION CN_HEAP_WALK_FAIL

/* ---- references ---- */

/* The error in the target of `to`, or null. A field may point to an object of an unloaded image, because both objects
 * may be dead; if the objects are live, the next collection reports the error. */
static const char *target_fault(const struct cn_heap_walk *heap, uintptr_t to, bool is_root)
{
  const struct cn_heap_range *range = cn_heap_walk_find_range(heap, to - CAIRN_ABI_HEADER_SIZE);

  if (to == 0 || range == NULL)
    return NULL;
  if (range->starts == NULL)
    return "where nothing is";
  uintptr_t start = cn_object_starts_find_last(range, to);
  if (start != to && !is_root)
    return "where no object starts";
  if (start == 0)
    return "before the first object";
  uintptr_t header = *cairn_object_header(start);
  const struct cairn_layout *layout = cairn_header_layout(header);
  if (cairn_header_is_gone(header) && !is_root)
    return NULL;
  if (cairn_header_is_gone(header))
    return "an object of an image that was unloaded";
  if (cn_is_filler_layout(layout))
    return "a filler, where there is no object";
  if (start == to) /* the first walk has checked this object */
    return NULL;
  if (to > cn_heap_walk_read_object(heap, start, layout->elem_size != 0, range->end).end)
    return "where no object is";
  return NULL;
}

static void check_field_target(void *env, struct cairn_slot slot)
{
  const struct cn_heap_object *object = env;
  const char *wrong = target_fault(object->walk, cairn_slot_object(slot), false);
  char place[2 * CN_LAYOUT_TEXT_BYTES], store[CN_NOTED_STORE_TEXT_BYTES];

  if (wrong == NULL)
    return;
  cairn_layout_place(object->layout, (uintptr_t)slot.address - object->payload, place, sizeof place);
  FAIL_VERIFICATION(object->walk, "the object at 0x%lx has in %s the reference 0x%lx: %s%s",
                    (unsigned long)object->payload, place, (unsigned long)*slot.address, wrong,
                    cn_noted_stores_describe_last((uintptr_t)slot.address, store));
}

static void check_barrier_coverage(void *env, struct cairn_slot slot)
{
  const struct cn_heap_object *object = env;
  char place[2 * CN_LAYOUT_TEXT_BYTES], store[CN_NOTED_STORE_TEXT_BYTES];

  if (cairn_slot_object(slot) == 0 || cn_heap_collector()->covered(object->payload, slot))
    return;
  cairn_layout_place(object->layout, (uintptr_t)slot.address - object->payload, place, sizeof place);
  FAIL_VERIFICATION(object->walk,
                    "the object at 0x%lx has in %s the reference 0x%lx, to a younger object, and no barrier has "
                    "told of it%s",
                    (unsigned long)object->payload, place, (unsigned long)*slot.address,
                    cn_noted_stores_describe_last((uintptr_t)slot.address, store));
}

static void check_object_fields(void *env, const struct cn_heap_object *object, const struct cn_heap_range *range)
{
  (void)env;
  CN_ASSERT(cn_object_starts_find_last(range, object->payload) == object->payload);
  if (object->layout == NULL)
    return;
  cairn_object_visit(object->payload, object->layout, check_field_target, (void *)object);
  cairn_object_visit_weak(object->payload, object->layout, check_field_target, (void *)object);
  if (cn_heap_collector()->covered != NULL)
    cairn_object_visit(object->payload, object->layout, check_barrier_coverage, (void *)object);
}

/* The layout of the object that contains `address`; `*payload` is the object's start. Null: `address` lies outside of
 * objects, as in the filler after a shortened array. */
static const struct cairn_layout *layout_containing(const struct cn_heap_walk *heap, uintptr_t address,
                                                    uintptr_t *payload)
{
  const struct cn_heap_range *range = cn_heap_walk_find_range(heap, address);

  *payload = range != NULL && range->starts != NULL ? cn_object_starts_find_last(range, address) : 0;
  if (*payload == 0 || cairn_header_is_gone(*cairn_object_header(*payload)))
    return NULL;
  const struct cairn_layout *layout = cairn_object_layout(*payload);
  if (cn_is_filler_layout(layout))
    return NULL;
  uintptr_t end = cn_heap_walk_read_object(heap, *payload, layout->elem_size != 0, range->end).end;
  return address < end ? layout : NULL;
}

static void walk_block_ranges(const struct cn_heap_walk *heap, cn_heap_object_visitor *visit)
{
  for (size_t i = 0; i < heap->ranges.count; i++)
    if (heap->ranges.at[i].blocks)
      cn_heap_walk_visit_range(heap, &heap->ranges.at[i], visit, NULL);
}

/* ---- unfilled objects ---- */

static void clear_stale_word(void *env, struct cairn_slot slot)
{
  const struct cn_heap_object *object = env;

  if (target_fault(object->walk, cairn_slot_object(slot), false) != NULL)
    *slot.address = 0;
}

static void clear_unfilled_object(void *env, const struct cn_heap_object *object, const struct cn_heap_range *range)
{
  (void)env;
  CN_ASSERT(range->blocks);
  if (object->layout == NULL || !cn_unfilled_has_object(object->payload))
    return;
  cairn_object_visit(object->payload, object->layout, clear_stale_word, (void *)object);
  cairn_object_visit_weak(object->payload, object->layout, clear_stale_word, (void *)object);
}

static void make_object_starts(struct cn_heap_walk *heap)
{
  if (!cn_object_starts_make(heap))
    cairn_out_of_memory(false, "%s collection %lu: no memory for tables", heap->what, (unsigned long)heap->collection);
  if (cn_unfilled_exist())
    walk_block_ranges(heap, clear_unfilled_object);
}

void cn_heap_clear_unfilled_objects(struct cn_heap_walk *heap)
{
  if (!cn_unfilled_exist())
    return;
  make_object_starts(heap);
  cn_object_starts_free(heap);
}

/* ---- places, roots, and the whole heap ---- */

/* Checks a store since the last collection; no object has moved since the store. The store wrote a reference at
 * `address`, or copied the word at `from`, which is a reference if the layout of its object says so. */
static void check_noted_store(void *env, uintptr_t address, uintptr_t from)
{
  const struct cn_heap_walk *heap = env;
  char place[2 * CN_LAYOUT_TEXT_BYTES], type[CN_LAYOUT_TEXT_BYTES], store[CN_NOTED_STORE_TEXT_BYTES];
  uintptr_t payload, source;
  const struct cairn_layout *layout = layout_containing(heap, address, &payload),
                            *copied = from != 0 ? layout_containing(heap, from, &source) : NULL;
  uint64_t offset = address - payload;

  if (layout == NULL || cn_layouts_have_reference(layout, offset) ||
      (from != 0 && (copied == NULL || !cn_layouts_have_reference(copied, from - source))))
    return;
  uintptr_t to = cairn_slot_object((struct cairn_slot){(uintptr_t *)address});
  if (to == 0 || cn_heap_walk_find_range(heap, to - CAIRN_ABI_HEADER_SIZE) == NULL)
    return;
  cairn_layout_place(layout, offset, place, sizeof place);
  cairn_layout_type(layout, type, sizeof type);
  FAIL_VERIFICATION(heap,
                    "the object at 0x%lx has at offset %lu, in %s, the reference 0x%lx, where the layout of %s "
                    "has none: the collector does not look there [layout-store]%s",
                    (unsigned long)payload, (unsigned long)offset, place, (unsigned long)to, type,
                    cn_noted_stores_describe_last(address, store));
}

static void check_root(void *env, struct cairn_slot slot)
{
  const struct cn_heap_walk *heap = env;
  const char *wrong = target_fault(heap, cairn_slot_object(slot), true);

  if (wrong != NULL)
    FAIL_VERIFICATION(heap, "the root at %p is the reference 0x%lx: %s", (void *)slot.address,
                      (unsigned long)*slot.address, wrong);
}

/* Restores the statistics, which count only the roots that collections visit. */
static void check_roots(struct cn_heap_walk *heap)
{
  struct cn_stats before = cn_stats;
  struct cairn_root_set *set;

  cairn_roots_begin(CAIRN_ROOTS_LOOK);
  while ((set = cairn_roots_fetch()) != NULL)
    cairn_roots_visit(set, check_root, heap);
  cairn_roots_end();
  cn_stats.frames = before.frames;
  cn_stats.roots = before.roots;
}

void cn_verify_heap(bool after, uint64_t collection, bool roots)
{
  struct cn_heap_walk heap = {.what = after ? "CAIRN_VERIFY=heap: after" : "CAIRN_VERIFY=heap: before",
                              .collection = collection};

  cn_heap_walk_open(&heap);
  make_object_starts(&heap);
  walk_block_ranges(&heap, check_object_fields);
  if (!after)
    cn_noted_stores_visit(check_noted_store, &heap);
  if (roots)
    check_roots(&heap);
  cn_noted_stores_forget_all();
  cn_object_starts_free(&heap);
  cn_heap_walk_close(&heap);
}
