/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks over all objects of the heap: in the nursery from block to block, in the old space by the bits of object
 * starts. One walk reports the ranges of the heap, and fills free memory in blocks; the other marks the layouts of an
 * unloaded image as gone. The file has no state, and takes no lock. Phase STOP, on the thread that stopped the others:
 * a collecting thread, a thread that inspects the heap, or a thread that unloads an image.
 */
#include "collectors/generational/trace.h"

#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/generational/space/blocks.h"
#include "collectors/generational/interior_pointers.h"
#include "collectors/generational/large_objects.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/space/tables.h"
#include "collectors/forget_layout.h"
#include "collectors/large_space.h"

/* The end of an old object's payload. */
static uintptr_t old_payload_end(uintptr_t payload)
{
  uintptr_t header = *cairn_object_header(payload);
  const struct cairn_layout *layout = cairn_header_layout(header);
  uint64_t bytes;

  if (cairn_header_is_gone(header))
    return payload + cairn_header_gone_bytes(header);
  if (!cairn_layout_is_known(layout) || cairn_object_payload(payload, layout, &bytes) != CAIRN_OK)
    cairn_fatal("the heap is damaged at 0x%lx: no object is there", (unsigned long)payload);
  return payload + bytes;
}

/* The start of the object's block; memory before `free` belongs to another object. If the layout is gone, an odd word
 * before the header counts as an element count, even if it is free memory. */
static uintptr_t block_start_of(uintptr_t payload, uintptr_t free)
{
  const struct cairn_layout *layout = cairn_object_layout(payload);

  if (layout != NULL)
    return cairn_object_block(payload, layout);
  bool indexed = payload - free >= CAIRN_ABI_INDEXED_HEADER_SIZE && (((uintptr_t *)payload)[-2] & 1) != 0;
  return payload - (indexed ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE);
}

/* ---- ranges ---- */

/* Fills the free memory in blocks [first, end), so that a walk can step over it. */
static void fill_free_memory(size_t first, size_t end)
{
  uintptr_t free = cn_tables_block_address(first), last = cn_tables_block_address(end), object;

  for (; (object = cn_tables_next_object_within(free, last)) != 0; free = old_payload_end(object))
    cairn_fill(free, block_start_of(object, free));
  CN_CHECK(free <= last);
  cairn_fill(free, last);
}

/* The first block in [block, end) with objects, if `objects`, or otherwise without objects; `end` if there is no such
 * block. */
static size_t next_block_by_objects(size_t block, size_t end, bool objects)
{
  while (block < end && cn_blocks_block_has_objects(block) != objects)
    block++;
  return block;
}

static void visit_nursery(cairn_range_visitor *visit, void *env)
{
  visit(env, cn_nursery.start, cn_nursery.free, true);
  visit(env, cn_nursery.free, cn_nursery.end, false);
}

static void visit_block_ranges(cairn_range_visitor *visit, void *env, size_t from, size_t to)
{
  size_t low, high, block = from;

  cn_blocks_bounds(&low, &high);
  if (block < low)
    block = low < to ? low : to;
  visit(env, cn_tables_block_address(from), cn_tables_block_address(block), false);
  while (block < to) {
    size_t start = next_block_by_objects(block, high < to ? high : to, true);
    CN_ASSERT(block <= start);
    size_t end = next_block_by_objects(start, high < to ? high : to, false);
    if (start == end)
      start = end = to;
    visit(env, cn_tables_block_address(block), cn_tables_block_address(start), false);
    fill_free_memory(start, end);
    visit(env, cn_tables_block_address(start), cn_tables_block_address(end), true);
    block = end;
  }
}

static void visit_large_objects(cairn_range_visitor *visit, void *env)
{
  uintptr_t at, last, end;

  cn_large_space_bounds(&at, &last);
  for (uintptr_t block = 0; (block = cn_large_next_block(block)) != 0;) {
    CN_CHECK(cn_large_find_block(block, &end) == block);
    visit(env, at, block, false);
    at = old_payload_end(cn_large_objects_payload_of(block));
    visit(env, block, at, true);
  }
  visit(env, at, last, false);
}

void cn_object_walk_visit_ranges(cairn_range_visitor *visit, void *env)
{
  bool inside = cn_tables_is_in_old_space(cn_nursery.start);
  size_t start = inside ? cn_tables_block_of(cn_nursery.start) : 0,
         end = inside ? cn_tables_block_of(cn_nursery.end) : 0;

  visit_large_objects(visit, env);
  visit_nursery(visit, env);
  visit_block_ranges(visit, env, 0, start);
  visit_block_ranges(visit, env, end, cn_tables.blocks);
}

/* ---- unloaded layouts ---- */

/* True if an object may begin at this address, which the weak field of a garbage object may contain, too. */
static bool may_be_object(uintptr_t address)
{
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE, end;

  if (header - cn_nursery.start < cn_nursery.free - cn_nursery.start)
    return true;
  if (cn_large_contains(header)) {
    uintptr_t block = cn_large_find_block(header, &end);
    return block != 0 && address == cn_large_objects_payload_of(block);
  }
  return cn_tables_is_in_old_space(header) && cn_blocks_block_has_objects(cn_tables_block_of(header)) &&
         cn_tables_is_object_start(address);
}

static bool forget_layouts_in_nursery(const unsigned char *start, const unsigned char *stop)
{
  uintptr_t payload, next;
  bool any = false;

  for (uintptr_t block = cn_nursery.start; block != cn_nursery.free; block = next) {
    next = cn_interior_step_in_nursery(block, &payload);
    CN_CHECK(payload <= next && next <= cn_nursery.free);
    any |= cn_forget_layout_of_object(payload, next, start, stop, may_be_object);
  }
  return any;
}

static void forget_layouts_in_old_space(const unsigned char *start, const unsigned char *stop)
{
  size_t low, high;

  cn_blocks_bounds(&low, &high);
  uintptr_t at = cn_tables_block_address(low), last = cn_tables_block_address(high), object;
  for (; at < last && (object = cn_tables_next_object_within(at, last)) != 0; at = object)
    cn_forget_layout_of_object(object, old_payload_end(object), start, stop, may_be_object);
}

static bool forget_layouts_of_large(const unsigned char *start, const unsigned char *stop)
{
  bool any = false;

  for (uintptr_t block = 0; (block = cn_large_next_block(block)) != 0;) {
    uintptr_t object = cn_large_objects_payload_of(block);
    CN_ASSERT(object > block);
    any |= cn_forget_layout_of_object(object, old_payload_end(object), start, stop, may_be_object);
  }
  return any;
}

bool cn_object_walk_forget_layouts(const unsigned char *start, const unsigned char *stop)
{
  bool young = forget_layouts_in_nursery(start, stop), large = forget_layouts_of_large(start, stop);

  forget_layouts_in_old_space(start, stop);
  return young || large;
}
