/* SPDX-License-Identifier: Apache-2.0
 *
 * young.c with barriers that mark cards.
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

__attribute__((constructor(102))) static void use_cards(void)
{
  young_collector.name = "cards";
  young_collector.barriers = CAIRN_ABI_BARRIERS_CARDS;
  cairn_set_collector(&young_collector);
}
