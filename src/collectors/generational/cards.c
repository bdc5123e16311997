/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans and visits cards in young collections. Phase STOP: the collecting thread scans, any number of tracers visit.
 * Cards are scanned eight at a time or more, since few are dirty. Cards of memory without old objects may be dirty, and
 * are ignored.
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
  CARD_GROUP_BYTES = 8 * CN_CARD,
  TASK_BYTES = 1 << 20, /* bytes of heap: a tracer's task */
  PART_BLOCKS = TASK_BYTES / CN_BLOCK,
  PREFETCH_BYTES = 16 * CN_BLOCK /* bytes of heap: a KiB of cards */
};

/* Blocks come first, then large objects, marked or unmarked: the set of marked ones changes meanwhile. */
static struct {
  size_t low, high; /* blocks */
  size_t next;      /* the next task */
  bool scanned;     /* cn_tables.dirty tells which blocks have dirty cards */
  uint64_t time;    /* nanoseconds of the scan */
  uint16_t group;   /* visit cards that point to blocks of this group; 0: dirty ones */
} parts;

/* Visits a card; `large` is the block of the large object there, or 0. */
typedef void card_visitor(struct cn_tracer *tracer, uintptr_t large, uintptr_t card);

static void tell_marker(uintptr_t large, uintptr_t card)
{
  if (large == 0)
    cn_marker_again(card);
  else
    cn_marker_again_large(cn_large_objects_object(large), card, card + CN_CARD);
}

static void visit_group(struct cn_tracer *tracer, uintptr_t large, uintptr_t group, card_visitor *visit)
{
  unsigned char *cards = cn_tables_cards(group);

  for (uintptr_t i = 0; i < CARD_GROUP_BYTES / CN_CARD; i++)
    if (cards[i] != 0) {
      cards[i] = 0;
      if (cn_marker.on)
        tell_marker(large, group + i * CN_CARD);
      visit(tracer, large, group + i * CN_CARD);
    }
}

/* As wide as a vector register: with 8 cards in a word GCC's loop takes twice as long. */
typedef uint64_t card_vector __attribute__((vector_size(16), may_alias));

/* True if the 64 cards are clean that begin at `block`, a multiple of 32 KiB. */
static bool is_clean(uintptr_t block)
{
  const card_vector *cards = (const card_vector *)cn_tables_cards(block);

  CN_ASSERT(block % CN_BLOCK == 0 && (uintptr_t)cards % sizeof *cards == 0);
  _Static_assert(CN_BLOCK_CARDS == 4 * sizeof *cards, "all cards of a block");
  card_vector any = cards[0] | cards[1] | cards[2] | cards[3];
  return (any[0] | any[1]) == 0;
}

/* True if the scan has found all of the blocks clean. */
static bool are_clean(uintptr_t from, size_t blocks)
{
  static const uint8_t clean[PART_BLOCKS];

  CN_ASSERT(parts.scanned && blocks <= PART_BLOCKS);
  return memcmp(cn_tables_dirty(from), clean, blocks) == 0;
}

/* Blocks to skip, of `blocks` ones, at most a task's: all of them, the first, or 0. */
static size_t clean_blocks(uintptr_t from, size_t blocks)
{
  if (blocks == 0)
    return 0;
  if (!parts.scanned)
    return is_clean(from);
  return are_clean(from, blocks) ? blocks : *cn_tables_dirty(from) == 0;
}

static void visit_dirty(struct cn_tracer *tracer, uintptr_t large, uintptr_t from, uintptr_t to, card_visitor *visit)
{
  CN_ASSERT(from % CARD_GROUP_BYTES == 0 && to % CARD_GROUP_BYTES == 0);
  for (uintptr_t group = from; group < to; group += CARD_GROUP_BYTES) {
    uint64_t cards;
    size_t clean = group % CN_BLOCK == 0 ? clean_blocks(group, (to - group) / CN_BLOCK) : 0;
    if (clean != 0) {
      group += clean * CN_BLOCK - CARD_GROUP_BYTES;
      continue;
    }
    memcpy(&cards, cn_tables_cards(group), sizeof cards);
    if (cards != 0)
      visit_group(tracer, large, group, visit);
  }
}

/* True if the bit of the evacuated group is set. Other threads may set bits of other groups. */
static bool has_group(const uint16_t *groups)
{
  return (__atomic_load_n(groups, __ATOMIC_RELAXED) & parts.group) != 0;
}

