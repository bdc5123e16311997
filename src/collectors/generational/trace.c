/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces the heap: tracers reach objects, copy them or mark them in place, and scan their fields. Phase STOP, any
 * number of tracers, each with its own stack. A tracer scans the newest of its reached objects first, so that the
 * copies of a list or a tree lie in order from parent to child, as programs make and read them. Cheney's algorithm
 * would order them level by level. The file owns `cn_trace_cycle`, which tracers.c sets; during a trace tracers change
 * only `copied`, atomically, and `mapped`, under the lock of interior_pointers.c. A lock of this file serialises copies
 * of big objects.
 */
#include "collectors/generational/trace_memory.h"

#include <pthread.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/copy.h"
#include "collectors/holder.h"
#include "collectors/generational/cards.h"
#include "collectors/generational/evacuation.h"
#include "collectors/generational/large_objects.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/work_sharing.h"
#include "collectors/generational/space/tables.h"
#include "collectors/large_space.h"
#include "runtime/os/os.h"

enum {
  SLOTS_PER_BATCH = 8, /* slots that one check reads */
  ARRAY_PART_ELEMENTS = 1024,
  PREFETCH_DISTANCE_SLOTS = 16, /* slots */
  OBJECTS_PER_SHARE_CHECK = 32  /* scanned objects between two checks for waiting tracers */
};
#define ALWAYS_INLINE static inline __attribute__((always_inline))

struct cn_trace_cycle cn_trace_cycle;

/* The constants that a function is specialised for by inlining. If there are several tracers (`shared`), operations
 * that may race are atomic; a single tracer uses plain operations. */
struct trace_variant {
  enum cn_trace mode;
  bool shared;
  bool notes;
  bool greys; /* old objects that fields point to are passed to the marker */
};

/* The range of the headers of objects that fields lead to. */
ALWAYS_INLINE struct cn_address_range range_of(struct trace_variant how)
{
  return how.mode != CN_TRACE_YOUNG || how.notes || how.greys ? cn_trace_cycle.all : cn_trace_cycle.young;
}

static struct trace_variant current_variant(void)
{
  return (struct trace_variant){cn_trace_cycle.mode, cn_trace_cycle.shared, cn_trace_cycle.notes, cn_trace_cycle.marks};
}

/* The object of the old space or the large-object space that contains the slot, or 0. */
static uintptr_t holder_of(uintptr_t slot)
{
  uintptr_t end, block = cn_large_contains(slot) ? cn_large_find_block(slot, &end) : 0;

  if (block != 0)
    return cn_large_objects_payload_of(block);
  return cn_tables_is_in_old_space(slot) ? cn_tables_last_object_before(slot) : 0;
}

_Noreturn void cn_trace_die_no_object(const uintptr_t *slot, uintptr_t address, const char *why)
{
  cn_holder_die_no_object(holder_of((uintptr_t)slot), slot, address, cn_trace_cycle.number, why);
}

/* ---- objects ---- */

static const struct cairn_layout **layout_cache_entry(struct cn_tracer *tracer, uintptr_t header)
{
  return &tracer->known[(header >> 4 ^ header >> 10) % CN_TRACER_LAYOUT_CACHE_SIZE];
}

static const struct cairn_layout *check_layout(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address,
                                               uintptr_t header)
{
  const struct cairn_layout *layout = cairn_header_layout(header);

  if (cairn_header_is_gone(header))
    cn_trace_die_no_object(slot, address, "its type was one of an image that has been unloaded");
  if (!cairn_layout_is_known(layout))
    cn_trace_die_no_object(slot, address, "its header is no layout");
  *layout_cache_entry(tracer, header) = layout;
  return layout;
}

/* The layout of the object at `address`, whose header is the layout's address unless bits of the header are set. */
ALWAYS_INLINE const struct cairn_layout *layout_of(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address,
                                                   uintptr_t header)
{
  const struct cairn_layout *layout = *layout_cache_entry(tracer, header);

  if ((uintptr_t)layout != header || layout == NULL)
    return check_layout(tracer, slot, address, header);
  return layout;
}

ALWAYS_INLINE uintptr_t header_of(uintptr_t object)
{
  return __atomic_load_n(cairn_object_header(object), __ATOMIC_RELAXED);
}

const struct cairn_layout *cn_trace_layout_of(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t object)
{
  return layout_of(tracer, slot, object, header_of(object));
}

