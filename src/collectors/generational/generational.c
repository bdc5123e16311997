/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector with two generations (docs/generational.md). Objects are made in the nursery, a small range that is used
 * again and again. A young collection copies the survivors to the old space; cards tell which old objects refer to
 * young ones. A full collection marks the old space, and later copies fill its free lines. Phase STOP, the collecting
 * thread; mutators allocate in phase MUTATE, under the nursery's lock.
 *
 * CAIRN_EXTENT_MOVE_ALL (stress mode) copies all objects, large ones too, to addresses that were unused for long; from
 * then on no object is large, and the nursery moves to such addresses as well.
 */
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/heap_sizer.h"
#include "collectors/generational/space/blocks.h"
#include "collectors/generational/cards.h"
#include "collectors/generational/evacuation.h"
#include "collectors/generational/interior_pointers.h"
#include "collectors/generational/large_objects.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/pinned.h"
#include "collectors/generational/space/tables.h"
#include "collectors/generational/tracers.h"
#include "collectors/generational/space/unmapped.h"
#include "collectors/generational/object_walk.h"
#include "collectors/generational/weak_tracing.h"
#include "collectors/idle.h"
#include "collectors/large_space.h"
#include "runtime/os/os.h"

enum {
  NURSERY_USUAL = 2 << 20,
  NURSERY_LARGE = 32 << 20,
  NURSERY_MOST = 128 << 20, /* if more than two thirds survive */
  NURSERY_SHARE = 8,        /* at most one part in this many of the maximum */
  NURSERY_LEAST = 16 << 10,
  NURSERY_EACH = 16 << 10, /* at least, for each mutator that allocates, in any pause */
  NURSERY_STACK = 64,      /* at least, for each stack: copying so many bytes takes a third of its visit's time */
  NURSERY_ADDRESSES = 3,   /* one part in this many of all addresses, initially */
  NURSERY_AGAIN = 2 * NURSERY_MOST,   /* bytes of addresses when the nursery moves */
  GROW_AT_SURVIVING_PART = 16,        /* it grows if more than one part in this many survives */
  SHRINK_AT_SURVIVING_PART = 128,     /* it shrinks if less than one part in this many survives */
  MOVED_SHARE = 4,                    /* a full collection evacuates this part of old lines, or all if half empty */
  THRESHOLD_FACTOR = 2,               /* survivors times this: the next full collection is due */
  BARE_SHARE = 4,                     /* large objects without references add one part in this many */
  SPARSE_LINES_FACTOR = 4,            /* at this ratio of lines to objects, in bytes, a full collection moves all */
  MAX_SPARSE_MARKINGS = 8,            /* sparse markings in a row; then a full collection stops the program */
  MAX_END_TRIES = 4,                  /* to end a marking within a pause; each halves the nursery */
  FIRST_PICOSECONDS_PER_BYTE = 10000, /* of a nursery, initially: most survives */
  PACE_DECAY = 32,                    /* each collection forgets this part of the slowest pace */
  NURSERIES_AHEAD = 2,                /* memory for the copies of so many nurseries is found concurrently */
  AHEAD_SHARE = 8,                    /* plus for one part in this many of old objects */
  AHEAD_MOST = 16 << 20,              /* bytes of these objects at most */
  PAUSE_PARTS = 3,                    /* one part for a young collection, one for late marking */
  MAX_THRESHOLDS_WHILE_MARKING = 2,   /* thresholds that old objects may take during marking */
  MOVED_NURSERY = 256 << 10           /* in stress mode */
};

