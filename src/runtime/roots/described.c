/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds described places on stacks, for checks of stores: walks from the check's call to the frame whose map describes
 * the place.
 *
 * Most stores go to a local of a caller that is near. So each thread keeps the chains that it found: the return
 * addresses up to the frame, the sizes of the frames between them, and the place's distance from the stack pointer. A
 * frame map says the same of a return address as long as its image stays. So if these words are on the stack again, the
 * place is described again. A chain ends at frames of variable size and at native code.
 *
 * The mutator's own thread, in phase MUTATE.
 */
#include "runtime/roots/described.h"

#include <stdatomic.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/walk/coroutine_stacks.h"
#include "runtime/walk/walk.h"

enum { SEARCH_LEVELS = 4, CHAIN_COUNT = 32 };

/* Frames from the one that called the check to the one that has the place. */
struct chain {
  uint64_t generation;           /* of the list of images; 0: the entry is empty */
  uintptr_t distance;            /* of the place from the first frame's stack pointer */
  uintptr_t pc[SEARCH_LEVELS];   /* of each frame */
  uint32_t words[SEARCH_LEVELS]; /* that the frame takes, if another one follows */
  unsigned levels;
};

/* This thread's chains. A signal handler may come while a chain is read, and then the stamp changes. Handlers are held
 * off while a chain is written. */
static _Thread_local struct {
  struct chain at[CHAIN_COUNT];
  volatile uint64_t stamp;
} kept;

static struct chain *chain_of(uintptr_t pc, uintptr_t distance)
{
  return &kept.at[(pc ^ pc >> 5 ^ distance >> 3) % CHAIN_COUNT];
}

bool cn_described_had(uintptr_t slot, const struct cn_regs *regs)
{
  uintptr_t sp = cn_arch_sp_after(regs);
  const struct chain *chain = chain_of(regs->pc, slot - sp);
  const uintptr_t *end = (const uintptr_t *)sp;
  uint64_t stamp = kept.stamp;
  unsigned i = 0;

  atomic_signal_fence(memory_order_seq_cst);
  if (chain->pc[0] != regs->pc || chain->distance != slot - sp || chain->generation != cn_image_generation())
    return false;
  for (; i + 1 < chain->levels; i++) {
    end += chain->words[i];
    if (end[-1] != chain->pc[i + 1])
      return false;
  }
  atomic_signal_fence(memory_order_seq_cst);
  return stamp == kept.stamp;
}

/* True if the walk's frame is the caller of its callee, whose map says its size. */
static bool is_direct_caller(const struct cn_walk *walk, uint64_t natives)
{
  const struct cn_frame *frame = &walk->frame;

  CN_ASSERT(!walk->past_end && natives <= walk->natives);
  return frame->map != NULL && frame->pc_slot == (uintptr_t *)frame->sp - 1 && walk->natives == natives;
}

/* Adds the walk's frame to a chain. False: the chain ends here. */
static bool extend_chain(struct chain *chain, const struct cn_walk *walk)
{
  const struct cn_frame *frame = &walk->frame;

  if (chain->levels == SEARCH_LEVELS || !is_direct_caller(walk, 0))
    return false;
  bool constant = frame->size != 0 && (frame->size & CN_ENTRY_CHAINED) == 0;
  chain->pc[chain->levels] = frame->pc;
  chain->words[chain->levels] = constant ? frame->size : 0;
  chain->levels++;
  return chain->levels == 1 || chain->words[chain->levels - 2] != 0;
}

static void keep_chain(const struct chain *chain)
{
  struct chain *place = chain_of(chain->pc[0], chain->distance);

  CN_ASSERT(chain->levels > 0 && chain->levels <= SEARCH_LEVELS && chain->generation != 0);
  *place = *chain;
  kept.stamp++;
}

struct search {
  uintptr_t slot;
  bool found;
};

static void compare_slot(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  struct search *search = env;

  CN_ASSERT(slot != NULL);
  (void)parameter;
  search->found |= (uintptr_t)slot == search->slot && tag == CAIRN_ROOT_DEFAULT;
}

/* Frames of code with its own manager have the roots that the manager enumerates. */
static bool in_region(const struct cn_walk *walk, uintptr_t slot)
{
  struct search search = {slot, false};

  CN_ASSERT(walk->frame.map == NULL);
  cn_frame_roots(walk, compare_slot, &search);
  return search.found;
}

/* Continues the walk from its place. `chain` is null, or is kept if it reaches the slot. */
static bool find_slot_area(struct cn_walk *walk, bool any, uintptr_t slot, struct chain *chain)
{
  for (; any; any = cn_walk_next(walk)) {
    const struct cn_area *area = cn_frame_roots_area_at(walk, slot);
    if (chain != NULL && !extend_chain(chain, walk))
      chain = NULL;
    if (area != NULL && chain != NULL && area->reg == cn_arch_sp_number)
      keep_chain(chain);
    if (area != NULL || (walk->frame.map == NULL && in_region(walk, slot)))
      return true;
  }
  return false;
}

/* Searches another stack, whose threads have left it. */
static bool find_waiting(struct cn_walk *walk, uintptr_t slot)
{
  const struct cairn_mutator *mutator = &cairn_mutator;

  CN_ASSERT(mutator->stopped == NULL);
  if (!cn_coroutine_stacks_elsewhere(mutator, slot))
    return false;
  struct cairn_stack *stack = cn_coroutine_stacks_at(slot);
  return cn_coroutine_stacks_waits(mutator, stack) &&
         find_slot_area(walk, cn_walk_waiting(walk, mutator, stack), slot, NULL);
}

bool cn_described_has(uintptr_t slot, const struct cn_regs *regs)
{
  struct chain chain = {.generation = cn_image_generation(), .distance = slot - cn_arch_sp_after(regs)};
  struct cn_walk walk;

  CN_ASSERT(cairn_mutator.attached && cairn_mutator.stopped == NULL);
  if (cn_index_look_up(regs->pc) == NULL)
    return false;
  bool entered = cn_index_enter(); /* signal handlers wait now */
  bool found = find_slot_area(&walk, cn_walk_running(&walk, regs), slot, &chain) || find_waiting(&walk, slot);
  cn_index_leave(entered);
  return found;
}

bool cn_described_elsewhere(struct cairn_mutator *mutator, uintptr_t slot)
{
  struct cn_walk walk;

  bool entered = cn_index_enter();
  bool found = find_slot_area(&walk, cn_walk_begin(&walk, mutator, mutator->stopped), slot, NULL);
  cn_index_leave(entered);
  return found;
}
