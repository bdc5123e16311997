/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector with two generations (docs/generational.md). Mutators allocate in the nursery, a small range that every
 * collection empties. A young collection copies the survivors to the old space; cards show which old objects refer to
 * young ones. With a goal for pauses it may promote a part of the nursery in place, and the nursery then moves. A full
 * collection marks the old space, whose free lines later copies fill. This file implements `struct cairn_collector`: it
 * sets the heap up, decides which collection is due, and runs the collection on the collecting thread in phase STOP.
 * The file owns the state of the heap (`heap`); pacer.c owns its sizes. Mutators allocate in phase MUTATE, under the
 * nursery's lock, and idle steps of the background thread release memory. Without a lock, mutators ask whether an
 * object starts at an address, and fault handlers ask whether objects were moved away from an address.
 *
 * CAIRN_EXTENT_MOVE_ALL (stress mode) copies all objects, including large objects, to addresses that were unused for
 * long. From then on no object is large, and each collection also moves the nursery to such addresses.
 */
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/heap_sizer.h"
#include "collectors/generational/space/blocks.h"
#include "collectors/generational/cards.h"
#include "collectors/generational/concurrent.h"
#include "collectors/generational/evacuation.h"
#include "collectors/generational/interior_pointers.h"
#include "collectors/generational/large_objects.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/memory_report.h"
#include "collectors/generational/pacer.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/space/tables.h"
#include "collectors/generational/tracers.h"
#include "collectors/generational/trace.h"
#include "collectors/idle.h"
#include "collectors/large_space.h"
#include "runtime/os/os.h"

enum {
  NURSERY_ADDRESS_SHARE = 3, /* the nursery initially has one part in this many of all addresses */
  MOVED_NURSERY_ADDRESS_BYTES = 2 * CN_MAX_NURSERY_BYTES, /* bytes of addresses for a nursery that moves */
  EVACUATED_LINES_SHARE = 4,  /* a full collection evacuates this part of old lines, or all if half empty */
  SPARSE_LINES_FACTOR = 4,    /* a full collection moves all objects if lines exceed them by this factor */
  MAX_SPARSE_MARKINGS = 8,    /* after so many sparse markings in a row, a full collection stops the program */
  PRECOMMITTED_NURSERIES = 2, /* background pre-commit provides memory for copies of so many nurseries */
  PRECOMMITTED_OLD_SHARE = 8, /* background pre-commit also provides memory for one part in this many of old objects */
  MAX_PRECOMMITTED_OLD_BYTES = 16 << 20, /* limit of the part of old objects */
  CLEANED_CARDS_SHARE = 16, /* cards are cleaned if their scan takes at most one part in this many of a pause */
  STRESS_NURSERY_BYTES = 256 << 10,
  HANDLER_RESERVE_BYTES = 64 << 10 /* bytes of a nursery that moves often, for handlers, which cannot collect */
};

static struct {
  size_t old;               /* bytes of objects in the old space, garbage included */
  size_t left;              /* bytes of objects in the old space after the last full collection */
  size_t lines;             /* bytes of lines with objects */
  unsigned sparse;          /* markings in a row that left sparse lines */
  size_t young_large;       /* bytes of young large objects at the last collection */
  size_t stayed;            /* bytes of blocks that moving nurseries left since the last full collection */
  bool nursery_stays;       /* the nursery must move, because some of its objects are old */
  bool moves;               /* stress mode: objects are never large, and the nursery moves */
  bool forgot;              /* young objects may have lost their layout with an image */
  uint64_t dropped;         /* number of the collection that moved the last large objects, or 0 before it */
  uint64_t evacuation_time; /* nanoseconds that this young collection took to evacuate blocks, or 0 */
  uint64_t collections;
} heap;

/* ---- sizes ---- */

static size_t old_bytes_used(void)
{
  return heap.old + cn_large_objects.old;
}

/* Bytes that the nursery and young large objects may take. */
static size_t young_bytes_left(void)
{
  return old_bytes_used() < cn_pacer.maximum ? (cn_pacer.maximum - old_bytes_used()) & ~(size_t)7 : 0;
}