static struct {
  size_t initial, maximum;
  size_t soft;              /* bytes of old objects; 0: unlimited */
  size_t nursery_most;      /* upper bound of the nursery, bytes */
  size_t usual;             /* lower bound, if the heap has space for it */
  size_t nursery;           /* size by survival */
  size_t room;              /* size by survival and pause */
  size_t old;               /* bytes of objects in the old space, garbage included */
  size_t threshold;         /* a full collection is due at so many bytes of all old objects */
  size_t start;             /* concurrent marking begins at so many */
  size_t begun;             /* bytes of all old objects when the last one began */
  size_t meanwhile;         /* bytes that were promoted during the last one */
  uint64_t slowest;         /* picoseconds for each byte of a nursery, of recent collections */
  uint64_t fixed;           /* nanoseconds of the last scan of cards */
  unsigned tries;           /* how often this marking missed the end of a pause */
  size_t survived;          /* bytes of all old objects that the last full collection left */
  size_t left;              /* bytes of those in the old space */
  size_t lines;             /* bytes of their lines */
  unsigned sparse;          /* markings in a row that left sparse lines */
  size_t young_large;       /* bytes of young large objects at the last collection */
  size_t stayed;            /* bytes of blocks that moving nurseries left since the last full collection */
  bool nursery_stays;       /* some objects of the nursery are old, so it has to move */
  bool moves;               /* stress mode: objects are never large, and the nursery moves */
  bool forgot;              /* young objects may have lost their layout with an image */
  uint64_t dropped;         /* number of the collection that moved the last large objects, or 0 */
  uint64_t evacuation_time; /* nanoseconds that this young collection evacuated blocks, or 0 */
  uint64_t collections;
} heap;

/* ---- sizes ---- */

static size_t bytes_used(void)
{
  return heap.old + cn_large_objects.old;
}

/* Bytes that the nursery and young large objects may take. */
static size_t bytes_left(void)
{
  return bytes_used() < heap.maximum ? (heap.maximum - bytes_used()) & ~(size_t)7 : 0;
}

/* Bytes for the nursery if a large object of `large` bytes waits. Large objects get up to half of the rest: the whole
 * half if one waits, otherwise the bytes that they took before the last collection. So a large object waits for a
 * collection only now and then, even if the heap is almost full. */
static size_t nursery_bytes(size_t large)
{
  size_t half = bytes_left() / 2, others = large == 0 && heap.young_large < half ? heap.young_large : half,
         reserved = large > others ? large : others, most = reserved < bytes_left() ? bytes_left() - reserved : 0;

  return (heap.room < most ? heap.room : most) & ~(size_t)7;
}

/* True if full collections run concurrently: one of them would stop the program for longer than the pause's goal, at a
 * fast two bytes in a nanosecond. */
static bool is_concurrent(void)
{
  uint64_t goal = cairn_pause_goal();

  return goal != 0 && !heap.moves && bytes_used() / 2 > goal && heap.sparse < MAX_SPARSE_MARKINGS;
}

/* The limit of all old objects. During concurrent marking it is higher. */
static size_t old_limit(void)
{
  size_t most = heap.threshold < heap.maximum / MAX_THRESHOLDS_WHILE_MARKING
                    ? heap.threshold * MAX_THRESHOLDS_WHILE_MARKING
                    : heap.maximum;

  return !cn_marker.on ? heap.threshold : most < heap.maximum ? most : heap.maximum;
}

/* Set the start of concurrent marking so that it ends at the threshold, by the bytes promoted during the last one. */
static void set_start(void)
{
  size_t room = heap.threshold - (heap.survived < heap.threshold ? heap.survived : heap.threshold),
         wanted = heap.meanwhile != 0 ? heap.meanwhile + heap.meanwhile / 4 : room / 2;

  if (wanted < room / 8)
    wanted = room / 8;
  CN_ASSERT(room <= heap.threshold);
  heap.start = heap.threshold - (wanted < room / 4 * 3 ? wanted : room / 4 * 3);
}

/* After a full collection. The waiting allocation's bytes count as survivors. Large objects without references cost the
 * next collection no time, so they add less than their size: programs run faster with less new memory. */
static void set_threshold(size_t bytes_needed)
{
  size_t wanted, more = bytes_needed < heap.maximum ? bytes_needed : 0;

  heap.stayed = 0;
  heap.survived = bytes_used();
  if (__builtin_mul_overflow(bytes_used() + more, (size_t)THRESHOLD_FACTOR, &wanted))
    wanted = SIZE_MAX;
  wanted -= cn_large_objects.bare / BARE_SHARE * (BARE_SHARE - 1);
  wanted = wanted < heap.maximum ? wanted : heap.maximum;
  wanted = wanted < heap.initial ? heap.initial : wanted;
  heap.threshold = cn_heap_sizer_soft(heap.soft, bytes_used() + heap.usual + more, wanted);
  set_start();
}

/* `survived` bytes of `bytes` in the nursery have been copied. If much survives, a larger nursery gives objects more
 * time to die, at the cost of cache misses; it may take as much as old objects do. A nursery beyond the usual cache
 * sizes pays if most survive. */
