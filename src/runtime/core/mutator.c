/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns the thread-local data of threads (`cairn_mutator`, which attach.c attaches, and `cn_thread`), the address of the
 * main thread's mutator, and the words of barriers for new mutators. Runs on any thread, in any phase. A thread changes
 * its own data; the registry lock (threads/stop.c) guards the words, which a collector sets in phases INIT and STOP, or
 * by a handshake in phase MUTATE. The main thread's address is constant after the start.
 */
#include "runtime/core/mutator.h"

#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"

#define CHECK_FIELD_OFFSET(field, NAME) \
  _Static_assert(offsetof(struct cairn_mutator, field) == CAIRN_ABI_MUTATOR_##NAME, "abi.def")
CHECK_FIELD_OFFSET(poll, POLL);
CHECK_FIELD_OFFSET(alloc, ALLOC);
CHECK_FIELD_OFFSET(limit, LIMIT);
CHECK_FIELD_OFFSET(anchor, ANCHOR);
CHECK_FIELD_OFFSET(state, STATE);
CHECK_FIELD_OFFSET(uncleared, UNCLEARED);
CHECK_FIELD_OFFSET(stack_limit, STACK_LIMIT);
CHECK_FIELD_OFFSET(cards, CARDS);
CHECK_FIELD_OFFSET(card_mask, CARD_MASK);
CHECK_FIELD_OFFSET(barrier, BARRIER);
_Static_assert(sizeof((struct cairn_mutator *)NULL)->poll == 8, "a word");
_Static_assert(sizeof(struct cairn_mutator) == CAIRN_ABI_MUTATOR_SIZE, "abi.def");

_Thread_local struct cairn_mutator cairn_mutator = CN_MUTATOR_INITIAL;
_Thread_local struct cn_thread cn_thread;
static struct cairn_mutator *_Atomic main_mutator;

/* The card for programs without cards: any thread may write it, and barriers FIELDS must find it nonzero. */
static unsigned char dummy_card = 1;

static struct {
  unsigned char *cards;
  uint64_t mask, barrier;
} barrier_words = {.cards = &dummy_card};

struct cairn_mutator *cn_mutator_of_main_thread(void)
{
  return main_mutator;
}

void cn_mutator_set_main(struct cairn_mutator *mutator)
{
  CN_CHECK(main_mutator == NULL && mutator == &cairn_mutator);
  main_mutator = mutator;
}

void cn_mutator_set_card_table(unsigned char *cards, uint64_t mask)
{
  CN_CHECK((mask & (mask + 1)) == 0 && (cards != NULL || mask == 0));
  barrier_words.cards = cards != NULL ? cards : &dummy_card;
  barrier_words.mask = mask;
}

void cn_mutator_set_barrier_word(uint64_t barrier)
{
  barrier_words.barrier = barrier;
}

void cn_mutator_copy_card_table(struct cairn_mutator *mutator)
{
  mutator->cards = barrier_words.cards;
  mutator->card_mask = barrier_words.mask;
}

void cn_mutator_copy_barrier_words(struct cairn_mutator *mutator)
{
  cn_mutator_copy_card_table(mutator);
  __atomic_store_n(&mutator->barrier, barrier_words.barrier, __ATOMIC_RELEASE); /* compiled code may read it */
}

uintptr_t *cairn_mutator_word(struct cairn_mutator *mutator)
{
  return &mutator->word;
}

ptrdiff_t cairn_mutator_offset(void)
{
  return (ptrdiff_t)((uintptr_t)&cairn_mutator - (uintptr_t)__builtin_thread_pointer());
}
