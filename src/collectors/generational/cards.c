/* SPDX-License-Identifier: Apache-2.0
 *
 * Cards are looked at eight at a time, since few are dirty. Those of memory without old objects may
 * be dirty, too: nobody looks.
 */
#include "collectors/generational/cards.h"

#include <string.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/generational/larges.h"
#include "collectors/generational/tables.h"
#include "collectors/large.h"

enum { GROUP = 8 * CN_CARD };

/* Call `visit` for each dirty card of [from, to), multiples of 4 KiB, and clean it; `large` is the
 * block of the large object there. */
typedef void card_visitor(struct cn_tracer *tracer, uintptr_t large, uintptr_t card);

static void visit_group(struct cn_tracer *tracer, uintptr_t large, uintptr_t group,
                        card_visitor *visit)
{
  unsigned char *cards = cn_tables_cards(group);

  for (uintptr_t i = 0; i < GROUP / CN_CARD; i++)
    if (cards[i] != 0) {
      cards[i] = 0;
      visit(tracer, large, group + i * CN_CARD);
    }
}

static void visit_dirty(struct cn_tracer *tracer, uintptr_t large, uintptr_t from, uintptr_t to,
                        card_visitor *visit)
{
  CN_ASSERT(from % GROUP == 0 && to % GROUP == 0);
  for (uintptr_t group = from; group < to; group += GROUP) {
    uint64_t cards;
    memcpy(&cards, cn_tables_cards(group), sizeof cards);
    if (cards != 0)
      visit_group(tracer, large, group, visit);
  }
}

/* The layout of an image that was unloaded is no more: the object is garbage. */
static void visit_object(struct cn_tracer *tracer, uintptr_t object, uintptr_t card)
{
  if (!cairn_header_is_gone(*cairn_object_header(object)))
    cn_trace_slots(tracer, object, cn_trace_layout(tracer, NULL, object), card, card + CN_CARD);
}

static void visit_large(struct cn_tracer *tracer, uintptr_t large, uintptr_t card)
{
  visit_object(tracer, cn_larges_object(large), card);
}

/* The objects of a block that reach into the card, the first from before perhaps. */
static void visit_card(struct cn_tracer *tracer, uintptr_t none, uintptr_t card)
{
  uintptr_t object = cn_tables_last_start(card), next = card;

  CN_ASSERT(none == 0);
  if (object != 0)
    visit_object(tracer, object, card);
  if (object == card)
    next += 8;
  while ((object = cn_tables_next_start(next, card + CN_CARD)) != 0) {
    visit_object(tracer, object, card);
    next = object + 8;
  }
}

static void visit_blocks(struct cn_tracer *tracer)
{
  size_t low, high;

  cn_blocks_bounds(&low, &high);
  for (size_t block = low; block < high; block++)
    if (cn_blocks_has_objects(block)) {
      uintptr_t at = cn_tables_address(block);
      visit_dirty(tracer, 0, at, at + CN_BLOCK, visit_card);
      cn_trace_drain(tracer);
    }
}

static void visit_larges(struct cn_tracer *tracer)
{
  uintptr_t end;

  for (uintptr_t block = 0; (block = cn_large_next(block)) != 0;)
    if (cn_large_is_marked(block)) {
      CN_CHECK(cn_large_find(block, &end) == block);
      visit_dirty(tracer, block, block, end, visit_large);
      cn_trace_drain(tracer);
    }
}

void cn_cards_visit(struct cn_tracer *tracer)
{
  CN_CHECK(cn_cycle.mode == CN_TRACE_YOUNG);
  visit_blocks(tracer);
  if (cn_larges.old != 0)
    visit_larges(tracer);
}

static void clear(uintptr_t from, uintptr_t to)
{
  for (uintptr_t group = from; group < to; group += GROUP)
    memset(cn_tables_cards(group), 0, GROUP / CN_CARD);
}

void cn_cards_clear(void)
{
  size_t low, high;
  uintptr_t end;

  cn_blocks_bounds(&low, &high);
  for (size_t block = low; block < high; block++)
    if (cn_blocks_has_objects(block))
      clear(cn_tables_address(block), cn_tables_address(block + 1));
  for (uintptr_t block = 0; (block = cn_large_next(block)) != 0;) {
    CN_CHECK(cn_large_find(block, &end) == block);
    clear(block, end);
  }
}

bool cn_cards_is_dirty(uintptr_t address)
{
  return cn_tables.cards[address / CN_CARD & cn_tables.mask] != 0;
}