static void adapt_nursery(size_t bytes, size_t survived)
{
  size_t most = bytes_used() < heap.nursery_most ? bytes_used() : heap.nursery_most,
         wanted = survived > bytes / 3 * 2 ? NURSERY_MOST : NURSERY_LARGE;

  if (survived < bytes / SHRINK_AT_SURVIVING_PART)
    heap.nursery /= 2;
  else if (survived > bytes / GROW_AT_SURVIVING_PART && heap.nursery < wanted)
    heap.nursery = heap.nursery < wanted / 2 ? 2 * heap.nursery : wanted;
  if (heap.nursery > most)
    heap.nursery = most & ~(size_t)7;
  if (heap.nursery < heap.usual)
    heap.nursery = heap.usual;
}

/* A young collection of `bytes` took so long. Survival changes from one collection to the next, so the slowest one
 * counts, and is forgotten slowly. */
static void note_pace(size_t bytes, uint64_t nanoseconds)
{
  heap.slowest -= heap.slowest / PACE_DECAY;
  if (bytes < NURSERY_EACH || nanoseconds > UINT64_MAX / 1000)
    return;
  uint64_t now = nanoseconds * 1000 / bytes;
  if (now > heap.slowest)
    heap.slowest = now;
}

/* Bytes of a nursery that can be evacuated in a third of the pause. Cards take at most half of that third. The rest of
 * the pause is for the end of a marking, and for surprises. */
static size_t within_pause(void)
{
  uint64_t part = cairn_pause_goal() / PAUSE_PARTS, most = part - (heap.fixed < part / 2 ? heap.fixed : part / 2);

  CN_ASSERT(heap.slowest <= UINT64_MAX / 2);
  if (most == 0 || heap.slowest == 0 || most > UINT64_MAX / 1000)
    return SIZE_MAX;
  return most * 1000 / heap.slowest;
}

/* Bound the nursery by the pause's goal, and further while a marking has to end within a pause. But each nursery pays
 * for a visit of all stacks, so it must be worth that. */
static void bound_nursery(void)
{
  size_t most = within_pause(), stacks = cairn_mutator_count() * NURSERY_STACK >> heap.tries,
         least = (cn_nursery.users + 1) * NURSERY_EACH + stacks;

  CN_ASSERT(heap.tries <= MAX_END_TRIES);
  most = most >> heap.tries & ~(size_t)7;
  if (most < least)
    most = least;
  heap.room = (heap.nursery < most ? heap.nursery : most) & ~(size_t)7;
}

/* Give the nursery addresses for `bytes`. */
static bool place_nursery(size_t bytes)
{
  struct cn_extent extent;
  bool done = cn_blocks_place(bytes, heap.nursery, &extent);

  if (done)
    cn_nursery_place(extent.start, extent.start, extent.end);
  return done;
}

/* Release a part of the unused memory. */
static bool release_idle(void *unused)
{
  static struct {
    uint64_t collections;
    size_t block;
    uintptr_t nursery;
    struct cn_large_idle large;
  } at;

  (void)unused;
  if (at.collections != heap.collections)
    memset(&at, 0, sizeof at);
  at.collections = heap.collections;
  bool more = cn_blocks_discard(&at.block, CN_IDLE_BYTES);
  more = cn_nursery_discard(&at.nursery) || more;
  cn_nursery_lock();
  more = cn_large_discard(&at.large, CN_IDLE_BYTES) || more;
  cn_nursery_unlock();
  return more;
}

