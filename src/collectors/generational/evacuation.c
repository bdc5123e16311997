/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses sparse blocks of the old space, notes the cards that point to them, and evacuates the blocks during young
 * collections. The file owns the plan (`evacuation_plan`: the chosen blocks, their groups, and measured times) and two
 * switches of tests. Phase STOP, the collecting thread; tracers call cn_evacuation_keep_block(),
 * cn_evacuation_visit_old_slot() and cn_evacuation_copy_group() in parallel. Tracers, and the marker's steps in phase
 * MUTATE, note cards by atomic operations. The file takes no lock.
 *
 * A group is limited so that its evacuation, with the visit of the cards that point to the group, takes a third of a
 * pause, by the times of the last groups. A group that has grown to more than twice its limit is dropped. A block is
 * kept if the size of one of its objects is unknown, or if a root of a stack points to it and later young collections
 * leave out this root.
 */
#include "collectors/generational/evacuation.h"

#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/generational/space/blocks.h"
#include "collectors/generational/concurrent.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/space/tables.h"
#include "collectors/generational/tracers.h"
#include "collectors/large_space.h"

enum {
  MAX_EVACUATION_GROUPS = 16,
  MAX_CANDIDATE_BLOCKS = 1024,   /* blocks of all groups */
  MAX_EXAMINED_BLOCKS = 1 << 16, /* blocks that one marking examines */
  GROUP_PAUSE_SHARE = 3,         /* a group gets one part in this many of a pause */
  MIN_GROUP_NANOSECONDS = 200000,
  FIRST_PICOSECONDS_PER_BYTE = 4000, /* initially */
  PACE_DECAY_PART = 4,               /* each marking forgets this part of the slowest pace */
  CARD_COST_BYTES = 128,             /* bytes of objects whose copies take as long as the visit of a card */
  FIRST_CARDS_PER_BYTE = 4           /* initially */
};

size_t cn_evacuation_max_quarters = 2;
bool cn_evacuation_picks_at_random;

struct candidate {
  size_t block;
  size_t bytes;
  bool holes; /* the block was in state HOLES: if it is kept, copies may fill its holes again, even before a sweep */
};

static struct {
  struct candidate at[MAX_CANDIDATE_BLOCKS];
  size_t ends[MAX_EVACUATION_GROUPS];  /* index after the last candidate of each group */
  size_t cards[MAX_EVACUATION_GROUPS]; /* noted cards that point to the group */
  size_t groups;                       /* number of groups; 0 means that cards are not noted */
  size_t top;                          /* the next marking examines blocks below this block */
  size_t next;                         /* the group to evacuate next */
  bool due;                            /* this collection evacuates the group `next` */
  size_t taken;                        /* index of the next candidate for a tracer */
  uint64_t slowest;                    /* picoseconds for a byte of objects or of cards */
  size_t ratio;                        /* cost of cards for each byte of objects, as bytes */
} evacuation_plan = {.slowest = FIRST_PICOSECONDS_PER_BYTE, .ratio = FIRST_CARDS_PER_BYTE};

static uint64_t group_time_limit(void)
{
  uint64_t part = cairn_full_pause_goal() / GROUP_PAUSE_SHARE;

  if (cn_evacuation_picks_at_random)
    return UINT32_MAX;
  return part > MIN_GROUP_NANOSECONDS ? part : MIN_GROUP_NANOSECONDS;
}

/* The limit of a group, in bytes, including the cost of cards. */
static size_t max_group_bytes(void)
{
  CN_ASSERT(evacuation_plan.slowest != 0);
  return group_time_limit() * 1000 / evacuation_plan.slowest;
}

static void decay_slowest_pace(void)
{
  evacuation_plan.slowest -= evacuation_plan.slowest / PACE_DECAY_PART;
  if (evacuation_plan.slowest == 0)
    evacuation_plan.slowest = 1;
}

static size_t first_candidate_of(size_t group)
{
  CN_ASSERT(group < MAX_EVACUATION_GROUPS);
  return group == 0 ? 0 : evacuation_plan.ends[group - 1];
}

/* ---- candidates ---- */

static size_t count_block_lines(size_t block)
{
  size_t count = 0;

  for (size_t i = block * CN_LINES_PER_BLOCK; i < (block + 1) * CN_LINES_PER_BLOCK; i++)
    count += cn_tables.lines[i] != 0;
  return count;
}

static bool is_worth_evacuation(size_t bytes)
{
  return cn_evacuation_picks_at_random || bytes <= cn_evacuation_max_quarters * CN_BLOCK_BYTES / 4;
}