/* Bytes for the nursery if a large object of `large` bytes waits. Young large objects get up to half of the free bytes:
 * the complete half if an object waits, otherwise the bytes that they took before the last collection. So large objects
 * seldom wait for a collection, even if the heap is almost full. */
static size_t nursery_bytes_beside_large(size_t large)
{
  size_t half = young_bytes_left() / 2, others = large == 0 && heap.young_large < half ? heap.young_large : half,
         reserved = large > others ? large : others,
         most = reserved < young_bytes_left() ? young_bytes_left() - reserved : 0;

  return (cn_pacer.room < most ? cn_pacer.room : most) & ~(size_t)7;
}

/* True if full collections run concurrently, because a full collection in one stop would exceed the goal for pauses
 * even at a pace of two bytes in a nanosecond. */
static bool is_full_collection_concurrent(void)
{
  uint64_t goal = cairn_full_pause_goal();

  return goal != 0 && !heap.moves && old_bytes_used() / 2 > goal && heap.sparse < MAX_SPARSE_MARKINGS;
}

/* After a full collection. */
static void set_threshold(size_t bytes_needed, bool concurrent)
{
  heap.stayed = 0;
  cn_pacer_set_threshold(old_bytes_used(), bytes_needed, concurrent);
}

static size_t old_bytes_limit(void)
{
  return cn_pacer_old_limit(cn_marker.on);
}

/* Bytes of addresses for a nursery of short pauses, which moves often and may double in size. */
static size_t short_nursery_address_bytes(void)
{
  return 2 * ((cn_pacer.room + CN_BLOCK_BYTES - 1) & ~(size_t)(CN_BLOCK_BYTES - 1)) + MOVED_NURSERY_ADDRESS_BYTES;
}

static bool place_nursery(size_t bytes)
{
  struct cn_extent extent;
  bool done = cn_blocks_place_nursery(bytes, bytes < cn_pacer.nursery ? bytes : cn_pacer.nursery, &extent);

  if (done)
    cn_nursery_set_addresses(extent.start, extent.start, extent.end);
  return done;
}

static bool move_nursery(void)
{
  struct cn_extent extent;
  uintptr_t memory;
  if (cn_nursery_has_grown())
    return place_nursery(MOVED_NURSERY_ADDRESS_BYTES);
  bool done = cn_blocks_move_nursery(cn_pacer.room + HANDLER_RESERVE_BYTES, &extent, &memory);

  if (done)
    cn_nursery_set_addresses(extent.start, memory, extent.end);
  return done;
}

/* A step of the background thread. */
static bool release_idle_memory(void *unused)
{
  static struct {
    uint64_t collections;
    size_t block;
    uintptr_t nursery;
    struct cn_large_discard_position large;
  } at;

  (void)unused;
  if (at.collections != heap.collections)
    memset(&at, 0, sizeof at);
  at.collections = heap.collections;
  bool more = cn_blocks_discard_free_memory(&at.block, CN_IDLE_BYTES);
  more = cn_nursery_discard_unused(&at.nursery) || more;
  cn_nursery_lock();
  more = cn_large_discard_free_pages(&at.large, CN_IDLE_BYTES) || more;
  cn_nursery_unlock();
  return more;
}

static void report_memory(void)
{
  cn_memory_report_parts(heap.left, heap.old);
}

static enum cairn_status initialise_heap(size_t initial_bytes, size_t max_bytes)
{
  CN_CHECK(initial_bytes <= max_bytes);
  cn_pacer_init(initial_bytes & ~(size_t)7, max_bytes & ~(size_t)7);
  if (!cn_tables_init(cn_pacer.maximum) || !cn_tracers_init())
    return CAIRN_E_MEMORY;
  cn_blocks_init();
  size_t most = (cn_tables.end - cn_tables.old) / NURSERY_ADDRESS_SHARE;
  if (cairn_pause_goal() != 0)
    most = short_nursery_address_bytes();
  if (!place_nursery(cn_pacer.maximum < most - CN_BLOCK_BYTES ? cn_pacer.maximum + CN_BLOCK_BYTES : most))
    return CAIRN_E_MEMORY;
  if (cairn_pause_goal() != 0)
    cn_blocks_populate_initial(cn_heap_sizer_max_copy_bytes(cn_pacer.room), cn_tracers_max_count());
  cn_nursery_open_buffers(nursery_bytes_beside_large(0));
  cairn_heap_range(cn_tables.base, cn_tables.end);
  cairn_barrier_cards(cn_tables.cards, cn_tables.mask);
  cn_os_register_child_handler(cn_nursery_reset_lock_in_child);
  cairn_background_idle(release_idle_memory);
  cairn_report_memory(report_memory);
  return CAIRN_OK;
}

