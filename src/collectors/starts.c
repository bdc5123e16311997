/* SPDX-License-Identifier: Apache-2.0
 *
 * A crossing map: for each card of the heap, the offset of the first block that starts in it. Its
 * memory comes from the operating system and is kept from one collection to the next.
 */
#include "collectors/starts.h"

#include <string.h>
#include "base/check.h"
#include "runtime/os/os.h"

#define CARD ((size_t)512)
#define NONE UINT8_MAX

static struct {
  uintptr_t from, end; /* both 0: no map */
  cn_starts_step *step;
  uint8_t *first; /* per card: offset / 8 of the first block that starts in it, or NONE */
  size_t room;    /* bytes at `first` */
} map;

static bool make_room(size_t cards)
{
  size_t page = cn_os_page(), room = (cards + page - 1) & ~(page - 1);

  if (room <= map.room)
    return true;
  uintptr_t memory = cn_os_reserve(room);
  if (memory == 0 || !cn_os_commit(memory, room))
    return false;
  if (map.room)
    cn_os_release((uintptr_t)map.first, map.room);
  CN_ASSERT(memory % page == 0);
  map.first = (uint8_t *)memory;
  map.room = room;
  return true;
}

bool cn_starts_build(uintptr_t from, uintptr_t end, cn_starts_step *step)
{
  size_t cards = (end - from + CARD - 1) / CARD;
  uintptr_t payload;

  CN_CHECK(from % 8 == 0 && from < end);
  if (!make_room(cards))
    return false;
  map.from = from;
  map.end = end;
  map.step = step;
  memset(map.first, NONE, cards);
  for (uintptr_t block = from; block != end; block = step(block, &payload)) {
    size_t at = block - from;
    CN_CHECK(block < end);
    if (map.first[at / CARD] == NONE)
      map.first[at / CARD] = (uint8_t)(at % CARD / 8);
  }
  return true;
}

/* The last block that starts at or below `address`, by way of the nearest card that has one. */
static uintptr_t first_block_near(uintptr_t address)
{
  size_t card = (address - map.from) / CARD;

  for (;; card--) {
    if (map.first[card] != NONE) {
      uintptr_t block = map.from + card * CARD + map.first[card] * (size_t)8;
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
  uintptr_t payload, end;

  CN_CHECK(map.end != 0);
  if (address <= map.from || address > map.end)
    return 0;
  uintptr_t block = first_block_near(address - 1);
  while ((end = map.step(block, &payload)) < address)
    block = end;
  CN_ASSERT(block < payload && payload <= end && end <= map.end);
  return address >= payload ? payload : 0;
}

void cn_starts_drop(void)
{
  map.from = map.end = 0;
}
