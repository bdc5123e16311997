/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns the heap's tables (`cn_tables`), reserves their memory and the heap's addresses, and searches and clears the
 * bits of objects. Phase INIT; any thread calls cn_tables_commit_for_range() in any phase, and atomic flags say which
 * parts of the tables are writable. Tracers and the marker search the bits of objects; the collecting thread and steps
 * of the background thread clear them. No locks. The heap reserves far more addresses than its maximum, and tables take
 * memory only for parts of the heap with memory. If addresses are limited, the heap reserves fewer: CAIRN_STRESS reuses
 * addresses sooner, and the heap may end before its maximum.
 */
#include "collectors/generational/space/tables.h"

#include <string.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "collectors/generational/space/blocks.h"
#include "collectors/large_space.h"
#include "runtime/os/os.h"

struct cn_tables cn_tables;

enum {
  LARGE_PAGE_BYTES = 2 << 20,
  ADDRESS_SLACK_BYTES = 512 << 10,
  LIMITED_HEAPS = 16, /* old spaces whose addresses are reserved if the process has few (ulimit -v): CAIRN_STRESS needs
                       * addresses that have long been unused */
  EAGER_TABLE_BYTES = 32 << 20 /* bytes of addresses whose tables get memory together */
};

/* The large tables, with `per_card` bytes for each card from `origin` on. The parts of the tables for unused addresses
 * are read-only zeros, because the system counts writable memory even if it stays untouched. */
enum {
  OBJECT_BITS_TABLE,
  LINES_TABLE,
  REACHED_LINES_TABLE,
  TARGET_GROUPS_TABLE,
  WAITING_CARDS_TABLE,
  LARGE_TABLE_COUNT
};
static struct {
  uintptr_t at, origin;
  size_t per_card;
} large_tables[LARGE_TABLE_COUNT];
static uint8_t
    *writable_table_parts; /* by EAGER_TABLE_BYTES from the base: nonzero if the part of the large tables is writable */

static size_t round_up(size_t bytes, size_t unit)
{
  CN_ASSERT(unit != 0 && (unit & (unit - 1)) == 0);
  return (bytes + unit - 1) & ~(unit - 1);
}

static void *carve_table(uintptr_t *memory, size_t bytes)
{
  uintptr_t at = *memory;

  CN_CHECK(at % CN_CARD_BYTES == 0);
  *memory += round_up(bytes, CN_CARD_BYTES);
  return (void *)at;
}

static void *carve_large_table(uintptr_t *memory, int table, uintptr_t origin, size_t per_card)
{
  void *at = carve_table(memory, (cn_tables.end - origin) / CN_CARD_BYTES * per_card);

  large_tables[table].at = (uintptr_t)at;
  large_tables[table].origin = origin;
  large_tables[table].per_card = per_card;
  return at;
}

static void carve_large_tables(uintptr_t *memory)
{
  enum { LINES_PER_CARD = CN_CARD_BYTES / CN_LINE_BYTES };
  uintptr_t base = cn_tables.base, old = cn_tables.old;

  cn_tables.bits = carve_large_table(memory, OBJECT_BITS_TABLE, old, 2 * sizeof(uint64_t));
  cn_tables.lines = carve_large_table(memory, LINES_TABLE, old, LINES_PER_CARD);
  cn_tables.reached = carve_large_table(memory, REACHED_LINES_TABLE, old, LINES_PER_CARD);
  cn_tables.leads = carve_large_table(memory, TARGET_GROUPS_TABLE, base, sizeof(uint16_t));
  cn_tables.waiting = carve_large_table(memory, WAITING_CARDS_TABLE, base, 1);
}

