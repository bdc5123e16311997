/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells whether a frame map or a region's manager describes a slot on a stack, for checks of stores. Walks from the
 * check's call to the frame with the slot, and over a waiting stack that has the slot.
 *
 * Most stores go to a local of a near caller, so each thread caches the chains of frames that it found: the return
 * addresses up to the frame, the sizes of the frames between them, and the slot's distance from the stack pointer.
 * While an image is loaded, the frame map of a return address is constant. If the stack has the return addresses of a
 * chain again, the slot is therefore described again. A chain ends at frames of variable size and at native code.
 *
 * Runs in phase MUTATE: on the mutator's own thread, or, for another mutator's stack, in the operation of a handshake
 * on either thread. The thread-local cache of chains is the only state; signals are deferred while it changes.
 */
#include "runtime/roots/roots.h"

#include <stdatomic.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/thread_storage.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/walk/coroutine_stacks.h"
#include "runtime/walk/walk.h"

enum { CHAIN_COUNT = CN_THREAD_TABLE_ENTRIES(32, 2), MAX_CHAIN_FRAMES = 4 };

/* The frames from the check's caller to the frame with the slot. */
struct frame_chain {
  uint64_t generation;              /* generation of the list of images; 0: the entry is empty */
  uintptr_t distance;               /* distance of the slot from the first frame's stack pointer */
  uintptr_t pc[MAX_CHAIN_FRAMES];   /* return address in each frame */
  uint32_t words[MAX_CHAIN_FRAMES]; /* size of each frame except the last */
  unsigned levels;
};

/* This thread's chains. If a signal handler changes a chain during a read, the stamp changes. Signals are deferred
 * during a write. */
static _Thread_local struct {
  struct frame_chain at[CHAIN_COUNT];
  volatile uint64_t stamp;
} chain_cache;

static struct frame_chain *cached_chain_at(uintptr_t pc, uintptr_t distance)
{
  return &chain_cache.at[(pc ^ pc >> 5 ^ distance >> 3) % CHAIN_COUNT];
}

bool cn_described_has_cached_slot(uintptr_t slot, const struct cn_saved_regs *regs)
{
  uintptr_t sp = cn_arch_sp_after(regs);
  const struct frame_chain *chain = cached_chain_at(regs->pc, slot - sp);
  const uintptr_t *end = (const uintptr_t *)sp;
  uint64_t stamp = chain_cache.stamp;
  unsigned i = 0;

  atomic_signal_fence(memory_order_seq_cst);
  if (chain->pc[0] != regs->pc || chain->distance != slot - sp || chain->generation != cn_image_list_generation())
    return false;
  for (; i + 1 < chain->levels; i++) {
    end += chain->words[i];
    if (end[-1] != chain->pc[i + 1])
      return false;
  }
  atomic_signal_fence(memory_order_seq_cst);
  return stamp == chain_cache.stamp;
}

/* True if the walk stepped directly from the callee to this frame, without native code between them. */
static bool is_direct_caller(const struct cn_walk *walk, uint64_t natives)
{
  const struct cn_frame *frame = &walk->frame;

  CN_ASSERT(!walk->past_end && natives <= walk->natives);
  return frame->map != NULL && frame->pc_slot == (uintptr_t *)frame->sp - 1 && walk->natives == natives;
}

/* False: the chain cannot reach this frame or its callers. */
static bool extend_chain(struct frame_chain *chain, const struct cn_walk *walk)
{
  const struct cn_frame *frame = &walk->frame;

  if (chain->levels == MAX_CHAIN_FRAMES || !is_direct_caller(walk, 0))
    return false;
  bool constant = frame->size != 0 && (frame->size & CN_ENTRY_CHAINED_BIT) == 0;
  chain->pc[chain->levels] = frame->pc;
  chain->words[chain->levels] = constant ? frame->size : 0;
  chain->levels++;
  return chain->levels == 1 || chain->words[chain->levels - 2] != 0;
}

static void cache_chain(const struct frame_chain *chain)
{
  struct frame_chain *place = cached_chain_at(chain->pc[0], chain->distance);

  CN_ASSERT(chain->levels > 0 && chain->levels <= MAX_CHAIN_FRAMES && chain->generation != 0);
  *place = *chain;
  chain_cache.stamp++;
}

struct slot_search {
  uintptr_t slot;
  bool found;
};

static void compare_slot(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  struct slot_search *search = env;

  CN_ASSERT(slot != NULL);
  (void)parameter;
  search->found |= (uintptr_t)slot == search->slot && tag == CAIRN_ROOT_DEFAULT;
}

/* True if the region's manager reports `slot` as a root of the walk's frame. */
static bool region_frame_has_slot(const struct cn_walk *walk, uintptr_t slot)
{
  struct slot_search search = {slot, false};

  CN_ASSERT(walk->frame.map == NULL);
  cn_frame_roots_visit_all(walk, compare_slot, &search);
  return search.found;
}

/* Searches the walk's frame and older frames for the slot. If `chain` is not null and reaches the slot, the chain is
 * cached. */
static bool find_slot_area(struct cn_walk *walk, bool any, uintptr_t slot, struct frame_chain *chain)
{
  for (; any; any = cn_walk_next(walk)) {
    const struct cn_described_area *area = cn_frame_roots_area_at(walk, slot);
    if (chain != NULL && !extend_chain(chain, walk))
      chain = NULL;
    if (area != NULL && chain != NULL && area->reg == cn_arch_sp_dwarf_number)
      cache_chain(chain);
    if (area != NULL || (walk->frame.map == NULL && region_frame_has_slot(walk, slot)))
      return true;
  }
  return false;
}

/* Searches the stack that has the slot, if no thread runs on this stack. */
static bool find_in_waiting_stack(struct cn_walk *walk, uintptr_t slot)
{
  const struct cairn_mutator *mutator = &cairn_mutator;

  CN_ASSERT(mutator->stopped == NULL);
  if (!cn_coroutine_stacks_is_on_other(mutator, slot))
    return false;
  struct cairn_stack *stack = cn_coroutine_stacks_at(slot);
  return cn_coroutine_stacks_is_waiting(mutator, stack) &&
         find_slot_area(walk, cn_walk_begin_waiting(walk, mutator, stack), slot, NULL);
}

bool cn_described_has_slot(uintptr_t slot, const struct cn_saved_regs *regs)
{
  struct frame_chain chain = {.generation = cn_image_list_generation(), .distance = slot - cn_arch_sp_after(regs)};
  struct cn_walk walk;

  CN_ASSERT(cairn_mutator.attached && cairn_mutator.stopped == NULL);
  if (cn_index_look_up_map(regs->pc) == NULL)
    return false;
  bool entered = cn_index_enter(); /* signals are deferred from now on */
  bool found =
      find_slot_area(&walk, cn_walk_begin_running(&walk, regs), slot, &chain) || find_in_waiting_stack(&walk, slot);
  cn_index_leave(entered);
  return found;
}

bool cn_described_mutator_has_slot(struct cairn_mutator *mutator, uintptr_t slot)
{
  struct cn_walk walk;

  bool entered = cn_index_enter();
  bool found = find_slot_area(&walk, cn_walk_begin(&walk, mutator, mutator->stopped), slot, NULL);
  cn_index_leave(entered);
  return found;
}