static size_t measure_indexed_object(const uintptr_t *slot, uintptr_t address, const struct cairn_layout *layout)
{
  uintptr_t count = ((const uintptr_t *)address)[-2];
  uint64_t bytes;

  if ((count & 1) == 0 || cairn_layout_payload(layout, count >> 1, &bytes) != CAIRN_OK)
    cn_trace_die_no_object(slot, address, "its element count is damaged");
  return bytes;
}

/* The size of the payload of an object in [from, end); *prefix becomes the size of its prefix. */
ALWAYS_INLINE size_t measure_object(const uintptr_t *slot, uintptr_t address, const struct cairn_layout *layout,
                                    size_t *prefix, uintptr_t from, uintptr_t end)
{
  size_t bytes = (layout->base_size + 7) & ~(size_t)7;

  *prefix = CAIRN_ABI_HEADER_SIZE;
  if (layout->elem_size != 0) {
    *prefix = CAIRN_ABI_INDEXED_HEADER_SIZE;
    if (address - from < *prefix)
      cn_trace_die_no_object(slot, address, "its element count is damaged");
    bytes = measure_indexed_object(slot, address, layout);
  }
  if (bytes > end - address)
    cn_trace_die_no_object(slot, address, "it ends outside the heap");
  return bytes;
}

/* ---- the stack. An entry is an object or the rest of an array. The rest of an array has two odd words: the number of
 * an element (in a young large object, of a byte), and the object ---- */

ALWAYS_INLINE void push_entry(struct cn_tracer *tracer, uintptr_t entry)
{
  if (tracer->count == tracer->depth)
    cn_trace_make_stack_room(tracer);
  tracer->stack[tracer->count++] = entry;
}

ALWAYS_INLINE uintptr_t pop_entry(struct cn_tracer *tracer)
{
  CN_ASSERT(tracer->count > tracer->bottom);
  return tracer->stack[--tracer->count];
}

__attribute__((noinline)) static void note_reached_object(struct cn_tracer *tracer, uintptr_t was, uintptr_t now,
                                                          uintptr_t header)
{
  bool asked = (header & CAIRN_ABI_HEADER_HASH) == CAIRN_ABI_HEADER_HASH_ASKED;

  CN_ASSERT(!cairn_header_is_forwarded(header));
  tracer->asked += was == now && asked;
  if ((header & CAIRN_ABI_HEADER_AWAITED) != 0)
    cairn_weak_reached(was, now);
}

/* The bytes of the copy's identity hash, for an object with this header. */
ALWAYS_INLINE size_t identity_hash_bytes_of(uintptr_t header)
{
  return (header & CAIRN_ABI_HEADER_HASH) != 0 ? sizeof(uintptr_t) : 0;
}

/* ---- copies ---- */

ALWAYS_INLINE uintptr_t bump_copy_cursor(struct cn_tracer *tracer, size_t bytes)
{
  uintptr_t block = tracer->cursor.free;

  if (bytes > tracer->cursor.end - block)
    return cn_trace_refill_copy_cursor(tracer, bytes);
  tracer->cursor.free = block + bytes;
  return block;
}

/* The header is an argument, because another tracer may change the header in the object at the same time. */
ALWAYS_INLINE void copy_object(uintptr_t to, uintptr_t from, uintptr_t header, size_t prefix, size_t bytes)
{
  if (prefix == CAIRN_ABI_INDEXED_HEADER_SIZE)
    ((uintptr_t *)to)[-2] = ((uintptr_t *)from)[-2];
  *cairn_object_header(to) = header;
  cn_copy_few_words((uintptr_t *)to, (uintptr_t *)from, bytes - prefix);
}

/* Several tracers may mark a line at the same time. */
static void mark_lines(uint8_t *lines, uintptr_t block, size_t bytes)
{
  size_t first = (block - cn_tables.old) / CN_LINE_BYTES, last = (block + bytes - 1 - cn_tables.old) / CN_LINE_BYTES;

  CN_ASSERT(cn_tables_is_in_old_space(block) && first <= last);
  for (; first <= last; first++)
    __atomic_store_n(&lines[first], 1, __ATOMIC_RELAXED);
}

/* Marks an object of the nursery or the old space that stays in place. Returns false if the object was reached
 * before. */
static bool mark_in_place(uintptr_t address)
{
  uint64_t bit = cn_tables_bit_of(address), *start = cn_tables_bit_word_of(address, 1 - cn_tables.marks),
           *mark = cn_tables_bit_word_of(address, cn_tables.marks);

  CN_ASSERT(cn_tables_is_in_old_space(address - 1));
  if (cn_trace_cycle.mode == CN_TRACE_YOUNG)
    return (__atomic_fetch_or(start, bit, __ATOMIC_RELAXED) & bit) == 0;
  __atomic_fetch_or(start, bit, __ATOMIC_RELAXED);
  return (__atomic_fetch_or(mark, bit, __ATOMIC_RELAXED) & bit) == 0;
}

