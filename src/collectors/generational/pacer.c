/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes the heap and its nurseries. The nursery grows if much survives, and old objects grow by a share of the
 * survivors (CAIRN_HEAP_GROWTH) until a full collection is due.
 *
 * With a goal for pauses the file sizes nurseries so that a young collection ends within its share of the pause, even
 * if all objects survive. It copies survivors until a deadline, and promotes the rest of the nursery in place
 * (promotion.c). The time of a promotion is proportional to the nursery, at a pace that the pacer measures, so it
 * bounds the nursery. If the last collections ended their copies early, the next ones promote the complete nursery, and
 * visit neither roots nor cards; this takes the least time, but keeps garbage. So after at most MAX_PROMOTIONS_IN_ROW
 * of them a collection copies again.
 *
 * The file owns the sizes (`cn_pacer`), the measured paces and the course of survival (`pacing`). Phases INIT and STOP,
 * the collecting thread.
 */
#include "collectors/generational/pacer.h"

#include <cairn/collector.h>
#include "base/check.h"
#include "collectors/generational/cards.h"
#include "collectors/generational/evacuation.h"
#include "collectors/generational/large_objects.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/trace.h"
#include "collectors/heap_sizer.h"
#include "runtime/os/os.h"

enum {
  USUAL_NURSERY_BYTES = 2 << 20,
  LARGE_NURSERY_BYTES = 32 << 20, /* the limit at a growth of the heap by 100 percent */
  NURSERY_HEAP_SHARE = 8,         /* the nursery has at most one part in this many of the maximum */
  MIN_NURSERY_BYTES = 16 << 10,
  NURSERY_BYTES_PER_MUTATOR = 16 << 10, /* minimum for each mutator that allocates, in any pause */
  NURSERY_BYTES_PER_STACK = 64,         /* minimum per stack: to copy so many bytes takes a third of its visit's time */
  GROW_AT_SURVIVING_PART = 16,          /* the nursery grows if more than one part in this many survives */
  SHRINK_AT_SURVIVING_PART = 128,       /* the nursery shrinks if less than one part in this many survives */
  REFERENCE_FREE_LARGE_SHARE = 4,       /* large objects without references count as one part in this many */
  MAX_THRESHOLDS_WHILE_MARKING = 2,     /* multiple of the threshold that old objects may reach during marking */
  MAX_MARKING_END_TRIES = 4,            /* tries to end a marking within a pause, and each halves the nursery */
  PAUSE_TASK_SHARE = 3,                 /* one part in this many is for a young collection, and one for late marking */
  FIRST_PICOSECONDS_PER_BYTE = 500,
  MIN_PICOSECONDS_PER_BYTE = 100,
  EARLY_SHARE = 8,
  MAX_BYTES_WORTH_A_PAUSE = 4 << 20,
  LATE_MARKING_SHARE = 64, /* after the threshold a nursery takes one part in this many of the bytes up to the limit */
  MARKING_PAUSE_SHARE = 4, /* during a marking the program runs for at least one part in this many of a pause */
  PACE_DECAY_SHARE = 16,   /* a slow pace loses one part in this many at each collection without promotion */
  PACE_WEIGHT = 8,         /* each measurement counts as one part in this many of the pace */
  MIN_MEASURED_BYTES = 256 << 10, /* bytes of a nursery that show a pace */
  MAX_PROMOTIONS_IN_ROW = 3,
  FEW_FOUND_BYTES = 4 << 10,  /* the marker only visits cards again if it finds less from one pause to the next */
  PROMOTED_THOUSANDTHS = 500, /* complete nurseries are promoted only if so much of recent ones survived */
  FIRST_COPIED_BYTES = 128 << 10,
  MIN_COPY_SHARE = 16,           /* copies get at least one part in this many of the time, after the scan of cards */
  FRAGMENTED_COPY_SHARE = 2,     /* copies to a fragmented old space get at least one part in this many of a pause */
  FRAGMENTED_MULTIPLE = 3,       /* the old space is fragmented if it exceeds this multiple of survivors */
  LARGE_FRAGMENTED_MULTIPLE = 2, /* the same if a scan of cards is long */
  LONG_SCAN_SHARE = 16,          /* a long scan takes more than one part in this many of a pause */
  FRAGMENTED_BYTES = 16 << 20,   /* a smaller old space is never fragmented */
  LARGE_SHARE = 4,               /* young large objects may take one part in this many of a promoted nursery */
  MAX_COPIED_MULTIPLE = 2, /* multiple of the copied bytes that fixed costs allow; larger nurseries are promoted */
  MIN_HEADROOM_BYTES = 512 << 10, /* bytes that may be promoted at any time */
  HEADROOM_OLD_SHARE = 16,        /* without a marking, also one part in this many of old objects */
  MARKING_HEADROOM_SHARE = 4,     /* a nursery may use one part in this many of the headroom of a marking */
  MIN_SURVIVING_THOUSANDTHS = 32
};

