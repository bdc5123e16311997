/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds crossing maps, which find the object of an interior pointer: for each card of the heap, the offset of the
 * first block that starts in the card. The file owns the noted block starts (`known_block_starts`) and the map
 * (`object_start_map`), whose memory comes from the operating system and stays allocated between collections. Block
 * starts are noted in phase MUTATE under the collector's lock, or in phases INIT and STOP. Maps are made, read and
 * dropped in phase STOP; several tracers share the map under the lock of generational/interior_pointers.c. Each part of
 * the map begins at a noted block start, and each look-up extends one part.
 */
#include "collectors/crossing_map.h"

#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/os/os.h"

#define CARD_BYTES ((size_t)512)
#define NO_BLOCK_IN_CARD UINT8_MAX

enum { MAX_KNOWN_STARTS = 1024 }; /* if there are more noted block starts, every second one is forgotten */

/* A part of the map, which has all blocks of the part before `walked`. */
struct heap_part {
  uintptr_t walked;
  size_t cards; /* cards that have an entry */
};

/* Noted block starts, in ascending order, at least `apart` bytes from each other. */
static struct {
  uintptr_t at[MAX_KNOWN_STARTS];
  size_t count, apart;
} known_block_starts;

static struct {
  struct heap_part
      parts[MAX_KNOWN_STARTS]; /* part i goes from known_block_starts.at[i] to the next noted start, or to `end` */
  uintptr_t end;               /* end of the map, or 0 without a map */
  cn_crossing_step_over_block *step;
  uint8_t *memory; /* per card: offset / 8 of the first block that starts in the card, or NO_BLOCK_IN_CARD */
  size_t room;     /* bytes */
  uint64_t begun;
} object_start_map;

void cn_crossing_set_heap_start(uintptr_t start, size_t apart)
{
  CN_CHECK(start % 8 == 0 && object_start_map.end == 0 && apart != 0);
  known_block_starts.at[0] = start;
  known_block_starts.count = 1;
  known_block_starts.apart = apart;
}

static void forget_every_second(void)
{
  known_block_starts.count = (known_block_starts.count + 1) / 2;
  for (size_t i = 1; i < known_block_starts.count; i++)
    known_block_starts.at[i] = known_block_starts.at[2 * i];
  known_block_starts.apart *= 2;
}

void cn_crossing_note_block_start(uintptr_t block)
{
  CN_CHECK(block % 8 == 0 && known_block_starts.count != 0 &&
           block >= known_block_starts.at[known_block_starts.count - 1]);
  if (block - known_block_starts.at[known_block_starts.count - 1] < known_block_starts.apart)
    return;
  if (known_block_starts.count == MAX_KNOWN_STARTS)
    forget_every_second();
  known_block_starts.at[known_block_starts.count++] = block;
}

void cn_crossing_forget_starts_after(uintptr_t end)
{
  CN_CHECK(known_block_starts.count != 0 && known_block_starts.at[0] <= end);
  while (known_block_starts.at[known_block_starts.count - 1] > end)
    known_block_starts.count--;
}

bool cn_crossing_measure_payload(uintptr_t header, uintptr_t at, bool indexed, uint64_t *bytes)
{
  const struct cairn_layout *layout = cairn_header_layout(header);

  if (cairn_header_is_gone(header)) {
    *bytes = cairn_header_gone_bytes(header);
    return true;
  }
  if (!cairn_layout_is_known(layout) || (layout->elem_size != 0) != indexed ||
      cairn_layout_payload(layout, indexed ? cairn_object_count(at) : 0, bytes) != CAIRN_OK)
    return false;
  *bytes += cairn_header_hash_bytes(header);
  return true;
}