/* ---- allocation ---- */

static enum cairn_status refill_buffer(struct cairn_mutator *mutator, size_t bytes)
{
  return cn_nursery_refill_buffer(mutator, bytes) ? CAIRN_OK : CAIRN_E_FULL;
}

static enum cairn_status grow_nursery(struct cairn_mutator *mutator, size_t bytes)
{
  size_t most = young_bytes_left() > cn_large_objects.young ? young_bytes_left() - cn_large_objects.young : 0;

  return cn_nursery_grow_limit(mutator, bytes, most) ? CAIRN_OK : CAIRN_E_MEMORY;
}

/* A single young large object may take more than several together. */
static uintptr_t allocate_large_block(size_t bytes, uintptr_t *zero)
{
  size_t young = cn_large_objects.young, nursery = cn_nursery.limit - cn_nursery.start;

  if (young != 0 && young + bytes > cn_pacer.large_room)
    return 0;
  if (young + nursery > young_bytes_left() || bytes > young_bytes_left() - young - nursery ||
      old_bytes_used() + young + bytes > old_bytes_limit())
    return 0;
  return cn_large_objects_allocate(bytes, zero);
}

/* Lengthens a large object, which keeps its generation; the added bytes count as bytes of a new object. */
static bool lengthen_large_block(uintptr_t block, size_t bytes)
{
  size_t nursery = cn_nursery.limit - cn_nursery.start, young = cn_large_objects.young;
  uintptr_t end;

  if (!cn_large_contains(block) || cn_large_find_block(block, &end) != block)
    return false;
  size_t more = bytes > end - block ? bytes - (end - block) + CN_MIN_PAGE_BYTES : 0;
  if (more != 0 && (young + nursery > young_bytes_left() || more > young_bytes_left() - young - nursery ||
                    old_bytes_used() + young + more > old_bytes_limit()))
    return false;
  return cn_large_objects_lengthen(block, bytes);
}

static enum cairn_status lock_and_lengthen_large(void *block, size_t bytes)
{
  cn_nursery_lock();
  bool done = !heap.moves && lengthen_large_block((uintptr_t)block, bytes);
  cn_nursery_unlock();
  return done ? CAIRN_OK : CAIRN_E_FULL;
}

static enum cairn_status allocate_large(struct cairn_mutator *mutator, size_t bytes, bool cleared, void **result)
{
  uintptr_t block, zero = UINTPTR_MAX;

  if (*result != NULL)
    return lock_and_lengthen_large(*result, bytes);
  if (heap.moves) {
    block = cn_nursery_allocate_block(mutator, bytes);
  } else {
    cn_nursery_lock();
    block = allocate_large_block(bytes, &zero);
    cn_nursery_unlock();
  }
  if (block == 0)
    return CAIRN_E_FULL;
  if (cleared)
    cn_large_clear_nonzero_bytes(block, zero, bytes);
  *result = (void *)block;
  return CAIRN_OK;
}

/* ---- collections ---- */

static void evacuate_due_group(void)
{
  uint64_t begun = cn_os_thread_processor_time(cn_os_thread());

  cairn_phase_begins("evacuate");
  cn_tracers_evacuate_group();
  cairn_phase_ends("evacuate");
  heap.evacuation_time = cn_os_thread_processor_time(cn_os_thread()) - begun;
}

static void note_counts(const struct cn_tracers_totals *traced)
{
  cairn_note_all_moved(traced->objects, traced->moved);
  cairn_note_count("cards visited", traced->cards);
  cairn_note_count("cards with references to young objects", traced->useful_cards);
  cairn_note_count("objects reached from cards", traced->objects_from_cards);
}

static void promote_rest_in_place(void)
{
  if (cairn_pause_goal() == 0)
    return;
  cn_pacer_note_visits();
  if (!cn_trace_cycle.stays) {
    cn_promotion_end_limit();
    return;
  }
  cairn_phase_begins("promote");
  cn_promotion_promote_rest(cn_tracers_collecting_tracer());
  cairn_phase_ends("promote");
  cn_pacer_note_promotion();
}