struct cn_pacer cn_pacer;

static struct pacing {
  size_t initial;                 /* least threshold, bytes */
  size_t soft;                    /* soft limit of old objects, bytes, or 0 */
  size_t nursery_most;            /* upper bound of the nursery, bytes */
  size_t marking_begun;           /* bytes of old objects when the last marking began */
  size_t meanwhile;               /* bytes that were promoted during the last marking */
  uint64_t begun, deadline;       /* of this collection, in processor time, or 0 between collections */
  uint64_t ended;                 /* end of the last collection, by the clock */
  uint64_t ran;                   /* nanoseconds from then to this collection */
  uint64_t rooted;                /* end of the visits of roots */
  uint64_t visited, collected;    /* end of the visits of this collection, or 0; end of its copies and promotion */
  size_t bytes;                   /* bytes of the nursery that this collection empties */
  bool ends;                      /* at the last collection the marker had little left but cards to visit again */
  bool fragmented;                /* the old space takes much more memory than its objects */
  bool full;                      /* small or large objects took at least half of the nursery's size */
  uint64_t rest_pace, whole_pace; /* picoseconds per byte of nursery: promotion of the rest after copies, and of all */
  size_t copied_bytes;            /* bytes of a nursery whose cards and survivors past collections visited in time */
  unsigned promotions, in_row;    /* promotions that come next; promotions that follow the next early end of copies */
  size_t surviving;               /* thousandths of recent nurseries that survived, or were promoted */
  size_t reachable;               /* thousandths of recent nurseries that survived, if copies did not end early */
} pacing;

static uint64_t processor_time(void)
{
  return cn_os_thread_processor_time(cn_os_thread());
}

static size_t larger_of(size_t a, size_t b)
{
  return a > b ? a : b;
}

/* Nanoseconds for a young collection: a third of the pause if the pause may also end a marking or evacuate blocks, and
 * two thirds otherwise. */
static uint64_t young_collection_time(void)
{
  bool shares = (cn_marker.on && (cn_marker.idle || pacing.ends)) || cn_evacuation_notes_cards();

  return cairn_pause_goal() / PAUSE_TASK_SHARE * (shares ? 1 : 2);
}

static bool may_promote_nursery(void)
{
  return pacing.promotions != 0 && !pacing.fragmented && !cn_marker.on && !cn_evacuation_notes_cards();
}

/* Bytes that the program may promote without much delay of the next marking, or of the end of a running one. */
static size_t headroom_bytes(size_t headroom, size_t old)
{
  if (!cn_marker.on)
    return larger_of(headroom, larger_of(MIN_HEADROOM_BYTES, old / HEADROOM_OLD_SHARE));
  return cn_marker.idle ? SIZE_MAX / 1000 : larger_of(headroom / MARKING_HEADROOM_SHARE, MIN_HEADROOM_BYTES);
}

/* Bytes of a nursery that a young collection can empty within its time. If it copies survivors, the promotion of
 * the rest gets half of this time. */
