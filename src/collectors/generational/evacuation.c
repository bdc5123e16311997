/* SPDX-License-Identifier: Apache-2.0
 *
 * Evacuates sparse blocks during young collections. Phase STOP, the collecting thread; tracers call
 * cn_evacuation_keep_block(), cn_evacuation_visit() and cn_evacuation_copy() in parallel; they and the marker call
 * cn_evacuation_note().
 *
 * A group, with the cards that point to it, is as large as a third of a pause allows, by the times of the last groups.
 * It is dropped if it has grown to more than twice that. A block stays if one of its objects is unknown, or if a stack
 * points to it: young collections leave out the roots of a frame that has not run since their last visit: after the
 * frame ran last, or by the marking.
 */
#include "collectors/generational/evacuation.h"

#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/generational/space/blocks.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/space/tables.h"
#include "collectors/generational/tracers.h"
#include "collectors/large_space.h"

enum {
  MAX_GROUPS = 16,
  MAX_BLOCKS = 1024,                 /* of all groups */
  MAX_EXAMINED_BLOCKS = 1 << 16,     /* by one marking */
  PAUSE_PARTS = 3,                   /* a group gets one part of a pause */
  LEAST_TIME = 200000,               /* nanoseconds, for any pause */
  FIRST_PICOSECONDS_PER_BYTE = 4000, /* initially */
  PACE_DECAY = 4,                    /* each marking forgets this part of the slowest pace */
  CARD_COST = 128,                   /* bytes of objects that take the time of a card */
  FIRST_CARDS_PER_BYTE = 4           /* initially */
};

size_t cn_evacuation_quarters = 2;
bool cn_evacuation_any;

struct candidate {
  size_t block;
  size_t bytes;
  bool holes; /* other blocks' copies could fill its holes: they may again when it stays, even before a sweep */
};

static struct {
  struct candidate at[MAX_BLOCKS];
  size_t ends[MAX_GROUPS];  /* where the candidates of each group end */
  size_t cards[MAX_GROUPS]; /* noted cards that point to the group */
  size_t groups;            /* 0: cards are not noted */
  size_t top;               /* the next marking examines blocks below this one */
  size_t next;              /* group to be evacuated */
  bool due;                 /* this collection evacuates it */
  size_t taken;             /* candidates of it that tracers have taken */
  uint64_t slowest;         /* picoseconds for a byte of objects or of cards */
  size_t ratio;             /* bytes that cards count as, for each byte of objects */
} evacuation = {.slowest = FIRST_PICOSECONDS_PER_BYTE, .ratio = FIRST_CARDS_PER_BYTE};

static uint64_t time_for_group(void)
{
  uint64_t part = cairn_pause_goal() / PAUSE_PARTS;

  if (cn_evacuation_any)
    return UINT32_MAX;
  return part > LEAST_TIME ? part : LEAST_TIME;
}

/* Bytes that a group may have, cards included. */
static size_t most_of_group(void)
{
  CN_ASSERT(evacuation.slowest != 0);
  return time_for_group() * 1000 / evacuation.slowest;
}

/* A slow pace counts less with each marking. */
static void forget_pace(void)
{
  evacuation.slowest -= evacuation.slowest / PACE_DECAY;
  if (evacuation.slowest == 0)
    evacuation.slowest = 1;
}

static size_t first_of(size_t group)
{
  CN_ASSERT(group < MAX_GROUPS);
  return group == 0 ? 0 : evacuation.ends[group - 1];
}

/* ---- candidates ---- */

static size_t lines_of(size_t block)
{
  size_t count = 0;

  for (size_t i = block * CN_BLOCK_LINES; i < (block + 1) * CN_BLOCK_LINES; i++)
    count += cn_tables.lines[i] != 0;
  return count;
}

/* True if a block with `bytes` of objects is worth an evacuation. */
static bool are_few(size_t bytes)
{
  return cn_evacuation_any || bytes <= cn_evacuation_quarters * CN_BLOCK / 4;
}

