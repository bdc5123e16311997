/* SPDX-License-Identifier: Apache-2.0
 *
 * A semispace copying collector, after C. J. Cheney, "A nonrecursive list compacting algorithm" (1970). The file
 * implements `struct cairn_collector`, and owns the state of the heap (`heap`), the bounds of a collection
 * (`cn_semispace_copying`) and `buffer_lock`. Collections run in phase STOP, on the collecting thread; walks and
 * unloaded images use the heap in phase STOP, too. In phase MUTATE, under `buffer_lock`, mutators get buffers and large
 * objects, and idle steps of the background thread discard memory. Checks of words (is_object_start()) and fault
 * handlers (was_address_unmapped()) read the heap without a lock.
 *
 * The heap is one range of reserved addresses with two spaces, of `room` bytes each. The program allocates in the
 * current space, up to the capacity, and a collection copies the reachable objects to the other space. The current
 * space:
 *
 *    base                        free              base + capacity        base + room
 *     |  objects, in buffers      |  for buffers      |   no memory yet      |
 *
 * A single mutator has the complete part "for buffers" as its allocation buffer. If there are several mutators, each
 * gets a buffer twice as large as its last one, up to a share of the free space. The rest of a buffer is filled, so
 * that walks from block to block (crossing_map.c, forget_layouts()) can step over the rest.
 *
 * CAIRN_HEAP_MAX bounds the capacity, which is the space for objects; a collection needs both spaces. heap_sizer.h has
 * the rule for the capacity after a collection.
 *
 * Large objects are in the large-object space (large_space.c), and count towards the capacity. A collection marks them
 * instead of copying them, which costs little, so the capacity grows less for them.
 *
 * CAIRN_EXTENT_MOVE_ALL (stress mode) copies large objects, too, and from then on no object is large. Each to-space is
 * at addresses that were unused for a long time, and the from-space's memory is released, so that a use of a stale
 * reference faults, or visit_slot() finds the reference.
 *
 * A heap that has shrunk by less than half, or only recently, keeps its memory.
 */
#include <pthread.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "collectors/forget_layout.h"
#include "collectors/heap_sizer.h"
#include "collectors/copy.h"
#include "collectors/idle.h"
#include "collectors/large_space.h"
#include "collectors/semispace.h"
#include "collectors/spaces.h"
#include "collectors/crossing_map.h"
#include "runtime/os/os.h"

enum {
  STRESS_SLACK_BYTES = 128 << 10,
  MIN_COMMIT_BYTES = 4096,          /* the smallest useful step of memory */
  HANDLER_RESERVE_BYTES = 64 << 10, /* maximum bytes of the reserve for handlers */
  HANDLER_RESERVE_SHARE = 32,       /* in a small heap the reserve has one part in this many of the free bytes */
  RESERVED_BUFFER_BYTES = 4096
};

static struct {
  size_t initial, maximum;
  struct cn_space current, spare;
  size_t capacity;  /* bytes that `current` and large objects may take together */
  size_t reserve;   /* bytes of the capacity for handlers of threads with empty buffers */
  size_t large;     /* bytes of large objects, in whole pages */
  bool moves;       /* no object is large any more, in stress mode or for lack of addresses */
  uint64_t dropped; /* number of the collection that moved the last large objects, or 0 */
  uintptr_t free;   /* address in `current` where buffers end */
  size_t recent;    /* the largest capacity of recent collections */
  uint64_t collections;
} heap;

struct cn_semispace_copying cn_semispace_copying;

/* True if a word that points to `address` would be an immediate. Callers first check that the address is in the heap,
 * because most such words are references. */
static inline bool is_immediate(uintptr_t address)
{
  return (address & cn_semispace_copying.words.mask) != 0;
}

static pthread_mutex_t buffer_lock = PTHREAD_MUTEX_INITIALIZER;

