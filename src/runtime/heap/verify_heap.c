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
#include "runtime/core/grow.h"
#include "runtime/core/mutator.h"
#include "runtime/heap/buffer.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/layouts.h"
#include "runtime/os/os.h"

enum { BITS = 64 };

struct stretch {
  uintptr_t start, end;
  uint64_t *starts; /* a bit per word: an object's payload starts there; null: it has no objects */
};

struct gap { /* the free part of a mutator's buffer */
  uintptr_t start, end;
};

struct heap {
  CN_GROW(struct stretch) stretches;
  CN_GROW(struct gap) gaps;
  const char *when;
  unsigned long collection;
};

/* An object of the heap. */
struct object {
  const struct heap *heap;
  uintptr_t payload, end;
  const struct cairn_layout *layout; /* null: it is gone */
};

typedef void object_visit(const struct object *object, const struct stretch *stretch);

#define FAIL(heap, format, ...) \
  cairn_fatal("CAIRN_VERIFY=heap: %s collection %lu: " format, (heap)->when, (heap)->collection, \
              __VA_ARGS__)

/* ---- where the heap is ---- */

static size_t bytes_of_bits(uintptr_t start, uintptr_t end)
{
  return ((end - start) / CAIRN_ABI_OBJECT_ALIGN / BITS + 1) * sizeof(uint64_t);
}

static void add_stretch(void *env, uintptr_t start, uintptr_t end, bool blocks)
{
  struct heap *heap = env;
  struct stretch stretch = {start, end, NULL};

  CN_CHECK(start <= end && (start | end) % CAIRN_ABI_OBJECT_ALIGN == 0);
  if (start == end)
    return;
  if (blocks) {
    stretch.starts = cn_os_resize(NULL, 0, bytes_of_bits(start, end));
    if (stretch.starts == NULL)
      cairn_out_of_memory(false, "CAIRN_VERIFY=heap has no memory for its tables");
  }
  cn_grow_push(&heap->stretches, stretch);
}

static void add_gap(struct heap *heap, uintptr_t start, uintptr_t end)
{
  CN_CHECK(start <= end);
  if (start != end)
    cn_grow_push(&heap->gaps, (struct gap){start, end});
}

static void find_heap(struct heap *heap)
{
  cn_heap_collector()->stretches(add_stretch, heap);
  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;) {
    add_gap(heap, m->alloc, m->buffer_end);
    add_gap(heap, m->beside.alloc, m->beside.end);
  }
  cn_sorted_sort(heap->stretches.at, heap->stretches.count, sizeof *heap->stretches.at);
  cn_sorted_sort(heap->gaps.at, heap->gaps.count, sizeof *heap->gaps.at);
  for (size_t i = 1; i < heap->stretches.count; i++)
    CN_CHECK(heap->stretches.at[i - 1].end <= heap->stretches.at[i].start);
}

static void leave_heap(struct heap *heap)
{
  for (size_t i = 0; i < heap->stretches.count; i++) {
    struct stretch *s = &heap->stretches.at[i];
    if (s->starts != NULL)
      cn_os_free(s->starts, bytes_of_bits(s->start, s->end));
  }
  cn_grow_free(&heap->stretches);
  cn_grow_free(&heap->gaps);
}

/* The stretch that `address` lies in, or null. */
static const struct stretch *stretch_of(const struct heap *heap, uintptr_t address)
{
  size_t below = cn_sorted_below(&heap->stretches.at->start, heap->stretches.count,
                                 sizeof *heap->stretches.at, address + 1);
  const struct stretch *stretch = &heap->stretches.at[below - 1];

  return below > 0 && address < stretch->end ? stretch : NULL;
}

/* ---- objects ---- */

static size_t bit_of(const struct stretch *stretch, uintptr_t payload)
{
  return (payload - stretch->start) / CAIRN_ABI_OBJECT_ALIGN;
}

_Noreturn static void fail_count(const struct heap *heap, uintptr_t payload,
                                 const struct cairn_layout *layout)
{
  char type[CN_LAYOUT_TEXT];

  cairn_layout_type(layout, type, sizeof type);
  FAIL(heap, "the object at 0x%lx is a %s, and its count does not fit that", (unsigned long)payload,
       type);
}

