/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds crossing maps: for each card of the heap, the offset of the first block that starts in it. Phase STOP, under
 * the collector's lock; places are noted in any phase. The map's memory comes from the operating system, and is kept
 * between collections. The map is built part by part: a part begins where a block is known to start.
 */
#include "collectors/crossing_map.h"

#include <string.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/os/os.h"

#define CARD_BYTES ((size_t)512)
#define NO_OFFSET UINT8_MAX

enum { MAX_PARTS = 1024 }; /* if more places are known, every second one is forgotten */

/* The blocks of a part before `walked` are in the map. */
struct part {
  uintptr_t walked;
  size_t cards; /* known cards */
};

/* Where blocks start, in order, at least `apart` from each other. */
static struct {
  uintptr_t at[MAX_PARTS];
  size_t count, apart;
} known;

static struct {
  struct part parts[MAX_PARTS]; /* from known.at[i] to the next, or to `end` */
  uintptr_t end;                /* 0: there is no map */
  cn_crossing_step *step;
  uint8_t *memory; /* per card: offset / 8 of the first block that starts in it, or NO_OFFSET */
  size_t room;     /* bytes */
  uint64_t begun;  /* maps, this one included */
} map;

void cn_crossing_from(uintptr_t start, size_t apart)
{
  CN_CHECK(start % 8 == 0 && map.end == 0 && apart != 0);
  known.at[0] = start;
  known.count = 1;
  known.apart = apart;
}

static void forget_every_second(void)
{
  known.count = (known.count + 1) / 2;
  for (size_t i = 1; i < known.count; i++)
    known.at[i] = known.at[2 * i];
  known.apart *= 2;
}

void cn_crossing_note(uintptr_t block)
{
  CN_CHECK(block % 8 == 0 && known.count != 0 && block >= known.at[known.count - 1]);
  if (block - known.at[known.count - 1] < known.apart)
    return;
  if (known.count == MAX_PARTS)
    forget_every_second();
  known.at[known.count++] = block;
}

void cn_crossing_forget(uintptr_t end)
{
  CN_CHECK(known.count != 0 && known.at[0] <= end);
  while (known.at[known.count - 1] > end)
    known.count--;
}

bool cn_crossing_payload(uintptr_t header, uintptr_t at, bool indexed, uint64_t *bytes)
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

static bool make_room(size_t cards)
{
  size_t page = cn_os_page(), room = (cards + page - 1) & ~(page - 1);

  if (room <= map.room)
    return true;
  uintptr_t memory = cn_os_reserve(room);
  if (memory == 0 || !cn_os_commit(memory, room))
    return false;
  if (map.room)
    cn_os_release((uintptr_t)map.memory, map.room);
  CN_ASSERT(memory % page == 0);
  map.memory = (uint8_t *)memory;
  map.room = room;
  return true;
}

/* Cards are counted from the start of a part, so its last card may cover few bytes. */
static size_t cards_before(size_t part)
{
  return (known.at[part] - known.at[0]) / CARD_BYTES + part;
}

bool cn_crossing_begin(uintptr_t end, cn_crossing_step *step)
{
  size_t last = known.count - 1;

  CN_CHECK(known.count != 0 && known.at[last] <= end && known.at[0] < end);
  if (!make_room(cards_before(last) + (end - known.at[last]) / CARD_BYTES + 1))
    return false;
  map.begun++;
  map.step = step;
  map.end = end;
  for (size_t i = 0; i <= last; i++)
    map.parts[i] = (struct part){known.at[i], 0};
  return true;
}

/* The part with the object that reaches to `address`, and begins before it. */
static size_t part_of(uintptr_t address)
{
  size_t low = 0, high = known.count;

  CN_CHECK(known.at[0] < address);
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (known.at[middle] < address)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Add all blocks to the map that start before `address`. */
static void add_blocks_before(size_t index, uintptr_t address)
{
  struct part *part = &map.parts[index];
  uintptr_t payload, end = index + 1 < known.count ? known.at[index + 1] : map.end;
  uint8_t *first = map.memory + cards_before(index);

  while (part->walked < address && part->walked != end) {
    size_t at = part->walked - known.at[index], card = at / CARD_BYTES;
    CN_CHECK(part->walked < end);
    while (part->cards <= card)
      first[part->cards++] = NO_OFFSET;
    if (first[card] == NO_OFFSET)
      first[card] = (uint8_t)(at % CARD_BYTES / 8);
    part->walked = map.step(part->walked, &payload);
  }
}

/* The last block that starts at or before `address`, found from the nearest card that has one. */
static uintptr_t first_block_near(size_t index, uintptr_t address)
{
  const uint8_t *first = map.memory + cards_before(index);
  size_t card = (address - known.at[index]) / CARD_BYTES, cards = map.parts[index].cards;

  for (card = card < cards ? card : cards - 1;; card--) {
    if (first[card] != NO_OFFSET) {
      uintptr_t block = known.at[index] + card * CARD_BYTES + first[card] * (size_t)8;
      if (block <= address)
        return block;
    }
    CN_CHECK(card != 0); /* the first block starts where the part does */
  }
}

/* An object reaches from its payload to the end of its block, that address included: the next object's header is there,
 * and references point to payloads only. */
uintptr_t cn_crossing_find(uintptr_t address)
{
  uintptr_t payload, end;

  CN_CHECK(map.end != 0);
  if (address <= known.at[0] || address > map.end)
    return 0;
  size_t part = part_of(address);
  add_blocks_before(part, address);
  uintptr_t block = first_block_near(part, address - 1);
  while ((end = map.step(block, &payload)) < address)
    block = end;
  CN_ASSERT(block < payload && payload <= end && end <= map.end);
  return address >= payload ? payload : 0;
}

uint64_t cn_crossing_maps(void)
{
  return map.begun;
}

void cn_crossing_drop(void)
{
  map.end = 0;
}