/* Visit the cards whose fields may point to evacuated blocks. */
static void visit_leading(struct cn_tracer *tracer, uintptr_t large, uintptr_t from, uintptr_t to, card_visitor *visit)
{
  CN_ASSERT(from % CN_CARD == 0 && parts.group != 0);
  for (uintptr_t card = from; card < to; card += CN_CARD)
    if (!has_group(cn_tables_leading(card)))
      card |= CN_BLOCK - CN_CARD;
    else if (has_group(cn_tables_leads(card)))
      visit(tracer, large, card);
}

static void visit_cards(struct cn_tracer *tracer, uintptr_t large, uintptr_t from, uintptr_t to, card_visitor *visit)
{
  if (parts.group != 0)
    visit_leading(tracer, large, from, to, visit);
  else
    visit_dirty(tracer, large, from, to, visit);
}

/* An object whose layout went with an unloaded image is garbage. */
static void visit_object(struct cn_tracer *tracer, uintptr_t object, uintptr_t card)
{
  uintptr_t header = __atomic_load_n(cairn_object_header(object), __ATOMIC_RELAXED);

  if (!cairn_header_is_gone(header))
    cn_trace_slots(tracer, object, cn_trace_layout(tracer, NULL, object), card, card + CN_CARD);
}

static void visit_large(struct cn_tracer *tracer, uintptr_t large, uintptr_t card)
{
  visit_object(tracer, cn_large_objects_object(large), card);
}

/* In evacuated blocks an object may have been copied already. No object of such a block reaches into another block. */
static bool is_copied(uintptr_t object)
{
  return cn_tables_state(cn_tables_block(object - CAIRN_ABI_HEADER_SIZE)) == CN_BLOCK_SOURCE;
}

/* Visit the objects of a block that reach into the card; the first may begin on an earlier one. If a header is the last
 * word of a card, its payload is on the next. */
static void visit_card(struct cn_tracer *tracer, uintptr_t none, uintptr_t card)
{
  uintptr_t object = cn_tables_last_start(card), next = card;

  CN_ASSERT(none == 0);
  if (object != 0 && !is_copied(object))
    visit_object(tracer, object, card);
  while ((object = cn_tables_next_start(next, card + CN_CARD)) != 0) {
    visit_object(tracer, object, card);
    next = object;
  }
}

/* ---- the scan of all cards: its time depends on the old space's size alone ---- */

/* The processor's own prefetches end with a page of 4 KiB. */
static void scan_cards(uintptr_t from, uintptr_t to)
{
  for (; from < to; from += CN_BLOCK) {
    __builtin_prefetch(cn_tables_cards(from + PREFETCH_BYTES));
    *cn_tables_dirty(from) = !is_clean(from);
  }
}

static void scan_all_cards(void)
{
  uintptr_t end;

  for (size_t block = parts.low; block < parts.high; block++)
    if (cn_blocks_has_objects(block))
      scan_cards(cn_tables_address(block), cn_tables_address(block + 1));
  for (uintptr_t block = 0; (block = cn_large_next(block)) != 0;) {
    CN_CHECK(cn_large_find(block, &end) == block);
    if (cn_large_is_marked(block) && cn_large_objects_has_references(block))
      scan_cards((block + CN_BLOCK - 1) & ~(uintptr_t)(CN_BLOCK - 1), end & ~(uintptr_t)(CN_BLOCK - 1));
  }
}

uint64_t cn_cards_time(void)
{
  return parts.time;
}

/* ---- tasks ---- */

void cn_cards_begin(uint16_t group)
{
  cn_blocks_bounds(&parts.low, &parts.high);
  parts.next = 0;
  parts.group = group;
  if (group != 0)
    return;
  parts.scanned = cairn_pause_goal() != 0;
  parts.time = 0;
  if (!parts.scanned)
    return;
  uint64_t begun = cn_os_thread_ran(cn_os_thread());
  scan_all_cards();
  parts.time = cn_os_thread_ran(cn_os_thread()) - begun;
}

/* Of an evacuated block the copies are visited. */
static void visit_blocks(struct cn_tracer *tracer, size_t first)
{
  size_t count = parts.high - first < PART_BLOCKS ? parts.high - first : PART_BLOCKS;

  if (parts.scanned && parts.group == 0 && are_clean(cn_tables_address(first), count))
    return;
  for (size_t block = first; block < first + count; block++)
    if (cn_blocks_has_objects(block) && cn_tables_state(block) != CN_BLOCK_SOURCE) {
      uintptr_t at = cn_tables_address(block);
      visit_cards(tracer, 0, at, at + CN_BLOCK, visit_card);
      cn_trace_drain(tracer);
    }
}

