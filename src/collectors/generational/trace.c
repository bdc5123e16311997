/* SPDX-License-Identifier: Apache-2.0
 *
 * A tracer looks at the newest of the objects that it has reached first. So a list or a tree is
 * copied in runs from parent to child, as a program made it and will read it, and not level by
 * level as by C. J. Cheney's algorithm.
 */
#include "collectors/generational/trace.h"

#include <string.h>
#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/generational/inside.h"
#include "collectors/generational/larges.h"
#include "collectors/generational/nursery.h"
#include "collectors/generational/tables.h"
#include "collectors/large.h"
#include "runtime/os/os.h"

enum {
  WORDS = 8,           /* of a copy, that are copied one by one */
  STACK_LEAST = 4096,  /* slots of a tracer's stack */
  STACK_KEPT = 1 << 17 /* that it keeps from one collection to the next */
};
#define INLINE static inline __attribute__((always_inline))

struct cn_cycle cn_cycle;

_Noreturn void cn_trace_no_object(const uintptr_t *slot, uintptr_t address, const char *why)
{
  cairn_fatal("reference 0x%lx, found at %p in collection %lu, is not the start of an object: %s",
              (unsigned long)address, (const void *)slot, (unsigned long)cn_cycle.number, why);
}

/* ---- objects ---- */

static const struct cairn_layout **known(struct cn_tracer *tracer, uintptr_t header)
{
  return &tracer->known[(header >> 4 ^ header >> 10) % CN_KNOWN];
}

static const struct cairn_layout *check_layout(struct cn_tracer *tracer, const uintptr_t *slot,
                                               uintptr_t address, uintptr_t header)
{
  const struct cairn_layout *layout = cairn_header_layout(header);

  if (cairn_header_is_gone(header))
    cn_trace_no_object(slot, address, "its type was one of an image that has been unloaded");
  if (!cairn_layout_is_known(layout))
    cn_trace_no_object(slot, address, "its header is no layout");
  *known(tracer, header) = layout;
  return layout;
}

/* The collector sets no bits of headers, so a header is its layout's address. */
INLINE const struct cairn_layout *layout_of(struct cn_tracer *tracer, const uintptr_t *slot,
                                            uintptr_t address, uintptr_t header)
{
  const struct cairn_layout *layout = *known(tracer, header);

  if ((uintptr_t)layout != header || layout == NULL)
    return check_layout(tracer, slot, address, header);
  return layout;
}

const struct cairn_layout *cn_trace_layout(struct cn_tracer *tracer, const uintptr_t *slot,
                                           uintptr_t object)
{
  return layout_of(tracer, slot, object, *cairn_object_header(object));
}

static size_t measure_indexed(const uintptr_t *slot, uintptr_t address,
                              const struct cairn_layout *layout)
{
  uintptr_t count = ((const uintptr_t *)address)[-2];
  uint64_t bytes;

  if ((count & 1) == 0 || cairn_layout_payload(layout, count >> 1, &bytes) != CAIRN_OK)
    cn_trace_no_object(slot, address, "its element count is damaged");
  return bytes;
}

/* The size of the payload, and that of the prefix through `prefix`, of an object in [from, end). */
INLINE size_t measure(const uintptr_t *slot, uintptr_t address, const struct cairn_layout *layout,
                      size_t *prefix, uintptr_t from, uintptr_t end)
{
  size_t bytes = (layout->base_size + 7) & ~(size_t)7;

  *prefix = CAIRN_ABI_HEADER_SIZE;
  if (layout->elem_size != 0) {
    *prefix = CAIRN_ABI_INDEXED_HEADER_SIZE;
    if (address - from < *prefix)
      cn_trace_no_object(slot, address, "its element count is damaged");
    bytes = measure_indexed(slot, address, layout);
  }
  if (bytes > end - address)
    cn_trace_no_object(slot, address, "it ends outside the heap");
  return bytes;
}

/* ---- the stack of objects to look at ---- */

static void deepen(struct cn_tracer *tracer)
{
  size_t depth = tracer->depth != 0 ? 2 * tracer->depth : STACK_LEAST;
  uintptr_t *stack =
      cn_os_resize(tracer->stack, tracer->depth * sizeof *stack, depth * sizeof *stack);

  if (stack == NULL)
    cairn_out_of_memory(false, "no memory to trace the heap: %zu objects wait", tracer->count);
  CN_CHECK(tracer->count < depth);
  tracer->stack = stack;
  tracer->depth = depth;
}

