/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks the old space and large objects. Marked objects are on a stack until they are scanned, the newest first. A long
 * array is scanned part by part, so that each step is short.
 *
 * The file owns the state of the marking: `cn_marker`, `marker_state`, and `cn_tables.waiting`. In phase MUTATE only
 * steps in the runtime's background thread mark and scan. In phase STOP tracers write marks, lines and stacks under
 * `marking_lock`, and marks of copies by atomic operations; when the tracers are done, the collecting thread begins or
 * ends the marking, processes weak fields, and runs steps. The program may change a field at any time, so the marker
 * loads each field once.
 */
#include "collectors/generational/marker.h"

#include <pthread.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/generational/space/blocks.h"
#include "collectors/generational/evacuation.h"
#include "collectors/generational/interior_pointers.h"
#include "collectors/generational/large_objects.h"
#include "collectors/generational/pacer.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/trace.h"
#include "runtime/os/os.h"

enum {
  LAYOUT_CACHE_SIZE = 64,
  PREFETCH_DISTANCE = 8,
  QUEUED_OBJECTS = 8,
  SCAN_PIECE_BYTES = 2048, /* bytes of an object that are scanned at a time */
  MAX_WAITING_CARDS = 1 << 21,
};
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The fields of an object in [from, to), or all fields of objects that begin there. */
struct object_part {
  uintptr_t object, from, to;
};
#define PROMOTED_OBJECTS ((uintptr_t)0) /* instead of an object */

/* A card to visit again: of the large object, or, if `large` is 0, of the marked objects of the old space. */
struct waiting_card {
  uintptr_t large, card;
};

/* Marked objects whose headers are being prefetched; the marker scans them in this order. */
struct object_queue {
  uintptr_t at[QUEUED_OBJECTS];
  size_t first, count;
};

struct entry_stack {
  void *at;
  size_t count, room;
};

struct cn_marker cn_marker;
size_t cn_marker_rescan_bytes = 192 << 20;

/* A function's copies of the tables and of the state that it changes, which the compiler keeps in registers: stores to
 * tables of bytes could change the originals. */
struct step_state {
  uintptr_t old, old_bytes, reference;
  uint64_t *starts, *marks; /* bits of the first 512 bytes */
  uint8_t *reached;
  uintptr_t *objects; /* the stack */
  size_t count, room; /* of the stack */
  size_t fields;
};

/* A layout without elements and without weak fields. A header without bits is the layout's address. */
struct plain_layout {
  uintptr_t header;    /* or 0 */
  uint32_t bytes;      /* of an object, with its header */
  uint32_t references; /* number of fields */
};

static struct {
  struct entry_stack objects, parts, cards;
  struct object_queue queue; /* objects taken from the stack */
  struct entry_stack weak;   /* all marked objects that have weak fields */
  size_t noted;              /* entries of `weak` that the runtime has received */
  size_t fields;             /* number of fields scanned in this step */
  bool stopped;
  const struct cairn_layout *known[LAYOUT_CACHE_SIZE]; /* layouts of scanned objects since the last stop */
  struct plain_layout plain[LAYOUT_CACHE_SIZE];        /* some of them */
} marker_state;
static pthread_mutex_t marking_lock = PTHREAD_MUTEX_INITIALIZER; /* taken in phase STOP */

/* ---- stacks ---- */

/* Adds an uninitialised entry to the stack, and returns it. */
static void *push_entry(struct entry_stack *stack, size_t size)
{
  if (stack->count == stack->room) {
    size_t room = stack->room != 0 ? 2 * stack->room : cn_os_page_bytes() / sizeof(uintptr_t);
    void *at = cn_os_resize_mapping(stack->at, stack->room * size, room * size);
    if (at == NULL)
      cairn_out_of_memory(false, "no memory to mark the heap: %zu objects wait", stack->count);
    stack->at = at;
    stack->room = room;
  }
  CN_CHECK(stack->count < stack->room);
  return (char *)stack->at + stack->count++ * size;
}

static void push_object(uintptr_t object)
{
  *(uintptr_t *)push_entry(&marker_state.objects, sizeof object) = object;
}

