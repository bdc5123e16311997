/* SPDX-License-Identifier: Apache-2.0
 *
 * The self-check of the heap. One walk over all blocks notes where objects start, a second one
 * looks at their references.
 */
#include "runtime/heap/verify_heap.h"

#include <stddef.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "base/sorted.h"
#include "runtime/core/counts.h"
#include "runtime/heap/buffer.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/heap_walk.h"
#include "runtime/heap/layouts.h"
#include "runtime/heap/noted_stores.h"
#include "runtime/os/os.h"

enum { BITS = 64 };

#define FAIL CN_HEAP_WALK_FAIL

/* ---- where objects start ---- */

static size_t bytes_of_bits(const struct cn_stretch *stretch)
{
  return ((stretch->end - stretch->start) / CAIRN_ABI_OBJECT_ALIGN / BITS + 1) * sizeof(uint64_t);
}

static size_t bit_of(const struct cn_stretch *stretch, uintptr_t payload)
{
  CN_ASSERT(payload >= stretch->start && payload <= stretch->end);
  return (payload - stretch->start) / CAIRN_ABI_OBJECT_ALIGN;
}

/* The stretch that `address` lies in, or null. */
static const struct cn_stretch *stretch_of(const struct cn_heap_walk *heap, uintptr_t address)
{
  size_t below = cn_sorted_below(&heap->stretches.at->start, heap->stretches.count,
                                 sizeof *heap->stretches.at, address + 1);
  const struct cn_stretch *stretch = &heap->stretches.at[below - 1];

  return below > 0 && address < stretch->end ? stretch : NULL;
}

static void note(void *env, const struct cn_heap_object *object, const struct cn_stretch *stretch)
{
  size_t bit = bit_of(stretch, object->payload);

  (void)env;
  CN_CHECK(stretch->starts != NULL);
  stretch->starts[bit / BITS] |= UINT64_C(1) << bit % BITS;
}

/* The start of the last object that begins at `address` or before; 0: there is none. */
static uintptr_t last_start(const struct cn_stretch *stretch, uintptr_t address)
{
  size_t bit = bit_of(stretch, address), i = bit / BITS;
  uint64_t word = stretch->starts[i] & ~UINT64_C(0) >> (BITS - 1 - bit % BITS);

  while (word == 0 && i > 0)
    word = stretch->starts[--i];
  if (word == 0)
    return 0;
  bit = i * BITS + (size_t)(BITS - 1 - __builtin_clzll(word));
  return stretch->start + bit * CAIRN_ABI_OBJECT_ALIGN;
}

/* ---- references ---- */

/* Null, or what is wrong with what `to` leads to; `inside`: it may lead into an object. */
static const char *wrong_target(const struct cn_heap_walk *heap, uintptr_t to, bool inside)
{
  const struct cn_stretch *stretch = stretch_of(heap, to - CAIRN_ABI_HEADER_SIZE);

  if (to == 0 || stretch == NULL)
    return NULL;
  if (stretch->starts == NULL)
    return "where nothing is";
  uintptr_t start = last_start(stretch, to);
  if (start != to && !inside)
    return "where no object starts";
  if (start == 0)
    return "before the first object";
  uintptr_t header = *cairn_object_header(start);
  const struct cairn_layout *layout = cairn_header_layout(header);
  if (cairn_header_is_gone(header))
    return "an object of an image that was unloaded";
  if (cn_buffer_is_filler(layout))
    return "a filler, where there is no object";
  if (to > cn_heap_walk_object(heap, start, layout->elem_size != 0, stretch->end).end)
    return "where no object is";
  return NULL;
}

static void check_field(void *env, struct cairn_slot slot)
{
  const struct cn_heap_object *object = env;
  const char *wrong = wrong_target(object->walk, cairn_slot_object(slot), false);
  char place[2 * CN_LAYOUT_TEXT], store[CN_NOTED_STORE_TEXT];

  if (wrong == NULL)
    return;
  cairn_layout_place(object->layout, (uintptr_t)slot.address - object->payload, place,
                     sizeof place);
  FAIL(object->walk, "the object at 0x%lx has in %s the reference 0x%lx: %s%s",
       (unsigned long)object->payload, place, (unsigned long)*slot.address, wrong,
       cn_noted_store((uintptr_t)slot.address, store));
}