/* Reserves tables for the addresses from `base` to `end`; the card table covers the next power of two. */
static bool reserve_tables(void)
{
  size_t all = cn_tables.end - cn_tables.base, old = cn_tables.end - cn_tables.old, cards = CN_CARDS_PER_BLOCK,
         page = cn_os_page_bytes();

  while (cards * CN_CARD_BYTES < all)
    cards *= 2;
  cn_tables.blocks = old / CN_BLOCK_BYTES;
  size_t pages = (cn_tables.old - cn_tables.base) / CN_MIN_PAGE_BYTES, dirty = all / CN_BLOCK_BYTES,
         leading = dirty * sizeof(uint16_t), parts = all / EAGER_TABLE_BYTES + 1,
         written = round_up(cards + leading + pages + dirty + parts + 8 * CN_CARD_BYTES +
                                (1 + sizeof(uint16_t) + sizeof(uint32_t)) * cn_tables.blocks,
                            page),
         read = round_up((2 * sizeof(uint64_t) + 2 * CN_CARD_BYTES / CN_LINE_BYTES) * (old / CN_CARD_BYTES) +
                             (sizeof(uint16_t) + 1) * (all / CN_CARD_BYTES) + LARGE_TABLE_COUNT * CN_CARD_BYTES,
                         page);
  uintptr_t memory = cn_os_reserve_addresses(written + read), rest = memory + written;
  if (memory == 0 || !cn_os_commit_memory(memory, written) || !cn_os_make_readable(rest, read)) {
    if (memory != 0)
      cn_os_free_mapping((void *)memory, written + read);
    return false;
  }
  cn_tables.cards = carve_table(&memory, cards);
  cn_tables.mask = cards - 1;
  cn_tables.states = carve_table(&memory, cn_tables.blocks);
  cn_tables.large_states = carve_table(&memory, pages);
  cn_tables.dirty = carve_table(&memory, dirty);
  cn_tables.filled = carve_table(&memory, cn_tables.blocks * sizeof(uint32_t));
  cn_tables.groups = carve_table(&memory, cn_tables.blocks * sizeof(uint16_t));
  cn_tables.leading = carve_table(&memory, leading);
  writable_table_parts = carve_table(&memory, parts);
  CN_CHECK(memory <= rest);
  carve_large_tables(&rest);
  return true;
}

static bool commit_large_tables(uintptr_t from, uintptr_t to)
{
  size_t page = cn_os_page_bytes();

  for (int i = 0; i < LARGE_TABLE_COUNT; i++) {
    uintptr_t origin = large_tables[i].origin, start = from < origin ? origin : from;
    size_t per_card = large_tables[i].per_card;
    if (start >= to)
      continue; /* the table describes only blocks */
    uintptr_t first = large_tables[i].at + (start - origin) / CN_CARD_BYTES * per_card,
              end = large_tables[i].at + (to - origin) / CN_CARD_BYTES * per_card;
    first &= ~(uintptr_t)(page - 1);
    if (!cn_os_commit_memory(first, round_up(end - first, page)))
      return false;
  }
  return true;
}

static size_t resident_table_bytes(int table)
{
  size_t page = cn_os_page_bytes(), bytes = (cn_tables.end - large_tables[table].origin) / CN_CARD_BYTES;
  uintptr_t from = large_tables[table].at & ~(uintptr_t)(page - 1),
            to = large_tables[table].at + bytes * large_tables[table].per_card;

  return cairn_resident_bytes(from, (to & ~(uintptr_t)(page - 1)) - from);
}

/* Two tables may share a page at their common bound, which counts for the second one. */
void cn_tables_report_memory(void)
{
  size_t page = cn_os_page_bytes(), cards = (cn_tables.mask + 1) & ~(page - 1);
  uintptr_t card_table = (uintptr_t)cn_tables.cards, rest = card_table + cards;

  CN_CHECK(card_table % page == 0 && rest < large_tables[0].at);
  cairn_memory_part("card table", cairn_resident_bytes(card_table, cards));
  cairn_memory_part("object bits", resident_table_bytes(OBJECT_BITS_TABLE));
  cairn_memory_part("line tables", resident_table_bytes(LINES_TABLE) + resident_table_bytes(REACHED_LINES_TABLE));
  cairn_memory_part("evacuation tables", resident_table_bytes(TARGET_GROUPS_TABLE));
  cairn_memory_part("cards to mark again", resident_table_bytes(WAITING_CARDS_TABLE));
  cairn_memory_part("block tables", cairn_resident_bytes(rest, (large_tables[0].at - rest) & ~(page - 1)));
}

/* Several threads may make a part writable at the same time. */
bool cn_tables_commit_for_range(uintptr_t from, uintptr_t to)
{
  CN_CHECK(from >= cn_tables.base && from < to && to <= cn_tables.end);
  for (size_t i = (from - cn_tables.base) / EAGER_TABLE_BYTES; cn_tables.base + i * EAGER_TABLE_BYTES < to; i++) {
    uintptr_t first = cn_tables.base + i * EAGER_TABLE_BYTES, left = cn_tables.end - first;
    if (__atomic_load_n(&writable_table_parts[i], __ATOMIC_ACQUIRE) != 0)
      continue;
    if (!commit_large_tables(first, first + (left < EAGER_TABLE_BYTES ? left : EAGER_TABLE_BYTES)))
      return false;
    __atomic_store_n(&writable_table_parts[i], 1, __ATOMIC_RELEASE);
  }
  return true;
}

/* Reserves addresses, with bounds at multiples of `unit`, and their tables. */
static bool reserve_heap_addresses(size_t large, size_t old, size_t unit)
{
  size_t bytes = round_up(large, unit) + round_up(old, unit) + unit;
  uintptr_t memory = cn_os_reserve_addresses(bytes);

  if (memory == 0)
    return false;
  cn_tables.base = round_up(memory, unit);
  cn_tables.old = cn_tables.base + round_up(large, unit);
  cn_tables.end = cn_tables.old + round_up(old, unit);
  if (reserve_tables() && cn_large_init_at(cn_tables.base, cn_tables.old - cn_tables.base))
    return true;
  cn_os_free_mapping((void *)memory, bytes);
  return false;
}