static struct step_state begin_step(void)
{
  return (struct step_state){
      .old = cn_tables.old,
      .old_bytes = cn_tables.end - cn_tables.old,
      .reference = cairn_words.reference,
      .starts = cn_tables.bits + 1 - cn_tables.marks,
      .marks = cn_tables.bits + cn_tables.marks,
      .reached = cn_tables.reached,
      .objects = marker_state.objects.at,
      .count = marker_state.objects.count,
      .room = marker_state.objects.room,
      .fields = marker_state.fields,
  };
}

static void end_step(const struct step_state *step)
{
  marker_state.objects.count = step->count;
  marker_state.fields = step->fields;
}

__attribute__((noinline)) static struct step_state push_object_growing(struct step_state step, uintptr_t object)
{
  end_step(&step);
  push_object(object);
  return begin_step();
}

ALWAYS_INLINE void push_object_of_step(struct step_state *step, uintptr_t object)
{
  if (step->count == step->room)
    *step = push_object_growing(*step, object);
  else
    step->objects[step->count++] = object;
}

static void push_object_part(uintptr_t object, uintptr_t from, uintptr_t to)
{
  struct object_part *part = push_entry(&marker_state.parts, sizeof *part);

  CN_ASSERT(object <= from && from < to);
  *part = (struct object_part){object, from, to};
}

static void free_entry_stack(struct entry_stack *stack, size_t size)
{
  if (stack->at != NULL)
    cn_os_free_mapping(stack->at, stack->room * size);
  CN_CHECK(stack->count == 0 || stack == &marker_state.weak);
  *stack = (struct entry_stack){0};
}

/* ---- objects ---- */

static uintptr_t header_of(uintptr_t object)
{
  return __atomic_load_n(cairn_object_header(object), __ATOMIC_RELAXED);
}

/* The layout of the object, or null if the layout was unloaded with an image; the object is then garbage, unless the
 * program is wrong. */
ALWAYS_INLINE const struct cairn_layout *layout_of(uintptr_t object)
{
  uintptr_t header = header_of(object);
  const struct cairn_layout **known = &marker_state.known[(header >> 4 ^ header >> 10) % LAYOUT_CACHE_SIZE];

  if ((uintptr_t)*known == header && header != 0)
    return *known;
  if (cairn_header_is_gone(header))
    return NULL;
  const struct cairn_layout *layout = cairn_header_layout(header);
  if (!cairn_layout_is_known(layout))
    cn_trace_die_no_object(NULL, object, "its header is no layout");
  *known = layout;
  return layout;
}

ALWAYS_INLINE struct plain_layout *plain_layout_entry(uintptr_t header)
{
  return &marker_state.plain[(header >> 4 ^ header >> 10) % LAYOUT_CACHE_SIZE];
}

static void note_plain_layout(uintptr_t header, const struct cairn_layout *layout)
{
  uint32_t flags = CAIRN_ABI_LAYOUT_WEAK_FIELDS | CAIRN_ABI_LAYOUT_EPHEMERON;

  if ((uintptr_t)layout == header && layout->elem_size == 0 && (layout->flags & flags) == 0 &&
      layout->base_size <= SCAN_PIECE_BYTES)
    *plain_layout_entry(header) = (struct plain_layout){
        header, (uint32_t)((layout->base_size + 7) & ~(size_t)7) + CAIRN_ABI_HEADER_SIZE, layout->base_refs};
}

/* The start of the object's block, or of its header if the layout is gone; *end becomes the end of the payload. */
static uintptr_t object_bounds_of(uintptr_t object, const struct cairn_layout *layout, uintptr_t *end)
{
  uint64_t bytes;

  if (layout == NULL)
    bytes = cairn_header_gone_bytes(header_of(object));
  else if (cairn_object_payload(object, layout, &bytes) != CAIRN_OK)
    cn_trace_die_no_object(NULL, object, "its element count is damaged");
  if (bytes > cn_tables.end - object)
    cn_trace_die_no_object(NULL, object, "it ends outside the heap");
  *end = object + bytes;
  return layout != NULL ? cairn_object_block(object, layout) : object - CAIRN_ABI_HEADER_SIZE;
}