static enum cairn_status init(size_t initial_bytes, size_t max_bytes)
{
  CN_CHECK(initial_bytes <= max_bytes);
  heap.maximum = max_bytes & ~(size_t)7;
  size_t soft = cairn_soft_limit();
  heap.nursery_most = (soft != 0 ? soft : heap.maximum) / NURSERY_SHARE & ~(size_t)7;
  heap.soft = soft - 2 * (soft / NURSERY_SHARE); /* a nursery, and its survivors */
  heap.initial = heap.threshold = cn_heap_sizer_soft(heap.soft, 0, initial_bytes & ~(size_t)7);
  heap.usual = heap.nursery_most;
  if (heap.usual > NURSERY_USUAL)
    heap.usual = NURSERY_USUAL;
  if (heap.usual < NURSERY_LEAST)
    heap.usual = NURSERY_LEAST;
  heap.nursery = heap.usual;
  heap.slowest = FIRST_PICOSECONDS_PER_BYTE;
  bound_nursery();
  set_start();
  if (!cn_tables_init(heap.maximum) || !cn_tracers_init())
    return CAIRN_E_MEMORY;
  cn_blocks_init();
  size_t most = (cn_tables.end - cn_tables.old) / NURSERY_ADDRESSES;
  if (!place_nursery(heap.maximum < most - CN_BLOCK ? heap.maximum + CN_BLOCK : most))
    return CAIRN_E_MEMORY;
  if (cairn_pause_goal() != 0)
    cn_blocks_begin(cn_heap_sizer_of_copies(heap.room), cn_tracers_most());
  cn_nursery_open(nursery_bytes(0));
  cairn_heap_range(cn_tables.base, cn_tables.end);
  cairn_barrier_cards(cn_tables.cards, cn_tables.mask);
  cn_os_forked(cn_nursery_forked);
  cairn_background_idle(release_idle);
  return CAIRN_OK;
}

/* ---- allocation ---- */

static enum cairn_status refill_buffer(struct cairn_mutator *mutator, size_t bytes)
{
  return cn_nursery_refill(mutator, bytes) ? CAIRN_OK : CAIRN_E_FULL;
}

static enum cairn_status grow_nursery(struct cairn_mutator *mutator, size_t bytes)
{
  size_t most = bytes_left() > cn_large_objects.young ? bytes_left() - cn_large_objects.young : 0;

  return cn_nursery_grow(mutator, bytes, most) ? CAIRN_OK : CAIRN_E_MEMORY;
}

/* Young large objects may take as much as the nursery; a single one may take more. */
static uintptr_t allocate_elsewhere(size_t bytes, uintptr_t *zero)
{
  size_t young = cn_large_objects.young, nursery = cn_nursery.limit - cn_nursery.start;

  if (young != 0 && young + bytes > heap.room)
    return 0;
  if (young + nursery > bytes_left() || bytes > bytes_left() - young - nursery ||
      bytes_used() + young + bytes > old_limit())
    return 0;
  return cn_large_objects_allocate(bytes, zero);
}

static void clear_block(uintptr_t block, uintptr_t zero, size_t bytes)
{
  if (zero > block)
    memset((void *)block, 0, zero - block < bytes ? zero - block : bytes);
}

/* The object stays young, or old; its added bytes count like a new object's. */
static bool lengthen_object(uintptr_t block, size_t bytes)
{
  size_t nursery = cn_nursery.limit - cn_nursery.start, young = cn_large_objects.young;
  uintptr_t end;

  if (!cn_large_contains(block) || cn_large_find(block, &end) != block)
    return false;
  size_t more = bytes > end - block ? bytes - (end - block) + CN_PAGE : 0;
  if (more != 0 && (young + nursery > bytes_left() || more > bytes_left() - young - nursery ||
                    bytes_used() + young + more > old_limit()))
    return false;
  return cn_large_objects_lengthen(block, bytes);
}

static enum cairn_status lengthen_large(void *block, size_t bytes)
{
  cn_nursery_lock();
  bool done = !heap.moves && lengthen_object((uintptr_t)block, bytes);
  cn_nursery_unlock();
  return done ? CAIRN_OK : CAIRN_E_FULL;
}

static enum cairn_status allocate_large(struct cairn_mutator *mutator, size_t bytes, bool cleared, void **result)
{
  uintptr_t block, zero = UINTPTR_MAX;

  if (*result != NULL)
    return lengthen_large(*result, bytes);
  if (heap.moves) {
    block = cn_nursery_block(mutator, bytes);
  } else {
    cn_nursery_lock();
    block = allocate_elsewhere(bytes, &zero);
    cn_nursery_unlock();
  }
  if (block == 0)
    return CAIRN_E_FULL;
  if (cleared)
    clear_block(block, zero, bytes);
  *result = (void *)block;
  return CAIRN_OK;
}

/* ---- collections ---- */

static void evacuate_blocks(void)
{
  uint64_t begun = cn_os_thread_ran(cn_os_thread());

  cairn_phase_begins("evacuate");
  cn_tracers_evacuate();
  cairn_phase_ends("evacuate");
  heap.evacuation_time = cn_os_thread_ran(cn_os_thread()) - begun;
}