static size_t nursery_bytes_by_time(void)
{
  uint64_t part = young_collection_time(), scan = cn_cards_scan_time();

  if (part > UINT64_MAX / 1000)
    return SIZE_MAX;
  part -= scan < part / 2 ? scan : part / 2;
  if (may_promote_nursery())
    return part * 1000 / pacing.whole_pace;
  size_t most = part / 2 * 1000 / pacing.rest_pace;
  return most < pacing.copied_bytes ? most : pacing.copied_bytes;
}

/* The bytes of a nursery that a young collection can empty within the pause. The next marking, or the end of a running
 * one, is due when the program has promoted `headroom` bytes. */
static size_t nursery_bytes_within_pause(size_t headroom, size_t old)
{
  if (headroom == 0)
    pacing.promotions = 0; /* the next collection begins a marking */
  size_t by_time = nursery_bytes_by_time(),
         by_headroom = headroom_bytes(headroom, old) / larger_of(pacing.surviving, MIN_SURVIVING_THOUSANDTHS);

  CN_ASSERT(pacing.rest_pace >= MIN_PICOSECONDS_PER_BYTE && pacing.whole_pace >= MIN_PICOSECONDS_PER_BYTE);
  return by_headroom < by_time / 1000 ? by_headroom * 1000 : by_time;
}

/* ---- the sizes of the nursery and of the heap ---- */

/* Sets the size of the nursery after `survived` of its `bytes` bytes were copied. If much survives, a larger nursery
 * gives objects more time to die, at the cost of cache misses and memory; it may take as many bytes as old objects
 * may grow by. */
void cn_pacer_adapt_nursery(size_t old, size_t bytes, size_t survived)
{
  size_t most = cn_heap_sizer_growth_bytes(old), wanted = cn_heap_sizer_growth_bytes(LARGE_NURSERY_BYTES);

  if (most > pacing.nursery_most)
    most = pacing.nursery_most;
  if (wanted > CN_MAX_NURSERY_BYTES)
    wanted = CN_MAX_NURSERY_BYTES;
  if (survived < bytes / SHRINK_AT_SURVIVING_PART)
    cn_pacer.nursery /= 2;
  else if (survived > bytes / GROW_AT_SURVIVING_PART && cn_pacer.nursery < wanted)
    cn_pacer.nursery = cn_pacer.nursery < wanted / 2 ? 2 * cn_pacer.nursery : wanted;
  if (cn_pacer.nursery > most)
    cn_pacer.nursery = most & ~(size_t)7;
  if (cn_pacer.nursery < cn_pacer.usual)
    cn_pacer.nursery = cn_pacer.usual;
}

/* Bytes that the program may promote until the next marking begins, or until a running one is due. */
static size_t promotion_headroom(size_t old)
{
  size_t limit = cn_marker.on ? cn_pacer.threshold : cn_pacer.start;

  return limit > old ? limit - old : 0;
}

/* Bytes that the program allocates in so many nanoseconds, by its pace before this young collection. */
static size_t bytes_allocated_in(uint64_t time)
{
  return time < UINT32_MAX ? time * (pacing.bytes / 1024) / (pacing.ran + 1) * 1024 : 0;
}

/* If marking has not ended at the threshold, a part of the bytes up to the limit, where a single pause would end it. */
static size_t bytes_before_marking_must_end(size_t old)
{
  size_t limit = cn_pacer_old_limit(true), left = limit > old ? (limit - old) / LATE_MARKING_SHARE : 0;

  return old < cn_pacer.threshold || left > MAX_BYTES_WORTH_A_PAUSE ? MAX_BYTES_WORTH_A_PAUSE : left;
}

/* Nanoseconds of the last pause that a smaller nursery does not shorten: the scan, roots and marking. The end of a
 * marking does not come again soon, and does not count. */
static uint64_t fixed_pause_time(uint64_t now)
{
  if (pacing.begun == 0 || now == pacing.begun || pacing.visited == 0)
    return 0;
  return pacing.rooted - pacing.begun + (cn_marker.on ? now - pacing.collected : 0);
}