/* Resets the lock in a fork()'s child: another thread may have held it. */
static void reset_lock_in_child(void)
{
  buffer_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

/* A step of the background thread. */
static bool release_idle_memory(void *unused)
{
  static struct {
    uint64_t collections;
    uintptr_t current, spare;
    struct cn_large_discard_position large;
  } at;

  (void)unused;
  if (at.collections != heap.collections)
    memset(&at, 0, sizeof at);
  at.collections = heap.collections;
  pthread_mutex_lock(&buffer_lock);
  bool more = cn_discard_idle_memory(&at.spare, heap.spare.base, heap.spare.base + heap.spare.committed);
  more = cn_discard_idle_memory(&at.current, heap.free, heap.current.base + heap.current.committed) || more;
  more = cn_large_discard_free_pages(&at.large, CN_IDLE_BYTES) || more;
  pthread_mutex_unlock(&buffer_lock);
  return more;
}

static size_t heap_bytes_used(void)
{
  return heap.free - heap.current.base + heap.large;
}

static size_t capacity_bytes_left(void)
{
  CN_CHECK(heap_bytes_used() <= heap.capacity);
  return heap.capacity - heap_bytes_used();
}

/* The free bytes without the reserve, which only grow_heap() takes, for handlers. */
static size_t unreserved_bytes_left(void)
{
  return capacity_bytes_left() > heap.reserve ? capacity_bytes_left() - heap.reserve : 0;
}

/* Sets the reserve after a collection; the block that the collection was for must fit beside it. A single mutator needs
 * no reserve, because its buffer has all free bytes. */
static void set_handler_reserve(size_t bytes_needed)
{
  bool several = cairn_mutator_count() > 1;
  size_t left = several && capacity_bytes_left() > bytes_needed ? capacity_bytes_left() - bytes_needed : 0;

  heap.reserve = left / HANDLER_RESERVE_SHARE & ~(size_t)7;
  if (heap.reserve > HANDLER_RESERVE_BYTES)
    heap.reserve = HANDLER_RESERVE_BYTES;
}

/* Objects of the space in use end at `free`; its rest has buffers and free memory. */
static void report_memory(void)
{
  size_t page = cn_os_page_bytes(), objects = heap.free - heap.current.base,
         used = cairn_resident_bytes(heap.current.base, heap.current.committed & ~(page - 1));

  CN_ASSERT(heap.current.base % page == 0 && heap.spare.base % page == 0);
  objects = objects < used ? objects : used;
  cairn_memory_part("objects and buffers", objects);
  cairn_memory_part("free memory behind objects", used - objects);
  cairn_memory_part("spare space", cairn_resident_bytes(heap.spare.base, heap.spare.committed & ~(page - 1)));
  cn_large_report_memory(heap.large);
}

static enum cairn_status initialise_heap(size_t initial_bytes, size_t max_bytes)
{
  CN_CHECK(initial_bytes <= max_bytes);
  heap.maximum = max_bytes & ~(size_t)7;
  heap.initial = heap.capacity = initial_bytes & ~(size_t)7;
  if (!cn_spaces_init(heap.maximum, &heap.current, &heap.spare) ||
      !cn_space_commit_memory(&heap.current, heap.capacity))
    return CAIRN_E_MEMORY;
  heap.free = heap.current.base;
  cn_crossing_set_heap_start(heap.free, CN_CROSSING_APART);
  heap.moves = !cn_large_init(heap.maximum);
  cn_os_register_child_handler(reset_lock_in_child);
  cairn_background_idle(release_idle_memory);
  cairn_report_memory(report_memory);
  return CAIRN_OK;
}

/* ---- buffers ---- */

/* Notes that memory below `heap.free` may be nonzero from now on. */
static void note_touched_memory(void)
{
  if (heap.current.touched < heap.free - heap.current.base)
    heap.current.touched = heap.free - heap.current.base;
}

static void take_mutator_buffer(struct cairn_mutator *mutator)
{
  uintptr_t end, free = cairn_buffer_take(mutator, &end);

  if (end == heap.free && end != 0)
    heap.free = free;
  else
    cairn_fill(free, end);
  note_touched_memory();
}

static void give_buffer_bytes(struct cairn_mutator *mutator, size_t size)
{
  cairn_buffer_give_zeroed(mutator, heap.free, heap.free + size, heap.current.base + heap.current.touched);
  heap.free += size;
}

static void give_usual_buffer(struct cairn_mutator *mutator, size_t bytes)
{
  give_buffer_bytes(mutator, cn_heap_sizer_buffer_bytes(mutator, unreserved_bytes_left(), bytes));
}

/* The buffer is small, because other threads need the reserve, too. */
static void give_reserve_buffer(struct cairn_mutator *mutator, size_t bytes)
{
  size_t size = bytes > RESERVED_BUFFER_BYTES ? bytes : RESERVED_BUFFER_BYTES;

  give_buffer_bytes(mutator, size < capacity_bytes_left() ? size : capacity_bytes_left() & ~(size_t)7);
}

static enum cairn_status refill_buffer(struct cairn_mutator *mutator, size_t bytes)
{
  enum cairn_status status = CAIRN_E_FULL;

  pthread_mutex_lock(&buffer_lock);
  if (bytes <= unreserved_bytes_left()) {
    take_mutator_buffer(mutator);
    give_usual_buffer(mutator, bytes);
    status = CAIRN_OK;
  }
  pthread_mutex_unlock(&buffer_lock);
  return status;
}

static uintptr_t allocate_in_semispace(size_t bytes, uintptr_t *zero)
{
  uintptr_t block = heap.free;

  *zero = heap.current.base + heap.current.touched;
  heap.free += bytes;
  note_touched_memory();
  return block;
}

static uintptr_t allocate_in_large_space(size_t bytes, uintptr_t *zero)
{
  size_t page = cn_os_page_bytes(), whole = (bytes + page - 1) & ~(page - 1);
  uintptr_t block = whole <= unreserved_bytes_left() ? cn_large_allocate(whole, zero) : 0;

  if (block != 0)
    heap.large += whole;
  return block;
}

static bool lengthen_large_object(uintptr_t block, size_t bytes)
{
  size_t page = cn_os_page_bytes(), whole = (bytes + page - 1) & ~(page - 1);
  uintptr_t end;

  if (heap.moves || !cn_large_contains(block) || cn_large_find_block(block, &end) != block)
    return false;
  size_t more = whole > end - block ? whole - (end - block) : 0;
  if (more > unreserved_bytes_left() || !cn_large_lengthen(block, whole))
    return false;
  heap.large += more;
  return true;
}

/* Returns a new block, or the lengthened block `had`, or 0 if there is no space. */
static uintptr_t place_large_block(uintptr_t had, size_t bytes, uintptr_t *zero)
{
  uintptr_t block = 0;

  if (had != 0)
    return lengthen_large_object(had, bytes) ? had : 0;
  if (!heap.moves)
    block = allocate_in_large_space(bytes, zero);
  return block == 0 && bytes <= unreserved_bytes_left() ? allocate_in_semispace(bytes, zero) : block;
}

/* Allocates or lengthens a large object. A single mutator returns its buffer first, because the buffer has all free
 * bytes, and then gets a new one. */
static enum cairn_status allocate_large(struct cairn_mutator *mutator, size_t bytes, bool cleared, void **result)
{
  uintptr_t zero = 0;

  pthread_mutex_lock(&buffer_lock);
  bool alone = cairn_mutator_count() <= 1;
  if (alone)
    take_mutator_buffer(mutator);
  uintptr_t block = place_large_block((uintptr_t)*result, bytes, &zero);
  if (alone)
    give_usual_buffer(mutator, 0);
  pthread_mutex_unlock(&buffer_lock);
  if (block == 0)
    return CAIRN_E_FULL;
  if (cleared)
    cn_large_clear_nonzero_bytes(block, zero, bytes);
  *result = (void *)block;
  return CAIRN_OK;
}

static bool raise_capacity(size_t bytes)
{
  bool done = false;

  if (heap_bytes_used() <= heap.maximum && bytes <= heap.maximum - heap_bytes_used()) {
    size_t capacity = heap.capacity > heap.maximum / 2 ? heap.maximum : 2 * heap.capacity;
    if (capacity < heap_bytes_used() + bytes)
      capacity = heap_bytes_used() + bytes;
    done = cn_space_commit_memory(&heap.current, capacity) ||
           (heap.moves && cn_space_widen(&heap.current, &heap.spare, capacity) &&
            cn_space_commit_memory(&heap.current, capacity));
    if (done)
      heap.capacity = capacity;
  }
  CN_ASSERT(heap.capacity <= heap.current.committed);
  return done;
}

static enum cairn_status grow_heap(struct cairn_mutator *mutator, size_t bytes)
{
  pthread_mutex_lock(&buffer_lock);
  take_mutator_buffer(mutator);
  bool done = raise_capacity(bytes);
  if (bytes <= unreserved_bytes_left())
    give_usual_buffer(mutator, bytes);
  else
    give_reserve_buffer(mutator, bytes);
  pthread_mutex_unlock(&buffer_lock);
  return done ? CAIRN_OK : CAIRN_E_MEMORY;
}

/* ---- copying ---- */

__attribute__((noinline)) static const struct cairn_layout *check_layout(uintptr_t *slot, uintptr_t address,
                                                                         uintptr_t header)
{
  const struct cairn_layout *layout = cairn_header_layout(header);

  if (cairn_header_is_gone(header))
    cn_semispace_die_no_object(slot, address, "its type was one of an image that has been unloaded");
  if (!cairn_layout_is_known(layout))
    cn_semispace_die_no_object(slot, address, "its header is no layout");
  cn_semispace_copying.known = layout;
  return layout;
}

static inline const struct cairn_layout *checked_layout(uintptr_t *slot, uintptr_t address, uintptr_t header)
{
  const struct cairn_layout *layout = cairn_header_layout(header);

  return layout && layout == cn_semispace_copying.known ? layout : check_layout(slot, address, header);
}

__attribute__((noinline)) static uint64_t measure_indexed_object(uintptr_t *slot, uintptr_t address,
                                                                 const struct cairn_layout *layout, uintptr_t from)
{
  uintptr_t count = ((const uintptr_t *)address)[-2];
  uint64_t bytes;

  if (address - from < CAIRN_ABI_INDEXED_HEADER_SIZE || (count & 1) == 0 ||
      cairn_layout_payload(layout, count >> 1, &bytes) != CAIRN_OK)
    cn_semispace_die_no_object(slot, address, "its element count is damaged");
  return bytes;
}

/* The size of the payload of an object in [from, end); *prefix becomes the size of its prefix. */
static inline size_t measure_object(uintptr_t *slot, uintptr_t address, const struct cairn_layout *layout,
                                    size_t *prefix, uintptr_t from, uintptr_t end)
{
  bool indexed = layout->elem_size != 0;
  uint64_t bytes =
      indexed ? measure_indexed_object(slot, address, layout, from) : (layout->base_size + 7) & ~UINT64_C(7);

  *prefix = indexed ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE;
  if (bytes > end - address)
    cn_semispace_die_no_object(slot, address, "it ends outside the heap");
  return bytes;
}

__attribute__((noinline)) static uintptr_t require_immediate(uintptr_t *slot, uintptr_t address)
{
  if (!is_immediate(address))
    cn_semispace_die_no_object(slot, address, "it is not aligned");
  return address;
}

/* Handles the bits in the header of a reached object, which is now at `now`, with a payload of `bytes`. */
__attribute__((noinline)) static void process_header_bits(uintptr_t was, uintptr_t now, uintptr_t header,
                                                          uint64_t bytes)
{
  CN_ASSERT(!cairn_header_is_forwarded(header) && bytes % sizeof(uintptr_t) == 0);
  if (was != now)
    cn_semispace_copying.free += cairn_object_copy_hash(was, now, header, bytes);
  else if ((header & CAIRN_ABI_HEADER_HASH) != 0)
    cn_semispace_copying.asked++;
  if ((header & CAIRN_ABI_HEADER_AWAITED) != 0)
    cairn_weak_reached(was, now);
}

/* Copies the object, which lies in [from, end), unless it has been copied, and returns its current address. An
 * immediate that looks like an address is returned unchanged. One thread copies, so a plain store of the forwarding
 * address suffices; several threads would need cairn_object_forward(). */
static inline uintptr_t evacuate_object(uintptr_t *slot, uintptr_t address, uintptr_t from, uintptr_t end)
{
  uintptr_t *header = cairn_object_header(address);
  size_t prefix;

  if (address % CAIRN_ABI_OBJECT_ALIGN != 0)
    return require_immediate(slot, address);
  if (cairn_header_is_forwarded(*header))
    return cairn_header_forwarded_to(*header);
  const struct cairn_layout *layout = checked_layout(slot, address, *header);
  size_t bytes = measure_object(slot, address, layout, &prefix, from, end) + prefix;
  uintptr_t moved = cn_semispace_copying.free + prefix;
  cn_copy_words((uintptr_t *)cn_semispace_copying.free, (const uintptr_t *)(address - prefix), bytes);
  cn_semispace_copying.free += bytes;
  if (*header != (uintptr_t)layout)
    process_header_bits(address, moved, *header, bytes - prefix);
  *header = cairn_header_to(moved);
  cn_semispace_copying.objects++;
  return moved;
}

/* Returns the object's current address. */
static uintptr_t visit_large_object(uintptr_t *slot, uintptr_t address)
{
  uintptr_t end, block = cn_large_find_block(address - CAIRN_ABI_HEADER_SIZE, &end);
  size_t prefix;

  if (is_immediate(address))
    return address;
  if (block == 0)
    cn_semispace_die_no_object(slot, address, "an earlier collection freed it");
  if (address != cn_semispace_large_payload(block))
    cn_semispace_die_no_object(slot, address, "it leads into a large object");
  if (cn_semispace_copying.moves)
    return evacuate_object(slot, address, block, end);
  if (!cn_large_mark(block))
    return address;
  const struct cairn_layout *layout = checked_layout(slot, address, *cairn_object_header(address));
  measure_object(slot, address, layout, &prefix, block, end);
  process_header_bits(address, address, *cairn_object_header(address), 0);
  if (cairn_layout_has_references(layout))
    cn_large_push_gray(block);
  return address;
}

/* Updates one slot, unless it contains null, the address of a global or constant, or an updated reference. The address
 * of the header decides in which space the object is: even if the payload is empty, the header lies in the block. */
static inline void visit_slot(uintptr_t *slot)
{
  uintptr_t tag = cn_semispace_copying.words.reference, address = *slot - tag;
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE;

  if (header - cn_semispace_copying.from < cn_semispace_copying.from_end - cn_semispace_copying.from)
    *slot = evacuate_object(slot, address, cn_semispace_copying.from, cn_semispace_copying.from_end) + tag;
  else if (*slot != 0 && cn_large_contains(header))
    *slot = visit_large_object(slot, address) + tag;
  else if (*slot != 0 && cn_spaces_contain(header) &&
           header - cn_semispace_copying.to >= cn_semispace_copying.free - cn_semispace_copying.to &&
           !is_immediate(address))
    cn_semispace_die_no_object(slot, address, "an earlier collection moved everything away from there");
}

/* ---- roots ---- */

static void visit_root(void *env, struct cairn_slot slot)
{
  uintptr_t tag = cn_semispace_copying.words.reference, address = *slot.address - tag;
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE;

  (void)env;
  if (is_immediate(address))
    return;
  if (header - cn_semispace_copying.from < cn_semispace_copying.from_end - cn_semispace_copying.from) {
    uintptr_t start = cn_semispace_find_object(slot.address, address);
    *slot.address = evacuate_object(slot.address, start, cn_semispace_copying.from, cn_semispace_copying.from_end) +
                    (address - start) + tag;
  } else if (cn_large_contains(header)) {
    uintptr_t start = cn_semispace_find_large_object(slot.address, address);
    *slot.address = visit_large_object(slot.address, start) + (address - start) + tag;
  } else {
    visit_slot(slot.address);
  }
}

static void visit_slots_at_offsets(uintptr_t at, const uint32_t *offsets, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    visit_slot((uintptr_t *)(at + offsets[i]));
}

static void visit_field(void *env, struct cairn_slot slot)
{
  (void)env;
  visit_slot(slot.address);
}

/* Returns the end of the object's block. */
__attribute__((noinline)) static uintptr_t scan_weak_object(uintptr_t payload, const struct cairn_layout *layout)
{
  uint64_t bytes;

  CN_ASSERT(layout == cairn_object_layout(payload));
  cairn_weak_note(payload, 0, UINTPTR_MAX);
  if ((layout->flags & CAIRN_ABI_LAYOUT_EPHEMERON) == 0)
    cairn_object_visit(payload, layout, visit_field, NULL);
  CN_CHECK(cairn_object_payload(payload, layout, &bytes) == CAIRN_OK);
  return payload + bytes;
}

/* Visits the slots of the object whose block starts at `block`, and returns the end of the block. If the first word is
 * odd, it is the element count of an indexed object; otherwise it is a header. */
static uintptr_t scan_object_in_block(uintptr_t block)
{
  const uintptr_t *words = (const uintptr_t *)block;
  uint64_t bytes;

  CN_ASSERT(block < cn_semispace_copying.free || cn_large_contains(block)); /* before the end of the copies */
  if ((words[0] & 1) == 0) {
    const struct cairn_layout *layout = cairn_header_layout(words[0]);
    CN_ASSERT(layout->elem_size == 0);
    if ((layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0)
      return scan_weak_object((uintptr_t)(words + 1), layout);
    visit_slots_at_offsets((uintptr_t)(words + 1), layout->offsets, layout->base_refs);
    return block + CAIRN_ABI_HEADER_SIZE + ((layout->base_size + 7) & ~UINT64_C(7)) + cairn_header_hash_bytes(words[0]);
  }
  const struct cairn_layout *layout = cairn_header_layout(words[1]);
  uintptr_t payload = (uintptr_t)(words + 2), element = payload + layout->elem_offset;
  uint64_t count = words[0] >> 1;
  CN_ASSERT(layout->elem_size != 0);
  if ((layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0)
    return scan_weak_object(payload, layout);
  visit_slots_at_offsets(payload, layout->offsets, layout->base_refs);
  if (layout->elem_refs != 0)
    for (uint64_t i = 0; i < count; i++, element += layout->elem_size)
      visit_slots_at_offsets(element, layout->offsets + layout->base_refs, layout->elem_refs);
  CN_CHECK(cairn_layout_payload(layout, count, &bytes) == CAIRN_OK);
  return payload + bytes + cairn_header_hash_bytes(words[1]);
}

/* ---- collections ---- */

static void scan_until_done(void *env)
{
  uintptr_t large, block = cn_semispace_copying.scanned;

  (void)env;
  do {
    while (block != cn_semispace_copying.free)
      block = scan_object_in_block(block);
    large = cn_large_pop_gray();
    if (large != 0)
      scan_object_in_block(large);
  } while (large != 0 || block != cn_semispace_copying.free);
  cn_semispace_copying.scanned = block;
}

/* `is_target_reached` of struct cairn_closure. */
static bool is_target_reached(void *env, struct cairn_slot slot)
{
  uintptr_t address = cairn_slot_object(slot), header = address - CAIRN_ABI_HEADER_SIZE, end, word;
  bool large = address != 0 && cn_large_contains(header);
  uintptr_t block = large ? cn_large_find_block(header, &end) : 0;

  (void)env;
  if (large && block == 0)
    cn_semispace_die_no_object(slot.address, address, "an earlier collection freed it");
  if (large && !cn_semispace_copying.moves)
    return cn_large_is_marked(block);
  if (address == 0 ||
      (!large && header - cn_semispace_copying.from >= cn_semispace_copying.from_end - cn_semispace_copying.from))
    return true;
  word = *cairn_object_header(address);
  if (!cairn_header_is_forwarded(word))
    return false;
  cairn_slot_set(slot, cairn_header_forwarded_to(word));
  return true;
}

static void copy_reachable(uintptr_t from_end, const struct cn_space *to, bool move_all)
{
  cn_semispace_copying.from = heap.current.base;
  cn_semispace_copying.from_end = from_end;
  cn_semispace_copying.to = cn_semispace_copying.free = cn_semispace_copying.scanned = to->base;
  cn_semispace_copying.known = NULL;
  cn_semispace_copying.number = heap.collections;
  cn_semispace_copying.objects = cn_semispace_copying.asked = 0;
  cn_semispace_copying.mapped = false;
  cn_semispace_copying.moves = move_all;
  cn_semispace_copying.words = cairn_words;
  CN_CHECK(cn_semispace_copying.words.mask < CAIRN_ABI_OBJECT_ALIGN &&
           cn_semispace_copying.words.reference <= cn_semispace_copying.words.mask);
  cn_semispace_copying.uncleared = cairn_arrays_uncleared();
  cairn_phase_begins("roots");
  cairn_visit_roots(visit_root, NULL);
  cairn_phase_ends("roots");
  cairn_phase_begins("copy");
  scan_until_done(NULL);
  cairn_weak_process(&(struct cairn_closure){is_target_reached, visit_field, scan_until_done, NULL, false});
  cairn_phase_ends("copy");
  cairn_identity_left(cn_semispace_copying.asked);
  cairn_note_all_moved(cn_semispace_copying.objects, cn_semispace_copying.free - cn_semispace_copying.to);
  if (cn_semispace_copying.mapped)
    cn_crossing_drop_map();
}

/* Releases memory of both spaces that several recent collections did not need; an earlier release would cause repeated
 * faults. The capacities of recent collections count, each reduced by an eighth for each later collection. */
static void release_unneeded_memory(void)
{
  heap.recent -= heap.recent / 8;
  if (heap.recent < heap.capacity)
    heap.recent = heap.capacity;
  if (heap.current.committed / 2 > heap.recent)
    cn_space_release_beyond(&heap.current, heap.recent);
  if (heap.spare.committed / 2 > heap.recent)
    cn_space_release_beyond(&heap.spare, heap.recent);
}

/* Gives both spaces memory for the capacity, because all objects may be copied again. If memory is short, the function
 * repeatedly halves the difference between the capacity and the live bytes. */
static void commit_both_spaces(size_t live)
{
  CN_CHECK(live <= heap.capacity); /* the difference of the two must not wrap around */
  while (!cn_space_commit_memory(&heap.current, heap.capacity) || !cn_space_commit_memory(&heap.spare, heap.capacity)) {
    if (heap.capacity - live < MIN_COMMIT_BYTES) {
      heap.capacity = live;
      return;
    }
    heap.capacity = (live + (heap.capacity - live) / 2) & ~(size_t)7;
  }
}

/* Chooses a space for copies of `used` bytes. A new space must also hold the waiting allocation. */
static struct cn_space choose_space(size_t used, size_t bytes_needed, bool move_all)
{
  struct cn_space *to = &heap.spare;
  bool done;

  if (move_all || to->room < used) {
    size_t needed = bytes_needed > heap.maximum ? 0 : bytes_needed;
    done = cn_space_fit_memory(to, &heap.current, used + needed + STRESS_SLACK_BYTES);
  } else {
    done = cn_space_commit_memory(to, used);
  }
  if (!done)
    cairn_out_of_memory(true, "no memory to copy %zu bytes to (heap maximum %zu)", used, heap.maximum);
  CN_CHECK(to->committed >= used); /* all copies fit into the space */
  return *to;
}

/* Called when all buffers have been taken. */
static const char *heap_wrong(void)
{
  return cn_semispace_heap_wrong(&(struct cn_semispace_heap_view){&heap.current, &heap.spare, heap.capacity, heap.free,
                                                                  heap.current.base + heap.capacity});
}

static void take_all_buffers(void)
{
  for (struct cairn_mutator *m = cairn_mutator_next(NULL); m; m = cairn_mutator_next(m))
    take_mutator_buffer(m);
}

/* Gives a single mutator its buffer; of several mutators each requests its own buffer. */
static void give_single_mutator_buffer(void)
{
  struct cairn_mutator *first = cairn_mutator_next(NULL);

  if (first && cairn_mutator_next(first) == NULL)
    give_usual_buffer(first, 0);
}

/* Frees unmarked large objects, or, after a collection that copied them, all large objects. */
static void sweep_large_objects(bool move_all)
{
  if (!move_all) {
    heap.large = cn_large_sweep(false);
    return;
  }
  heap.moves = true;
  if (heap.large == 0)
    return;
  heap.large = cn_large_abandon_unmarked();
  heap.dropped = heap.collections;
}

static void collect_heap(const struct cairn_collection *collection)
{
  size_t bytes_needed = collection->bytes_needed, page = cn_os_page_bytes();
  bool move_all = collection->extent == CAIRN_EXTENT_MOVE_ALL;

  take_all_buffers();
  uintptr_t from_end = heap.free;
  size_t most = cn_heap_sizer_max_copy_bytes(from_end - heap.current.base + (move_all ? heap.large : 0));

  CN_ASSERT_VALID(heap_wrong());
  heap.collections++;
  struct cn_space to = choose_space(most, bytes_needed, move_all);
  copy_reachable(from_end, &to, move_all);
  size_t live = cn_semispace_copying.free - to.base;
  CN_CHECK(live <= most && live <= to.committed);
  cairn_phase_begins("memory");
  sweep_large_objects(move_all);
  bytes_needed = bytes_needed > heap.maximum ? bytes_needed : (bytes_needed + page - 1) & ~(page - 1);
  heap.capacity = cn_heap_sizer_capacity(&(struct cn_heap_sizer_input){
      live < heap.maximum ? live : heap.maximum, heap.large, bytes_needed, heap.initial, heap.maximum});
  if (heap.capacity < live + heap.large) /* with identity hashes, objects may exceed the maximum */
    heap.capacity = live + heap.large;
  if (move_all && heap.capacity > to.committed)
    heap.capacity = to.committed;
  heap.spare = heap.current;
  heap.current = to;
  if (move_all) {
    cn_space_hide_and_renew(&heap.spare, &heap.current, heap.collections);
  } else {
    commit_both_spaces(live + heap.large);
    release_unneeded_memory();
  }
  heap.free = cn_semispace_copying.free;
  cn_crossing_set_heap_start(heap.current.base, CN_CROSSING_APART);
  cn_crossing_note_block_start(heap.free);
  note_touched_memory();
  cairn_phase_ends("memory");
  CN_ASSERT_VALID(heap_wrong());
  set_handler_reserve(bytes_needed);
  give_single_mutator_buffer();
}

static bool was_address_unmapped(uintptr_t address, uint64_t *collection)
{
  if (cn_large_contains(address)) {
    *collection = heap.dropped;
    return heap.dropped != 0;
  }
  return address - heap.current.base >= heap.current.committed && cn_spaces_was_unmapped(address, collection);
}

static bool is_object_start(uintptr_t word)
{
  uintptr_t header = word - CAIRN_ABI_HEADER_SIZE, end, block = 0;

  if (word % CAIRN_ABI_OBJECT_ALIGN != 0)
    return false;
  if (cn_large_contains(header))
    block = cn_large_find_block(header, &end);
  if (block != 0 ? word != cairn_block_object(block) : header - heap.current.base >= heap.capacity)
    return false;
  return cairn_layout_is_known(cairn_object_layout(word));
}

static bool may_be_object(uintptr_t address)
{
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE, end,
            block = cn_large_contains(header) ? cn_large_find_block(header, &end) : 0;

  return block != 0 ? address == cairn_block_object(block) : header - heap.current.base < heap.free - heap.current.base;
}

/* Marks the layouts in [start, stop) as gone in all objects, because the next collection may have to walk over these
 * objects. */
static void forget_layouts(const unsigned char *start, const unsigned char *stop)
{
  uintptr_t payload, next;

  take_all_buffers();
  cn_semispace_copying.from = heap.current.base;
  cn_semispace_copying.from_end = heap.free;
  cn_semispace_copying.to = cn_semispace_copying.free = 0; /* no object has been copied */
  for (uintptr_t block = cn_semispace_copying.from; block != cn_semispace_copying.from_end; block = next) {
    next = cn_semispace_step_over_block(block, &payload);
    CN_CHECK(payload <= next && next <= cn_semispace_copying.from_end);
    cn_forget_layout_of_object(payload, next, start, stop, may_be_object);
  }
  for (uintptr_t block = 0; (block = cn_large_next_block(block)) != 0;)
    if (cn_large_find_block(block, &next) == block)
      cn_forget_layout_of_object(cairn_block_object(block), next, start, stop, may_be_object);
  give_single_mutator_buffer();
}

static void visit_heap_ranges(cairn_range_visitor *visit, void *env)
{
  uintptr_t start, end;

  cn_spaces_bounds(&start, &end);
  CN_CHECK(start <= heap.current.base && heap.free <= end);
  visit(env, start, heap.current.base, false);
  visit(env, heap.current.base, heap.free, true);
  visit(env, heap.free, end, false);
  cn_semispace_visit_large_ranges(visit, env);
}

const struct cairn_collector cairn_collector_semispace = {
    .version = CAIRN_ABI_COLLECTOR_VERSION,
    .size = sizeof(struct cairn_collector),
    .name = "semispace",
    .traits = CAIRN_COLLECTOR_MOVES | CAIRN_COLLECTOR_WORDS | CAIRN_COLLECTOR_WEAK | CAIRN_COLLECTOR_FINALISES |
              CAIRN_COLLECTOR_REUSES | CAIRN_COLLECTOR_HASHES | CAIRN_COLLECTOR_LENGTHENS,
    .init = initialise_heap,
    .refill = refill_buffer,
    .allocate_large = allocate_large,
    .grow = grow_heap,
    .collect = collect_heap,
    .was_unmapped = was_address_unmapped,
    .is_object = is_object_start,
    .forget = forget_layouts,
    .ranges = visit_heap_ranges,
};