static bool grow_card_table(size_t cards)
{
  size_t page = cn_os_page_bytes(), room = (cards + page - 1) & ~(page - 1);

  if (room <= object_start_map.room)
    return true;
  uintptr_t memory = cn_os_reserve_addresses(room);
  if (memory == 0 || !cn_os_commit_memory(memory, room))
    return false;
  if (object_start_map.room)
    cn_os_release_memory((uintptr_t)object_start_map.memory, object_start_map.room);
  CN_ASSERT(memory % page == 0);
  object_start_map.memory = (uint8_t *)memory;
  object_start_map.room = room;
  return true;
}

/* Cards are counted from the start of a part, so its last card may cover few bytes. */
static size_t count_cards_before(size_t part)
{
  return (known_block_starts.at[part] - known_block_starts.at[0]) / CARD_BYTES + part;
}

bool cn_crossing_begin_map(uintptr_t end, cn_crossing_step_over_block *step)
{
  size_t last = known_block_starts.count - 1;

  CN_CHECK(known_block_starts.count != 0 && known_block_starts.at[last] <= end && known_block_starts.at[0] < end);
  if (!grow_card_table(count_cards_before(last) + (end - known_block_starts.at[last]) / CARD_BYTES + 1))
    return false;
  object_start_map.begun++;
  object_start_map.step = step;
  object_start_map.end = end;
  for (size_t i = 0; i <= last; i++)
    object_start_map.parts[i] = (struct heap_part){known_block_starts.at[i], 0};
  return true;
}

/* The part with the object that begins before `address` and reaches to it. */
static size_t find_heap_part(uintptr_t address)
{
  size_t low = 0, high = known_block_starts.count;

  CN_CHECK(known_block_starts.at[0] < address);
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (known_block_starts.at[middle] < address)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void map_blocks_before(size_t index, uintptr_t address)
{
  struct heap_part *part = &object_start_map.parts[index];
  uintptr_t payload,
      end = index + 1 < known_block_starts.count ? known_block_starts.at[index + 1] : object_start_map.end;
  uint8_t *first = object_start_map.memory + count_cards_before(index);

  while (part->walked < address && part->walked != end) {
    size_t at = part->walked - known_block_starts.at[index], card = at / CARD_BYTES;
    CN_CHECK(part->walked < end);
    while (part->cards <= card)
      first[part->cards++] = NO_BLOCK_IN_CARD;
    if (first[card] == NO_BLOCK_IN_CARD)
      first[card] = (uint8_t)(at % CARD_BYTES / 8);
    part->walked = object_start_map.step(part->walked, &payload);
  }
}

/* The last block that starts at or before `address` according to the map, which has only the first block of each
 * card. */
static uintptr_t find_start_near(size_t index, uintptr_t address)
{
  const uint8_t *first = object_start_map.memory + count_cards_before(index);
  size_t card = (address - known_block_starts.at[index]) / CARD_BYTES, cards = object_start_map.parts[index].cards;

  for (card = card < cards ? card : cards - 1;; card--) {
    if (first[card] != NO_BLOCK_IN_CARD) {
      uintptr_t block = known_block_starts.at[index] + card * CARD_BYTES + first[card] * (size_t)8;
      if (block <= address)
        return block;
    }
    CN_CHECK(card != 0); /* the first block of the part starts at the start of the part */
  }
}

/* An object includes the addresses from its payload to the end of its block. The end itself belongs to the object,
 * because it is the address of the next object's header, and references never point to headers. */
uintptr_t cn_crossing_find_object(uintptr_t address)
{
  uintptr_t payload, end;

  CN_CHECK(object_start_map.end != 0);
  if (address <= known_block_starts.at[0] || address > object_start_map.end)
    return 0;
  size_t part = find_heap_part(address);
  map_blocks_before(part, address);
  uintptr_t block = find_start_near(part, address - 1);
  while ((end = object_start_map.step(block, &payload)) < address)
    block = end;
  CN_ASSERT(block < payload && payload <= end && end <= object_start_map.end);
  return address >= payload ? payload : 0;
}

uint64_t cn_crossing_map_count(void)
{
  return object_start_map.begun;
}

void cn_crossing_drop_map(void)
{
  object_start_map.end = 0;
}