static void note_weak_object(uintptr_t object)
{
  *(uintptr_t *)push_entry(&marker_state.weak, sizeof object) = object;
}

static void tell_waiting_ephemerons(uintptr_t object)
{
  if (marker_state.stopped && (header_of(object) & CAIRN_ABI_HEADER_AWAITED) != 0)
    cairn_weak_reached(object, object);
}

/* Marks the object, which a step will scan. Several tracers may change other bits of the word at the same time. */
static void mark_old_object(uintptr_t object)
{
  uint64_t *marks = cn_tables_bit_word_of(object, cn_tables.marks), bit = cn_tables_bit_of(object);

  if ((__atomic_load_n(marks, __ATOMIC_RELAXED) & bit) != 0)
    return;
  if (cn_trace_cycle.shared)
    __atomic_fetch_or(marks, bit, __ATOMIC_RELAXED);
  else
    *marks |= bit;
  push_object(object);
}

static void mark_large_object(uintptr_t object)
{
  uint8_t *state = cn_tables_large_state_of(object);
  uintptr_t end;

  if (*state != CN_LARGE_OLD)
    return;
  __atomic_store_n(state, CN_LARGE_REACHED, __ATOMIC_RELAXED); /* tracers may read it */
  const struct cairn_layout *layout = layout_of(object);
  object_bounds_of(object, layout, &end);
  tell_waiting_ephemerons(object);
  if (layout == NULL || !cairn_layout_has_references(layout))
    return;
  if ((layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0)
    note_weak_object(object);
  if (end != object) /* an array that was shortened to nothing stays a large object */
    push_object_part(object, object, end);
}

/* ---- fields ---- */

static void refuse_stray_reference(const uintptr_t *slot, uintptr_t address)
{
  if (marker_state.stopped && (address & cairn_words.mask) == 0)
    cn_trace_die_no_object(slot, address, "no object starts there");
}

/* Visits a slot that points out of the old space. */
__attribute__((noinline)) static void visit_other_slot(const uintptr_t *slot, uintptr_t address)
{
  if (address - CAIRN_ABI_HEADER_SIZE - cn_tables.base >= cn_tables.old - cn_tables.base)
    return;
  if (cn_tables_may_be_large(address))
    mark_large_object(address);
  else
    refuse_stray_reference(slot, address);
}

ALWAYS_INLINE void visit_slot(struct step_state *step, const uintptr_t *slot)
{
  uintptr_t address = __atomic_load_n(slot, __ATOMIC_RELAXED) - step->reference,
            at = address - CAIRN_ABI_HEADER_SIZE - step->old;
  size_t word = at / CN_CARD_BYTES * 2;
  uint64_t bit = UINT64_C(1) << at / 8 % 64;

  if (at >= step->old_bytes) {
    if (address != 0)
      visit_other_slot(slot, address);
    return;
  }
  if (at % CAIRN_ABI_OBJECT_ALIGN != 0 || (cn_tables_load_bits(&step->starts[word]) & bit) == 0) {
    refuse_stray_reference(slot, address);
    return;
  }
  uint16_t group = cn_tables_evacuation_group_of(at / CN_BLOCK_BYTES);
  if (group != 0)
    cn_evacuation_note_card((uintptr_t)slot, group);
  if ((step->marks[word] & bit) != 0)
    return;
  step->marks[word] |= bit;
  push_object_of_step(step, address);
}

/* Visits the strong slots in [from, to) among the `count` slots at these offsets from `at`. */
ALWAYS_INLINE void visit_slots_at_offsets(struct step_state *step, uintptr_t at, const uint32_t *offsets,
                                          uint32_t count, uintptr_t from, uintptr_t to)
{
  for (uint32_t i = 0; i < count; i++)
    if ((offsets[i] & CAIRN_ABI_LAYOUT_WEAK_OFFSET) == 0 && at + offsets[i] >= from && at + offsets[i] < to)
      visit_slot(step, (const uintptr_t *)(at + offsets[i]));
  step->fields += count;
}

/* Visits a range of references, and prefetches the mark words of objects some slots ahead. */
ALWAYS_INLINE void visit_reference_range(struct step_state *step, uintptr_t from, uintptr_t to)
{
  CN_ASSERT(from % sizeof(uintptr_t) == 0);
  for (uintptr_t slot = from; slot < to; slot += sizeof slot) {
    uintptr_t next = slot + PREFETCH_DISTANCE * sizeof slot < to
                         ? __atomic_load_n((const uintptr_t *)slot + PREFETCH_DISTANCE, __ATOMIC_RELAXED)
                         : 0;
    uintptr_t at = next - step->reference - CAIRN_ABI_HEADER_SIZE - step->old;
    if (at < step->old_bytes)
      __builtin_prefetch(&step->marks[at / CN_CARD_BYTES * 2], 1);
    visit_slot(step, (const uintptr_t *)slot);
  }
  step->fields += (to - from) / sizeof from;
}

/* The program may lengthen the array at the same time. Its new elements are clear before its count grows. */
ALWAYS_INLINE uint64_t count_of_array(uintptr_t object)
{
  return __atomic_load_n((const uintptr_t *)object - 2, __ATOMIC_ACQUIRE) >> 1;
}

ALWAYS_INLINE void scan_strong_fields(struct step_state *step, uintptr_t object, const struct cairn_layout *layout,
                                      uintptr_t from, uintptr_t to)
{
  visit_slots_at_offsets(step, object, layout->offsets, layout->base_refs, from, to);
  if (layout->elem_refs == 0)
    return;
  uintptr_t element = object + layout->elem_offset;
  uint64_t count = count_of_array(object), i = 0;
  if (from > element)
    i = (from - element) / layout->elem_size;
  if (cn_trace_is_reference_array(layout)) {
    uintptr_t start = element + i * sizeof element, end = element + count * sizeof element;
    if (end > to)
      end = to;
    if (start < end)
      visit_reference_range(step, start, end);
    return;
  }
  for (element += i * layout->elem_size; i < count && element < to; i++) {
    visit_slots_at_offsets(step, element, layout->offsets + layout->base_refs, layout->elem_refs, from, to);
    element += layout->elem_size;
  }
}

static void scan_fields(uintptr_t object, const struct cairn_layout *layout, uintptr_t from, uintptr_t to)
{
  CN_ASSERT(from < to);
  marker_state.fields++;
  if (layout == NULL || !cairn_layout_has_references(layout))
    return;
  if ((layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0)
    cn_evacuation_note_weak_fields(object, layout, from, to);
  if ((layout->flags & CAIRN_ABI_LAYOUT_EPHEMERON) != 0)
    return;
  struct step_state step = begin_step();
  scan_strong_fields(&step, object, layout, from, to);
  end_step(&step);
}

/* Scans the objects that begin in the part, which were promoted in place, and so are marked. */
static void scan_promoted_objects(struct object_part part)
{
  uintptr_t end = (part.to + CN_CARD_BYTES - 1) & ~(uintptr_t)(CN_CARD_BYTES - 1), object = part.from;

  CN_ASSERT(part.object == PROMOTED_OBJECTS && part.from < part.to);
  while ((object = cn_tables_next_object_within(object, end)) != 0 && object - CAIRN_ABI_HEADER_SIZE < part.to)
    scan_fields(object, layout_of(object), object, UINTPTR_MAX);
}

ALWAYS_INLINE void scan_object_in_card(struct step_state *step, uintptr_t object, uintptr_t card)
{
  uintptr_t header = header_of(object);
  const struct plain_layout *plain = plain_layout_entry(header);

  if (!cn_tables_is_marked(object))
    return;
  if (plain->header == header && plain->bytes != 0) {
    visit_slots_at_offsets(step, object, ((const struct cairn_layout *)header)->offsets, plain->references, card,
                           card + CN_CARD_BYTES);
    return;
  }
  end_step(step);
  scan_fields(object, layout_of(object), card, card + CN_CARD_BYTES);
  *step = begin_step();
}

/* Visits the fields in the card of marked objects. */
static void scan_objects_of_card(uintptr_t card)
{
  uintptr_t object = cn_tables_last_object_before(card), next = card, end = card + CN_CARD_BYTES;
  struct step_state step = begin_step();

  step.fields++;
  if (object != 0)
    scan_object_in_card(&step, object, card);
  for (; (object = cn_tables_next_object_within(next, end)) != 0; next = object)
    scan_object_in_card(&step, object, card);
  end_step(&step);
}

static void scan_newest_card_again(void)
{
  struct waiting_card top = ((struct waiting_card *)marker_state.cards.at)[--marker_state.cards.count];

  CN_ASSERT(top.card % CN_CARD_BYTES == 0);
  *cn_tables_card_waits(top.card) = 0;
  if (top.large == 0)
    scan_objects_of_card(top.card);
  else
    scan_fields(top.large, layout_of(top.large), top.card > top.large ? top.card : top.large, top.card + CN_CARD_BYTES);
}

static void scan_newest_part(void)
{
  struct object_part *top = (struct object_part *)marker_state.parts.at + marker_state.parts.count - 1, part = *top;

  CN_CHECK(part.from < part.to);
  if (part.to - part.from > SCAN_PIECE_BYTES) {
    part.to = (part.from + SCAN_PIECE_BYTES) & ~(uintptr_t)(CN_CARD_BYTES - 1);
    top->from = part.to;
  } else {
    marker_state.parts.count--;
  }
  if (part.object == PROMOTED_OBJECTS)
    scan_promoted_objects(part);
  else
    scan_fields(part.object, layout_of(part.object), part.from, part.to);
}

ALWAYS_INLINE void mark_lines(uint8_t *lines, size_t from, size_t to)
{
  size_t line = from / CN_LINE_BYTES, last = (to - 1) / CN_LINE_BYTES;

  __atomic_store_n(&lines[line], 1, __ATOMIC_RELAXED);
  while (line != last)
    __atomic_store_n(&lines[++line], 1, __ATOMIC_RELAXED);
}

/* Counts the bytes of a marked object of the old space, marks its lines, and scans its fields. */
static void scan_marked_object(uintptr_t object)
{
  const struct cairn_layout *layout = layout_of(object);
  uintptr_t end, block = object_bounds_of(object, layout, &end);

  CN_ASSERT(cn_tables_is_in_old_space(block) && block < object && cn_tables_is_marked(object));
  mark_lines(cn_tables.reached, block - cn_tables.old, end - cn_tables.old);
  cn_marker.bytes += end - block;
  cn_marker.found += end - block;
  cn_tables.filled[cn_tables_block_of(object - CAIRN_ABI_HEADER_SIZE)] += (uint32_t)(end - block);
  tell_waiting_ephemerons(object);
  if (layout != NULL)
    note_plain_layout(header_of(object), layout);
  if (layout != NULL && (layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0)
    note_weak_object(object);
  if (layout != NULL && cairn_layout_has_references(layout) && end - object > SCAN_PIECE_BYTES)
    push_object_part(object, object, end);
  else
    scan_fields(object, layout, object, UINTPTR_MAX);
}

/* Scans marked objects until about `fields` fields of this step are scanned or no object is left. Returns false if no
 * object is left. */
static bool scan_marked_objects(size_t fields)
{
  struct step_state step = begin_step();
  size_t first = marker_state.queue.first, queued = marker_state.queue.count, bytes = 0;

  while (step.fields < fields) {
    for (; queued < QUEUED_OBJECTS && step.count != 0; queued++) {
      uintptr_t object = step.objects[--step.count];
      __builtin_prefetch(cairn_object_header(object));
      marker_state.queue.at[(first + queued) % QUEUED_OBJECTS] = object;
    }
    if (queued == 0)
      break;
    uintptr_t object = marker_state.queue.at[first], header = header_of(object),
              at = object - CAIRN_ABI_HEADER_SIZE - step.old;
    const struct plain_layout *plain = plain_layout_entry(header);
    size_t size = plain->bytes;
    first = (first + 1) % QUEUED_OBJECTS;
    queued--;
    if (plain->header != header || size == 0) {
      end_step(&step);
      scan_marked_object(object);
      step = begin_step();
      continue;
    }
    mark_lines(step.reached, at, at + size);
    bytes += size;
    cn_tables.filled[at / CN_BLOCK_BYTES] += (uint32_t)size;
    const uint32_t *offset = ((const struct cairn_layout *)header)->offsets;
    step.fields += 1 + plain->references;
    for (uint32_t i = plain->references; i != 0; i--)
      visit_slot(&step, (const uintptr_t *)(object + *offset++));
  }
  cn_marker.bytes += bytes;
  cn_marker.found += bytes;
  marker_state.queue.first = first;
  marker_state.queue.count = queued;
  end_step(&step);
  return queued != 0 || step.count != 0;
}

/* ---- weak fields ---- */

static bool is_target_reached(void *unused, struct cairn_slot slot)
{
  uintptr_t object = cairn_slot_object(slot), header = object - CAIRN_ABI_HEADER_SIZE;

  (void)unused;
  if (object == 0)
    return true;
  if (header - cn_tables.base < cn_tables.old - cn_tables.base)
    return *cn_tables_large_state_of(object) == CN_LARGE_REACHED;
  return !cn_tables_is_in_old_space(header) || cn_tables_is_marked(object);
}

static void mark_target_of_slot(void *unused, struct cairn_slot slot)
{
  struct step_state step = begin_step();

  (void)unused;
  visit_slot(&step, slot.address);
  end_step(&step);
}

/* Tells the runtime which objects with weak fields were marked since the last call. */
static void note_marked_weak_objects(void)
{
  const uintptr_t *weak = marker_state.weak.at;

  CN_CHECK(marker_state.noted <= marker_state.weak.count);
  for (; marker_state.noted < marker_state.weak.count; marker_state.noted++)
    if (layout_of(weak[marker_state.noted]) != NULL)
      cairn_weak_note(weak[marker_state.noted], 0, UINTPTR_MAX);
}

static void mark_until_done(void *unused)
{
  (void)unused;
  while (cn_marker_step(SIZE_MAX, true))
    ;
  note_marked_weak_objects();
}

void cn_marker_process_weak_objects(void)
{
  static const struct cairn_closure closure = {is_target_reached, mark_target_of_slot, mark_until_done, NULL, false};

  CN_CHECK(cn_marker.idle && marker_state.stopped);
  marker_state.noted = 0;
  note_marked_weak_objects();
  cairn_weak_process(&closure);
}

/* ---- a marking ---- */

void cn_marker_begin(void)
{
  CN_CHECK(!cn_marker.on && marker_state.objects.count == 0 && marker_state.parts.count == 0 &&
           marker_state.cards.count == 0);
  cn_marker = (struct cn_marker){.on = true};
  cn_marker_resume();
}

/* A tracer that works alone needs no lock. */
static void lock_marking(void)
{
  if (cn_trace_cycle.shared)
    pthread_mutex_lock(&marking_lock);
}

static void unlock_marking(void)
{
  if (cn_trace_cycle.shared)
    pthread_mutex_unlock(&marking_lock);
}

void cn_marker_mark_root(const uintptr_t *slot)
{
  uintptr_t address = *slot - cairn_words.reference, header = address - CAIRN_ABI_HEADER_SIZE;
  bool old = cn_tables_is_in_old_space(header);

  if ((address & cairn_words.mask) != 0 || header - cn_nursery.start < cn_nursery.end - cn_nursery.start ||
      (!old && header - cn_tables.base >= cn_tables.old - cn_tables.base))
    return;
  uintptr_t start = old ? cn_interior_find_in_old(slot, address) : cn_interior_find_in_large(slot, address);
  lock_marking();
  if (old)
    mark_old_object(start);
  else
    mark_large_object(start);
  unlock_marking();
}

void cn_marker_mark_old(const uintptr_t *slot, uintptr_t object)
{
  if (object % CAIRN_ABI_OBJECT_ALIGN != 0 || !cn_tables_is_object_start(object))
    cn_trace_die_no_object(slot, object, "no object starts there");
  lock_marking();
  mark_old_object(object);
  unlock_marking();
}

void cn_marker_note_weak_copy(uintptr_t object)
{
  lock_marking();
  note_weak_object(object);
  unlock_marking();
}

void cn_marker_scan_later(uintptr_t from, uintptr_t to)
{
  pthread_mutex_lock(&marking_lock);
  push_object_part(PROMOTED_OBJECTS, from, to);
  pthread_mutex_unlock(&marking_lock);
}

bool cn_marker_rescan_later(uintptr_t large, uintptr_t card)
{
  CN_ASSERT(card % CN_CARD_BYTES == 0);
  size_t bytes = cn_pacer.survived > cn_marker.bytes ? cn_pacer.survived : cn_marker.bytes;

  if (cn_trace_cycle.shared || (cn_marker.idle && bytes < cn_marker_rescan_bytes) ||
      marker_state.cards.count >= MAX_WAITING_CARDS)
    return false;
  if (*cn_tables_card_waits(card) != 0 || (large != 0 && !cn_marker_is_marked(large)))
    return true;
  *cn_tables_card_waits(card) = 1;
  *(struct waiting_card *)push_entry(&marker_state.cards, sizeof(struct waiting_card)) =
      (struct waiting_card){large, card};
  return true;
}

void cn_marker_add_copies(size_t bytes)
{
  CN_CHECK(cn_marker.on);
  cn_marker.bytes += bytes;
}

void cn_marker_mark_large(uintptr_t object)
{
  CN_ASSERT(object - cn_tables.base < cn_tables.old - cn_tables.base);
  if (__atomic_load_n(cn_tables_large_state_of(object), __ATOMIC_RELAXED) != CN_LARGE_OLD)
    return;
  lock_marking();
  mark_large_object(object);
  unlock_marking();
}

void cn_marker_resume(void)
{
  CN_CHECK(cn_marker.on);
  cn_marker.idle = false;
  marker_state.stopped = true;
  memset(marker_state.known, 0, sizeof marker_state.known);
  memset(marker_state.plain, 0, sizeof marker_state.plain);
}

bool cn_marker_step(size_t fields, bool stopped)
{
  CN_CHECK(cn_marker.on);
  cn_marker.scanned = true;
  marker_state.stopped = stopped;
  for (marker_state.fields = 0; marker_state.fields < fields;) {
    if (scan_marked_objects(fields))
      continue;
    if (marker_state.parts.count != 0) {
      scan_newest_part();
      continue;
    }
    if (marker_state.cards.count == 0) {
      cn_marker.idle = true;
      return false;
    }
    scan_newest_card_again();
  }
  return true;
}

void cn_marker_end(void)
{
  CN_CHECK(cn_marker.on && cn_marker.idle);
  CN_CHECK(marker_state.objects.count == 0 && marker_state.queue.count == 0 && marker_state.parts.count == 0 &&
           marker_state.cards.count == 0);
  cn_marker.on = false;
  cairn_deferred_roots(false);
  free_entry_stack(&marker_state.objects, sizeof(uintptr_t));
  free_entry_stack(&marker_state.parts, sizeof(struct object_part));
  free_entry_stack(&marker_state.cards, sizeof(struct waiting_card));
  free_entry_stack(&marker_state.weak, sizeof(uintptr_t));
}

static void forget_waiting_cards(void)
{
  const struct waiting_card *cards = marker_state.cards.at;

  while (marker_state.cards.count != 0)
    *cn_tables_card_waits(cards[--marker_state.cards.count].card) = 0;
}

void cn_marker_abandon(void)
{
  size_t low, high;

  cn_blocks_bounds(&low, &high);
  for (size_t block = low; block < high; block++)
    if (cn_blocks_block_has_objects(block))
      cn_tables_clear_block_marks(block);
  cn_large_objects_reset_reached();
  forget_waiting_cards();
  marker_state.objects.count = marker_state.parts.count = marker_state.queue.count = 0;
  cn_marker.idle = true;
  cn_marker_end();
}