INLINE void push(struct cn_tracer *tracer, uintptr_t object)
{
  if (tracer->count == tracer->depth)
    deepen(tracer);
  tracer->stack[tracer->count++] = object;
}

static void shallow(struct cn_tracer *tracer)
{
  CN_CHECK(tracer->count == 0);
  if (tracer->depth <= STACK_KEPT)
    return;
  cn_os_free(tracer->stack, tracer->depth * sizeof *tracer->stack);
  tracer->stack = NULL;
  tracer->depth = 0;
}

/* Of an object that has been reached, and was at `was`, the header is another than its layout. */
static void reached(uintptr_t was, uintptr_t now)
{
  if ((*cairn_object_header(now) & CAIRN_ABI_HEADER_AWAITED) != 0)
    cairn_weak_reached(was, now);
}

/* ---- copies ---- */

static bool find_room(struct cn_room *room, size_t bytes, bool fresh)
{
  return (bytes <= room->end - room->free || cn_blocks_next(room, fresh)) &&
         bytes <= room->end - room->free;
}

/* Room for a copy that does not fit the tracer's hole. */
static uintptr_t more_room(struct cn_tracer *tracer, size_t bytes)
{
  bool fresh = cn_cycle.mode == CN_TRACE_FULL, small = bytes <= CN_LINE;
  struct cn_room *room = small ? &tracer->room : &tracer->whole;
  uintptr_t block = 0;

  if (cn_cycle.mode == CN_TRACE_MOVE)
    ; /* all copies have been counted */
  else if (bytes > CN_BLOCK) {
    block = cn_blocks_run(bytes);
  } else if (find_room(room, bytes, fresh || !small)) {
    block = room->free;
    room->free += bytes;
    CN_CHECK(room->free <= room->end);
  }
  if (block == 0)
    cairn_out_of_memory(false, "no memory to copy an object of %zu bytes to", bytes);
  return block;
}

INLINE uintptr_t room_for(struct cn_tracer *tracer, size_t bytes)
{
  uintptr_t block = tracer->room.free;

  if (bytes > tracer->room.end - block)
    return more_room(tracer, bytes);
  tracer->room.free = block + bytes;
  return block;
}

/* Copy whole words; most objects are small. */
INLINE void copy(uintptr_t *to, const uintptr_t *from, size_t bytes)
{
  CN_ASSERT(bytes % sizeof *to == 0);
  if (bytes > WORDS * sizeof *to) {
    memcpy(to, from, bytes);
    return;
  }
  for (size_t i = 0; i < bytes / sizeof *to; i++) {
    to[i] = from[i];
    __asm__("" ::: "memory"); /* else it becomes a call of memcpy() */
  }
}

static void mark_lines(uintptr_t block, size_t bytes)
{
  size_t first = (block - cn_tables.old) / CN_LINE,
         last = (block + bytes - 1 - cn_tables.old) / CN_LINE;

  CN_ASSERT(cn_tables_is_old(block) && first <= last);
  for (; first <= last; first++)
    cn_tables.reached[first] = 1;
}

/* Copy the object, which lies in [from, end), unless that was done; returns where it is now. What
 * looks like an address, and is an immediate, stays. */
INLINE uintptr_t evacuate(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address,
                          uintptr_t from, uintptr_t end, enum cn_trace mode)
{
  uintptr_t header;
  size_t prefix;

  if (address % CAIRN_ABI_OBJECT_ALIGN != 0) {
    if ((address & cn_cycle.words.mask) != 0)
      return address;
    cn_trace_no_object(slot, address, "it is not aligned");
  }
  header = *cairn_object_header(address);
  if (cairn_header_is_forwarded(header))
    return cairn_header_forwarded_to(header);
  const struct cairn_layout *layout = layout_of(tracer, slot, address, header);
  size_t bytes = measure(slot, address, layout, &prefix, from, end) + prefix;
  uintptr_t block = room_for(tracer, bytes), moved = block + prefix;
  copy((uintptr_t *)block, (const uintptr_t *)(address - prefix), bytes);
  cn_tables_set_start(moved);
  if (mode == CN_TRACE_FULL) {
    *cn_tables_word(moved, cn_tables.marks) |= cn_tables_bit(moved);
    mark_lines(block, bytes);
  }
  *cairn_object_header(address) = cairn_header_to(moved);
  if (header != (uintptr_t)layout)
    reached(address, moved);
  tracer->objects++;
  tracer->moved += bytes;
  if (cairn_layout_has_references(layout))
    push(tracer, moved);
  return moved;
}

