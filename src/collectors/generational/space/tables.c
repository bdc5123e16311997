/* SPDX-License-Identifier: Apache-2.0
 *
 * Reserves the heap's addresses, and the memory of its tables. Phase INIT; cn_tables_reach() in any thread. Addresses
 * are plenty, and a table takes memory only where the heap has some. If addresses are limited, the heap gets fewer:
 * CAIRN_STRESS returns to an address sooner, and the heap may end before its maximum.
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
  LARGE_PAGE = 2 << 20,
  SLACK_BYTES = 512 << 10,     /* beyond the objects */
  EAGER_TABLE_BYTES = 32 << 20 /* addresses whose tables get memory at once */
};

/* The large tables, by bytes for each card from `origin` on. Writable memory counts for the system, touched or not, and
 * most addresses stay unused: their tables are read-only zeros. */
enum { BITS, LINES, REACHED, AGAIN, LEADS, LARGE_TABLES };
static struct {
  uintptr_t at, origin;
  size_t per_card;
} large_tables[LARGE_TABLES];
static uint8_t *tabled; /* by EAGER_TABLE_BYTES from the base: that part of the large tables is writable */

static size_t round_up(size_t bytes, size_t unit)
{
  CN_ASSERT(unit != 0 && (unit & (unit - 1)) == 0);
  return (bytes + unit - 1) & ~(unit - 1);
}

/* Cut bytes off a piece of memory for the next table. */
static void *cut_table(uintptr_t *memory, size_t bytes)
{
  uintptr_t at = *memory;

  CN_CHECK(at % CN_CARD == 0);
  *memory += round_up(bytes, CN_CARD);
  return (void *)at;
}

static void *cut_large_table(uintptr_t *memory, int table, uintptr_t origin, size_t per_card)
{
  void *at = cut_table(memory, (cn_tables.end - origin) / CN_CARD * per_card);

  large_tables[table].at = (uintptr_t)at;
  large_tables[table].origin = origin;
  large_tables[table].per_card = per_card;
  return at;
}

static void make_large_tables(uintptr_t *memory)
{
  enum { LINES_PER_CARD = CN_CARD / CN_LINE };
  uintptr_t base = cn_tables.base, old = cn_tables.old;

  cn_tables.bits = cut_large_table(memory, BITS, old, 2 * sizeof(uint64_t));
  cn_tables.lines = cut_large_table(memory, LINES, old, LINES_PER_CARD);
  cn_tables.reached = cut_large_table(memory, REACHED, old, LINES_PER_CARD);
  cn_tables.again = cut_large_table(memory, AGAIN, base, 1);
  cn_tables.leads = cut_large_table(memory, LEADS, base, sizeof(uint16_t));
}

/* Tables for all from `base` to `end`; the card table covers the next power of two. */
static bool make_tables(void)
{
  size_t all = cn_tables.end - cn_tables.base, old = cn_tables.end - cn_tables.old, cards = CN_BLOCK_CARDS,
         page = cn_os_page();

  while (cards * CN_CARD < all)
    cards *= 2;
  cn_tables.blocks = old / CN_BLOCK;
  size_t pages = (cn_tables.old - cn_tables.base) / CN_PAGE, dirty = all / CN_BLOCK, leading = dirty * sizeof(uint16_t),
         parts = all / EAGER_TABLE_BYTES + 1,
         written = round_up(cards + leading + pages + dirty + parts + 9 * CN_CARD +
                                (2 + sizeof(uint16_t) + sizeof(uint32_t)) * cn_tables.blocks,
                            page),
         read = round_up((2 * sizeof(uint64_t) + 2 * CN_CARD / CN_LINE) * (old / CN_CARD) +
                             (1 + sizeof(uint16_t)) * (all / CN_CARD) + LARGE_TABLES * CN_CARD,
                         page);
  uintptr_t memory = cn_os_reserve(written + read), rest = memory + written;
  if (memory == 0 || !cn_os_commit(memory, written) || !cn_os_let_read(rest, read)) {
    if (memory != 0)
      cn_os_free((void *)memory, written + read);
    return false;
  }
  cn_tables.cards = cut_table(&memory, cards);
  cn_tables.mask = cards - 1;
  cn_tables.states = cut_table(&memory, cn_tables.blocks);
  cn_tables.large_states = cut_table(&memory, pages);
  cn_tables.again_blocks = cut_table(&memory, cn_tables.blocks);
  cn_tables.dirty = cut_table(&memory, dirty);
  cn_tables.filled = cut_table(&memory, cn_tables.blocks * sizeof(uint32_t));
  cn_tables.groups = cut_table(&memory, cn_tables.blocks * sizeof(uint16_t));
  cn_tables.leading = cut_table(&memory, leading);
  tabled = cut_table(&memory, parts);
  CN_CHECK(memory <= rest);
  make_large_tables(&rest);
  return true;
}

/* Commit the pages of the large tables that hold the entries for [from, to). */
static bool commit_large_tables(uintptr_t from, uintptr_t to)
{
  size_t page = cn_os_page();

  for (int i = 0; i < LARGE_TABLES; i++) {
    uintptr_t origin = large_tables[i].origin, start = from < origin ? origin : from;
    size_t per_card = large_tables[i].per_card;
    if (start >= to)
      continue; /* it describes blocks only */
    uintptr_t first = large_tables[i].at + (start - origin) / CN_CARD * per_card,
              end = large_tables[i].at + (to - origin) / CN_CARD * per_card;
    first &= ~(uintptr_t)(page - 1);
    if (!cn_os_commit(first, round_up(end - first, page)))
      return false;
  }
  return true;
}

