/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells whether a frame map or a region's manager describes a slot on a stack, for checks of stores. Walks from the
 * check's call to the frame with the slot, and over a waiting stack that has the slot.
 *
 * Most stores go to a local of a near caller, so each thread caches the chains of frames that it found: the return
 * addresses up to the frame, the sizes of the frames between them, and the places of the local's references.
 * While an image is loaded, the frame map of a return address is constant. If the stack has the return addresses of a
 * chain again, the slot is therefore described again. A chain ends at frames of variable size and at native code.
 *
 * Runs in phase MUTATE: on the mutator's own thread, or, for another mutator's stack, in the operation of a handshake
 * on either thread. The thread-local cache of chains is the only state; signals are deferred while it changes.
 */
#include "runtime/roots/roots.h"

#include <stdatomic.h>
#include <string.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/thread_storage.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/walk/coroutine_stacks.h"
#include "runtime/walk/walk.h"

enum {
  CHAIN_WAYS = CN_THREAD_TABLE_ENTRIES(4, 1), /* entries for a return address */
  CHAIN_SETS = CN_THREAD_TABLE_ENTRIES(8, 1),
  MAX_CHAIN_FRAMES = 4,
};

/* The frames from the check's caller to the frame with a described area. */
struct frame_chain {
  uint64_t generation;              /* generation of the list of images; 0: the entry is empty */
  uintptr_t distance;               /* distance of the first reference from the first frame's stack pointer */
  uint64_t bytes;                   /* `stride` for each reference */
  volatile uint64_t stride;         /* from reference to reference */
  uintptr_t pc[MAX_CHAIN_FRAMES];   /* return address in each frame */
  uint32_t words[MAX_CHAIN_FRAMES]; /* size of each frame except the last */
  uint8_t shape[MAX_CHAIN_FRAMES];  /* of each frame's prologue */
  unsigned levels;
};

/* This thread's chains. If a signal handler changes a chain during a read, the stamp changes. Signals are deferred
 * during a write. */
static _Thread_local struct {
  struct frame_chain sets[CHAIN_SETS][CHAIN_WAYS];
  volatile uint64_t stamp;
} chain_cache;

static struct frame_chain *chain_set_of(uintptr_t pc)
{
  return chain_cache.sets[(pc ^ pc >> 5) % CHAIN_SETS];
}

static bool area_has_slot(const struct frame_chain *chain, uintptr_t offset)
{
  uint64_t stride = chain->stride;

  return offset < chain->bytes && stride != 0 &&
         (stride == sizeof offset ? offset % sizeof offset : offset % stride) == 0;
}

static bool chain_has_slot(const struct frame_chain *chain, uintptr_t slot, const struct cn_saved_regs *regs)
{
  uintptr_t end = cn_arch_sp_after(regs);

  if (chain->pc[0] != regs->pc || !area_has_slot(chain, slot - end - chain->distance) ||
      chain->generation != cn_image_list_generation())
    return false;
  for (unsigned i = 0; i + 1 < chain->levels; i++) {
    end += chain->words[i] * sizeof end;
    if (cn_arch_strip_return(*cn_arch_return_slot(end, chain->shape[i])) != chain->pc[i + 1])
      return false;
  }
  return true;
}

bool cn_described_has_cached_slot(uintptr_t slot, const struct cn_saved_regs *regs)
{
  const struct frame_chain *set = chain_set_of(regs->pc);
  uint64_t stamp = chain_cache.stamp;

  for (unsigned i = 0; i < CHAIN_WAYS; i++) {
    atomic_signal_fence(memory_order_seq_cst);
    bool has = chain_has_slot(&set[i], slot, regs);
    atomic_signal_fence(memory_order_seq_cst);
    if (has)
      return stamp == chain_cache.stamp;
  }
  return false;
}

bool cn_described_find_cached_caller(uintptr_t slot, const struct cn_saved_regs *regs, struct cn_caller_place *place)
{
  const struct frame_chain *set = chain_set_of(regs->pc);
  uint64_t stamp = chain_cache.stamp;

  CN_ASSERT(slot % sizeof slot == 0);
  atomic_signal_fence(memory_order_seq_cst);
  for (unsigned i = 0; i < CHAIN_WAYS; i++) {
    if (set[i].levels != 2 || set[i].words[0] == 0 || !chain_has_slot(&set[i], slot, regs))
      continue;
    uint64_t stride = set[i].stride;
    bool rotates = (stride & (stride - 1)) == 0;
    uintptr_t end = cn_arch_sp_after(regs) + (uintptr_t)set[i].words[0] * sizeof slot;
    place->caller = set[i].pc[1];
    place->start = rotates ? cn_arch_sp_after(regs) + set[i].distance - end : slot - end;
    place->words = rotates ? set[i].bytes / stride : 1;
    place->rotation = (uint64_t)(64 - __builtin_ctzll(rotates ? stride : sizeof slot));
    atomic_signal_fence(memory_order_seq_cst);
    return stamp == chain_cache.stamp;
  }
  return false;
}