/* ---- what is reached ---- */

static uintptr_t large_object(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address,
                              enum cn_trace mode)
{
  uintptr_t end, block = cn_large_find(address - CAIRN_ABI_HEADER_SIZE, &end);
  size_t prefix;

  if ((address & cn_cycle.words.mask) != 0)
    return address;
  if (block == 0)
    cn_trace_no_object(slot, address, "an earlier collection freed it");
  if (address != cn_larges_object(block))
    cn_trace_no_object(slot, address, "it leads into a large object");
  if (mode == CN_TRACE_MOVE)
    return evacuate(tracer, slot, address, block, end, CN_TRACE_MOVE);
  if (!cn_large_mark(block))
    return address;
  const struct cairn_layout *layout = cn_trace_layout(tracer, slot, address);
  measure(slot, address, layout, &prefix, block, end);
  reached(address, address);
  if (cairn_layout_has_references(layout))
    push(tracer, address);
  return address;
}

_Noreturn static void nothing_there(const uintptr_t *slot, uintptr_t address)
{
  bool left = cn_tables.states[cn_tables_block(address - 1)] == CN_BLOCK_NONE;

  cn_trace_no_object(slot, address,
                     left ? "an earlier collection moved everything away from there"
                          : "no object starts there");
}

/* An object of the old space, which is no copy of this collection's if all move. */
static uintptr_t old_object(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address,
                            enum cn_trace mode)
{
  size_t prefix;

  if ((address & cn_cycle.words.mask) != 0)
    return address;
  if (address % CAIRN_ABI_OBJECT_ALIGN != 0 || address == cn_tables.end ||
      !cn_tables_starts(address))
    nothing_there(slot, address);
  if (mode == CN_TRACE_MOVE || cn_tables.states[cn_tables_block(address)] == CN_BLOCK_SOURCE)
    return evacuate(tracer, slot, address, cn_tables.old, cn_tables.end, mode);
  uint64_t *marks = cn_tables_word(address, cn_tables.marks), bit = cn_tables_bit(address);
  if ((*marks & bit) != 0)
    return address;
  *marks |= bit;
  const struct cairn_layout *layout = cn_trace_layout(tracer, slot, address);
  size_t bytes = measure(slot, address, layout, &prefix, cn_tables.old, cn_tables.end) + prefix;
  mark_lines(address - prefix, bytes);
  tracer->marked += bytes;
  reached(address, address);
  if (cairn_layout_has_references(layout))
    push(tracer, address);
  return address;
}

/* What a slot leads to that is not in the nursery, where all are to be found. */
static uintptr_t other_object(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address,
                              enum cn_trace mode)
{
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE;

  if (cn_large_contains(header))
    return large_object(tracer, slot, address, mode);
  if (mode == CN_TRACE_YOUNG || header - cn_cycle.copies < cn_cycle.copies_room)
    return address;
  if (!cn_tables_is_old(header)) {
    if ((address & cn_cycle.words.mask) == 0)
      cn_trace_no_object(slot, address, "there is nothing in the nursery");
    return address;
  }
  return old_object(tracer, slot, address, mode);
}

/* Update one slot. Null, globals and constants stay; so does what was updated before. The address
 * of the header tells an object: it lies in the block even if the payload is empty. */
INLINE void visit(struct cn_tracer *tracer, uintptr_t *slot, enum cn_trace mode)
{
  uintptr_t tag = cn_cycle.words.reference, address = *slot - tag;
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE, now;

  if (header - cn_cycle.young >= cn_cycle.young_bytes)
    return;
  if (header - cn_nursery.start < cn_nursery.free - cn_nursery.start)
    now = evacuate(tracer, slot, address, cn_nursery.start, cn_nursery.free, mode);
  else
    now = other_object(tracer, slot, address, mode);
  if (now != address)
    *slot = now + tag;
}

/* ---- fields ---- */

INLINE void visit_offsets(struct cn_tracer *tracer, uintptr_t at, const uint32_t *offsets,
                          uint32_t count, enum cn_trace mode)
{
  for (uint32_t i = 0; i < count; i++)
    visit(tracer, (uintptr_t *)(at + offsets[i]), mode);
}

/* References one after another, as most arrays have them. */
INLINE void visit_run(struct cn_tracer *tracer, uintptr_t from, uintptr_t to, enum cn_trace mode)
{
  for (uintptr_t slot = from; slot < to; slot += sizeof slot)
    visit(tracer, (uintptr_t *)slot, mode);
}

