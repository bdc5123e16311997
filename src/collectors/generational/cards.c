/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans, visits and cleans cards; a dirty card is a part of an old object that the program has stored to. The file owns
 * only the tasks of a visit (`card_tasks`); the cards are in space/tables.h. Phase STOP: the collecting thread scans
 * the card table for dirty blocks, and any number of tracers visit cards, whose tasks they take atomically; allocation
 * also calls cn_cards_clean_range() in phase MUTATE, under the nursery's lock. Card bytes are read eight or more at a
 * time, because few cards are dirty. Dirty cards outside of old objects and of large objects that were reached mean
 * nothing, and are not visited.
 */
#include "collectors/generational/cards.h"

#include <string.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/generational/large_objects.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/space/tables.h"
#include "collectors/large_space.h"
#include "runtime/os/os.h"

enum {
  CARD_GROUP_BYTES = 8 * CN_CARD_BYTES,
  CARD_TASK_BYTES = 1 << 20,
  CARD_TASK_BLOCKS = CARD_TASK_BYTES / CN_BLOCK_BYTES,
  QUEUED_CARDS = 8,
  PREFETCH_LINE_BYTES = 64,
  CARD_PREFETCH_BYTES = 16 * CN_BLOCK_BYTES /* bytes of heap whose cards take one KiB */
};

/* The tasks of a visit. Blocks come first, then old large objects with references. */
static struct {
  size_t low, high; /* blocks */
  size_t next;      /* the next task */
  bool scanned;     /* cn_tables.dirty says which blocks have dirty cards */
  uint64_t time;    /* nanoseconds of the scan */
  size_t blocks;    /* blocks with objects, by the last scan */
  uint16_t group;   /* visit cards that point to blocks of this group, or, if 0, dirty cards */
} card_tasks;

/* Visits a card; `large` is the block of the card's large object, or 0. */
typedef void card_visitor(struct cn_tracer *tracer, uintptr_t large, uintptr_t card);

/* The dirty cards that a tracer has found and prefetched, and will visit in this order. Dirty cards lie far from each
 * other, so that the first access to a card would take longer than the visit. */
struct card_queue {
  uintptr_t at[QUEUED_CARDS];
  size_t first, count;
};

static uintptr_t take_oldest_card(struct card_queue *queue)
{
  uintptr_t card = queue->at[queue->first];

  CN_ASSERT(queue->count != 0);
  queue->first = (queue->first + 1) % QUEUED_CARDS;
  queue->count--;
  return card;
}

/* Adds a card to a queue that is not full. */
static void queue_card(struct card_queue *queue, uintptr_t card)
{
  CN_ASSERT(queue->count < QUEUED_CARDS);
  for (uintptr_t at = card; at < card + CN_CARD_BYTES; at += PREFETCH_LINE_BYTES)
    __builtin_prefetch((const void *)at);
  queue->at[(queue->first + queue->count++) % QUEUED_CARDS] = card;
}

static void visit_card(struct cn_tracer *tracer, uintptr_t large, uintptr_t card, card_visitor *visit)
{
  size_t objects = tracer->objects;

  visit(tracer, large, card);
  tracer->cards++;
  tracer->useful_cards += tracer->objects != objects;
  tracer->objects_from_cards += tracer->objects - objects;
}

static void clean_and_queue_group(struct cn_tracer *tracer, uintptr_t large, uintptr_t group, card_visitor *visit,
                                  struct card_queue *queue)
{
  unsigned char *cards = cn_tables_cards_of(group);

  for (uintptr_t i = 0; i < CARD_GROUP_BYTES / CN_CARD_BYTES; i++)
    if (cards[i] != 0) {
      cards[i] = 0;
      if (queue->count == QUEUED_CARDS)
        visit_card(tracer, large, take_oldest_card(queue), visit);
      queue_card(queue, group + i * CN_CARD_BYTES);
    }
}

static void visit_queued_cards(struct cn_tracer *tracer, uintptr_t large, card_visitor *visit, struct card_queue *queue)
{
  while (queue->count != 0)
    visit_card(tracer, large, take_oldest_card(queue), visit);
}

/* A vector register of cards: with words of 8 cards GCC's loop takes twice as long. */
typedef uint64_t card_vector __attribute__((vector_size(16), may_alias));

static bool is_block_clean(uintptr_t block)
{
  const card_vector *cards = (const card_vector *)cn_tables_cards_of(block);

  CN_ASSERT(block % CN_BLOCK_BYTES == 0 && (uintptr_t)cards % sizeof *cards == 0);
  _Static_assert(CN_CARDS_PER_BLOCK == 4 * sizeof *cards, "all cards of a block");
  card_vector any = cards[0] | cards[1] | cards[2] | cards[3];
  return (any[0] | any[1]) == 0;
}

