/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes nurseries so that a young collection ends within its share of the pause, even if all objects survive. It
 * copies survivors until a deadline, and promotes the rest of the nursery in place (promotion.c). The time of a
 * promotion is proportional to the nursery, at a pace that the pacer measures, so it bounds the nursery. If the last
 * collections ended their copies early, the next ones promote the complete nursery, and visit neither roots nor
 * cards; this takes the least time, but keeps garbage. So after at most MAX_PROMOTIONS_IN_ROW of them a collection
 * copies again.
 *
 * The file owns the measured paces and the course of survival (`pacing`). Phase STOP, the collecting thread.
 */
#include "collectors/generational/pacer.h"

#include <cairn/collector.h>
#include "base/check.h"
#include "collectors/generational/cards.h"
#include "collectors/generational/evacuation.h"
#include "collectors/generational/large_objects.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/trace.h"
#include "runtime/os/os.h"

enum {
  FIRST_PICOSECONDS_PER_BYTE = 500,
  MIN_PICOSECONDS_PER_BYTE = 100,
  PACE_WEIGHT = 8,                /* each measurement counts as one part in this many of the pace */
  MIN_MEASURED_BYTES = 256 << 10, /* bytes of a nursery that show a pace */
  MAX_PROMOTIONS_IN_ROW = 3,
  MIN_COPIED_BYTES = 16 << 10, /* minimum of a nursery whose survivors are copied */
  FIRST_COPIED_BYTES = 1 << 20,
  MAX_COPIED_BYTES = 128 << 20,
  OVERRUN_SHARE = 4,              /* visits may go on for one part in this many after the deadline */
  LARGE_SHARE = 4,                /* young large objects may take one part in this many of a promoted nursery */
  MIN_HEADROOM_BYTES = 512 << 10, /* bytes that may be promoted at any time */
  HEADROOM_OLD_SHARE = 16,        /* without a marking, also one part in this many of old objects */
  MARKING_HEADROOM_SHARE = 4,     /* a nursery may use one part in this many of the headroom of a marking */
  MIN_SURVIVING_THOUSANDTHS = 32
};

static struct {
  uint64_t begun, deadline;       /* of this collection, in processor time */
  uint64_t visited;               /* end of the visits of this collection, or 0 */
  size_t bytes;                   /* bytes of the nursery that this collection empties */
  uint64_t rest_pace, whole_pace; /* picoseconds per byte of nursery: promotion of the rest after copies, and of all */
  size_t copied_bytes;            /* bytes of a nursery, by the visits after the deadlines of past collections */
  unsigned promotions, in_row;    /* promotions that come next; promotions that follow the next early end of copies */
  size_t surviving;               /* thousandths of recent nurseries that survived */
} pacing = {.rest_pace = FIRST_PICOSECONDS_PER_BYTE,
            .whole_pace = FIRST_PICOSECONDS_PER_BYTE,
            .copied_bytes = FIRST_COPIED_BYTES,
            .surviving = 1000};

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
  bool shares = (cn_marker.on && cn_marker.idle) || cn_evacuation_notes_cards();

  return cairn_pause_goal() / 3 * (shares ? 1 : 2);
}

static bool may_promote_nursery(void)
{
  return pacing.promotions != 0 && !cn_marker.on && !cn_evacuation_notes_cards();
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

size_t cn_pacer_nursery_bytes(size_t headroom, size_t old)
{
  if (headroom == 0)
    pacing.promotions = 0; /* the next collection begins a marking */
  size_t by_time = nursery_bytes_by_time(),
         by_headroom = headroom_bytes(headroom, old) / larger_of(pacing.surviving, MIN_SURVIVING_THOUSANDTHS);

  CN_ASSERT(pacing.rest_pace >= MIN_PICOSECONDS_PER_BYTE && pacing.whole_pace >= MIN_PICOSECONDS_PER_BYTE);
  return by_headroom < by_time / 1000 ? by_headroom * 1000 : by_time;
}

void cn_pacer_begin_young(size_t bytes)
{
  pacing.begun = processor_time();
  pacing.visited = 0;
  pacing.bytes = bytes;
}

bool cn_pacer_promotes_nursery(void)
{
  if (!may_promote_nursery() || cn_large_objects.young > pacing.bytes / LARGE_SHARE)
    return false;
  pacing.promotions--;
  return true;
}

uint64_t cn_pacer_copy_deadline(void)
{
  uint64_t part = young_collection_time(), rest = pacing.bytes * pacing.rest_pace / 1000;

  pacing.deadline = pacing.begun + (rest < part / 4 * 3 ? part - rest : part / 4);
  return pacing.deadline;
}

/* If copies ended early, and visits of cards went on for too long, the next nursery whose survivors are copied is
 * smaller, so that the program dirties fewer cards. */
void cn_pacer_note_visits(void)
{
  pacing.visited = processor_time();
  uint64_t late = cn_trace_cycle.stays && pacing.visited > pacing.deadline ? pacing.visited - pacing.deadline : 0,
           most = young_collection_time() / OVERRUN_SHARE;

  if (late > most)
    pacing.copied_bytes = larger_of((size_t)(pacing.bytes * most / late), MIN_COPIED_BYTES);
  else if (pacing.bytes > pacing.copied_bytes / 2 && pacing.copied_bytes < MAX_COPIED_BYTES)
    pacing.copied_bytes += pacing.copied_bytes / 4;
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

  pacing.surviving = (3 * pacing.surviving + now) / 4;
  if (pacing.visited == 0)
    return;
  if (promoted == 0 && copied < pacing.bytes / 3 * 2)
    pacing.in_row = 0;
  else if (pacing.in_row < MAX_PROMOTIONS_IN_ROW)
    pacing.in_row = 2 * pacing.in_row + 1;
  pacing.promotions = pacing.in_row;
}