static bool is_run(const struct cairn_layout *layout)
{
  return layout->elem_size == sizeof(uintptr_t) && layout->elem_refs == 1;
}

void cn_trace_visit(struct cn_tracer *tracer, struct cairn_slot slot)
{
  if (cn_cycle.mode == CN_TRACE_YOUNG)
    visit(tracer, slot.address, CN_TRACE_YOUNG);
  else if (cn_cycle.mode == CN_TRACE_FULL)
    visit(tracer, slot.address, CN_TRACE_FULL);
  else
    visit(tracer, slot.address, CN_TRACE_MOVE);
}

struct within {
  struct cn_tracer *tracer;
  uintptr_t from, to;
};

static void visit_within(void *env, struct cairn_slot slot)
{
  const struct within *within = env;

  if ((uintptr_t)slot.address - within->from < within->to - within->from)
    cn_trace_visit(within->tracer, slot);
}

/* An object with weak fields, or what it has in [from, to). */
__attribute__((noinline)) static void scan_weak(struct cn_tracer *tracer, uintptr_t object,
                                                const struct cairn_layout *layout, uintptr_t from,
                                                uintptr_t to)
{
  struct within within = {tracer, from, to};

  cairn_weak_note(object, from, to);
  if ((layout->flags & CAIRN_ABI_LAYOUT_EPHEMERON) == 0)
    cairn_object_visit(object, layout, visit_within, &within);
}