static struct cn_tracers_totals trace_heap(enum cn_trace mode, const struct cn_extent *copies)
{
  const char *from_roots = mode == CN_TRACE_YOUNG ? "roots" : "trace";

  cn_tracers_begin(mode, heap.collections, copies);
  if (mode == CN_TRACE_YOUNG && cairn_pause_goal() != 0 && !heap.moves)
    cn_tracers_end_copies_at(cn_pacer_copy_deadline());
  cn_pinned_pin_objects();
  cairn_phase_begins(from_roots);
  cn_tracers_visit_roots();
  cairn_phase_ends(from_roots);
  if (mode == CN_TRACE_YOUNG) {
    cn_pacer_note_root_visits();
    cairn_phase_begins("cards");
    cn_tracers_visit_cards();
    cairn_phase_ends("cards");
    promote_rest_in_place();
  }
  if (cn_trace_cycle.evacuates)
    evacuate_due_group();
  cn_trace_weak_references(cn_tracers_collecting_tracer());
  cn_interior_forget_map();
  heap.nursery_stays = cn_pinned_end_collection() || cn_trace_cycle.stays;
  struct cn_tracers_totals traced = cn_tracers_end_collection();
  note_counts(&traced);
  return traced;
}

/* Ensures memory for copies of the nursery, before the first object moves. Returns true if there is also memory for
 * copies of `more` bytes. */
static bool ensure_copy_memory(size_t more)
{
  size_t most = cn_heap_sizer_max_copy_bytes(cn_nursery.free - cn_nursery.start);

  more = cn_heap_sizer_max_copy_bytes(more);
  if (more != 0 && cn_blocks_ensure_free(most + more, cn_tracers_max_count()))
    return true;
  if (!cn_blocks_ensure_free(most, cn_tracers_max_count()))
    cairn_out_of_memory(true, "no memory to copy %zu bytes to (heap maximum %zu)", most, cn_pacer.maximum);
  return false;
}

/* True if the lines of the old space are almost empty on average. */
static bool are_old_lines_sparse(void)
{
  return heap.lines / SPARSE_LINES_FACTOR > heap.left;
}

static void note_swept_line_bytes(void)
{
  heap.lines = cn_blocks_line_bytes();
  heap.sparse = are_old_lines_sparse() ? heap.sparse + 1 : 0;
}

/* Makes the nursery's blocks old-space blocks, because the nursery is about to move; pinned objects stay in them. */
static void leave_nursery_blocks(size_t promoted)
{
  size_t bytes = cn_blocks_leave_nursery((struct cn_extent){cn_nursery.start, cn_nursery.end}, cn_nursery.memory);

  heap.stayed += bytes > promoted ? bytes - promoted : 0;
}

/* Returns the bytes that have left evacuated blocks. */
static size_t account_for_evacuation(void)
{
  if (!cn_trace_cycle.evacuates)
    return 0;
  struct cn_evacuation_result evacuated = cn_evacuation_end_group(heap.evacuation_time);
  CN_CHECK(evacuated.bytes <= heap.old);
  heap.old -= evacuated.bytes;
  heap.lines -= evacuated.lines < heap.lines ? evacuated.lines : heap.lines;
  heap.lines += evacuated.bytes;
  if (!cn_evacuation_notes_cards())
    cn_concurrent_release_memory();
  return evacuated.bytes;
}

/* No object is young, so no card matters, and the next copies need not visit those of several nurseries. */
static void clean_cards_after_promotion(void)
{
  if (cn_cards_scan_time() <= cairn_pause_goal() / CLEANED_CARDS_SHARE)
    cn_cards_clean_all();
}