bool cn_tables_init(size_t bytes)
{
  size_t plenty = (size_t)16 << 30, some = bytes + ADDRESS_SLACK_BYTES;

  if (bytes > SIZE_MAX / 16)
    return false;
  bool done = reserve_heap_addresses(4 * some, some + (2 * some > plenty ? 2 * some : plenty), LARGE_PAGE_BYTES) ||
              reserve_heap_addresses(4 * some, (1 + LIMITED_HEAPS) * some, CN_BLOCK_BYTES);
  while (!done && some >= ADDRESS_SLACK_BYTES) {
    done = reserve_heap_addresses(some, 3 * some, CN_BLOCK_BYTES);
    some = done ? some : some / 2;
  }
  if (done && some < bytes)
    cairn_note_addresses(some);
  if (done) {
    cn_os_prefer_large_pages(cn_tables.old, cn_tables.end - cn_tables.old);
    cn_os_register_leak_roots(cn_tables.old, cn_tables.end - cn_tables.old);
  }
  CN_CHECK(!done || (cn_tables.old % CN_BLOCK_BYTES == 0 && cn_tables.base < cn_tables.old));
  return done;
}

uintptr_t cn_tables_last_object_before(uintptr_t address)
{
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE;
  size_t card = (header - cn_tables.old) / CN_CARD_BYTES, kind = 1 - cn_tables.marks;

  CN_CHECK(address >= cn_tables.old && address <= cn_tables.end);
  if (address == cn_tables.old || !cn_blocks_block_has_objects(cn_tables_block_of(header)))
    return 0; /* there are no objects, and the table stays untouched */
  uint64_t bits = cn_tables_load_bits(&cn_tables.bits[2 * card + kind]) & ~UINT64_C(0) >> (63 - header / 8 % 64);
  for (; bits == 0 && card > 0; bits = cn_tables_load_bits(&cn_tables.bits[2 * --card + kind]))
    if (card % CN_CARDS_PER_BLOCK == 0 && !cn_blocks_block_has_objects(card / CN_CARDS_PER_BLOCK - 1))
      return 0;
  if (bits == 0)
    return 0;
  return cn_tables.old + card * CN_CARD_BYTES + (size_t)(64 - __builtin_clzll(bits)) * 8;
}

uintptr_t cn_tables_next_object_within(uintptr_t from, uintptr_t end)
{
  CN_CHECK(from % 8 == 0 && end % CN_CARD_BYTES == 0);
  if (from >= end)
    return 0;
  const uint64_t *word = cn_tables_bit_word_of(from + CAIRN_ABI_HEADER_SIZE, 1 - cn_tables.marks);
  uintptr_t at = from & ~(uintptr_t)(CN_CARD_BYTES - 1);
  uint64_t bits = cn_tables_load_bits(word) & ~UINT64_C(0) << from / 8 % 64;

  while (bits == 0) {
    at += CN_CARD_BYTES;
    if (at >= end)
      return 0;
    bits = cn_tables_load_bits(word += 2);
  }
  return at + (uintptr_t)__builtin_ctzll(bits) * 8 + CAIRN_ABI_HEADER_SIZE;
}

void cn_tables_clear_block_marks(size_t block)
{
  uint64_t *marks = &cn_tables.bits[block * CN_BIT_WORDS_PER_BLOCK + cn_tables.marks];

  CN_CHECK(block < cn_tables.blocks);
  for (size_t i = 0; i < CN_BIT_WORDS_PER_BLOCK; i += 2)
    marks[i] = 0;
  memset(&cn_tables.reached[block * CN_LINES_PER_BLOCK], 0, CN_LINES_PER_BLOCK);
}

void cn_tables_clear_blocks(size_t block, size_t count)
{
  CN_CHECK(block + count <= cn_tables.blocks);
  memset(&cn_tables.bits[block * CN_BIT_WORDS_PER_BLOCK], 0, count * CN_BIT_WORDS_PER_BLOCK * sizeof(uint64_t));
  memset(&cn_tables.lines[block * CN_LINES_PER_BLOCK], 0, count * CN_LINES_PER_BLOCK);
  memset(&cn_tables.reached[block * CN_LINES_PER_BLOCK], 0, count * CN_LINES_PER_BLOCK);
  for (size_t i = 0; i < count; i++)
    memset(cn_tables_cards_of(cn_tables_block_address(block + i)), 0, CN_CARDS_PER_BLOCK);
}