/* Bytes that are worth a pause, or 0 if that is unknown: the program allocates them in as much time as this young
 * collection took. With smaller nurseries the program would stand still for most of the time. But cards and copies,
 * whose time is proportional to the nursery, must not exceed the goal by far; a smaller nursery does not shorten the
 * scan of all cards, the visits of roots and marking. */
static size_t bytes_worth_a_pause(size_t old)
{
  uint64_t now = processor_time(), took = pacing.begun != 0 ? now - pacing.begun : 0;
  size_t bytes = bytes_allocated_in(took), least = bytes_allocated_in(fixed_pause_time(now));

  pacing.begun = 0;
  pacing.ended = cn_os_clock_nanoseconds();
  if (bytes > pacing.copied_bytes / 2 * 3)
    bytes = pacing.copied_bytes / 2 * 3;
  if (least > MAX_COPIED_MULTIPLE * pacing.copied_bytes)
    least = MAX_COPIED_MULTIPLE * pacing.copied_bytes;
  bytes = larger_of(bytes, least) / (cn_marker.on ? MARKING_PAUSE_SHARE : 1);
  size_t bound = cn_marker.on ? bytes_before_marking_must_end(old) : MAX_BYTES_WORTH_A_PAUSE;
  return bytes < bound ? bytes : bound;
}

/* Bytes of young large objects before a collection. No promotion walks over them, so with a goal for pauses only the
 * measured time of visits and copies bounds them, and the bytes that may be promoted. */
static size_t young_large_bytes_within_pause(size_t old)
{
  size_t by_headroom = headroom_bytes(promotion_headroom(old), old),
         most = pacing.copied_bytes < by_headroom ? pacing.copied_bytes : by_headroom;

  return larger_of(cn_pacer.room, (cn_pacer.nursery < most ? cn_pacer.nursery : most) >> cn_pacer.tries);
}

/* Bounds the nursery by the goal for pauses, and more tightly while a marking has to end within a pause. Each young
 * collection visits all stacks, so the nursery has a minimum that is worth the visit. */
void cn_pacer_bound_nursery(size_t old)
{
  size_t most = cairn_pause_goal() == 0 ? SIZE_MAX : nursery_bytes_within_pause(promotion_headroom(old), old),
         stacks = cairn_mutator_count() * NURSERY_BYTES_PER_STACK >> cn_pacer.tries, fair = bytes_worth_a_pause(old),
         least = (cn_nursery.users + 1) * NURSERY_BYTES_PER_MUTATOR + stacks;

  CN_ASSERT(cn_pacer.tries <= MAX_MARKING_END_TRIES);
  most = most >> cn_pacer.tries & ~(size_t)7;
  most = larger_of(most, larger_of(least, fair >> cn_pacer.tries));
  cn_pacer.room = (cn_pacer.nursery < most ? cn_pacer.nursery : most) & ~(size_t)7;
  cn_pacer.large_room = cairn_pause_goal() == 0 ? cn_pacer.room : young_large_bytes_within_pause(old);
}

/* Without CAIRN_PAUSE a soft limit matters more than the pauses of full collections. */
size_t cn_pacer_old_limit(bool marking)
{
  if (pacing.soft != 0 && cairn_pause_goal() == 0)
    return cn_pacer.threshold;
  size_t most = cn_pacer.threshold < cn_pacer.maximum / MAX_THRESHOLDS_WHILE_MARKING
                    ? cn_pacer.threshold * MAX_THRESHOLDS_WHILE_MARKING
                    : cn_pacer.maximum;

  return !marking ? cn_pacer.threshold : most < cn_pacer.maximum ? most : cn_pacer.maximum;
}

/* Sets the start of concurrent marking so that the marking ends at the threshold if as many bytes are promoted during
 * it as during the last marking. */
