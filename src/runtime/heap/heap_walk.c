/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks the heap from block to block, over the free parts of mutators' buffers, and reads objects and their fields. The
 * walk checks each header before it uses the header. Its lists are in the caller's struct; the file has no state. Runs
 * in phase STOP, on the thread that stopped the others, without locks.
 */
#include "runtime/heap/heap_walk.h"

#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "base/sorted.h"
#include "runtime/core/mutator.h"
#include "runtime/heap/managed_heap.h"

static void add_heap_range(void *env, uintptr_t start, uintptr_t end, bool blocks)
{
  struct cn_heap_walk *walk = env;

  CN_CHECK(start <= end && (start | end) % CAIRN_ABI_OBJECT_ALIGN == 0);
  if (start != end)
    cn_grow_push(&walk->ranges, (struct cn_heap_range){start, end, blocks, NULL});
}

static void add_buffer_gap(struct cn_heap_walk *walk, uintptr_t start, uintptr_t end)
{
  CN_CHECK(start <= end);
  if (start != end)
    cn_grow_push(&walk->gaps, (struct cn_buffer_gap){start, end});
}

void cn_heap_walk_open(struct cn_heap_walk *walk)
{
  cn_heap_collector()->ranges(add_heap_range, walk);
  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;) {
    add_buffer_gap(walk, m->alloc, m->buffer_end);
    add_buffer_gap(walk, m->handlers.alloc, m->handlers.end);
  }
  cn_sort_by_address(walk->ranges.at, walk->ranges.count, sizeof *walk->ranges.at);
  cn_sort_by_address(walk->gaps.at, walk->gaps.count, sizeof *walk->gaps.at);
  for (size_t i = 1; i < walk->ranges.count; i++)
    CN_CHECK(walk->ranges.at[i - 1].end <= walk->ranges.at[i].start);
}

void cn_heap_walk_close(struct cn_heap_walk *walk)
{
  cn_grow_free_array(&walk->ranges);
  cn_grow_free_array(&walk->gaps);
}

_Noreturn static void fail_wrong_count(const struct cn_heap_walk *walk, uintptr_t payload,
                                       const struct cairn_layout *layout)
{
  char type[CN_LAYOUT_TEXT_BYTES];

  cairn_layout_type(layout, type, sizeof type);
  CN_HEAP_WALK_FAIL(walk, "the object at 0x%lx is a %s, and its count does not fit that", (unsigned long)payload, type);
}

struct cn_heap_object cn_heap_walk_read_object(const struct cn_heap_walk *walk, uintptr_t payload, bool indexed,
                                               uintptr_t end)
{
  size_t prefix = indexed ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE;
  struct cn_heap_object object = {walk, payload - prefix, payload, 0, NULL};
  uintptr_t header = *cairn_object_header(payload);
  uint64_t bytes = cairn_header_gone_bytes(header);

  if (!cairn_header_is_gone(header)) {
    object.layout = cairn_header_layout(header);
    if (!cairn_layout_is_known(object.layout))
      CN_HEAP_WALK_FAIL(walk, "the object at 0x%lx has the header 0x%lx, which names no layout", (unsigned long)payload,
                        (unsigned long)header);
    if ((object.layout->elem_size != 0) != indexed || cairn_object_payload(payload, object.layout, &bytes) != CAIRN_OK)
      fail_wrong_count(walk, payload, object.layout);
  }
  if (bytes > end - payload)
    CN_HEAP_WALK_FAIL(walk, "the object at 0x%lx has %lu bytes, and the heap ends before", (unsigned long)payload,
                      (unsigned long)bytes);
  object.end = payload + bytes;
  return object;
}

void cn_heap_walk_visit_range(const struct cn_heap_walk *walk, const struct cn_heap_range *range,
                              cn_heap_object_visitor *visit, void *env)
{
  size_t g = cn_sorted_count_below(&walk->gaps.at->start, walk->gaps.count, sizeof *walk->gaps.at, range->start);

  CN_CHECK(range->blocks);
  for (uintptr_t block = range->start; block < range->end;) {
    while (g < walk->gaps.count && walk->gaps.at[g].start < block)
      g++;
    if (g < walk->gaps.count && walk->gaps.at[g].start == block) {
      block = walk->gaps.at[g].end;
      continue;
    }
    bool indexed = (*(const uintptr_t *)block & 1) != 0;
    size_t prefix = indexed ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE;
    if (prefix > range->end - block)
      CN_HEAP_WALK_FAIL(walk, "no object begins at 0x%lx", (unsigned long)block);
    struct cn_heap_object object = cn_heap_walk_read_object(walk, block + prefix, indexed, range->end);
    visit(env, &object, range);
    block = object.end;
  }
}

const struct cn_heap_range *cn_heap_walk_find_range(const struct cn_heap_walk *walk, uintptr_t address)
{
  size_t below =
      cn_sorted_count_below(&walk->ranges.at->start, walk->ranges.count, sizeof *walk->ranges.at, address + 1);
  const struct cn_heap_range *range = &walk->ranges.at[below - 1];

  return below > 0 && address < range->end ? range : NULL;
}

static void visit_field(uintptr_t at, const struct cairn_layout *layout, uint32_t field, cn_heap_field_visitor *visit,
                        void *env)
{
  uint32_t offset = layout->offsets[field] & ~(uint32_t)CAIRN_ABI_LAYOUT_WEAK_OFFSET;

  visit(env, field, (struct cairn_slot){(uintptr_t *)(at + offset)});
}

void cn_heap_walk_visit_fields(const struct cn_heap_object *object, cn_heap_field_visitor *visit, void *env)
{
  const struct cairn_layout *layout = object->layout;
  uint64_t count = layout != NULL && layout->elem_refs != 0 ? cairn_object_count(object->payload) : 0;

  if (layout == NULL)
    return;
  CN_ASSERT(object->payload <= object->end);
  for (uint32_t i = 0; i < layout->base_refs; i++)
    visit_field(object->payload, layout, i, visit, env);
  uintptr_t element = object->payload + layout->elem_offset;
  for (uint64_t e = 0; e < count; e++, element += layout->elem_size)
    for (uint32_t i = 0; i < layout->elem_refs; i++)
      visit_field(element, layout, layout->base_refs + i, visit, env);
}