/* Reaches a pinned object, which lies in [from, end) and stays in place. An object of the nursery becomes old, and its
 * lines are marked. */
static uintptr_t keep_pinned_object(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address, uintptr_t from,
                                    uintptr_t end)
{
  const struct cairn_layout *layout = cn_trace_layout_of(tracer, slot, address);
  uintptr_t header = header_of(address);
  size_t prefix, bytes = measure_object(slot, address, layout, &prefix, from, end) + prefix;

  bytes += cairn_header_hash_bytes(header);
  if (cn_large_contains(from)) {
    if (!cn_large_mark(from))
      return address;
  } else {
    if (!mark_in_place(address))
      return address;
    mark_lines(cn_trace_cycle.mode == CN_TRACE_YOUNG ? cn_tables.lines : cn_tables.reached, address - prefix, bytes);
    tracer->marked += bytes;
  }
  note_reached_object(tracer, address, address, header);
  if (cairn_layout_has_references(layout))
    push_entry(tracer, address);
  return address;
}

ALWAYS_INLINE void set_start_of_copy(uintptr_t moved, enum cn_trace mode)
{
  cn_tables_set_start(moved);
  if (mode == CN_TRACE_FULL)
    cn_tables_set_bits(cn_tables_bit_word_of(moved, cn_tables.marks), cn_tables_bit_of(moved));
}

/* Returns the space of a copy, because another tracer was first to copy the object. */
static void return_copy_space(struct cn_tracer *tracer, uintptr_t block, uintptr_t moved, size_t bytes)
{
  struct cn_copy_cursor *cursor = tracer->cursor.free == block + bytes ? &tracer->cursor : &tracer->long_cursor;

  CN_CHECK(cursor->free == block + bytes);
  cursor->free = block;
  if (cn_trace_cycle.mode == CN_TRACE_YOUNG)
    return;
  for (size_t kind = 0; kind < 2; kind++)
    cn_tables_clear_bits(cn_tables_bit_word_of(moved, kind), cn_tables_bit_of(moved));
}

/* Prefetches the memory that visit_slot() will read first. A young collection reads no header of an old object. */
ALWAYS_INLINE void prefetch_target(const uintptr_t *slot, struct trace_variant how)
{
  uintptr_t word = how.shared ? __atomic_load_n(slot, __ATOMIC_RELAXED) : *slot;
  uintptr_t address = word - cn_trace_cycle.words.reference, header = address - CAIRN_ABI_HEADER_SIZE;

  struct cn_address_range range = range_of(how);

  if (header - range.start >= range.bytes)
    return;
  if (how.mode != CN_TRACE_YOUNG || header - cn_nursery.start < cn_nursery.free - cn_nursery.start)
    __builtin_prefetch((const void *)header);
  if ((how.mode == CN_TRACE_FULL || how.greys) && cn_tables_is_in_old_space(header))
    __builtin_prefetch(cn_tables_bit_word_of(address, 0));
}

ALWAYS_INLINE void prefetch_field_targets(uintptr_t moved, const struct cairn_layout *layout, struct trace_variant how)
{
  for (uint32_t i = 0; i < layout->base_refs && i < SLOTS_PER_BATCH; i++)
    prefetch_target((const uintptr_t *)(moved + layout->offsets[i]), how);
}

/* Marks a copy, for a marker that runs: the copy counts as reached and scanned, because this collection visits its
 * fields. */