/* Several threads may make the same part writable. */
bool cn_tables_reach(uintptr_t from, uintptr_t to)
{
  CN_CHECK(from >= cn_tables.base && from < to && to <= cn_tables.end);
  for (size_t i = (from - cn_tables.base) / EAGER_TABLE_BYTES; cn_tables.base + i * EAGER_TABLE_BYTES < to; i++) {
    uintptr_t first = cn_tables.base + i * EAGER_TABLE_BYTES, left = cn_tables.end - first;
    if (__atomic_load_n(&tabled[i], __ATOMIC_ACQUIRE) != 0)
      continue;
    if (!commit_large_tables(first, first + (left < EAGER_TABLE_BYTES ? left : EAGER_TABLE_BYTES)))
      return false;
    __atomic_store_n(&tabled[i], 1, __ATOMIC_RELEASE);
  }
  return true;
}

/* Reserve addresses, with bounds at multiples of `unit`, and their tables. */
static bool reserve_heap(size_t large, size_t old, size_t unit)
{
  size_t bytes = round_up(large, unit) + round_up(old, unit) + unit;
  uintptr_t memory = cn_os_reserve(bytes);

  if (memory == 0)
    return false;
  cn_tables.base = round_up(memory, unit);
  cn_tables.old = cn_tables.base + round_up(large, unit);
  cn_tables.end = cn_tables.old + round_up(old, unit);
  if (make_tables() && cn_large_init_at(cn_tables.base, cn_tables.old - cn_tables.base))
    return true;
  cn_os_free((void *)memory, bytes);
  return false;
}

bool cn_tables_init(size_t bytes)
{
  size_t plenty = (size_t)16 << 30, some = bytes + SLACK_BYTES;

  if (bytes > SIZE_MAX / 16)
    return false;
  bool done = reserve_heap(4 * some, some + (2 * some > plenty ? 2 * some : plenty), LARGE_PAGE);
  while (!done && some >= SLACK_BYTES) {
    done = reserve_heap(some, 3 * some, CN_BLOCK);
    some = done ? some : some / 2;
  }
  if (done && some < bytes)
    cairn_note_addresses(some);
  if (done) {
    cn_os_prefer_large_pages(cn_tables.old, cn_tables.end - cn_tables.old);
    cn_os_keeps_memory(cn_tables.old, cn_tables.end - cn_tables.old);
  }
  CN_CHECK(!done || (cn_tables.old % CN_BLOCK == 0 && cn_tables.base < cn_tables.old));
  return done;
}

uintptr_t cn_tables_last_start(uintptr_t address)
{
  uintptr_t header = address - CAIRN_ABI_HEADER_SIZE;
  size_t card = (header - cn_tables.old) / CN_CARD, kind = 1 - cn_tables.marks;

  CN_CHECK(address >= cn_tables.old && address <= cn_tables.end);
  if (address == cn_tables.old || !cn_blocks_has_objects(cn_tables_block(header)))
    return 0; /* the table stays untouched there */
  uint64_t bits = cn_tables_bits(&cn_tables.bits[2 * card + kind]) & ~UINT64_C(0) >> (63 - header / 8 % 64);
  for (; bits == 0 && card > 0; bits = cn_tables_bits(&cn_tables.bits[2 * --card + kind]))
    if (card % CN_BLOCK_CARDS == 0 && !cn_blocks_has_objects(card / CN_BLOCK_CARDS - 1))
      return 0;
  if (bits == 0)
    return 0;
  return cn_tables.old + card * CN_CARD + (size_t)(64 - __builtin_clzll(bits)) * 8;
}

uintptr_t cn_tables_next_start(uintptr_t from, uintptr_t end)
{
  CN_CHECK(from % 8 == 0 && end % CN_CARD == 0);
  if (from >= end)
    return 0;
  const uint64_t *word = cn_tables_word(from + CAIRN_ABI_HEADER_SIZE, 1 - cn_tables.marks);
  uintptr_t at = from & ~(uintptr_t)(CN_CARD - 1);
  uint64_t bits = cn_tables_bits(word) & ~UINT64_C(0) << from / 8 % 64;

  while (bits == 0) {
    at += CN_CARD;
    if (at >= end)
      return 0;
    bits = cn_tables_bits(word += 2);
  }
  return at + (uintptr_t)__builtin_ctzll(bits) * 8 + CAIRN_ABI_HEADER_SIZE;
}

void cn_tables_unmark(size_t block)
{
  uint64_t *marks = &cn_tables.bits[block * CN_BLOCK_BITS + cn_tables.marks];

  CN_CHECK(block < cn_tables.blocks);
  for (size_t i = 0; i < CN_BLOCK_BITS; i += 2)
    marks[i] = 0;
  memset(&cn_tables.reached[block * CN_BLOCK_LINES], 0, CN_BLOCK_LINES);
  memset(cn_tables_again(cn_tables_address(block)), 0, CN_BLOCK_CARDS);
  cn_tables.again_blocks[block] = 0;
}

void cn_tables_clear(size_t block, size_t count)
{
  CN_CHECK(block + count <= cn_tables.blocks);
  memset(&cn_tables.bits[block * CN_BLOCK_BITS], 0, count * CN_BLOCK_BITS * sizeof(uint64_t));
  memset(&cn_tables.lines[block * CN_BLOCK_LINES], 0, count * CN_BLOCK_LINES);
  memset(&cn_tables.reached[block * CN_BLOCK_LINES], 0, count * CN_BLOCK_LINES);
  for (size_t i = 0; i < count; i++)
    memset(cn_tables_cards(cn_tables_address(block + i)), 0, CN_BLOCK_CARDS);
}