/* A young collection of a nursery that mostly survives: promotes it in place. */
static void promote_nursery(void)
{
  size_t bytes = cn_nursery.free - cn_nursery.start;

  cairn_phase_begins("promote");
  cn_tracers_promote_nursery(heap.collections);
  cairn_phase_ends("promote");
  cn_pacer_note_promotion();
  cn_trace_weak_references(cn_tracers_collecting_tracer());
  struct cn_tracers_totals traced = cn_tracers_end_collection();
  leave_nursery_blocks(traced.promoted);
  clean_cards_after_promotion();
  heap.nursery_stays = true;
  heap.old += traced.promoted;
  cn_pacer_note_survival(0, traced.promoted);
  cn_pacer_adapt_nursery(old_bytes_used(), bytes, traced.promoted);
  cn_large_objects_end_collection(false);
  cairn_note_count("bytes promoted in place", traced.promoted);
}

static void collect_young(void)
{
  size_t most = cn_evacuation_next_group_bytes(), bytes = cn_nursery.free - cn_nursery.start,
         large = cn_large_objects.old;

  cn_blocks_expect_short_pause(cairn_pause_goal() != 0);
  bool memory = ensure_copy_memory(most);
  heap.evacuation_time = 0;
  if (most != 0)
    cn_evacuation_begin_group(memory);
  struct cn_tracers_totals traced = trace_heap(CN_TRACE_YOUNG, NULL);
  CN_CHECK(traced.moved + traced.marked <= cn_heap_sizer_max_copy_bytes(bytes) + cn_heap_sizer_max_copy_bytes(most));
  if (heap.nursery_stays)
    leave_nursery_blocks(traced.promoted);
  heap.old += traced.moved + traced.marked + traced.promoted;
  if (cn_marker.on)
    cn_marker_add_copies(traced.moved + traced.promoted);
  size_t evacuated = account_for_evacuation();
  size_t copied = traced.moved > evacuated ? traced.moved - evacuated : 0;
  cn_pacer_note_survival(copied, traced.promoted);
  cn_pacer_adapt_nursery(old_bytes_used(), bytes, copied + traced.promoted);
  cn_large_objects_end_collection(false);
  large = cn_large_objects.old > large ? cn_large_objects.old - large : 0;
  cairn_note_count("bytes promoted in place", traced.marked + traced.promoted + large);
}

static void end_concurrent_marking(size_t bytes_needed)
{
  CN_CHECK(cn_large_objects.young == 0);
  cn_pacer_end_marking(old_bytes_used());
  size_t old = cn_concurrent_start_sweep();
  CN_CHECK(old <= cn_heap_sizer_max_copy_bytes(heap.old));
  heap.old = heap.left = old;
  cn_tracers_drop_cursors();
  set_threshold(bytes_needed, true);
  cairn_note_full(true);
  size_t more = cn_pacer.threshold > old_bytes_used() ? cn_pacer.threshold - old_bytes_used() : 0;
  cn_concurrent_set_kept_bytes(more + 2 * (cn_pacer.nursery < cn_pacer.room ? cn_pacer.nursery : cn_pacer.room));
}

/* Begins a marking before a young collection, whose roots become the marker's first roots. */
static void begin_concurrent_marking(void)
{
  if (cn_marker.on || old_bytes_used() <= cn_pacer.start || !is_full_collection_concurrent())
    return;
  cn_concurrent_abandon_work(); /* completes the sweep */
  cn_pacer_begin_marking(old_bytes_used());
  cn_concurrent_begin_marking();
  cairn_note_count("concurrent markings begun", 1);
}

static void continue_concurrent_marking(size_t bytes_needed)
{
  if (!cn_marker.on)
    return;
  cn_concurrent_mark_roots(cn_pacer_root_deadline(old_bytes_used()));
  uint64_t deadline = cn_pacer_marking_deadline(old_bytes_used());
  if (cn_concurrent_finish_marking(deadline))
    end_concurrent_marking(bytes_needed);
  else
    cairn_note_count("pauses that failed to end a marking", deadline != 0);
}

static void collect_young_and_mark(size_t bytes_needed)
{
  cn_pacer_begin_young(cn_nursery.free - cn_nursery.start);
  if (cairn_pause_goal() != 0 && !heap.moves && cn_pacer_promotes_nursery()) {
    promote_nursery();
    return;
  }
  begin_concurrent_marking();
  collect_young();
  continue_concurrent_marking(bytes_needed);
}