static bool are_scanned_clean(uintptr_t from, size_t blocks)
{
  static const uint8_t clean[CARD_TASK_BLOCKS];

  CN_ASSERT(card_tasks.scanned && blocks <= CARD_TASK_BLOCKS);
  return memcmp(cn_tables_dirty_flag_of(from), clean, blocks) == 0;
}

/* The number of clean blocks to skip at `from`: all `blocks` blocks, the first block, or 0. `blocks` is at most the
 * number of blocks of a task. */
static size_t count_clean_blocks(uintptr_t from, size_t blocks)
{
  if (blocks == 0)
    return 0;
  if (!card_tasks.scanned)
    return is_block_clean(from);
  return are_scanned_clean(from, blocks) ? blocks : *cn_tables_dirty_flag_of(from) == 0;
}

static void visit_dirty_cards(struct cn_tracer *tracer, uintptr_t large, uintptr_t from, uintptr_t to,
                              card_visitor *visit)
{
  struct card_queue queue = {.count = 0};

  CN_ASSERT(from % CARD_GROUP_BYTES == 0 && to % CARD_GROUP_BYTES == 0);
  for (uintptr_t group = from; group < to; group += CARD_GROUP_BYTES) {
    uint64_t cards;
    size_t clean = group % CN_BLOCK_BYTES == 0 ? count_clean_blocks(group, (to - group) / CN_BLOCK_BYTES) : 0;
    if (clean != 0) {
      group += clean * CN_BLOCK_BYTES - CARD_GROUP_BYTES;
      continue;
    }
    memcpy(&cards, cn_tables_cards_of(group), sizeof cards);
    if (cards != 0)
      clean_and_queue_group(tracer, large, group, visit, &queue);
  }
  visit_queued_cards(tracer, large, visit, &queue);
}

/* Other threads may set bits of other groups at the same time. */
static bool points_to_evacuated_group(const uint16_t *groups)
{
  return (__atomic_load_n(groups, __ATOMIC_RELAXED) & card_tasks.group) != 0;
}

/* Visits the cards whose fields may point to evacuated blocks. */
static void visit_remembered_cards(struct cn_tracer *tracer, uintptr_t large, uintptr_t from, uintptr_t to,
                                   card_visitor *visit)
{
  CN_ASSERT(from % CN_CARD_BYTES == 0 && card_tasks.group != 0);
  for (uintptr_t card = from; card < to; card += CN_CARD_BYTES)
    if (!points_to_evacuated_group(cn_tables_block_target_groups(card)))
      card |= CN_BLOCK_BYTES - CN_CARD_BYTES;
    else if (points_to_evacuated_group(cn_tables_card_target_groups(card)))
      visit_card(tracer, large, card, visit);
}

static void visit_cards(struct cn_tracer *tracer, uintptr_t large, uintptr_t from, uintptr_t to, card_visitor *visit)
{
  if (card_tasks.group != 0)
    visit_remembered_cards(tracer, large, from, to, visit);
  else
    visit_dirty_cards(tracer, large, from, to, visit);
}

/* Visits the slots in [from, to) of an object. An object whose layout was unloaded with an image is garbage. */
static void visit_object_within(struct cn_tracer *tracer, uintptr_t object, uintptr_t from, uintptr_t to, bool greys)
{
  uintptr_t header = __atomic_load_n(cairn_object_header(object), __ATOMIC_RELAXED);

  if (!cairn_header_is_gone(header))
    cn_trace_visit_slots_within(tracer, object, cn_trace_layout_of(tracer, NULL, object), from, to, greys);
}

static void visit_object_in_card(struct cn_tracer *tracer, uintptr_t object, uintptr_t card, bool greys)
{
  visit_object_within(tracer, object, card, card + CN_CARD_BYTES, greys);
}

/* True if the marker misses a reference that the program stored to the card of a marked object, unless the tracer
 * passes the object that the reference points to. Before its first step the marker has missed nothing. */
static bool passes_targets(uintptr_t large, uintptr_t card)
{
  return cn_trace_cycle.marks && cn_marker.scanned && !cn_marker_rescan_later(large, card);
}

static void visit_large_card(struct cn_tracer *tracer, uintptr_t large, uintptr_t card)
{
  uintptr_t object = cn_large_objects_payload_of(large);

  visit_object_in_card(tracer, object, card, passes_targets(object, card));
}

/* True if the object is in an evacuated block, where it may have been copied already. All objects of an evacuated block
 * end within the block. */
static bool is_in_source_block(uintptr_t object)
{
  return cn_tables_block_state(cn_tables_block_of(object - CAIRN_ABI_HEADER_SIZE)) == CN_BLOCK_SOURCE;
}