static void set_marking_start(void)
{
  size_t room = cn_pacer.threshold - (cn_pacer.survived < cn_pacer.threshold ? cn_pacer.survived : cn_pacer.threshold),
         wanted = pacing.meanwhile != 0 ? pacing.meanwhile + pacing.meanwhile / 4 : room / 2;

  if (wanted < room / 8)
    wanted = room / 8;
  CN_ASSERT(room <= cn_pacer.threshold);
  cn_pacer.start = cn_pacer.threshold - (wanted < room / 4 * 3 ? wanted : room / 4 * 3);
}

/* Bytes that the nursery would take without a goal for pauses, but at most the growth of old objects. */
static size_t nursery_bytes_saved(size_t small)
{
  size_t growth = cn_heap_sizer_growth_bytes(small), bytes = cn_pacer.nursery < growth ? cn_pacer.nursery : growth;

  return cairn_pause_goal() != 0 && bytes > cn_pacer.room ? bytes - cn_pacer.room : 0;
}

/* Estimates the garbage among the objects that were promoted during the marking, which all count as reachable: as large
 * a part of them as of the objects that were old when the marking began. */
static size_t estimate_floating_bytes(size_t old)
{
  size_t kept = old > pacing.meanwhile ? old - pacing.meanwhile : 0;

  return pacing.marking_begun > kept
             ? pacing.meanwhile / 1024 * ((pacing.marking_begun - kept) / (pacing.marking_begun / 1024 + 1))
             : 0;
}

/* Sets the threshold after a full collection. The bytes of the waiting allocation count as survivors. Large objects
 * without references cost the next collection no time, so they add less to the growth, which saves new memory. With a
 * goal for pauses, old objects may take the bytes that a smaller nursery saves, because it promotes more garbage. */
void cn_pacer_set_threshold(size_t old, size_t bytes_needed, bool concurrent)
{
  size_t more = bytes_needed < cn_pacer.maximum ? bytes_needed : 0, kept = old + more,
         bare = cn_large_objects.bare / REFERENCE_FREE_LARGE_SHARE * (REFERENCE_FREE_LARGE_SHARE - 1), wanted;

  cn_pacer.survived = old;
  CN_CHECK(bare <= kept);
  size_t floating = concurrent ? estimate_floating_bytes(old) : 0,
         live = kept - bare > floating ? kept - bare - floating : 0;
  cn_pacer.tries = 0;
  if (__builtin_add_overflow(kept + nursery_bytes_saved(old - cn_large_objects.old), cn_heap_sizer_growth_bytes(live),
                             &wanted))
    wanted = SIZE_MAX;
  wanted = wanted < cn_pacer.maximum ? wanted : cn_pacer.maximum;
  wanted = wanted < pacing.initial ? pacing.initial : wanted;
  cn_pacer.threshold = cn_heap_sizer_soft_threshold(pacing.soft, old + cn_pacer.usual + more, wanted & ~(size_t)7);
  CN_CHECK(cn_pacer.threshold <= cn_pacer.maximum);
  set_marking_start();
}

void cn_pacer_begin_marking(size_t old)
{
  CN_CHECK(cn_pacer.tries == 0);
  pacing.marking_begun = old;
  pacing.ends = false;
}

/* The marking should end at the threshold. It is late if it has marked a smaller part of the objects that it is
 * expected to reach than the program has promoted of the bytes up to the threshold, except for the first of them,
 * during which the marker may wait for a processor. Copies, which are marked at once, are a part of `marked`. */
static bool is_marking_late(size_t old, size_t marked)
{
  size_t begun = pacing.marking_begun, promoted = old > begun ? old - begun : 0,
         room = cn_pacer.threshold > begun ? cn_pacer.threshold - begun : 0, first = room / EARLY_SHARE,
         reached = marked > promoted ? marked - promoted : 0, due = promoted > first ? promoted - first : 0;

  return promoted >= room || reached / 1024 * (room / 1024) < due / 1024 * (cn_pacer.survived / 1024);
}

uint64_t cn_pacer_root_deadline(size_t old)
{
  uint64_t part = cairn_full_pause_goal() / PAUSE_TASK_SHARE;

  CN_CHECK(cn_marker.on);
  return old > cn_pacer_old_limit(true) ? UINT64_MAX : processor_time() + part / 2;
}