static void collect_full(size_t bytes_needed)
{
  cn_concurrent_abandon_work();
  cn_blocks_expect_short_pause(false);
  bool sparse = are_old_lines_sparse() && !heap.moves, half = heap.lines / 2 > heap.left;
  size_t moved = sparse ? heap.old : half ? heap.lines : heap.lines / EVACUATED_LINES_SHARE;

  cn_blocks_begin_full(ensure_copy_memory(moved) ? moved : 0, sparse);
  cn_large_objects_make_all_young();
  struct cn_tracers_totals traced = trace_heap(CN_TRACE_FULL, NULL);
  CN_CHECK(traced.moved + traced.marked <=
           cn_heap_sizer_max_copy_bytes(heap.old + (cn_nursery.free - cn_nursery.start)));
  cairn_identity_left(traced.asked);
  if (heap.nursery_stays)
    leave_nursery_blocks(0);
  heap.old = traced.moved + traced.marked;
  cairn_phase_begins("sweep");
  cn_large_objects_end_collection(true);
  cn_cards_clean_all();
  heap.left = heap.old;
  cn_blocks_swap_marks(false);
  cn_blocks_sweep_some(SIZE_MAX);
  heap.lines = cn_blocks_line_bytes();
  heap.sparse = 0;
  cairn_phase_ends("sweep");
  set_threshold(bytes_needed, false);
  cairn_note_full(false);
  size_t more = cn_pacer.threshold > old_bytes_used() ? cn_pacer.threshold - old_bytes_used() : 0;
  cairn_phase_begins("release");
  cn_blocks_release_free(more + 2 * cn_pacer.nursery,
                         SIZE_MAX); /* including the blocks that ensure_copy_memory() added */
  cairn_phase_ends("release");
}

/* Finds space for the nursery of stress mode, which must hold the waiting allocation. */
static void place_stress_nursery(struct cn_extent *nursery, size_t bytes_needed)
{
  size_t room = bytes_needed > cn_pacer.maximum ? 0 : bytes_needed;

  if (!cn_blocks_make_extent(STRESS_NURSERY_BYTES + 2 * room, CN_BLOCK_NURSERY, nursery))
    cairn_out_of_memory(true, "no memory for a nursery of %zu bytes (heap maximum %zu)",
                        STRESS_NURSERY_BYTES + 2 * room, cn_pacer.maximum);
}

/* Sets the addresses of a nursery that moved. Behind the nursery lie addresses up to the heap's maximum, for signal
 * handlers that cannot collect. */
static void set_moved_nursery(struct cn_extent nursery)
{
  cn_nursery_set_addresses(nursery.start, nursery.end, cn_blocks_reserve_behind(nursery.end, cn_pacer.maximum));
}

/* Frees the addresses behind the nursery at the start of a collection in stress mode, because the nursery stops
 * growing. */
static void bound_moved_nursery(void)
{
  if (!heap.moves)
    return;
  cn_nursery.end = cn_nursery.memory;
  cn_blocks_return_behind(cn_nursery.end);
}

/* Releases the memory of copied objects, which are all objects except pinned ones. */
static void release_left_memory(struct cn_extent copies, uintptr_t used, struct cn_extent nursery)
{
  size_t low, high;

  cn_blocks_bounds(&low, &high);
  cn_unmapped_note_range(cn_tables_block_address(low), cn_tables_block_address(high), heap.collections);
  cn_unmapped_note_range(cn_nursery.start, cn_nursery.end, heap.collections);
  leave_nursery_blocks(0);
  heap.nursery_stays = false;
  cn_blocks_release_all_but(copies, used, nursery);
  if (cn_large_objects.young + cn_large_objects.old != 0)
    heap.dropped = heap.collections;
  cn_large_objects_end_move();
}

static void collect_by_moving_all(size_t bytes_needed)
{
  struct cn_extent copies, nursery;

  cn_concurrent_abandon_work();
  cn_blocks_cancel_precommit();
  bound_moved_nursery();
  size_t most = cn_heap_sizer_max_copy_bytes(heap.old + (cn_nursery.free - cn_nursery.start) + cn_large_objects.young +
                                             cn_large_objects.old);

  if (!cn_blocks_make_extent(cn_tracers_copy_space_bytes(most), CN_BLOCK_USED, &copies))
    cairn_out_of_memory(true, "no memory to copy %zu bytes to (heap maximum %zu)", most, cn_pacer.maximum);
  place_stress_nursery(&nursery, bytes_needed);
  cn_large_objects_make_all_young();
  struct cn_tracers_totals traced = trace_heap(CN_TRACE_MOVE, &copies);
  CN_CHECK(traced.moved <= most && traced.end <= copies.end);
  release_left_memory(copies, traced.end, nursery);
  cairn_identity_left(traced.asked);
  heap.old = traced.moved + traced.marked;
  heap.moves = true;
  set_threshold(bytes_needed, false);
  cairn_note_full(false);
  set_moved_nursery(nursery);
}