ALWAYS_INLINE void mark_copy(uintptr_t block, uintptr_t moved, size_t bytes, const struct cairn_layout *layout,
                             bool shared)
{
  uint64_t *marks = cn_tables_bit_word_of(moved, cn_tables.marks), bit = cn_tables_bit_of(moved);

  if (shared)
    __atomic_fetch_or(marks, bit, __ATOMIC_RELAXED);
  else
    *marks |= bit;
  mark_lines(cn_tables.reached, block, bytes);
  if ((layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0)
    cn_marker_note_weak_copy(moved);
}

/* Copies an object of `bytes`, prefix included. If several tracers copy the object, the copy of the first to write the
 * forwarding address counts, and the other tracers then find a complete copy. A young collection sets the start bit
 * after the forwarding address, because its visit of cards finds copies by their start bits. The other modes set the
 * start bit first, because they check references to copies by these bits. */
ALWAYS_INLINE uintptr_t copy_and_forward_object(struct cn_tracer *tracer, uintptr_t address, uintptr_t header,
                                                size_t prefix, size_t bytes, struct trace_variant how)
{
  const struct cairn_layout *layout = cairn_header_layout(header);
  uintptr_t block = bump_copy_cursor(tracer, bytes + identity_hash_bytes_of(header)), moved = block + prefix;
  bool late = how.mode == CN_TRACE_YOUNG;
  size_t size = bytes;

  copy_object(moved, address, header, prefix, bytes);
  if (header != (uintptr_t)layout)
    bytes += cairn_object_copy_hash(address, moved, header, bytes - prefix);
  if (!late)
    set_start_of_copy(moved, how.mode);
  if (how.shared) {
    uintptr_t first = cairn_object_forward(address, header, moved);
    if (first != moved) {
      return_copy_space(tracer, block, moved, bytes);
      return first;
    }
  } else {
    *cairn_object_header(address) = cn_forwarding_header_of(moved, size);
  }
  if (late)
    set_start_of_copy(moved, how.mode);
  if (late && cn_trace_cycle.marks)
    mark_copy(block, moved, bytes, layout, how.shared);
  if (how.mode == CN_TRACE_FULL)
    mark_lines(cn_tables.reached, block, bytes);
  if (header != (uintptr_t)layout)
    note_reached_object(tracer, address, moved, header);
  tracer->objects++;
  tracer->moved += bytes;
  if (cairn_layout_has_references(layout)) {
    prefetch_field_targets(moved, layout, how);
    push_entry(tracer, moved);
  }
  return moved;
}

/* Copies a big object under a lock, because the space of a big copy cannot be returned. */
static uintptr_t copy_big_object(struct cn_tracer *tracer, uintptr_t address, size_t prefix, size_t bytes)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

  CN_ASSERT(cn_trace_cycle.shared && bytes > CN_SINGLE_COPY_MIN_BYTES);
  pthread_mutex_lock(&lock);
  uintptr_t header = __atomic_load_n(cairn_object_header(address), __ATOMIC_ACQUIRE);
  uintptr_t moved = cairn_header_is_forwarded(header)
                        ? cairn_header_forwarded_to(header)
                        : copy_and_forward_object(tracer, address, header, prefix, bytes, current_variant());
  pthread_mutex_unlock(&lock);
  return moved;
}

/* Copies the object, which lies in [from, end), unless it has been copied, and returns its current address. An
 * immediate that looks like an address is returned unchanged. */
ALWAYS_INLINE uintptr_t evacuate_object(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address,
                                        uintptr_t from, uintptr_t end, struct trace_variant how)
{
  const bool young = how.mode == CN_TRACE_YOUNG;
  uintptr_t header;
  size_t prefix;

  if (address % CAIRN_ABI_OBJECT_ALIGN != 0) {
    if ((address & cn_trace_cycle.words.mask) != 0)
      return address;
    cn_trace_die_no_object(slot, address, "it is not aligned");
  }
  header = __atomic_load_n(cairn_object_header(address), __ATOMIC_ACQUIRE);
  if (cairn_header_is_forwarded(header))
    return cairn_header_forwarded_to(header);
  if ((header & CAIRN_ABI_HEADER_PINNED) != 0)
    return keep_pinned_object(tracer, slot, address, from, end);
  if (young && tracer->moved >= cn_trace_cycle.budget && from == cn_nursery.start &&
      (cn_trace_cycle.stays || cn_promotion_is_due(tracer)))
    return address;
  const struct cairn_layout *layout = layout_of(tracer, slot, address, header);
  size_t bytes = measure_object(slot, address, layout, &prefix, from, end) + prefix;
  if (how.shared && bytes > CN_SINGLE_COPY_MIN_BYTES)
    return copy_big_object(tracer, address, prefix, bytes);
  return copy_and_forward_object(tracer, address, header, prefix, bytes, how);
}

uintptr_t cn_trace_evacuate(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address, uintptr_t from,
                            uintptr_t end)
{
  CN_ASSERT(cn_trace_cycle.mode != CN_TRACE_YOUNG || cn_trace_cycle.evacuates);
  return evacuate_object(tracer, slot, address, from, end, current_variant());
}

/* ---- reached objects ---- */