/* Visits the objects of the card that have a word that may be a reference to a young object. Most cards have a single
 * such word, and the search for it takes less time than a visit of all objects. */
static void visit_young_words(struct cn_tracer *tracer, uintptr_t card)
{
  uintptr_t end = card + CN_CARD_BYTES, word = cn_trace_next_young_word(card, end);

  while (word < end) {
    uintptr_t object = cn_tables_last_object_before(word);
    if (object != 0)
      visit_object_within(tracer, object, word, end, false);
    uintptr_t next = cn_tables_next_object_within(word, end);
    word = next == 0 ? end : cn_trace_next_young_word(next, end);
  }
}

/* Visits the objects of a block that reach into the card; the first object may begin on an earlier card. If a header is
 * the last word of a card, its payload is on the next card. */
static void visit_block_card(struct cn_tracer *tracer, uintptr_t none, uintptr_t card)
{
  uintptr_t object = cn_tables_last_object_before(card), next = card;
  bool greys = passes_targets(0, card);

  CN_ASSERT(none == 0);
  if (!cn_trace_cycle.shared && !greys && !cn_trace_cycle.notes) {
    visit_young_words(tracer, card);
    return;
  }
  if (object != 0 && !is_in_source_block(object))
    visit_object_in_card(tracer, object, card, greys);
  while ((object = cn_tables_next_object_within(next, card + CN_CARD_BYTES)) != 0) {
    visit_object_in_card(tracer, object, card, greys);
    next = object;
  }
}

/* ---- the scan of all cards, whose time depends only on the size of the old space ---- */

/* The loop prefetches cards, because the processor's own prefetches stop at the end of a 4 KiB page. */
static void scan_for_dirty_blocks(uintptr_t from, uintptr_t to)
{
  for (; from < to; from += CN_BLOCK_BYTES) {
    __builtin_prefetch(cn_tables_cards_of(from + CARD_PREFETCH_BYTES));
    *cn_tables_dirty_flag_of(from) = !is_block_clean(from);
  }
}

static void scan_all_cards(void)
{
  uintptr_t large, end;

  card_tasks.blocks = 0;
  for (size_t block = card_tasks.low, next; block < card_tasks.high; block = next) {
    next = cn_blocks_next_row_with_objects(&block, card_tasks.high);
    scan_for_dirty_blocks(cn_tables_block_address(block), cn_tables_block_address(next));
    card_tasks.blocks += next - block;
  }
  for (size_t i = 0; (large = cn_large_objects_old_with_references(i)) != 0; i++) {
    CN_CHECK(cn_large_find_block(large, &end) == large);
    scan_for_dirty_blocks((large + CN_BLOCK_BYTES - 1) & ~(uintptr_t)(CN_BLOCK_BYTES - 1),
                          end & ~(uintptr_t)(CN_BLOCK_BYTES - 1));
  }
}

uint64_t cn_cards_scan_time(void)
{
  return card_tasks.time;
}

size_t cn_cards_scanned_bytes(void)
{
  return card_tasks.blocks * CN_BLOCK_BYTES;
}

/* ---- tasks ---- */

void cn_cards_begin_visits(uint16_t group)
{
  cn_blocks_bounds(&card_tasks.low, &card_tasks.high);
  card_tasks.next = 0;
  card_tasks.group = group;
  if (group != 0)
    return;
  card_tasks.scanned = cairn_pause_goal() != 0;
  card_tasks.time = 0;
  if (!card_tasks.scanned)
    return;
  uint64_t begun = cn_os_thread_processor_time(cn_os_thread());
  cairn_phase_begins("scan");
  scan_all_cards();
  cairn_phase_ends("scan");
  card_tasks.time = cn_os_thread_processor_time(cn_os_thread()) - begun;
}

/* Evacuated blocks are left out, because their objects have been copied. */
static void visit_block_cards(struct cn_tracer *tracer, size_t first)
{
  size_t count = card_tasks.high - first < CARD_TASK_BLOCKS ? card_tasks.high - first : CARD_TASK_BLOCKS;

  if (card_tasks.scanned && card_tasks.group == 0 && are_scanned_clean(cn_tables_block_address(first), count))
    return;
  for (size_t block = first; block < first + count; block++)
    if (cn_blocks_block_has_objects(block) && cn_tables_block_state(block) != CN_BLOCK_SOURCE) {
      uintptr_t at = cn_tables_block_address(block);
      visit_cards(tracer, 0, at, at + CN_BLOCK_BYTES, visit_block_card);
      cn_trace_drain_stack(tracer);
    }
}

/* An old large object with references, and its first task. */
struct large_object_position {
  size_t object, first;
};

/* Advances *at to the object that task `part` belongs to. Returns the object's block, with its end in *end, or 0 if
 * there are fewer tasks. */