/* A large object; `first` is its first task. */
struct place {
  uintptr_t block;
  size_t first;
};

/* The object that task `part` belongs to, at `at` or behind; `end` gets its end. 0: all tasks are taken. */
static uintptr_t find_part(struct place *at, size_t part, uintptr_t *end)
{
  if (at->block == 0)
    at->block = cn_large_next(0);
  for (; at->block != 0; at->block = cn_large_next(at->block)) {
    CN_CHECK(cn_large_find(at->block, end) == at->block);
    size_t count = (*end - at->block + TASK_BYTES - 1) / TASK_BYTES;
    if (part < at->first + count)
      return at->block;
    at->first += count;
  }
  return 0;
}

static bool visit_large_part(struct cn_tracer *tracer, struct place *at, size_t part)
{
  uintptr_t end, large = cn_large_objects.old != 0 ? find_part(at, part, &end) : 0;

  if (large == 0)
    return false;
  if (cn_large_is_marked(large) && !cn_large_objects_is_young(large) && cn_large_objects_has_references(large)) {
    uintptr_t from = large + (part - at->first) * TASK_BYTES;
    visit_cards(tracer, large, from, end - from > TASK_BYTES ? from + TASK_BYTES : end, visit_large);
  }
  return true;
}

void cn_cards_wait(struct cn_tracer *tracer, uintptr_t object, size_t from)
{
  const uintptr_t entry[] = {from << 1 | 1, object | 1};

  cn_trace_push(tracer, entry, 2);
}

/* The first dirty card group of [at, end), or `end`. */
static uintptr_t next_dirty(uintptr_t at, uintptr_t end)
{
  uint64_t cards = 0;

  CN_ASSERT(at % CARD_GROUP_BYTES == 0 && at <= end);
  while (at < end && cards == 0) {
    if (at % CN_BLOCK == 0 && end - at >= CN_BLOCK && is_clean(at)) {
      at += CN_BLOCK;
      continue;
    }
    memcpy(&cards, cn_tables_cards(at), sizeof cards);
    at += cards == 0 ? CARD_GROUP_BYTES : 0;
  }
  return at;
}

/* The remaining cards wait on the stack below the objects that this group points to. */
void cn_cards_visit_new(struct cn_tracer *tracer, uintptr_t object, size_t from)
{
  uintptr_t end, block = cn_large_find(object - CAIRN_ABI_HEADER_SIZE, &end);
  uintptr_t at = next_dirty(block + from, end);

  CN_CHECK(block != 0 && cn_large_objects_is_young(block));
  if (at == end)
    return;
  uintptr_t next = next_dirty(at + CARD_GROUP_BYTES, end);
  if (next != end)
    cn_cards_wait(tracer, object, next - block);
  visit_group(tracer, block, at, visit_large);
}

void cn_cards_visit(struct cn_tracer *tracer)
{
  size_t blocks = parts.high > parts.low ? (parts.high - parts.low - 1) / PART_BLOCKS + 1 : 0;
  struct place large = {0, blocks};

  while (cn_cycle.shared || !cn_trace_is_over(tracer)) {
    size_t part = __atomic_fetch_add(&parts.next, 1, __ATOMIC_RELAXED);
    if (part < blocks)
      visit_blocks(tracer, parts.low + part * PART_BLOCKS);
    else if (!visit_large_part(tracer, &large, part))
      return;
    cn_trace_drain(tracer);
  }
}

void cn_cards_clean(uintptr_t from, uintptr_t to)
{
  CN_ASSERT(from % CARD_GROUP_BYTES == 0 && to % CARD_GROUP_BYTES == 0);
  for (uintptr_t group = from; group < to; group += CARD_GROUP_BYTES)
    memset(cn_tables_cards(group), 0, CARD_GROUP_BYTES / CN_CARD);
}

void cn_cards_clear(void)
{
  size_t low, high;
  uintptr_t end;

  cn_blocks_bounds(&low, &high);
  for (size_t block = low; block < high; block++)
    if (cn_blocks_has_objects(block))
      cn_cards_clean(cn_tables_address(block), cn_tables_address(block + 1));
  for (uintptr_t block = 0; (block = cn_large_next(block)) != 0;) {
    CN_CHECK(cn_large_find(block, &end) == block);
    cn_cards_clean(block, end);
  }
}

bool cn_cards_is_dirty(uintptr_t address)
{
  return cn_tables.cards[address / CN_CARD & cn_tables.mask] != 0;
}
