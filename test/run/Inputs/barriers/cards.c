/* SPDX-License-Identifier: Apache-2.0
 *
 * young.c with barriers that mark cards. With -DCUSTOM they are functions of the program's own
 * (custom.ll), which call custom_mark() here; CUSTOM_SKIP=n leaves the n-th mark out.
 */
#include "young.h"
#include "space.h"

static unsigned char *cards;
static const uintptr_t mask = (HEAP >> CAIRN_ABI_CARD_SHIFT) - 1;
static uintptr_t heap, dirty_from, dirty_to; /* old memory that was in use */

void remember_init(uintptr_t base)
{
  heap = base;
  cards = table(mask + 1);
  cairn_barrier_cards(cards, mask);
}

void remember_logged(void)
{
}

bool is_remembered(uintptr_t object, struct cairn_slot slot)
{
  (void)object;
  return cards[(uintptr_t)slot.address >> CAIRN_ABI_CARD_SHIFT & mask] != 0;
}

/* Also what marks for other memory dirtied. */
void forget_remembered(void)
{
  uintptr_t first = dirty_from >> CAIRN_ABI_CARD_SHIFT, last = dirty_to >> CAIRN_ABI_CARD_SHIFT;

  for (uintptr_t card = first; card <= last; card++)
    cards[card & mask] = 0;
}

void became_young(uintptr_t start, uintptr_t end)
{
  (void)start;
  (void)end;
}

void became_old(uintptr_t object, uintptr_t end)
{
  if (dirty_from == 0 || object < dirty_from)
    dirty_from = object;
  if (end > dirty_to)
    dirty_to = end;
}

#ifdef CUSTOM
enum { KIND = CAIRN_ABI_BARRIERS_CUSTOM };
static long left_to_skip;

void custom_mark(uintptr_t slot);
void custom_mark(uintptr_t slot)
{
  if (left_to_skip > 0 && __atomic_fetch_sub(&left_to_skip, 1, __ATOMIC_RELAXED) == 1)
    return;
  cards[slot >> CAIRN_ABI_CARD_SHIFT & mask] = 1;
}

void custom_mark_range(uintptr_t start, uint64_t bytes);
void custom_mark_range(uintptr_t start, uint64_t bytes)
{
  if (bytes == 0 || (left_to_skip > 0 && __atomic_fetch_sub(&left_to_skip, 1, __ATOMIC_RELAXED) == 1))
    return;
  for (uintptr_t card = start >> CAIRN_ABI_CARD_SHIFT; card <= (start + bytes - 1) >> CAIRN_ABI_CARD_SHIFT; card++)
    cards[card & mask] = 1;
}
#else
enum { KIND = CAIRN_ABI_BARRIERS_CARDS };
#endif

__attribute__((constructor(102))) static void use_cards(void)
{
#ifdef CUSTOM
  const char *skip = getenv("CUSTOM_SKIP");

  left_to_skip = skip ? atol(skip) : 0;
#endif
  young_collector.name = KIND == CAIRN_ABI_BARRIERS_CARDS ? "cards" : "custom";
  young_collector.barriers = KIND;
  cairn_set_collector(&young_collector);
}