/* True if the walk stepped directly to this frame, without native code between, from a callee whose prologue has the
 * shape. */
static bool is_direct_caller(const struct cn_walk *walk, unsigned shape)
{
  const struct cn_frame *frame = &walk->frame;

  CN_ASSERT(!walk->past_end);
  return frame->map != NULL && frame->pc_slot == cn_arch_return_slot(frame->sp, shape) && walk->natives == 0;
}

/* False: the chain cannot reach this frame or its callers. */
static bool extend_chain(struct frame_chain *chain, const struct cn_walk *walk)
{
  const struct cn_frame *frame = &walk->frame;

  if (chain->levels == MAX_CHAIN_FRAMES ||
      !is_direct_caller(walk, chain->levels == 0 ? 0 : chain->shape[chain->levels - 1]))
    return false;
  bool constant = frame->size != 0 && (frame->size & CN_ENTRY_CHAINED_BIT) == 0;
  chain->shape[chain->levels] = (uint8_t)frame->shape;
  chain->pc[chain->levels] = frame->pc;
  chain->words[chain->levels] = constant ? frame->size : 0;
  chain->levels++;
  return chain->levels == 1 || chain->words[chain->levels - 2] != 0;
}

static void cache_chain(const struct frame_chain *chain)
{
  struct frame_chain *set = chain_set_of(chain->pc[0]);

  CN_ASSERT(chain->levels > 0 && chain->levels <= MAX_CHAIN_FRAMES && chain->generation != 0 && chain->stride != 0);
  memmove(&set[1], &set[0], (CHAIN_WAYS - 1) * sizeof *set);
  set[0] = *chain;
  chain_cache.stamp++;
}

/* Cache the chain with the area, whose first reference is at `start`. */
static void cache_chain_to_area(struct frame_chain *chain, const struct cn_described_area *area, uintptr_t start,
                                uintptr_t sp)
{
  if (area->reg != cn_arch_sp_dwarf_number)
    return;
  chain->distance = start - sp;
  chain->stride = area->count > 1 ? area->stride : sizeof start;
  chain->bytes = area->count * chain->stride;
  cache_chain(chain);
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

/* False if the slot surely lies outside of the walk's frame. */
static bool may_have_slot(const struct cn_walk *walk, uintptr_t slot)
{
  const struct cn_frame *frame = &walk->frame;
  bool constant = frame->map != NULL && frame->size != 0 && (frame->size & CN_ENTRY_CHAINED_BIT) == 0;

  return !constant || slot - frame->sp < (uintptr_t)frame->size * sizeof slot;
}

/* Searches the walk's frame and older frames for the slot. If `chain` is not null and reaches the slot from the stack
 * pointer `sp`, the chain is cached. */
static bool find_slot_area(struct cn_walk *walk, bool any, uintptr_t slot, struct frame_chain *chain, uintptr_t sp)
{
  for (; any; any = cn_walk_next(walk)) {
    uintptr_t start;
    const struct cn_described_area *area =
        may_have_slot(walk, slot) ? cn_frame_roots_area_at(walk, slot, &start) : NULL;
    if (chain != NULL && !extend_chain(chain, walk))
      chain = NULL;
    if (area != NULL && chain != NULL)
      cache_chain_to_area(chain, area, start, sp);
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
         find_slot_area(walk, cn_walk_begin_waiting(walk, mutator, stack), slot, NULL, 0);
}

bool cn_described_has_slot(uintptr_t slot, const struct cn_saved_regs *regs)
{
  struct frame_chain chain = {.generation = cn_image_list_generation()};
  struct cn_walk walk;

  CN_ASSERT(cairn_mutator.attached && cairn_mutator.stopped == NULL);
  if (cn_index_look_up_map(regs->pc) == NULL)
    return false;
  bool entered = cn_index_enter(); /* signals are deferred from now on */
  bool found = find_slot_area(&walk, cn_walk_begin_running(&walk, regs), slot, &chain, cn_arch_sp_after(regs)) ||
               find_in_waiting_stack(&walk, slot);
  cn_index_leave(entered);
  return found;
}

bool cn_described_mutator_has_slot(struct cairn_mutator *mutator, uintptr_t slot)
{
  struct cn_walk walk;

  bool entered = cn_index_enter();
  bool found = find_slot_area(&walk, cn_walk_begin(&walk, mutator, mutator->stopped), slot, NULL, 0);
  cn_index_leave(entered);
  return found;
}