static bool may_be_candidate(size_t block)
{
  enum cn_block_state state = cn_tables_block_state(block);

  return (state == CN_BLOCK_HOLES || state == CN_BLOCK_USED) &&
         (!cn_evacuation_picks_at_random || cn_trace_cycle.number * block % 7 < 2);
}

/* Adds the block to the last group, or to a new group. Returns false if all groups are full. */
static bool add_candidate(size_t block, size_t bytes, size_t *sum)
{
  size_t most = cn_evacuation_picks_at_random ? CN_BLOCK_BYTES : max_group_bytes() / (1 + evacuation_plan.ratio);

  if (evacuation_plan.groups == 0 || *sum + bytes > most) {
    if (evacuation_plan.groups == MAX_EVACUATION_GROUPS)
      return false;
    evacuation_plan.ends[evacuation_plan.groups] = first_candidate_of(evacuation_plan.groups);
    evacuation_plan.cards[evacuation_plan.groups++] = 0;
    *sum = 0;
  }
  size_t *end = &evacuation_plan.ends[evacuation_plan.groups - 1];
  if (*end == MAX_CANDIDATE_BLOCKS)
    return false;
  evacuation_plan.at[(*end)++] = (struct candidate){block, 0, cn_tables_block_state(block) == CN_BLOCK_HOLES};
  cn_tables.groups[block] = (uint16_t)(1U << (evacuation_plan.groups - 1));
  cn_tables_set_block_state(block, CN_BLOCK_USED);
  *sum += bytes;
  return true;
}

void cn_evacuation_choose_blocks(void)
{
  size_t low, high, sum = 0;

  CN_CHECK(cn_marker.on && evacuation_plan.groups == 0);
  decay_slowest_pace();
  cn_blocks_bounds(&low, &high);
  cn_tracers_drop_cursors();
  if (evacuation_plan.top <= low || evacuation_plan.top > high)
    evacuation_plan.top = high;
  evacuation_plan.next = 0;
  for (size_t i = 0; evacuation_plan.top > low && i < MAX_EXAMINED_BLOCKS; i++) {
    size_t block = --evacuation_plan.top, bytes = cn_tables.filled[block];
    if (may_be_candidate(block) && is_worth_evacuation(bytes) && !add_candidate(block, bytes, &sum))
      break;
  }
  memset(&cn_tables.filled[low], 0, (high - low) * sizeof cn_tables.filled[0]);
}

/* Keeps the block: copies may again fill the holes that the last sweep found. */
static void drop_candidate(const struct candidate *candidate)
{
  bool swept = !cn_marker.on && cn_concurrent_is_swept();

  cn_tables.groups[candidate->block] = 0;
  if (candidate->holes || swept)
    cn_blocks_reopen_holes(candidate->block);
}

static void drop_group(size_t group)
{
  for (size_t i = first_candidate_of(group); i < evacuation_plan.ends[group]; i++)
    if (cn_tables.groups[evacuation_plan.at[i].block] != 0)
      drop_candidate(&evacuation_plan.at[i]);
}

static void forget_noted_cards(uintptr_t from, uintptr_t to)
{
  CN_ASSERT(from < to && from % CN_CARD_BYTES == 0);
  memset(cn_tables_card_target_groups(from), 0, (to - from + CN_CARD_BYTES - 1) / CN_CARD_BYTES * sizeof(uint16_t));
  for (; from < to; from = (from | (CN_BLOCK_BYTES - 1)) + 1)
    *cn_tables_block_target_groups(from) = 0;
}

void cn_evacuation_forget_groups(void)
{
  size_t low, high;
  uintptr_t end;

  if (evacuation_plan.groups == 0)
    return;
  for (size_t group = 0; group < evacuation_plan.groups; group++)
    drop_group(group);
  cn_blocks_bounds(&low, &high);
  for (size_t block = low; block < high; block++)
    if (cn_blocks_block_has_objects(block))
      forget_noted_cards(cn_tables_block_address(block), cn_tables_block_address(block + 1));
  for (uintptr_t block = 0; (block = cn_large_next_block(block)) != 0;) {
    CN_CHECK(cn_large_find_block(block, &end) == block);
    forget_noted_cards(block, end);
  }
  evacuation_plan.groups = 0;
  evacuation_plan.due = false;
}

/* ---- roots ---- */

void cn_evacuation_keep_block(uintptr_t address)
{
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE;

  if (evacuation_plan.groups == 0 || (address & cairn_words.mask) != 0 || !cn_tables_is_in_old_space(header))
    return;
  size_t block = cn_tables_block_of(header);
  if (cn_tables_block_state(block) != CN_BLOCK_SOURCE && cn_tables_evacuation_group_of(block) != 0)
    __atomic_store_n(&cn_tables.groups[block], 0, __ATOMIC_RELAXED);
}