static bool may_be_chosen(size_t block)
{
  enum cn_block_state state = cn_tables_state(block);

  return (state == CN_BLOCK_HOLES || state == CN_BLOCK_USED) && (!cn_evacuation_any || cn_cycle.number * block % 7 < 2);
}

/* Choose the block for the last group, or for a new one. False: all groups are full. */
static bool add_candidate(size_t block, size_t bytes, size_t *sum)
{
  size_t most = cn_evacuation_any ? CN_BLOCK : most_of_group() / (1 + evacuation.ratio);

  if (evacuation.groups == 0 || *sum + bytes > most) {
    if (evacuation.groups == MAX_GROUPS)
      return false;
    evacuation.ends[evacuation.groups] = first_of(evacuation.groups);
    evacuation.cards[evacuation.groups++] = 0;
    *sum = 0;
  }
  size_t *end = &evacuation.ends[evacuation.groups - 1];
  if (*end == MAX_BLOCKS)
    return false;
  evacuation.at[(*end)++] = (struct candidate){block, 0, cn_tables_state(block) == CN_BLOCK_HOLES};
  cn_tables.groups[block] = (uint16_t)(1U << (evacuation.groups - 1));
  cn_tables_set_state(block, CN_BLOCK_USED);
  *sum += bytes;
  return true;
}

void cn_evacuation_choose(void)
{
  size_t low, high, sum = 0;

  CN_CHECK(cn_marker.on && evacuation.groups == 0);
  forget_pace();
  cn_blocks_bounds(&low, &high);
  cn_tracers_leave_cursors();
  if (evacuation.top <= low || evacuation.top > high)
    evacuation.top = high;
  evacuation.next = 0;
  for (size_t i = 0; evacuation.top > low && i < MAX_EXAMINED_BLOCKS; i++) {
    size_t block = --evacuation.top, bytes = cn_tables.filled[block];
    if (may_be_chosen(block) && are_few(bytes) && !add_candidate(block, bytes, &sum))
      break;
  }
  memset(&cn_tables.filled[low], 0, (high - low) * sizeof cn_tables.filled[0]);
}

/* The block stays: its holes, as the last sweep found them, may be filled again. */
static void drop_candidate(const struct candidate *candidate)
{
  bool swept = !cn_marker.on && cn_concurrent_is_swept();

  cn_tables.groups[candidate->block] = 0;
  if (candidate->holes || swept)
    cn_blocks_fill(candidate->block);
}

static void drop_group(size_t group)
{
  for (size_t i = first_of(group); i < evacuation.ends[group]; i++)
    if (cn_tables.groups[evacuation.at[i].block] != 0)
      drop_candidate(&evacuation.at[i]);
}

static void forget_cards(uintptr_t from, uintptr_t to)
{
  CN_ASSERT(from < to && from % CN_CARD == 0);
  memset(cn_tables_leads(from), 0, (to - from + CN_CARD - 1) / CN_CARD * sizeof(uint16_t));
  for (; from < to; from = (from | (CN_BLOCK - 1)) + 1)
    *cn_tables_leading(from) = 0;
}

void cn_evacuation_end(void)
{
  size_t low, high;
  uintptr_t end;

  if (evacuation.groups == 0)
    return;
  for (size_t group = 0; group < evacuation.groups; group++)
    drop_group(group);
  cn_blocks_bounds(&low, &high);
  for (size_t block = low; block < high; block++)
    if (cn_blocks_has_objects(block))
      forget_cards(cn_tables_address(block), cn_tables_address(block + 1));
  for (uintptr_t block = 0; (block = cn_large_next(block)) != 0;) {
    CN_CHECK(cn_large_find(block, &end) == block);
    forget_cards(block, end);
  }
  evacuation.groups = 0;
  evacuation.due = false;
}

/* ---- roots ---- */

void cn_evacuation_keep_block(uintptr_t address)
{
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE;

  if (evacuation.groups == 0 || (address & cairn_words.mask) != 0 || !cn_tables_is_old(header))
    return;
  size_t block = cn_tables_block(header);
  if (cn_tables_state(block) != CN_BLOCK_SOURCE && cn_tables_group(block) != 0)
    __atomic_store_n(&cn_tables.groups[block], 0, __ATOMIC_RELAXED);
}

