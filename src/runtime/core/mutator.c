/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines the mutator of each thread that runs managed code. attach.c attaches it.
 */
#include "runtime/core/mutator.h"

#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"

#define TIED(field, NAME) _Static_assert(offsetof(struct cairn_mutator, field) == CAIRN_ABI_MUTATOR_##NAME, "abi.def")
TIED(poll, POLL);
TIED(alloc, ALLOC);
TIED(limit, LIMIT);
TIED(anchor, ANCHOR);
TIED(state, STATE);
TIED(uncleared, UNCLEARED);
TIED(stack_limit, STACK_LIMIT);
TIED(cards, CARDS);
TIED(card_mask, CARD_MASK);
TIED(barrier, BARRIER);
_Static_assert(sizeof((struct cairn_mutator *)NULL)->poll == 8, "a word");
_Static_assert(sizeof(struct cairn_mutator) == CAIRN_ABI_MUTATOR_SIZE, "abi.def");

_Thread_local struct cairn_mutator cairn_mutator = CN_MUTATOR_INITIAL;
_Thread_local struct cn_thread cn_thread;
static struct cairn_mutator *main_mutator;

/* Any thread may write it; for barriers FIELDS it must stay nonzero. */
static unsigned char no_card = 1;

static struct {
  unsigned char *cards;
  uint64_t mask, barrier;
} words = {.cards = &no_card};

struct cairn_mutator *cn_mutator_main(void)
{
  return main_mutator;
}

void cn_mutator_set_main(struct cairn_mutator *mutator)
{
  CN_CHECK(main_mutator == NULL && mutator == &cairn_mutator);
  main_mutator = mutator;
}

void cn_mutator_set_cards(unsigned char *cards, uint64_t mask)
{
  CN_CHECK((mask & (mask + 1)) == 0 && (cards != NULL || mask == 0));
  words.cards = cards != NULL ? cards : &no_card;
  words.mask = mask;
}

void cn_mutator_set_barrier(uint64_t barrier)
{
  words.barrier = barrier;
}

void cn_mutator_give_barrier_words(struct cairn_mutator *mutator)
{
  mutator->cards = words.cards;
  mutator->card_mask = words.mask;
  mutator->barrier = words.barrier;
}

uintptr_t *cairn_mutator_word(struct cairn_mutator *mutator)
{
  return &mutator->word;
}

ptrdiff_t cairn_mutator_offset(void)
{
  return (ptrdiff_t)((uintptr_t)&cairn_mutator - (uintptr_t)__builtin_thread_pointer());
}