static struct cn_traced trace_heap(enum cn_trace mode, const struct cn_extent *copies)
{
  cn_tracers_begin(mode, heap.collections, copies);
  cn_pinned_begin();
  cairn_phase_begins("roots");
  cn_tracers_visit_roots();
  cairn_phase_ends("roots");
  cairn_phase_begins("trace");
  if (mode == CN_TRACE_YOUNG)
    cn_tracers_visit_cards();
  if (cn_cycle.evacuates)
    evacuate_blocks();
  cn_weak_trace(cn_tracers_last());
  cairn_phase_ends("trace");
  cn_interior_end();
  heap.nursery_stays = cn_pinned_end();
  struct cn_traced traced = cn_tracers_end();
  cairn_note_all_moved(traced.objects, traced.moved);
  return traced;
}

/* Before the first object moves: ensure memory for copies of the nursery. True if there is memory for `more` as
 * well. */
static bool ensure_memory(size_t more)
{
  size_t most = cn_heap_sizer_of_copies(cn_nursery.free - cn_nursery.start);

  more = cn_heap_sizer_of_copies(more);
  if (more != 0 && cn_blocks_ensure(most + more, cn_tracers_most()))
    return true;
  if (!cn_blocks_ensure(most, cn_tracers_most()))
    cairn_out_of_memory(true, "no memory to copy %zu bytes to (heap maximum %zu)", most, heap.maximum);
  return false;
}

/* True if most lines are almost empty. */
static bool is_sparse(void)
{
  return heap.lines / SPARSE_LINES_FACTOR > heap.left;
}

/* The concurrent sweep has ended. */
static void note_lines(void)
{
  heap.lines = cn_blocks_line_bytes();
  heap.sparse = is_sparse() ? heap.sparse + 1 : 0;
}

/* The nursery is about to move: its pinned objects are old where they are. */
static void end_nursery(void)
{
  heap.stayed += cn_blocks_end_nursery((struct cn_extent){cn_nursery.start, cn_nursery.end}, cn_nursery.memory);
}

/* If a group of blocks was evacuated, account for it. Returns the bytes that have left the blocks. */
static size_t end_evacuation(void)
{
  if (!cn_cycle.evacuates)
    return 0;
  struct cn_evacuated evacuated = cn_evacuation_done(heap.evacuation_time);
  CN_CHECK(evacuated.bytes <= heap.old);
  heap.old -= evacuated.bytes;
  heap.lines -= evacuated.lines < heap.lines ? evacuated.lines : heap.lines;
  heap.lines += evacuated.bytes;
  if (!cn_evacuation_is_noted())
    cn_concurrent_trim();
  return evacuated.bytes;
}

static void collect_young(void)
{
  size_t most = cn_evacuation_next(), bytes = cn_nursery.free - cn_nursery.start;

  cn_blocks_expect_short_pause(cairn_pause_goal() != 0);
  bool memory = ensure_memory(most);
  heap.evacuation_time = 0;
  if (most != 0)
    cn_evacuation_begin(memory);
  struct cn_traced traced = trace_heap(CN_TRACE_YOUNG, NULL);
  CN_CHECK(traced.moved + traced.marked <= cn_heap_sizer_of_copies(bytes) + cn_heap_sizer_of_copies(most));
  if (heap.nursery_stays)
    end_nursery();
  heap.old += traced.moved + traced.marked;
  size_t evacuated = end_evacuation();
  adapt_nursery(bytes, traced.moved > evacuated ? traced.moved - evacuated : 0);
  cn_large_objects_end(false);
}

/* All reachable objects are marked: the sweep runs concurrently. */
static void end_concurrent(size_t bytes_needed)
{
  CN_CHECK(cn_large_objects.young == 0);
  heap.meanwhile = bytes_used() > heap.begun ? bytes_used() - heap.begun : 0;
  size_t old = cn_concurrent_turn();
  CN_CHECK(old <= cn_heap_sizer_of_copies(heap.old));
  heap.old = heap.left = old;
  cn_tracers_leave_cursors();
  set_threshold(bytes_needed);
  cairn_note_full(true);
  size_t more = heap.threshold > bytes_used() ? heap.threshold - bytes_used() : 0;
  cn_concurrent_keep(more + 2 * heap.nursery);
  heap.tries = 0;
}

/* The deadline, in processor time of this thread, for marking in a pause that began at `begun`; 0: this pause marks no
 * object. At the threshold pauses take over a part of the concurrent thread's work, and nurseries shrink until that is
 * done. */