static void check_covered(void *env, struct cairn_slot slot)
{
  const struct cn_heap_object *object = env;
  char place[2 * CN_LAYOUT_TEXT], store[CN_NOTED_STORE_TEXT];

  if (cairn_slot_object(slot) == 0 || cn_heap_collector()->covered(object->payload, slot))
    return;
  cairn_layout_place(object->layout, (uintptr_t)slot.address - object->payload, place,
                     sizeof place);
  FAIL(object->walk,
       "the object at 0x%lx has in %s the reference 0x%lx, to a younger object, and no barrier has "
       "told of it%s",
       (unsigned long)object->payload, place, (unsigned long)*slot.address,
       cn_noted_store((uintptr_t)slot.address, store));
}

static void check_fields(void *env, const struct cn_heap_object *object,
                         const struct cn_stretch *stretch)
{
  (void)env;
  CN_ASSERT(last_start(stretch, object->payload) == object->payload);
  if (object->layout == NULL)
    return;
  cairn_object_visit(object->payload, object->layout, check_field, (void *)object);
  cairn_object_visit_weak(object->payload, object->layout, check_field, (void *)object);
  if (cn_heap_collector()->covered != NULL)
    cairn_object_visit(object->payload, object->layout, check_covered, (void *)object);
}

static void check_root(void *env, struct cairn_slot slot)
{
  const struct cn_heap_walk *heap = env;
  const char *wrong = wrong_target(heap, cairn_slot_object(slot), true);

  if (wrong != NULL)
    FAIL(heap, "the root at %p is the reference 0x%lx: %s", (void *)slot.address,
         (unsigned long)*slot.address, wrong);
}

/* The statistics are about collections alone. */
static void check_roots(struct cn_heap_walk *heap)
{
  struct cn_stats before = cn_stats;
  struct cairn_root_set *set;

  cairn_roots_begin(false);
  while ((set = cairn_roots_fetch()) != NULL)
    cairn_roots_visit(set, check_root, heap);
  cairn_roots_end();
  cn_stats.frames = before.frames;
  cn_stats.roots = before.roots;
}

static void make_starts(struct cn_heap_walk *heap)
{
  for (size_t i = 0; i < heap->stretches.count; i++) {
    struct cn_stretch *stretch = &heap->stretches.at[i];
    if (!stretch->blocks)
      continue;
    stretch->starts = cn_os_resize(NULL, 0, bytes_of_bits(stretch));
    if (stretch->starts == NULL)
      cairn_out_of_memory(false, "CAIRN_VERIFY=heap has no memory for its tables");
  }
}

static void free_starts(struct cn_heap_walk *heap)
{
  for (size_t i = 0; i < heap->stretches.count; i++)
    if (heap->stretches.at[i].blocks)
      cn_os_free(heap->stretches.at[i].starts, bytes_of_bits(&heap->stretches.at[i]));
}

static void walk(const struct cn_heap_walk *heap, cn_heap_visitor *visit)
{
  for (size_t i = 0; i < heap->stretches.count; i++)
    if (heap->stretches.at[i].blocks)
      cn_heap_walk_stretch(heap, &heap->stretches.at[i], visit, NULL);
}

void cn_verify_heap(bool after, uint64_t collection, bool roots)
{
  struct cn_heap_walk heap = {.what =
                                  after ? "CAIRN_VERIFY=heap: after" : "CAIRN_VERIFY=heap: before",
                              .collection = collection};

  cn_heap_walk_open(&heap);
  make_starts(&heap);
  walk(&heap, note);
  walk(&heap, check_fields);
  if (roots)
    check_roots(&heap);
  cn_noted_stores_forget();
  free_starts(&heap);
  cn_heap_walk_close(&heap);
}