static uintptr_t reach_large_object(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address)
{
  uintptr_t end, block = cn_large_find_block(address - CAIRN_ABI_HEADER_SIZE, &end);
  size_t prefix;

  if ((address & cn_trace_cycle.words.mask) != 0)
    return address;
  if (block == 0)
    cn_trace_die_no_object(slot, address, "an earlier collection freed it");
  if (address != cn_large_objects_payload_of(block))
    cn_trace_die_no_object(slot, address, "it leads into a large object");
  if (cn_trace_cycle.mode == CN_TRACE_MOVE)
    return cn_trace_evacuate(tracer, slot, address, block, end);
  if (!cn_large_mark(block)) {
    if (cn_trace_cycle.marks)
      cn_marker_mark_large(address);
    return address;
  }
  const struct cairn_layout *layout = cn_trace_layout_of(tracer, slot, address);
  measure_object(slot, address, layout, &prefix, block, end);
  note_reached_object(tracer, address, address, header_of(address));
  if (cairn_layout_has_references(layout) && cn_trace_cycle.mode == CN_TRACE_YOUNG)
    cn_cards_push_large_object(tracer, address, 0);
  else if (cairn_layout_has_references(layout))
    push_entry(tracer, address);
  return address;
}

_Noreturn void cn_trace_die_nothing_there(const uintptr_t *slot, uintptr_t address)
{
  bool left = cn_tables_block_state(cn_tables_block_of(address - 1)) == CN_BLOCK_WITHOUT_MEMORY;

  cn_trace_die_no_object(slot, address,
                         left ? "an earlier collection moved everything away from there" : "no object starts there");
}

/* Marks the object. Returns false if it was marked before. Compare-and-swap takes half the time of the instruction that
 * compilers make for an atomic "or" with a result. */