/* True if a full collection is due, or if the nursery would become too small. After an image was unloaded, a young
 * collection would follow references from dead old objects to dead young ones whose layout is gone, so a full
 * collection is due. */
static bool is_full_collection_due(size_t bytes_needed)
{
  size_t least = cn_pacer.usual / 2;

  size_t used = old_bytes_used() + heap.stayed + cn_large_objects.young + bytes_needed;

  return heap.forgot ||
         (!cn_marker.on && used > (is_full_collection_concurrent() ? cn_pacer_old_limit(true) : cn_pacer.threshold)) ||
         (young_bytes_left() < least && old_bytes_used() != cn_pacer.survived);
}

static void place_nursery_elsewhere(size_t bytes_needed)
{
  struct cn_extent place;

  CN_CHECK(heap.nursery_stays);
  if (heap.moves) {
    place_stress_nursery(&place, bytes_needed);
    set_moved_nursery(place);
  } else if (!(cairn_pause_goal() != 0 ? move_nursery() : place_nursery(MOVED_NURSERY_ADDRESS_BYTES))) {
    cairn_out_of_memory(false, "no addresses for a nursery of %zu bytes (heap maximum %zu)", cn_pacer.nursery,
                        cn_pacer.maximum);
  }
  heap.nursery_stays = false;
}

/* Requests memory from background pre-commit, for copies of several nurseries, and for objects that are promoted while
 * a busy machine delays the background thread. */
static void request_precommit(size_t nursery)
{
  size_t more = old_bytes_used() / PRECOMMITTED_OLD_SHARE < MAX_PRECOMMITTED_OLD_BYTES
                    ? old_bytes_used() / PRECOMMITTED_OLD_SHARE
                    : MAX_PRECOMMITTED_OLD_BYTES;

  CN_ASSERT(!heap.moves);
  cn_blocks_start_precommit(PRECOMMITTED_NURSERIES * cn_heap_sizer_max_copy_bytes(nursery) + more,
                            cn_tracers_max_count());
}

/* Opens the nursery for allocation after a collection. In stress mode the nursery first moves if it is too small for
 * the waiting allocation. */
static void reopen_nursery(size_t bytes_needed)
{
  bool large = bytes_needed > CAIRN_ABI_INLINE_ALLOC_MAX;

  if (heap.moves && bytes_needed > cn_nursery.memory - cn_nursery.start && !heap.nursery_stays) {
    leave_nursery_blocks(0);
    heap.nursery_stays = true;
  }
  if (cairn_pause_goal() != 0 && !heap.moves && !heap.nursery_stays &&
      cn_pacer.room / 2 > cn_nursery.end - cn_nursery.start) {
    leave_nursery_blocks(0);
    heap.nursery_stays = true;
  }
  if (heap.nursery_stays)
    place_nursery_elsewhere(bytes_needed);
  size_t bytes = nursery_bytes_beside_large(large ? bytes_needed : 0),
         room = (heap.moves ? cn_nursery.memory : cn_nursery.end) - cn_nursery.start;

  if (cairn_pause_goal() != 0 && !heap.moves)
    room -= room / 2 > HANDLER_RESERVE_BYTES ? HANDLER_RESERVE_BYTES : room / 2 & ~(size_t)7;
  if (heap.moves || bytes > room)
    bytes = room < young_bytes_left() ? room : young_bytes_left();
  cn_nursery_set_addresses(cn_nursery.start, cn_nursery.memory, cn_nursery.end);
  cn_nursery_open_buffers(bytes);
  if (cairn_pause_goal() != 0 && !heap.moves)
    request_precommit(bytes);
}

