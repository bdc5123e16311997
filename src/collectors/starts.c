/* SPDX-License-Identifier: Apache-2.0
 *
 * A crossing map: for each card of the heap, the offset of the first block that starts in it. Its
 * memory comes from the operating system and is kept from one collection to the next.
 */
#include "collectors/starts.h"

#include <string.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/os/os.h"

#define CARD ((size_t)512)
#define NONE UINT8_MAX

/* A run of blocks, of which those before `walked` are in the map. */
struct part {
  uintptr_t from, end, walked;
  uint8_t *first; /* per card: offset / 8 of the first block that starts in it, or NONE */
  size_t cards;   /* of them are known */
};

static struct {
  struct part parts[2]; /* all zero: no map */
  cn_starts_step *step;
  uint8_t *memory;
  size_t room; /* bytes of it */
} map;

bool cn_starts_payload(uintptr_t header, uintptr_t at, bool indexed, uint64_t *bytes)
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

static size_t cards_of(uintptr_t from, uintptr_t end)
{
  return (end - from + CARD - 1) / CARD;
}

bool cn_starts_begin(uintptr_t from, uintptr_t middle, uintptr_t end, cn_starts_step *step)
{
  size_t below = cards_of(from, middle);

  CN_CHECK((from | middle) % 8 == 0 && from <= middle && middle <= end && from < end);
  if (!make_room(below + cards_of(middle, end)))
    return false;
  map.step = step;
  map.parts[0] = (struct part){from, middle, from, map.memory, 0};
  map.parts[1] = (struct part){middle, end, middle, map.memory + below, 0};
  return true;
}

/* Bring into the map what starts before `address`. */
static void advance(struct part *part, uintptr_t address)
{
  uintptr_t payload;

  while (part->walked < address && part->walked != part->end) {
    size_t at = part->walked - part->from, card = at / CARD;
    CN_CHECK(part->walked < part->end);
    while (part->cards <= card)
      part->first[part->cards++] = NONE;
    if (part->first[card] == NONE)
      part->first[card] = (uint8_t)(at % CARD / 8);
    part->walked = map.step(part->walked, &payload);
  }
}

/* The last block that starts at or below `address`, by way of the nearest card that has one. */
static uintptr_t first_block_near(const struct part *part, uintptr_t address)
{
  size_t card = (address - part->from) / CARD;

  for (card = card < part->cards ? card : part->cards - 1;; card--) {
    if (part->first[card] != NONE) {
      uintptr_t block = part->from + card * CARD + part->first[card] * (size_t)8;
      if (block <= address)
        return block;
    }
    CN_CHECK(card != 0); /* the first block starts at `from` */
  }
}

/* An object reaches from its payload to the end of its block, that address included: there is the
 * header of the next one, to which no reference points. */
uintptr_t cn_starts_find(uintptr_t address)
{
  struct part *part = &map.parts[address > map.parts[0].end];
  uintptr_t payload, end;

  CN_CHECK(map.parts[1].end != 0);
  if (address <= part->from || address > part->end)
    return 0;
  advance(part, address);
  uintptr_t block = first_block_near(part, address - 1);
  while ((end = map.step(block, &payload)) < address)
    block = end;
  CN_ASSERT(block < payload && payload <= end && end <= part->end);
  return address >= payload ? payload : 0;
}

void cn_starts_drop(void)
{
  map.parts[0] = map.parts[1] = (struct part){0};
}