/* Nurseries shrink with each attempt to end the marking, and grow again while the marker has work, for which it needs
 * time between pauses. */
uint64_t cn_pacer_marking_deadline(size_t old)
{
  bool ends = cn_marker.idle || (cn_marker.scanned && cn_marker.found < FEW_FOUND_BYTES);
  uint64_t part = cairn_full_pause_goal() / PAUSE_TASK_SHARE, most = pacing.begun + 5 * part / 2,
           least = processor_time() + (ends && cn_pacer.tries < MAX_MARKING_END_TRIES ? part / 2 : part);

  CN_CHECK(cn_marker.on);
  cn_marker.found = 0;
  if (!ends && cn_pacer.tries != 0)
    cn_pacer.tries--;
  if (old > cn_pacer_old_limit(true))
    return UINT64_MAX;
  pacing.ends = ends;
  if (!(ends && cn_marker.rooted) && !is_marking_late(old, cn_marker.bytes))
    return 0;
  if (ends && cn_pacer.tries < MAX_MARKING_END_TRIES)
    cn_pacer.tries++;
  return ends && most > least ? most : least;
}

void cn_pacer_end_marking(size_t old)
{
  pacing.meanwhile = old > pacing.marking_begun ? old - pacing.marking_begun : 0;
}

void cn_pacer_init(size_t initial_bytes, size_t max_bytes)
{
  size_t soft = cairn_soft_limit();

  CN_CHECK(initial_bytes % 8 == 0 && max_bytes % 8 == 0);
  pacing = (struct pacing){.rest_pace = FIRST_PICOSECONDS_PER_BYTE,
                           .whole_pace = FIRST_PICOSECONDS_PER_BYTE,
                           .copied_bytes = FIRST_COPIED_BYTES,
                           .surviving = 1000,
                           .reachable = 1000};
  cn_pacer = (struct cn_pacer){.maximum = max_bytes};
  pacing.nursery_most = (soft != 0 ? soft : max_bytes) / NURSERY_HEAP_SHARE & ~(size_t)7;
  pacing.soft = soft - 2 * (soft / NURSERY_HEAP_SHARE); /* the soft limit without a nursery and its survivors */
  pacing.initial = cn_pacer.threshold = cn_heap_sizer_soft_threshold(pacing.soft, 0, initial_bytes);
  cn_pacer.usual = pacing.nursery_most < USUAL_NURSERY_BYTES ? pacing.nursery_most : USUAL_NURSERY_BYTES;
  cn_pacer.usual = larger_of(cn_pacer.usual, MIN_NURSERY_BYTES);
  cn_pacer.nursery = cn_pacer.usual;
  cn_pacer_bound_nursery(0);
  set_marking_start();
}

/* ---- young collections of short pauses ---- */

void cn_pacer_begin_young(size_t bytes)
{
  pacing.begun = processor_time();
  pacing.ran = cn_os_clock_nanoseconds() - pacing.ended;
  pacing.visited = 0;
  pacing.bytes = bytes;
  size_t size = cn_nursery.limit - cn_nursery.start;
  pacing.full = bytes + cn_large_objects.young > (size < pacing.copied_bytes ? size : pacing.copied_bytes) / 2;
}

bool cn_pacer_promotes_nursery(void)
{
  CN_CHECK(pacing.promotions <= MAX_PROMOTIONS_IN_ROW);
  bool copied = pacing.bytes <= MAX_COPIED_MULTIPLE * pacing.copied_bytes;
  if (!may_promote_nursery() || (copied && cn_large_objects.young > pacing.bytes / LARGE_SHARE))
    return false;
  pacing.promotions--;
  return true;
}

static bool is_fragmented(void)
{
  bool large = cn_cards_scan_time() > cairn_pause_goal() / LONG_SCAN_SHARE;
  size_t multiple = large ? LARGE_FRAGMENTED_MULTIPLE : FRAGMENTED_MULTIPLE;

  return cn_cards_scanned_bytes() / multiple > cn_pacer.survived + FRAGMENTED_BYTES;
}