static void collect_heap(const struct cairn_collection *collection)
{
  size_t bytes_needed = collection->bytes_needed;

  heap.collections++;
  heap.young_large = cn_large_objects.young;
  cn_nursery_take_all_buffers();
  cn_blocks_take_precommitted();
  if (cn_concurrent_sweep_some())
    note_swept_line_bytes();
  if (collection->extent == CAIRN_EXTENT_MOVE_ALL)
    collect_by_moving_all(bytes_needed);
  else if (collection->extent == CAIRN_EXTENT_FULL || is_full_collection_due(bytes_needed))
    collect_full(bytes_needed);
  else
    collect_young_and_mark(bytes_needed);
  heap.forgot = false;
  cn_pacer_bound_nursery(old_bytes_used());
  reopen_nursery(bytes_needed);
  cn_nursery_give_single_buffer();
}

/* ---- questions ---- */

static bool is_in_nursery(uintptr_t object)
{
  return object - CAIRN_ABI_HEADER_SIZE - cn_nursery.start < cn_nursery.end - cn_nursery.start;
}

static bool is_young(uintptr_t address)
{
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE, end, block;

  if (is_in_nursery(address))
    return true;
  block = cn_large_contains(header) ? cn_large_find_block(header, &end) : 0;
  return block != 0 && !cn_large_is_marked(block);
}

static bool is_covered_by_card(uintptr_t object, struct cairn_slot slot)
{
  return is_in_nursery(object) || !is_young(cairn_slot_object(slot)) || cn_cards_is_dirty((uintptr_t)slot.address);
}

static bool was_address_unmapped(uintptr_t address, uint64_t *collection)
{
  if (cn_large_contains(address)) {
    *collection = heap.dropped;
    return heap.dropped != 0;
  }
  bool none =
      cn_tables_is_in_old_space(address) && cn_tables.states[cn_tables_block_of(address)] == CN_BLOCK_WITHOUT_MEMORY;
  *collection = none ? cn_unmapped_find_collection(address) : 0;
  return none && heap.moves;
}

static bool is_object_start(uintptr_t word)
{
  uintptr_t header = word - CAIRN_ABI_HEADER_SIZE, end, block;

  if (word % CAIRN_ABI_OBJECT_ALIGN != 0)
    return false;
  if (cn_large_contains(header)) {
    block = cn_large_find_block(header, &end);
    return block != 0 && word == cn_large_objects_payload_of(block);
  }
  if (header - cn_nursery.start < cn_nursery.limit - cn_nursery.start)
    return cairn_layout_is_known(cairn_object_layout(word));
  return cn_tables_is_in_old_space(header) && cn_tables_is_object_start(word);
}

static void forget_layouts(const unsigned char *start, const unsigned char *stop)
{
  cn_nursery_take_all_buffers();
  heap.forgot = cn_object_walk_forget_layouts(start, stop) || heap.forgot;
  cn_nursery_give_single_buffer();
}

static uint64_t bytes_used_with_young(void)
{
  return old_bytes_used() + cn_large_objects.young + (cn_nursery.free - cn_nursery.start);
}

const struct cairn_collector cairn_collector_generational = {
    .version = CAIRN_ABI_COLLECTOR_VERSION,
    .size = sizeof(struct cairn_collector),
    .name = "generational",
    .traits = CAIRN_COLLECTOR_MOVES | CAIRN_COLLECTOR_GENERATIONS | CAIRN_COLLECTOR_WORDS | CAIRN_COLLECTOR_WEAK |
              CAIRN_COLLECTOR_FINALISES | CAIRN_COLLECTOR_PARALLEL | CAIRN_COLLECTOR_PINS | CAIRN_COLLECTOR_REUSES |
              CAIRN_COLLECTOR_HASHES | CAIRN_COLLECTOR_LENGTHENS,
    .barriers = CAIRN_ABI_BARRIERS_CARDS,
    .init = initialise_heap,
    .refill = refill_buffer,
    .allocate_large = allocate_large,
    .grow = grow_nursery,
    .collect = collect_heap,
    .was_unmapped = was_address_unmapped,
    .is_object = is_object_start,
    .forget = forget_layouts,
    .ranges = cn_object_walk_visit_ranges,
    .used = bytes_used_with_young,
    .covered = is_covered_by_card,
};