static uint64_t marking_deadline_of(uint64_t begun)
{
  uint64_t part = cairn_pause_goal() / PAUSE_PARTS, now = cn_os_thread_ran(cn_os_thread()),
           least = now + (heap.tries < MAX_END_TRIES ? part / 2 : part), most = begun + 5 * part / 2;

  if (bytes_used() > old_limit())
    return UINT64_MAX;
  if (!(cn_marker.idle && cn_marker.rooted) && bytes_used() < heap.threshold)
    return 0;
  heap.tries += heap.tries < MAX_END_TRIES;
  return cn_marker.idle && most > least ? most : least;
}

/* Before a young collection: its roots are the marker's first. */
static void begin_concurrent(void)
{
  if (cn_marker.on || bytes_used() <= heap.start || !is_concurrent())
    return;
  cn_concurrent_give_up(); /* ends the sweep */
  heap.begun = bytes_used();
  cn_concurrent_begin();
}

/* After a young collection, which began at `begun`. */
static void go_on_concurrently(uint64_t begun, size_t bytes_needed)
{
  uint64_t part = cairn_pause_goal() / PAUSE_PARTS, now = cn_os_thread_ran(cn_os_thread());

  if (!cn_marker.on)
    return;
  cn_concurrent_roots(bytes_used() > old_limit() ? UINT64_MAX : now + part / 2);
  if (cn_concurrent_finish(marking_deadline_of(begun)))
    end_concurrent(bytes_needed);
}

static void collect_some(size_t bytes_needed)
{
  size_t bytes = cn_nursery.free - cn_nursery.start;

  begin_concurrent();
  uint64_t begun = cn_os_thread_ran(cn_os_thread());
  collect_young();
  heap.fixed = cn_cards_time();
  if (heap.evacuation_time == 0)
    note_pace(bytes, cn_os_thread_ran(cn_os_thread()) - begun - heap.fixed);
  go_on_concurrently(begun, bytes_needed);
}

static void collect_full(size_t bytes_needed)
{
  cn_concurrent_give_up();
  cn_blocks_expect_short_pause(false);
  heap.tries = 0;
  bool sparse = is_sparse() && !heap.moves, half = heap.lines / 2 > heap.left;
  size_t moved = sparse ? heap.old : half ? heap.lines : heap.lines / MOVED_SHARE;

  cn_blocks_unmark(ensure_memory(moved) ? moved : 0, sparse);
  cn_large_objects_unmark();
  struct cn_traced traced = trace_heap(CN_TRACE_FULL, NULL);
  CN_CHECK(traced.moved + traced.marked <= cn_heap_sizer_of_copies(heap.old + (cn_nursery.free - cn_nursery.start)));
  cairn_identity_left(traced.asked);
  if (heap.nursery_stays)
    end_nursery();
  heap.old = traced.moved + traced.marked;
  cairn_phase_begins("sweep");
  cn_large_objects_end(true);
  cn_cards_clear();
  heap.left = heap.old;
  cn_blocks_turn(false);
  cn_blocks_sweep(SIZE_MAX);
  heap.lines = cn_blocks_line_bytes();
  heap.sparse = 0;
  cairn_phase_ends("sweep");
  set_threshold(bytes_needed);
  cairn_note_full(false);
  size_t more = heap.threshold > bytes_used() ? heap.threshold - bytes_used() : 0;
  cn_blocks_trim(more + 2 * heap.nursery, SIZE_MAX); /* the blocks that ensure_memory() adds included */
}

/* Find space for the nursery of stress mode, and for the waiting allocation. */
static void place_moving(struct cn_extent *nursery, size_t bytes_needed)
{
  size_t room = bytes_needed > heap.maximum ? 0 : bytes_needed;

  if (!cn_blocks_extent(MOVED_NURSERY + 2 * room, CN_BLOCK_NURSERY, nursery))
    cairn_out_of_memory(true, "no memory for a nursery of %zu bytes (heap maximum %zu)", MOVED_NURSERY + 2 * room,
                        heap.maximum);
}

/* A signal handler may be unable to collect; it may take addresses up to the heap's maximum. */
static void move_nursery(struct cn_extent nursery)
{
  cn_nursery_place(nursery.start, nursery.end, cn_blocks_behind(nursery.end, heap.maximum));
}