/* ---- cards ---- */

bool cn_evacuation_is_noted(void)
{
  return evacuation.groups != 0 && !cn_marker.on;
}

bool cn_evacuation_is_due(void)
{
  return evacuation.due;
}

void cn_evacuation_note(uintptr_t slot, uint16_t groups)
{
  if (slot - cn_tables.base >= cn_tables.end - cn_tables.base)
    return;
  uint16_t *leads = cn_tables_leads(slot), *leading = cn_tables_leading(slot);
  if ((__atomic_load_n(leads, __ATOMIC_RELAXED) & __atomic_load_n(leading, __ATOMIC_RELAXED) & groups) == groups)
    return;
  __atomic_fetch_or(leading, groups, __ATOMIC_RELAXED);
  unsigned new = groups & ~(unsigned)__atomic_fetch_or(leads, groups, __ATOMIC_RELAXED);
  for (; new != 0; new &= new - 1)
    __atomic_fetch_add(&evacuation.cards[__builtin_ctz(new)], 1, __ATOMIC_RELAXED);
}

void cn_evacuation_note_weak(uintptr_t object, const struct cairn_layout *layout, uintptr_t from, uintptr_t to)
{
  uint64_t bytes;
  uint16_t all = (uint16_t)((1U << evacuation.groups) - 1);

  if (all == 0)
    return;
  CN_CHECK(cairn_object_payload(object, layout, &bytes) == CAIRN_OK);
  if (to > object + bytes)
    to = object + bytes;
  for (uintptr_t at = from > object ? from : object; at < to; at = (at | (CN_CARD - 1)) + 1)
    cn_evacuation_note(at, all);
}

/* ---- at the start of a collection ---- */

/* The end of an old object; 0: its type is gone. */
static uintptr_t end_of(uintptr_t object)
{
  uintptr_t header = *cairn_object_header(object);
  const struct cairn_layout *layout = cairn_header_layout(header);
  uint64_t bytes;

  if (!cairn_layout_is_known(layout) || cairn_object_payload(object, layout, &bytes) != CAIRN_OK)
    return 0;
  return object + bytes;
}

/* Add up the objects of the block. False: one of them is unknown, or reaches across the block's bounds. */
static bool measure_block(struct candidate *candidate)
{
  uintptr_t from = cn_tables_address(candidate->block), to = from + CN_BLOCK, object = cn_tables_last_start(from),
            next = from;

  candidate->bytes = 0;
  if (object != 0 && (end_of(object) == 0 || end_of(object) > from))
    return false;
  while ((object = cn_tables_next_start(next, to)) != 0) {
    uintptr_t end = end_of(object);
    if (end == 0 || end > to)
      return false;
    uintptr_t block = cairn_object_block(object, cairn_object_layout(object));
    if (block < from)
      return false;
    candidate->bytes += end - block;
    next = object;
  }
  return true;
}

/* Bytes of the next group's objects; some of its blocks may stay. */
static size_t measure_group(void)
{
  size_t bytes = 0;

  for (size_t i = first_of(evacuation.next); i < evacuation.ends[evacuation.next]; i++) {
    struct candidate *candidate = &evacuation.at[i];
    if (cn_tables.groups[candidate->block] == 0)
      continue;
    if (cn_tables_state(candidate->block) == CN_BLOCK_USED && measure_block(candidate) && are_few(candidate->bytes))
      bytes += candidate->bytes;
    else
      drop_candidate(candidate);
  }
  return bytes;
}

static void note_ratio(size_t bytes, size_t cards)
{
  size_t now = cards * CARD_COST / (bytes + 1);

  evacuation.ratio = (evacuation.ratio + now + 1) / 2;
}

size_t cn_evacuation_next(void)
{
  if (!cn_evacuation_is_noted() || !cn_concurrent_is_swept())
    return 0;
  for (; evacuation.next < evacuation.groups; evacuation.next++) {
    size_t bytes = measure_group(), cards = evacuation.cards[evacuation.next];
    if (bytes == 0)
      continue;
    note_ratio(bytes, cards);
    if (bytes + cards * CARD_COST <= 2 * most_of_group())
      return bytes;
    drop_group(evacuation.next);
  }
  cn_evacuation_end();
  return 0;
}