/* ---- cards ---- */

bool cn_evacuation_notes_cards(void)
{
  return evacuation_plan.groups != 0 && !cn_marker.on;
}

bool cn_evacuation_is_group_due(void)
{
  return evacuation_plan.due;
}

void cn_evacuation_note_card(uintptr_t slot, uint16_t groups)
{
  if (slot - cn_tables.base >= cn_tables.end - cn_tables.base)
    return;
  uint16_t *leads = cn_tables_card_target_groups(slot), *leading = cn_tables_block_target_groups(slot);
  if ((__atomic_load_n(leads, __ATOMIC_RELAXED) & __atomic_load_n(leading, __ATOMIC_RELAXED) & groups) == groups)
    return;
  __atomic_fetch_or(leading, groups, __ATOMIC_RELAXED);
  unsigned new = groups & ~(unsigned)__atomic_fetch_or(leads, groups, __ATOMIC_RELAXED);
  for (; new != 0; new &= new - 1)
    __atomic_fetch_add(&evacuation_plan.cards[__builtin_ctz(new)], 1, __ATOMIC_RELAXED);
}

void cn_evacuation_note_weak_fields(uintptr_t object, const struct cairn_layout *layout, uintptr_t from, uintptr_t to)
{
  uint64_t bytes;
  uint16_t all = (uint16_t)((1U << evacuation_plan.groups) - 1);

  if (all == 0)
    return;
  CN_CHECK(cairn_object_payload(object, layout, &bytes) == CAIRN_OK);
  if (to > object + bytes)
    to = object + bytes;
  for (uintptr_t at = from > object ? from : object; at < to; at = (at | (CN_CARD_BYTES - 1)) + 1)
    cn_evacuation_note_card(at, all);
}

/* ---- at the start of a collection ---- */

/* The end of an old object, or 0 if its layout is gone. */
static uintptr_t old_object_end(uintptr_t object)
{
  uintptr_t header = *cairn_object_header(object);
  const struct cairn_layout *layout = cairn_header_layout(header);
  uint64_t bytes;

  if (!cairn_layout_is_known(layout) || cairn_object_payload(object, layout, &bytes) != CAIRN_OK)
    return 0;
  return object + bytes;
}

/* Adds up the bytes of the block's objects. Returns false if the size of an object is unknown, or if an object crosses
 * the block's bounds. */
