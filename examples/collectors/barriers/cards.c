/* SPDX-License-Identifier: Apache-2.0
 *
 * young.c with barriers that mark cards. With -DCUSTOM they are functions of the program's own
 * (custom.ll), which call custom_mark() here; CUSTOM_SKIP=n leaves the n-th mark out, and
 * CUSTOM_REPORT=1 tells at the end of the program how many there were.
 */
#include "young.h"
#include "space.h"

/* One of the program's own stands for a word, so that no mark does for another's. */
#ifdef CUSTOM
enum { SHIFT = 3 };
#else
enum { SHIFT = CAIRN_ABI_CARD_SHIFT };
#endif

static unsigned char *cards;
static const uintptr_t mask = (HEAP >> SHIFT) - 1;
static uintptr_t heap;
static struct range {
  uintptr_t from, to;
} in_use[4]; /* old memory, by its quarter of the heap */

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
  return cards[(uintptr_t)slot.address >> SHIFT & mask] != 0;
}

/* Of a quarter where nothing is old any more this is the last time. */
void forget_remembered(void)
{
  for (int i = 0; i < 4; i++) {
    for (uintptr_t card = in_use[i].from >> SHIFT; card <= in_use[i].to >> SHIFT && in_use[i].to; card++)
      cards[card & mask] = 0;
    if (!is_old(in_use[i].from))
      in_use[i] = (struct range){0, 0};
  }
}

void became_young(uintptr_t start, uintptr_t end)
{
  (void)start;
  (void)end;
}

void became_old(uintptr_t object, uintptr_t end)
{
  struct range *range = &in_use[(object - heap) / (HEAP / 4)];

  if (range->from == 0 || object < range->from)
    range->from = object;
  if (end > range->to)
    range->to = end;
}

#ifdef CUSTOM
enum { KIND = CAIRN_ABI_BARRIERS_CUSTOM };
static long marks, skipped;

static bool is_skipped(void)
{
  return __atomic_add_fetch(&marks, 1, __ATOMIC_RELAXED) == skipped;
}

void custom_mark(uintptr_t slot);
void custom_mark(uintptr_t slot)
{
  if (!is_skipped())
    cards[slot >> SHIFT & mask] = 1;
}

void custom_mark_range(uintptr_t start, uint64_t bytes);
void custom_mark_range(uintptr_t start, uint64_t bytes)
{
  if (bytes == 0 || is_skipped())
    return;
  for (uintptr_t card = start >> SHIFT; card <= (start + bytes - 1) >> SHIFT; card++)
    cards[card & mask] = 1;
}

__attribute__((destructor)) static void report_marks(void)
{
  if (getenv("CUSTOM_REPORT"))
    fprintf(stderr, "custom: %ld marks\n", marks);
}
#else
enum { KIND = CAIRN_ABI_BARRIERS_CARDS };
#endif

__attribute__((constructor(102))) static void use_cards(void)
{
#ifdef CUSTOM
  const char *skip = getenv("CUSTOM_SKIP");

  skipped = skip ? atol(skip) : 0;
#endif
  young_collector.name = KIND == CAIRN_ABI_BARRIERS_CARDS ? "cards" : "custom";
  young_collector.barriers = KIND;
  cairn_set_collector(&young_collector);
}