uint64_t cn_pacer_copy_deadline(void)
{
  pacing.fragmented = is_fragmented();
  uint64_t part = pacing.fragmented ? cairn_pause_goal() : young_collection_time(),
           rest = pacing.bytes * pacing.rest_pace / 1000,
           least = processor_time() + part / (pacing.fragmented ? FRAGMENTED_COPY_SHARE : MIN_COPY_SHARE);

  pacing.deadline = pacing.begun + (rest < part ? part - rest : 0);
  if (pacing.deadline < least)
    pacing.deadline = least;
  CN_CHECK(pacing.deadline >= pacing.begun);
  return pacing.deadline;
}

/* A pace that was measured once, in a small nursery or on a busy machine, would keep nurseries small for ever, because
 * the copies of small nurseries end in time, and show no pace. */
static void forget_slow_pace(void)
{
  if (pacing.rest_pace > FIRST_PICOSECONDS_PER_BYTE)
    pacing.rest_pace -= (pacing.rest_pace - FIRST_PICOSECONDS_PER_BYTE) / PACE_DECAY_SHARE + 1;
}

void cn_pacer_note_root_visits(void)
{
  pacing.rooted = processor_time();
}

/* The visits of cards and the copies take as much time for each byte of the next nursery, whose survivors are copied.
 */
void cn_pacer_note_visits(void)
{
  pacing.visited = processor_time();
  if (!cn_trace_cycle.stays)
    forget_slow_pace();
  uint64_t most = young_collection_time(), fixed = pacing.rooted - pacing.begun,
           rest = most - (fixed < most / 2 ? fixed : most / 2), took = pacing.visited - pacing.rooted;
  size_t bytes = pacing.bytes + cn_large_objects.young,
         allowed = larger_of((size_t)(bytes * rest / (took + 1)), MIN_NURSERY_BYTES);

  if (cn_trace_cycle.stays && pacing.fragmented)
    pacing.copied_bytes = larger_of(pacing.copied_bytes / 4 * 3, MIN_NURSERY_BYTES);
  else if (allowed < pacing.copied_bytes)
    pacing.copied_bytes = allowed;
  else if (pacing.full && pacing.copied_bytes < CN_MAX_NURSERY_BYTES)
    pacing.copied_bytes += allowed - pacing.copied_bytes < pacing.copied_bytes / 4 ? allowed - pacing.copied_bytes
                                                                                   : pacing.copied_bytes / 4;
}

void cn_pacer_note_promotion(void)
{
  uint64_t took = processor_time() - (pacing.visited != 0 ? pacing.visited : pacing.begun),
           *pace = pacing.visited != 0 ? &pacing.rest_pace : &pacing.whole_pace;

  if (pacing.bytes < MIN_MEASURED_BYTES || took > UINT64_MAX / 1000)
    return;
  *pace += took * 1000 / pacing.bytes / PACE_WEIGHT - *pace / PACE_WEIGHT;
  if (*pace < MIN_PICOSECONDS_PER_BYTE)
    *pace = MIN_PICOSECONDS_PER_BYTE;
}

void cn_pacer_note_survival(size_t copied, size_t promoted)
{
  size_t now = copied + promoted < pacing.bytes ? (copied + promoted) / (pacing.bytes / 1000 + 1) : 1000;

  CN_ASSERT(now <= 1000);
  pacing.collected = processor_time();
  pacing.surviving = (3 * pacing.surviving + now) / 4;
  if (pacing.visited == 0)
    return;
  if (promoted == 0)
    pacing.reachable = (3 * pacing.reachable + now) / 4;
  if (pacing.reachable < PROMOTED_THOUSANDTHS || (promoted == 0 && copied < pacing.bytes / 3 * 2))
    pacing.in_row = 0;
  else if (pacing.in_row < MAX_PROMOTIONS_IN_ROW)
    pacing.in_row = 2 * pacing.in_row + 1;
  pacing.promotions = pacing.in_row;
}