static bool add_up_block_objects(struct candidate *candidate)
{
  uintptr_t from = cn_tables_block_address(candidate->block), to = from + CN_BLOCK_BYTES,
            object = cn_tables_last_object_before(from), next = from;

  candidate->bytes = 0;
  if (object != 0 && (old_object_end(object) == 0 || old_object_end(object) > from))
    return false;
  while ((object = cn_tables_next_object_within(next, to)) != 0) {
    uintptr_t end = old_object_end(object);
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

static size_t add_up_group_objects(void)
{
  size_t bytes = 0;

  for (size_t i = first_candidate_of(evacuation_plan.next); i < evacuation_plan.ends[evacuation_plan.next]; i++) {
    struct candidate *candidate = &evacuation_plan.at[i];
    if (cn_tables.groups[candidate->block] == 0)
      continue;
    if (cn_tables_block_state(candidate->block) == CN_BLOCK_USED && add_up_block_objects(candidate) &&
        is_worth_evacuation(candidate->bytes))
      bytes += candidate->bytes;
    else
      drop_candidate(candidate);
  }
  return bytes;
}

static void note_card_cost_ratio(size_t bytes, size_t cards)
{
  size_t now = cards * CARD_COST_BYTES / (bytes + 1);

  evacuation_plan.ratio = (evacuation_plan.ratio + now + 1) / 2;
}

size_t cn_evacuation_next_group_bytes(void)
{
  if (!cn_evacuation_notes_cards() || !cn_concurrent_is_swept())
    return 0;
  for (; evacuation_plan.next < evacuation_plan.groups; evacuation_plan.next++) {
    size_t bytes = add_up_group_objects(), cards = evacuation_plan.cards[evacuation_plan.next];
    if (bytes == 0)
      continue;
    note_card_cost_ratio(bytes, cards);
    if (bytes + cards * CARD_COST_BYTES <= 2 * max_group_bytes())
      return bytes;
    drop_group(evacuation_plan.next);
  }
  cn_evacuation_forget_groups();
  return 0;
}

void cn_evacuation_begin_group(bool memory)
{
  CN_CHECK(evacuation_plan.next < evacuation_plan.groups && !evacuation_plan.due);
  if (!memory) {
    cn_evacuation_forget_groups();
    return;
  }
  for (size_t i = first_candidate_of(evacuation_plan.next); i < evacuation_plan.ends[evacuation_plan.next]; i++)
    if (cn_tables.groups[evacuation_plan.at[i].block] != 0)
      cn_tables_set_block_state(evacuation_plan.at[i].block, CN_BLOCK_SOURCE);
  evacuation_plan.taken = first_candidate_of(evacuation_plan.next);
  evacuation_plan.due = true;
}

/* ---- within a collection ---- */

uint16_t cn_evacuation_group_bit(void)
{
  CN_CHECK(evacuation_plan.due);
  return (uint16_t)(1U << evacuation_plan.next);
}

uintptr_t cn_evacuation_visit_old_slot(struct cn_tracer *tracer, const uintptr_t *slot, uintptr_t address)
{
  size_t block = cn_tables_block_of(address - CAIRN_ABI_HEADER_SIZE);
  uintptr_t from = cn_tables_block_address(block);
  uint16_t group = cn_tables_evacuation_group_of(block);

  if (group == 0 || (address & cn_trace_cycle.words.mask) != 0)
    return address;
  if (cn_tables_block_state(block) != CN_BLOCK_SOURCE) {
    cn_evacuation_note_card((uintptr_t)slot, group);
    return address;
  }
  if (address % CAIRN_ABI_OBJECT_ALIGN != 0 || !cn_tables_is_object_start(address))
    cn_trace_die_nothing_there(slot, address);
  return cn_trace_evacuate(tracer, slot, address, from, from + CN_BLOCK_BYTES);
}

static void copy_block_objects(struct cn_tracer *tracer, size_t block)
{
  uintptr_t next = cn_tables_block_address(block), end = next + CN_BLOCK_BYTES, object;

  for (; (object = cn_tables_next_object_within(next, end)) != 0; next = object) {
    uintptr_t reference = object + cn_trace_cycle.words.reference;
    cn_trace_visit_slot(tracer, (struct cairn_slot){&reference});
    CN_ASSERT(reference - cn_trace_cycle.words.reference != object);
  }
  cn_trace_drain_stack(tracer);
}

/* Copies the group's blocks, except blocks with pinned objects, which are no longer in state SOURCE. */
void cn_evacuation_copy_group(struct cn_tracer *tracer)
{
  size_t end = evacuation_plan.ends[evacuation_plan.next];

  while (cn_trace_cycle.shared || !cn_trace_wants_helpers(tracer)) {
    size_t i = __atomic_fetch_add(&evacuation_plan.taken, 1, __ATOMIC_RELAXED);
    if (i >= end)
      return;
    if (cn_tables_block_state(evacuation_plan.at[i].block) == CN_BLOCK_SOURCE)
      copy_block_objects(tracer, evacuation_plan.at[i].block);
  }
}

/* ---- at the end of a collection ---- */

static void note_evacuation_pace(size_t bytes, uint64_t took)
{
  uint64_t now = took <= UINT64_MAX / 1000 ? took * 1000 / (bytes + CN_BLOCK_BYTES) : UINT64_MAX / 1000;
  if (now > evacuation_plan.slowest)
    evacuation_plan.slowest = now;
}

struct cn_evacuation_result cn_evacuation_end_group(uint64_t took)
{
  struct cn_evacuation_result evacuated = {0, 0};

  CN_CHECK(evacuation_plan.due);
  for (size_t i = first_candidate_of(evacuation_plan.next); i < evacuation_plan.ends[evacuation_plan.next]; i++) {
    struct candidate *candidate = &evacuation_plan.at[i];
    if (cn_tables_block_state(candidate->block) == CN_BLOCK_SOURCE) {
      evacuated.bytes += candidate->bytes;
      evacuated.lines += count_block_lines(candidate->block) * CN_LINE_BYTES;
      cn_tables.groups[candidate->block] = 0;
      cn_blocks_free_emptied_source(candidate->block);
    } else if (cn_tables.groups[candidate->block] != 0) {
      drop_candidate(candidate);
    }
  }
  note_evacuation_pace(evacuated.bytes + evacuation_plan.cards[evacuation_plan.next] * CARD_COST_BYTES, took);
  evacuation_plan.due = false;
  if (++evacuation_plan.next == evacuation_plan.groups)
    cn_evacuation_forget_groups();
  return evacuated;
}