/* The object whose payload is there, which ends by `end`. */
static struct object object_at(const struct heap *heap, uintptr_t payload, bool indexed,
                               uintptr_t end)
{
  struct object object = {heap, payload, 0, NULL};
  uintptr_t header = *cairn_object_header(payload);
  uint64_t bytes = cairn_header_gone_bytes(header);

  if (!cairn_header_is_gone(header)) {
    object.layout = cairn_header_layout(header);
    if (!cairn_layout_is_known(object.layout))
      FAIL(heap, "the object at 0x%lx has the header 0x%lx, which names no layout",
           (unsigned long)payload, (unsigned long)header);
    if ((object.layout->elem_size != 0) != indexed ||
        cairn_object_payload(payload, object.layout, &bytes) != CAIRN_OK)
      fail_count(heap, payload, object.layout);
  }
  if (bytes > end - payload)
    FAIL(heap, "the object at 0x%lx has %lu bytes, and the heap ends before",
         (unsigned long)payload, (unsigned long)bytes);
  object.end = payload + bytes;
  return object;
}

static void walk(const struct heap *heap, const struct stretch *stretch, object_visit *visit)
{
  size_t g = cn_sorted_below(&heap->gaps.at->start, heap->gaps.count, sizeof *heap->gaps.at,
                             stretch->start);

  for (uintptr_t block = stretch->start; block < stretch->end;) {
    while (g < heap->gaps.count && heap->gaps.at[g].start < block)
      g++;
    if (g < heap->gaps.count && heap->gaps.at[g].start == block) {
      block = heap->gaps.at[g].end;
      continue;
    }
    bool indexed = (*(const uintptr_t *)block & 1) != 0;
    size_t prefix = indexed ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE;
    if (prefix > stretch->end - block)
      FAIL(heap, "no object begins at 0x%lx", (unsigned long)block);
    struct object object = object_at(heap, block + prefix, indexed, stretch->end);
    visit(&object, stretch);
    block = object.end;
  }
}

static void note(const struct object *object, const struct stretch *stretch)
{
  size_t bit = bit_of(stretch, object->payload);

  stretch->starts[bit / BITS] |= UINT64_C(1) << bit % BITS;
}

/* The start of the last object that begins at `address` or before; 0: there is none. */
static uintptr_t last_start(const struct stretch *stretch, uintptr_t address)
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
static const char *wrong_target(const struct heap *heap, uintptr_t to, bool inside)
{
  const struct stretch *stretch = stretch_of(heap, to - CAIRN_ABI_HEADER_SIZE);

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
  if (to > object_at(heap, start, layout->elem_size != 0, stretch->end).end)
    return "where no object is";
  return NULL;
}

static void check_field(void *env, struct cairn_slot slot)
{
  const struct object *object = env;
  const char *wrong = wrong_target(object->heap, cairn_slot_object(slot), false);
  char place[2 * CN_LAYOUT_TEXT];

  if (wrong == NULL)
    return;
  cairn_layout_place(object->layout, (uintptr_t)slot.address - object->payload, place,
                     sizeof place);
  FAIL(object->heap, "the object at 0x%lx has in %s the reference 0x%lx: %s",
       (unsigned long)object->payload, place, (unsigned long)*slot.address, wrong);
}

static void check_fields(const struct object *object, const struct stretch *stretch)
{
  CN_ASSERT(last_start(stretch, object->payload) == object->payload);
  if (object->layout != NULL)
    cairn_object_visit(object->payload, object->layout, check_field, (void *)object);
}

static void check_root(void *env, struct cairn_slot slot)
{
  const struct heap *heap = env;
  const char *wrong = wrong_target(heap, cairn_slot_object(slot), true);

  if (wrong != NULL)
    FAIL(heap, "the root at %p is the reference 0x%lx: %s", (void *)slot.address,
         (unsigned long)*slot.address, wrong);
}

/* The statistics are about collections alone. */
static void check_roots(struct heap *heap)
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

void cn_verify_heap(const char *when, uint64_t collection, bool roots)
{
  struct heap heap = {.when = when, .collection = collection};

  find_heap(&heap);
  for (size_t i = 0; i < heap.stretches.count; i++)
    if (heap.stretches.at[i].starts != NULL)
      walk(&heap, &heap.stretches.at[i], note);
  for (size_t i = 0; i < heap.stretches.count; i++)
    if (heap.stretches.at[i].starts != NULL)
      walk(&heap, &heap.stretches.at[i], check_fields);
  if (roots)
    check_roots(&heap);
  leave_heap(&heap);
}