/* In a collection of stress mode threads take no more of the nursery: the addresses behind it are free. */
static void bound_moved_nursery(void)
{
  if (!heap.moves)
    return;
  cn_nursery.end = cn_nursery.memory;
  cn_blocks_end_behind(cn_nursery.end);
}

/* All objects except pinned ones have been copied: release the memory that they left. */
static void leave_all(struct cn_extent copies, uintptr_t used, struct cn_extent nursery)
{
  size_t low, high;

  cn_blocks_bounds(&low, &high);
  cn_unmapped_note(cn_tables_address(low), cn_tables_address(high), heap.collections);
  cn_unmapped_note(cn_nursery.start, cn_nursery.end, heap.collections);
  end_nursery();
  heap.nursery_stays = false;
  cn_blocks_leave(copies, used, nursery);
  if (cn_large_objects.young + cn_large_objects.old != 0)
    heap.dropped = heap.collections;
  cn_large_objects_leave();
}

static void collect_moving(size_t bytes_needed)
{
  struct cn_extent copies, nursery;

  cn_concurrent_give_up();
  cn_blocks_end_supply();
  bound_moved_nursery();
  heap.tries = 0;
  size_t most = cn_heap_sizer_of_copies(heap.old + (cn_nursery.free - cn_nursery.start) + cn_large_objects.young +
                                        cn_large_objects.old);

  if (!cn_blocks_extent(cn_tracers_copy_bytes(most), CN_BLOCK_USED, &copies))
    cairn_out_of_memory(true, "no memory to copy %zu bytes to (heap maximum %zu)", most, heap.maximum);
  place_moving(&nursery, bytes_needed);
  cn_large_objects_unmark();
  struct cn_traced traced = trace_heap(CN_TRACE_MOVE, &copies);
  CN_CHECK(traced.moved <= most && traced.end <= copies.end);
  leave_all(copies, traced.end, nursery);
  cairn_identity_left(traced.asked);
  heap.old = traced.moved + traced.marked;
  heap.moves = true;
  set_threshold(bytes_needed);
  cairn_note_full(false);
  move_nursery(nursery);
}

/* True if a full collection is due; also if the nursery would become too small to be worth it. After an image was
 * unloaded a young collection would follow references from dead old objects to dead young ones whose layout is gone. */
static bool full_is_due(size_t bytes_needed)
{
  size_t least = heap.usual / 2;

  return heap.forgot ||
         (!cn_marker.on && bytes_used() + heap.stayed + cn_large_objects.young + bytes_needed > heap.threshold) ||
         (bytes_left() < least && bytes_used() != heap.survived);
}

/* The nursery has left its blocks. */
static void place_elsewhere(size_t bytes_needed)
{
  struct cn_extent place;

  CN_CHECK(heap.nursery_stays);
  if (heap.moves) {
    place_moving(&place, bytes_needed);
    move_nursery(place);
  } else if (!place_nursery(NURSERY_AGAIN)) {
    cairn_out_of_memory(false, "no addresses for a nursery of %zu bytes (heap maximum %zu)", heap.nursery,
                        heap.maximum);
  }
  heap.nursery_stays = false;
}

/* Ask for memory for copies of several nurseries, and for objects that are promoted while a busy machine delays the
 * concurrent thread. */
static void ask_for_memory(size_t nursery)
{
  size_t more = bytes_used() / AHEAD_SHARE < AHEAD_MOST ? bytes_used() / AHEAD_SHARE : AHEAD_MOST;

  CN_ASSERT(!heap.moves);
  cn_blocks_supply(NURSERIES_AHEAD * cn_heap_sizer_of_copies(nursery) + more, cn_tracers_most());
}

/* The nursery's objects have been copied, or stay. In stress mode it may be too small for the waiting allocation. */
static void reopen_nursery(size_t bytes_needed)
{
  bool large = bytes_needed > CAIRN_ABI_INLINE_ALLOC_MAX;

  if (heap.moves && bytes_needed > cn_nursery.memory - cn_nursery.start && !heap.nursery_stays) {
    end_nursery();
    heap.nursery_stays = true;
  }
  if (heap.nursery_stays)
    place_elsewhere(bytes_needed);
  size_t bytes = nursery_bytes(large ? bytes_needed : 0),
         room = (heap.moves ? cn_nursery.memory : cn_nursery.end) - cn_nursery.start;
  if (heap.moves || bytes > room)
    bytes = room < bytes_left() ? room : bytes_left();
  cn_nursery_place(cn_nursery.start, cn_nursery.memory, cn_nursery.end);
  cn_nursery_open(bytes);
  if (cairn_pause_goal() != 0 && !heap.moves)
    ask_for_memory(bytes);
}