static uintptr_t find_large_object_of_task(struct large_object_position *at, size_t part, uintptr_t *end)
{
  for (uintptr_t block; (block = cn_large_objects_old_with_references(at->object)) != 0; at->object++) {
    CN_CHECK(cn_large_find_block(block, end) == block);
    size_t count = (*end - block + CARD_TASK_BYTES - 1) / CARD_TASK_BYTES;
    if (part < at->first + count)
      return block;
    at->first += count;
  }
  return 0;
}

static bool visit_large_object_task(struct cn_tracer *tracer, struct large_object_position *at, size_t part)
{
  uintptr_t end, large = find_large_object_of_task(at, part, &end);

  if (large == 0)
    return false;
  CN_ASSERT(cn_large_is_marked(large));
  if (!cn_large_objects_is_young(large)) {
    uintptr_t from = large + (part - at->first) * CARD_TASK_BYTES;
    visit_cards(tracer, large, from, end - from > CARD_TASK_BYTES ? from + CARD_TASK_BYTES : end, visit_large_card);
  }
  return true;
}

void cn_cards_push_large_object(struct cn_tracer *tracer, uintptr_t object, size_t from)
{
  const uintptr_t entry[] = {from << 1 | 1, object | 1};

  cn_trace_push_entries(tracer, entry, 2);
}

/* The first dirty card group of [at, end), or `end`. */
static uintptr_t next_dirty_group(uintptr_t at, uintptr_t end)
{
  uint64_t cards = 0;

  CN_ASSERT(at % CARD_GROUP_BYTES == 0 && at <= end);
  while (at < end && cards == 0) {
    if (at % CN_BLOCK_BYTES == 0 && end - at >= CN_BLOCK_BYTES && is_block_clean(at)) {
      at += CN_BLOCK_BYTES;
      continue;
    }
    memcpy(&cards, cn_tables_cards_of(at), sizeof cards);
    at += cards == 0 ? CARD_GROUP_BYTES : 0;
  }
  return at;
}

/* Visits one group of dirty cards. The stack entry of the remaining cards lies below the objects that this group points
 * to. */
void cn_cards_visit_new_large(struct cn_tracer *tracer, uintptr_t object, size_t from)
{
  uintptr_t end, block = cn_large_find_block(object - CAIRN_ABI_HEADER_SIZE, &end);
  uintptr_t at = next_dirty_group(block + from, end);

  CN_CHECK(block != 0 && cn_large_objects_is_young(block));
  if (at == end)
    return;
  uintptr_t next = next_dirty_group(at + CARD_GROUP_BYTES, end);
  if (next != end)
    cn_cards_push_large_object(tracer, object, next - block);
  struct card_queue queue = {.count = 0};
  clean_and_queue_group(tracer, block, at, visit_large_card, &queue);
  visit_queued_cards(tracer, block, visit_large_card, &queue);
}

void cn_cards_visit_dirty(struct cn_tracer *tracer)
{
  size_t blocks = card_tasks.high > card_tasks.low ? (card_tasks.high - card_tasks.low - 1) / CARD_TASK_BLOCKS + 1 : 0;
  struct large_object_position large = {0, blocks};

  while (cn_trace_cycle.shared || !cn_trace_wants_helpers(tracer)) {
    size_t part = __atomic_fetch_add(&card_tasks.next, 1, __ATOMIC_RELAXED);
    if (part < blocks)
      visit_block_cards(tracer, card_tasks.low + part * CARD_TASK_BLOCKS);
    else if (!visit_large_object_task(tracer, &large, part))
      return;
    cn_trace_drain_stack(tracer);
  }
}

void cn_cards_clean_range(uintptr_t from, uintptr_t to)
{
  CN_ASSERT(from % CARD_GROUP_BYTES == 0 && to % CARD_GROUP_BYTES == 0);
  for (uintptr_t group = from; group < to; group += CARD_GROUP_BYTES)
    memset(cn_tables_cards_of(group), 0, CARD_GROUP_BYTES / CN_CARD_BYTES);
}

void cn_cards_clean_all(void)
{
  size_t low, high;
  uintptr_t end;

  cn_blocks_bounds(&low, &high);
  for (size_t block = low; (block = cn_blocks_next_with_memory(block, high)) < high; block++)
    if (cn_blocks_block_has_objects(block))
      cn_cards_clean_range(cn_tables_block_address(block), cn_tables_block_address(block + 1));
  for (uintptr_t block = 0; (block = cn_large_next_block(block)) != 0;) {
    CN_CHECK(cn_large_find_block(block, &end) == block);
    cn_cards_clean_range(block, end);
  }
}

bool cn_cards_is_dirty(uintptr_t address)
{
  return cn_tables.cards[address / CN_CARD_BYTES & cn_tables.mask] != 0;
}