ALWAYS_INLINE bool set_mark_bit(uintptr_t address, bool shared)
{
  uint64_t *marks = cn_tables_bit_word_of(address, cn_tables.marks), bit = cn_tables_bit_of(address);
  uint64_t word = __atomic_load_n(marks, __ATOMIC_RELAXED);

  while ((word & bit) == 0) {
    if (!shared) {
      *marks = word | bit;
      return true;
    }
    if (__atomic_compare_exchange_n(marks, &word, word | bit, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return true;
  }
  return false;
}

/* Reaches an object of the old space; in CN_TRACE_MOVE, the object must not be a copy of this collection. */
ALWAYS_INLINE uintptr_t reach_old_object(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address,
                                         struct trace_variant how)
{
  size_t prefix;

  if ((address & cn_trace_cycle.words.mask) != 0)
    return address;
  if (address % CAIRN_ABI_OBJECT_ALIGN != 0 || !cn_tables_is_object_start(address))
    cn_trace_die_nothing_there(slot, address);
  size_t place = cn_tables_block_of(address - CAIRN_ABI_HEADER_SIZE);
  if (how.mode == CN_TRACE_MOVE || cn_tables_block_state(place) == CN_BLOCK_SOURCE)
    return cn_trace_evacuate(tracer, slot, address, cn_tables.old, cn_tables.end);
  if (!set_mark_bit(address, how.shared))
    return address;
  const struct cairn_layout *layout = layout_of(tracer, slot, address, header_of(address));
  size_t bytes = measure_object(slot, address, layout, &prefix, cn_tables.old, cn_tables.end) + prefix;
  uintptr_t header = header_of(address);
  if (header != (uintptr_t)layout) {
    bytes += cairn_header_hash_bytes(header);
    note_reached_object(tracer, address, address, header);
  }
  mark_lines(cn_tables.reached, address - prefix, bytes);
  tracer->marked += bytes;
  if (cairn_layout_has_references(layout))
    push_entry(tracer, address);
  return address;
}

static uintptr_t reach_old_object_by_mode(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address)
{
  return reach_old_object(tracer, slot, address, current_variant());
}

/* Reaches an object outside of the nursery. In a full collection the slot must point to an object. */
static uintptr_t reach_other_object(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address)
{
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE;

  if (cn_large_contains(header))
    return reach_large_object(tracer, slot, address);
  if (cn_trace_cycle.mode == CN_TRACE_YOUNG || header - cn_trace_cycle.copies < cn_trace_cycle.copies_bytes)
    return address;
  if (!cn_tables_is_in_old_space(header)) {
    if ((address & cn_trace_cycle.words.mask) == 0)
      cn_trace_die_no_object(slot, address, "there is nothing in the nursery");
    return address;
  }
  return reach_old_object_by_mode(tracer, slot, address);
}

/* Passes the old object that a field points to to the marker. */
ALWAYS_INLINE void grey_old_object(const uintptr_t *slot, uintptr_t address)
{
  if ((address & cn_trace_cycle.words.mask) != 0)
    return;
  uint16_t group = cn_tables_evacuation_group_of(cn_tables_block_of(address - CAIRN_ABI_HEADER_SIZE));
  if (group != 0)
    cn_evacuation_note_card((uintptr_t)slot, group);
  if (!cn_tables_is_marked(address))
    cn_marker_mark_old(slot, address);
}

/* Updates one slot, unless it contains null, the address of a global or constant, or an updated reference. The address
 * of the header decides in which space the object is: even if the payload is empty, the header lies in the block. Two
 * tracers may visit a slot at once, and write the same value. */
ALWAYS_INLINE void visit_slot(struct cn_tracer *tracer, uintptr_t *slot, struct trace_variant how)
{
  uintptr_t word = how.shared ? __atomic_load_n(slot, __ATOMIC_ACQUIRE) : *slot;
  uintptr_t tag = cn_trace_cycle.words.reference, address = word - tag;
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE, now;
  struct cn_address_range range = range_of(how);

  if (header - range.start >= range.bytes)
    return;
  if (header - cn_nursery.start < cn_nursery.free - cn_nursery.start)
    now = evacuate_object(tracer, slot, address, cn_nursery.start, cn_nursery.free, how);
  else if (how.mode == CN_TRACE_FULL && cn_tables_is_in_old_space(header))
    now = reach_old_object(tracer, slot, address, how);
  else if (how.notes && cn_tables_is_in_old_space(header))
    now = cn_evacuation_visit_old_slot(tracer, slot, address);
  else if (how.mode == CN_TRACE_YOUNG && cn_tables_is_in_old_space(header)) {
    if (how.greys)
      grey_old_object(slot, address);
    return;
  } else
    now = reach_other_object(tracer, slot, address);
  if (now != address)
    __atomic_store_n(slot, now + tag, __ATOMIC_RELEASE);
}

void cn_trace_push_promoted(struct cn_tracer *tracer, uintptr_t object, uintptr_t header)
{
  const struct cairn_layout *layout = cairn_header_layout(header);

  if (header != (uintptr_t)layout)
    note_reached_object(tracer, object, object, header);
  if (cairn_layout_has_references(layout))
    push_entry(tracer, object);
}

/* ---- fields ---- */

ALWAYS_INLINE void visit_slots_at_offsets(struct cn_tracer *tracer, uintptr_t at, const uint32_t *offsets,
                                          uint32_t count, struct trace_variant how)
{
  for (uint32_t i = 0; i < count; i++)
    visit_slot(tracer, (uintptr_t *)(at + offsets[i]), how);
}

/* Skips slots that visit_slot() leaves unchanged, in batches without a branch for each slot: nulls, which are common in
 * new arrays, and references to objects outside of the range, which are common in old arrays. */
ALWAYS_INLINE uintptr_t skip_batches(uintptr_t slot, uintptr_t to, struct cn_address_range range)
{
  const uintptr_t first = range.start + cn_trace_cycle.words.reference + CAIRN_ABI_HEADER_SIZE;

  while (to - slot >= SLOTS_PER_BATCH * sizeof slot) {
    uintptr_t least = UINTPTR_MAX;
    for (size_t i = 0; i < SLOTS_PER_BATCH; i++) {
      uintptr_t from_first = __atomic_load_n((uintptr_t *)slot + i, __ATOMIC_RELAXED) - first;
      least = from_first < least ? from_first : least;
    }
    if (least < range.bytes)
      break;
    slot += SLOTS_PER_BATCH * sizeof slot;
  }
  return slot;
}

uintptr_t cn_trace_next_young_word(uintptr_t from, uintptr_t to)
{
  const uintptr_t first = cn_trace_cycle.young.start + cn_trace_cycle.words.reference + CAIRN_ABI_HEADER_SIZE;

  CN_ASSERT(from % sizeof from == 0 && from <= to);
  from = skip_batches(from, to, cn_trace_cycle.young);
  while (from < to && *(const uintptr_t *)from - first >= cn_trace_cycle.young.bytes)
    from += sizeof from;
  return from;
}

/* Visits a range of references. The loop prefetches the objects of an array, which lie anywhere. */
ALWAYS_INLINE void visit_reference_range(struct cn_tracer *tracer, uintptr_t from, uintptr_t to,
                                         struct trace_variant how)
{
  for (uintptr_t slot = from; slot < to; slot += sizeof slot) {
    if ((slot - from) % (SLOTS_PER_BATCH * sizeof slot) == 0)
      slot = skip_batches(slot, to, range_of(how));
    if (to - slot > PREFETCH_DISTANCE_SLOTS * sizeof slot)
      prefetch_target((const uintptr_t *)slot + PREFETCH_DISTANCE_SLOTS, how);
    if (slot < to)
      visit_slot(tracer, (uintptr_t *)slot, how);
  }
}

void cn_trace_visit_slot(struct cn_tracer *tracer, struct cairn_slot slot)
{
  visit_slot(tracer, slot.address, current_variant());
}

struct slot_range {
  struct cn_tracer *tracer;
  uintptr_t from, to;
};

static void visit_slot_within_range(void *env, struct cairn_slot slot)
{
  const struct slot_range *within = env;

  if ((uintptr_t)slot.address - within->from < within->to - within->from)
    cn_trace_visit_slot(within->tracer, slot);
}

__attribute__((noinline)) static void scan_weak_object(struct cn_tracer *tracer, uintptr_t object,
                                                       const struct cairn_layout *layout, uintptr_t from, uintptr_t to)
{
  struct slot_range within = {tracer, from, to};

  if (cn_trace_cycle.notes || cn_trace_cycle.marks)
    cn_evacuation_note_weak_fields(object, layout, from, to);
  cairn_weak_note(object, from, to);
  if ((layout->flags & CAIRN_ABI_LAYOUT_EPHEMERON) == 0)
    cairn_object_visit(object, layout, visit_slot_within_range, &within);
}

/* Scans the elements of an array from `first` on. A long array is scanned in parts, so that other tracers can take the
 * rest. */
ALWAYS_INLINE void scan_array_elements(struct cn_tracer *tracer, uintptr_t object, const struct cairn_layout *layout,
                                       uint64_t first, struct trace_variant how)
{
  uintptr_t element = object + layout->elem_offset + first * layout->elem_size;
  uint64_t count = cairn_object_count(object) - first;

  if (count > ARRAY_PART_ELEMENTS) {
    count = ARRAY_PART_ELEMENTS;
    push_entry(tracer, (first + ARRAY_PART_ELEMENTS) << 1 | 1);
    push_entry(tracer, object | 1);
  }
  if (cn_trace_is_reference_array(layout)) {
    visit_reference_range(tracer, element, element + count * sizeof element, how);
    return;
  }
  for (; count != 0; count--) {
    visit_slots_at_offsets(tracer, element, layout->offsets + layout->base_refs, layout->elem_refs, how);
    element += layout->elem_size;
  }
}

ALWAYS_INLINE void scan_stack_entry(struct cn_tracer *tracer, uintptr_t entry, struct trace_variant how)
{
  uintptr_t object = entry & ~(uintptr_t)1;
  const struct cairn_layout *layout = cairn_object_layout(object);
  uint64_t first = 0;

  CN_ASSERT(layout != NULL && cairn_layout_has_references(layout));
  if (how.mode == CN_TRACE_YOUNG && object != entry && !cn_tables_is_in_old_space(object)) {
    cn_cards_visit_new_large(tracer, object, pop_entry(tracer) >> 1);
    return;
  }
  if ((layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0) {
    scan_weak_object(tracer, object, layout, 0, UINTPTR_MAX);
    return;
  }
  if (object == entry)
    visit_slots_at_offsets(tracer, object, layout->offsets, layout->base_refs, how);
  else
    first = pop_entry(tracer) >> 1;
  if (layout->elem_refs != 0)
    scan_array_elements(tracer, object, layout, first, how);
}

bool cn_trace_wants_helpers(const struct cn_tracer *tracer)
{
  return tracer->moved + tracer->marked > cn_trace_cycle.alone;
}

ALWAYS_INLINE void drain_stack(struct cn_tracer *tracer, struct trace_variant how)
{
  for (size_t i = 1; tracer->count != tracer->bottom; i++) {
    scan_stack_entry(tracer, pop_entry(tracer), how);
    if (i % OBJECTS_PER_SHARE_CHECK != 0)
      continue;
    if (how.shared && cn_work_sharing_is_wanted())
      cn_work_sharing_give(tracer);
    if (!how.shared && cn_trace_wants_helpers(tracer) && cn_work_sharing_has_spare_work(tracer))
      return;
  }
  tracer->count = tracer->bottom = 0;
}

ALWAYS_INLINE void drain_by_mode(struct cn_tracer *tracer, bool shared)
{
  if (cn_trace_cycle.notes)
    drain_stack(tracer, (struct trace_variant){.mode = CN_TRACE_YOUNG, .shared = shared, .notes = true});
  else if (cn_trace_cycle.marks)
    drain_stack(tracer, (struct trace_variant){.mode = CN_TRACE_YOUNG, .shared = shared, .greys = true});
  else if (cn_trace_cycle.mode == CN_TRACE_YOUNG)
    drain_stack(tracer, (struct trace_variant){.mode = CN_TRACE_YOUNG, .shared = shared});
  else if (cn_trace_cycle.mode == CN_TRACE_FULL)
    drain_stack(tracer, (struct trace_variant){.mode = CN_TRACE_FULL, .shared = shared});
  else
    drain_stack(tracer, (struct trace_variant){.mode = CN_TRACE_MOVE, .shared = shared});
}

static void drain_stack_alone(struct cn_tracer *tracer)
{
  drain_by_mode(tracer, false);
}

static void drain_stack_shared(struct cn_tracer *tracer)
{
  drain_by_mode(tracer, true);
}

void cn_trace_drain_stack(struct cn_tracer *tracer)
{
  if (cn_trace_cycle.shared)
    drain_stack_shared(tracer);
  else
    drain_stack_alone(tracer);
}

/* Fields of an unmarked object are not passed to the marker, which visits them if it reaches the object. */
static struct trace_variant young_variant(bool greys)
{
  return (struct trace_variant){CN_TRACE_YOUNG, cn_trace_cycle.shared, cn_trace_cycle.notes, greys};
}

/* Visits the slots in [from, to) among the `count` slots at these offsets from `at`. */
static void visit_slots_within_range(struct cn_tracer *tracer, uintptr_t at, const uint32_t *offsets, uint32_t count,
                                     uintptr_t from, uintptr_t to, bool greys)
{
  for (uint32_t i = 0; i < count; i++)
    if (at + offsets[i] >= from && at + offsets[i] < to)
      visit_slot(tracer, (uintptr_t *)(at + offsets[i]), young_variant(greys));
}

void cn_trace_visit_slots_within(struct cn_tracer *tracer, uintptr_t object, const struct cairn_layout *layout,
                                 uintptr_t from, uintptr_t to, bool greys)
{
  uintptr_t element = object + layout->elem_offset;

  CN_ASSERT(cn_trace_cycle.mode == CN_TRACE_YOUNG && from < to);
  greys = greys && cn_marker_is_marked(object);
  if ((layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0) {
    scan_weak_object(tracer, object, layout, from, to);
    return;
  }
  visit_slots_within_range(tracer, object, layout->offsets, layout->base_refs, from, to, greys);
  if (layout->elem_refs == 0)
    return;
  uint64_t count = cairn_object_count(object), i = 0;
  if (from > element)
    i = (from - element) / layout->elem_size;
  if (cn_trace_is_reference_array(layout)) {
    uintptr_t end = element + count * sizeof element;
    visit_reference_range(tracer, element > from ? element : from, end < to ? end : to, young_variant(greys));
    return;
  }
  for (element += i * layout->elem_size; i < count && element < to; i++) {
    visit_slots_within_range(tracer, element, layout->offsets + layout->base_refs, layout->elem_refs, from, to, greys);
    element += layout->elem_size;
  }
}

/* ---- a collection ---- */

static void drop_copy_cursors(struct cn_tracer *tracer)
{
  tracer->cursor = tracer->long_cursor = (struct cn_copy_cursor){0, 0};
}

void cn_trace_begin_tracer(struct cn_tracer *tracer)
{
  CN_CHECK(tracer->count == 0 && tracer->bottom == 0);
  memset(tracer->known, 0, sizeof tracer->known);
  tracer->objects = tracer->moved = tracer->marked = tracer->promoted = tracer->asked = 0;
  tracer->cards = tracer->useful_cards = tracer->objects_from_cards = 0;
  if (cn_trace_cycle.mode != CN_TRACE_YOUNG)
    drop_copy_cursors(tracer); /* other tracers may mark objects whose bits share words with the bits of these holes */
}

void cn_trace_end_tracer(struct cn_tracer *tracer)
{
  cn_trace_reset_stack(tracer);
  if (cn_trace_cycle.mode != CN_TRACE_YOUNG)
    drop_copy_cursors(tracer);
}