static void collect_heap(const struct cairn_collection *collection)
{
  size_t bytes_needed = collection->bytes_needed;

  heap.collections++;
  heap.young_large = cn_large_objects.young;
  cn_nursery_take_all();
  cn_blocks_take_supply();
  if (cn_concurrent_enter())
    note_lines();
  if (collection->extent == CAIRN_EXTENT_MOVE_ALL)
    collect_moving(bytes_needed);
  else if (collection->extent == CAIRN_EXTENT_FULL || full_is_due(bytes_needed))
    collect_full(bytes_needed);
  else
    collect_some(bytes_needed);
  heap.forgot = false;
  bound_nursery();
  reopen_nursery(bytes_needed);
  cn_nursery_give_one();
}

/* ---- questions ---- */

static bool in_nursery(uintptr_t object)
{
  return object - CAIRN_ABI_HEADER_SIZE - cn_nursery.start < cn_nursery.end - cn_nursery.start;
}

static bool is_young(uintptr_t address)
{
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE, end, block;

  if (in_nursery(address))
    return true;
  block = cn_large_contains(header) ? cn_large_find(header, &end) : 0;
  return block != 0 && !cn_large_is_marked(block);
}

static bool is_covered_by_card(uintptr_t object, struct cairn_slot slot)
{
  return in_nursery(object) || !is_young(cairn_slot_object(slot)) || cn_cards_is_dirty((uintptr_t)slot.address);
}

static bool was_unmapped(uintptr_t address, uint64_t *collection)
{
  if (cn_large_contains(address)) {
    *collection = heap.dropped;
    return heap.dropped != 0;
  }
  bool none = cn_tables_is_old(address) && cn_tables.states[cn_tables_block(address)] == CN_BLOCK_NONE;
  *collection = none ? cn_unmapped_find(address) : 0;
  return none && heap.moves;
}

static bool is_object(uintptr_t word)
{
  uintptr_t header = word - CAIRN_ABI_HEADER_SIZE, end, block;

  if (word % CAIRN_ABI_OBJECT_ALIGN != 0)
    return false;
  if (cn_large_contains(header)) {
    block = cn_large_find(header, &end);
    return block != 0 && word == cn_large_objects_object(block);
  }
  if (header - cn_nursery.start < cn_nursery.limit - cn_nursery.start)
    return cairn_layout_is_known(cairn_object_layout(word));
  return cn_tables_is_old(header) && cn_tables_starts(word);
}

static void forget_layouts(const unsigned char *start, const unsigned char *stop)
{
  cn_nursery_take_all();
  heap.forgot = cn_object_walk_forget(start, stop) || heap.forgot;
  cn_nursery_give_one();
}

static uint64_t used_with_young(void)
{
  return bytes_used() + cn_large_objects.young + (cn_nursery.free - cn_nursery.start);
}

const struct cairn_collector cairn_collector_generational = {
    .version = CAIRN_ABI_COLLECTOR_VERSION,
    .size = sizeof(struct cairn_collector),
    .name = "generational",
    .traits = CAIRN_COLLECTOR_MOVES | CAIRN_COLLECTOR_GENERATIONS | CAIRN_COLLECTOR_WORDS | CAIRN_COLLECTOR_WEAK |
              CAIRN_COLLECTOR_FINALISES | CAIRN_COLLECTOR_PARALLEL | CAIRN_COLLECTOR_PINS | CAIRN_COLLECTOR_REUSES |
              CAIRN_COLLECTOR_HASHES | CAIRN_COLLECTOR_LENGTHENS,
    .barriers = CAIRN_ABI_BARRIERS_CARDS,
    .init = init,
    .refill = refill_buffer,
    .allocate_large = allocate_large,
    .grow = grow_nursery,
    .collect = collect_heap,
    .was_unmapped = was_unmapped,
    .is_object = is_object,
    .forget = forget_layouts,
    .ranges = cn_object_walk_ranges,
    .used = used_with_young,
    .covered = is_covered_by_card,
};