INLINE void scan(struct cn_tracer *tracer, uintptr_t object, enum cn_trace mode)
{
  const struct cairn_layout *layout = cairn_object_layout(object);
  uintptr_t element = object + layout->elem_offset;

  CN_ASSERT(layout != NULL && cairn_layout_has_references(layout));
  if ((layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0) {
    scan_weak(tracer, object, layout, 0, UINTPTR_MAX);
    return;
  }
  visit_offsets(tracer, object, layout->offsets, layout->base_refs, mode);
  if (layout->elem_refs == 0)
    return;
  uint64_t count = cairn_object_count(object);
  if (is_run(layout)) {
    visit_run(tracer, element, element + count * sizeof element, mode);
    return;
  }
  for (; count != 0; count--) {
    visit_offsets(tracer, element, layout->offsets + layout->base_refs, layout->elem_refs, mode);
    element += layout->elem_size;
  }
}

INLINE void drain(struct cn_tracer *tracer, enum cn_trace mode)
{
  while (tracer->count != 0)
    scan(tracer, tracer->stack[--tracer->count], mode);
}

static void drain_young(struct cn_tracer *tracer)
{
  drain(tracer, CN_TRACE_YOUNG);
}

static void drain_full(struct cn_tracer *tracer)
{
  drain(tracer, CN_TRACE_FULL);
}

static void drain_moving(struct cn_tracer *tracer)
{
  drain(tracer, CN_TRACE_MOVE);
}

void cn_trace_drain(struct cn_tracer *tracer)
{
  if (cn_cycle.mode == CN_TRACE_YOUNG)
    drain_young(tracer);
  else if (cn_cycle.mode == CN_TRACE_FULL)
    drain_full(tracer);
  else
    drain_moving(tracer);
}

/* Those of `count` slots at these offsets of `at` that lie in [from, to). */
static void visit_some(struct cn_tracer *tracer, uintptr_t at, const uint32_t *offsets,
                       uint32_t count, uintptr_t from, uintptr_t to)
{
  for (uint32_t i = 0; i < count; i++)
    if (at + offsets[i] >= from && at + offsets[i] < to)
      visit(tracer, (uintptr_t *)(at + offsets[i]), CN_TRACE_YOUNG);
}

void cn_trace_slots(struct cn_tracer *tracer, uintptr_t object, const struct cairn_layout *layout,
                    uintptr_t from, uintptr_t to)
{
  uintptr_t element = object + layout->elem_offset;

  CN_ASSERT(cn_cycle.mode == CN_TRACE_YOUNG && from < to);
  if ((layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0) {
    scan_weak(tracer, object, layout, from, to);
    return;
  }
  visit_some(tracer, object, layout->offsets, layout->base_refs, from, to);
  if (layout->elem_refs == 0)
    return;
  uint64_t count = cairn_object_count(object), i = 0;
  if (from > element)
    i = (from - element) / layout->elem_size;
  if (is_run(layout)) {
    uintptr_t end = element + count * sizeof element;
    visit_run(tracer, element > from ? element : from, end < to ? end : to, CN_TRACE_YOUNG);
    return;
  }
  for (element += i * layout->elem_size; i < count && element < to; i++) {
    visit_some(tracer, element, layout->offsets + layout->base_refs, layout->elem_refs, from, to);
    element += layout->elem_size;
  }
}

/* ---- roots ---- */

static uintptr_t start_of(const uintptr_t *slot, uintptr_t address)
{
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE;

  if (header - cn_nursery.start < cn_nursery.free - cn_nursery.start)
    return cn_inside_nursery(slot, address);
  if (cn_large_contains(header))
    return cn_inside_large(slot, address);
  if (cn_cycle.mode == CN_TRACE_YOUNG || !cn_tables_is_old(header))
    return address;
  if (cn_tables.states[cn_tables_block(header)] == CN_BLOCK_NONE)
    nothing_there(slot, address);
  return cn_inside_old(slot, address);
}

static void visit_root(struct cn_tracer *tracer, uintptr_t *slot)
{
  uintptr_t tag = cn_cycle.words.reference, address = *slot - tag;

  if ((address & cn_cycle.words.mask) != 0 ||
      address - CAIRN_ABI_HEADER_SIZE - cn_cycle.young >= cn_cycle.young_bytes)
    return;
  uintptr_t start = start_of(slot, address), moved = start + tag;
  CN_ASSERT(start <= address);
  if (cn_cycle.mode == CN_TRACE_YOUNG)
    visit(tracer, &moved, CN_TRACE_YOUNG);
  else if (cn_cycle.mode == CN_TRACE_FULL)
    visit(tracer, &moved, CN_TRACE_FULL);
  else
    visit(tracer, &moved, CN_TRACE_MOVE);
  *slot = moved + (address - start);
}

static void visit_roots(void *env, uintptr_t *const *slots, size_t count)
{
  for (size_t i = 0; i < count; i++)
    visit_root(env, slots[i]);
  cn_trace_drain(env);
}

static void fetch_roots(struct cn_tracer *tracer)
{
  struct cairn_root_set *roots;

  while ((roots = cairn_roots_fetch()) != NULL)
    cairn_roots_visit_array(roots, visit_roots, tracer);
}

/* All that survives is promoted: both rounds of a young enumeration are alike. */
void cn_trace_roots(struct cn_tracer *tracer)
{
  bool young = cn_cycle.mode == CN_TRACE_YOUNG;

  CN_CHECK(tracer->count == 0);
  cairn_roots_begin(young ? CAIRN_ROOTS_YOUNG : CAIRN_ROOTS_ALL);
  fetch_roots(tracer);
  if (young) {
    cairn_roots_rest();
    fetch_roots(tracer);
  }
  cairn_roots_end();
}

/* ---- a collection ---- */

void cn_trace_begin(enum cn_trace mode, uint64_t number, const struct cn_extent *copies)
{
  bool in_place = cn_nursery.start == cn_tables.nursery;

  cn_cycle = (struct cn_cycle){
      .mode = mode, .words = cairn_words, .uncleared = cairn_arrays_uncleared(), .number = number};
  CN_CHECK(cairn_words.mask < CAIRN_ABI_OBJECT_ALIGN && cairn_words.reference <= cairn_words.mask);
  CN_CHECK((mode == CN_TRACE_MOVE) == (copies != NULL));
  if (copies != NULL) {
    cn_cycle.copies = copies->start;
    cn_cycle.copies_room = copies->end - copies->start;
  }
  cn_cycle.young = in_place || mode != CN_TRACE_YOUNG ? cn_tables.base : cn_nursery.start;
  cn_cycle.young_bytes =
      (mode == CN_TRACE_YOUNG ? cn_nursery.free : cn_tables.end) - cn_cycle.young;
}

void cn_trace_enter(struct cn_tracer *tracer)
{
  CN_CHECK(tracer->count == 0);
  memset(tracer->known, 0, sizeof tracer->known);
  tracer->objects = tracer->moved = tracer->marked = 0;
  if (cn_cycle.mode == CN_TRACE_MOVE) {
    tracer->room = (struct cn_room){cn_cycle.copies, cn_cycle.copies + cn_cycle.copies_room};
    tracer->whole = (struct cn_room){0, 0};
  }
}

void cn_trace_leave(struct cn_tracer *tracer)
{
  shallow(tracer);
  if (cn_cycle.mode != CN_TRACE_YOUNG)
    tracer->room = tracer->whole = (struct cn_room){0, 0};
}