void cn_evacuation_begin(bool memory)
{
  CN_CHECK(evacuation.next < evacuation.groups && !evacuation.due);
  if (!memory) {
    cn_evacuation_end();
    return;
  }
  for (size_t i = first_of(evacuation.next); i < evacuation.ends[evacuation.next]; i++)
    if (cn_tables.groups[evacuation.at[i].block] != 0)
      cn_tables_set_state(evacuation.at[i].block, CN_BLOCK_SOURCE);
  evacuation.taken = first_of(evacuation.next);
  evacuation.due = true;
}

/* ---- within a collection ---- */

uint16_t cn_evacuation_group(void)
{
  CN_CHECK(evacuation.due);
  return (uint16_t)(1U << evacuation.next);
}

uintptr_t cn_evacuation_visit(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address)
{
  size_t block = cn_tables_block(address - CAIRN_ABI_HEADER_SIZE);
  uintptr_t from = cn_tables_address(block);
  uint16_t group = cn_tables_group(block);

  if (group == 0 || (address & cn_cycle.words.mask) != 0)
    return address;
  if (cn_tables_state(block) != CN_BLOCK_SOURCE) {
    cn_evacuation_note((uintptr_t)slot, group);
    return address;
  }
  if (address % CAIRN_ABI_OBJECT_ALIGN != 0 || !cn_tables_starts(address))
    cn_trace_nothing_there(slot, address);
  return cn_trace_evacuate(tracer, slot, address, from, from + CN_BLOCK);
}

static void copy_block(struct cn_tracer *tracer, size_t block)
{
  uintptr_t next = cn_tables_address(block), end = next + CN_BLOCK, object;

  for (; (object = cn_tables_next_start(next, end)) != 0; next = object) {
    uintptr_t reference = object + cn_cycle.words.reference;
    cn_trace_visit(tracer, (struct cairn_slot){&reference});
    CN_ASSERT(reference - cn_cycle.words.reference != object);
  }
  cn_trace_drain(tracer);
}

/* A block with a pinned object is in another state by now, and stays. */
void cn_evacuation_copy(struct cn_tracer *tracer)
{
  size_t end = evacuation.ends[evacuation.next];

  while (cn_cycle.shared || !cn_trace_is_over(tracer)) {
    size_t i = __atomic_fetch_add(&evacuation.taken, 1, __ATOMIC_RELAXED);
    if (i >= end)
      return;
    if (cn_tables_state(evacuation.at[i].block) == CN_BLOCK_SOURCE)
      copy_block(tracer, evacuation.at[i].block);
  }
}

/* ---- at the end of a collection ---- */

static void note_pace(size_t bytes, uint64_t took)
{
  uint64_t now = took <= UINT64_MAX / 1000 ? took * 1000 / (bytes + CN_BLOCK) : UINT64_MAX / 1000;
  if (now > evacuation.slowest)
    evacuation.slowest = now;
}

struct cn_evacuated cn_evacuation_done(uint64_t took)
{
  struct cn_evacuated evacuated = {0, 0};

  CN_CHECK(evacuation.due);
  for (size_t i = first_of(evacuation.next); i < evacuation.ends[evacuation.next]; i++) {
    struct candidate *candidate = &evacuation.at[i];
    if (cn_tables_state(candidate->block) == CN_BLOCK_SOURCE) {
      evacuated.bytes += candidate->bytes;
      evacuated.lines += lines_of(candidate->block) * CN_LINE;
      cn_tables.groups[candidate->block] = 0;
      cn_blocks_empty(candidate->block);
    } else if (cn_tables.groups[candidate->block] != 0) {
      drop_candidate(candidate);
    }
  }
  note_pace(evacuated.bytes + evacuation.cards[evacuation.next] * CARD_COST, took);
  evacuation.due = false;
  if (++evacuation.next == evacuation.groups)
    cn_evacuation_end();
  return evacuated;
}
