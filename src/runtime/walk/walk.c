/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks stacks. The walk steps over managed frames by their frame maps alone, over frames of code regions by their
 * managers, and over native frames by the anchors that the transition stubs left. Any other frame ends the program, so
 * that all roots are found. Also saves and resumes positions of walks, and claims the stacks that a collection's walk
 * reaches. The walk has all state.
 *
 * Runs in phase STOP on any thread, or in phase MUTATE for the thread's own stack, a waiting stack, or the stack of a
 * mutator in a handshake. No lock is held between steps. Within a step, the search for an unknown pc takes
 * CN_LOCK_FRAMES, and the search for the stack of an address takes the lock of coroutine_stacks.c. In the handler of a
 * fault that interrupted the holder of CN_LOCK_FRAMES, the search for an unknown pc ends the program.
 */
#include "runtime/walk/walk.h"

#include "base/check.h"
#include "runtime/core/anchors.h"
#include "runtime/core/image.h"
#include "runtime/core/messages.h"
#include "runtime/walk/coroutine_stacks.h"
#include "runtime/walk/marked_returns.h"
#include "runtime/walk/return_barriers.h"

const struct cn_saved_regs cn_walk_separate_regs;

_Noreturn static void report_parse_failure(const struct cn_walk *walk, const char *reason)
{
  char place[CN_REPORT_PC];

  cairn_fatal("cannot parse the stack at pc %s, sp 0x%lx: %s", cn_report_format_pc(walk->frame.pc, place),
              (unsigned long)walk->frame.sp, reason);
}

/* Take the next anchor that is as old as the frame's callee, or older. Skip anchors of ended calls, such as calls that
 * a longjmp has left. */
static bool step_to_next_anchor(struct cn_walk *walk)
{
  struct cn_anchor *anchor;

  while ((anchor = cn_anchors_youngest(walk->anchor)) != NULL) {
    walk->anchor = anchor;
    if (cn_anchor_sp(anchor) < walk->frame.sp || !cn_arch_is_anchor_live(anchor))
      continue;
    cn_stub_code_manager.previous(&walk->iterator, anchor);
    walk->natives++;
    return true;
  }
  return false;
}

/* Step over the entry of a function that native code called. Take the caller's pc, and the register that the stub uses,
 * from the stub's anchor. The caller may have a code info manager. */
static bool step_over_entry(struct cn_walk *walk)
{
  struct cn_frame *frame = &walk->frame;

  if (!cn_arch_is_entry_return(frame->pc))
    return false;
  for (struct cn_anchor *anchor = walk->anchor; (anchor = cn_anchors_youngest(anchor)) != NULL;) {
    if (!cn_anchor_is_entry(anchor) || cn_anchor_sp(anchor) != frame->sp)
      continue;
    frame->pc_slot = &anchor->pc;
    frame->pc = anchor->pc;
    frame->callee = 0;
    frame->place[CN_ARCH_ENTRY_SAVED_REGISTER] = &anchor->saved[CN_ARCH_ENTRY_SAVED_REGISTER];
    return true;
  }
  report_parse_failure(walk, "native code called the managed function, and has no anchor");
}

/* A signal frame on native code is like a call from native code. If the signal interrupted managed code, the places of
 * references are unknown, and the program ends. */
static void check_signal_frame(const struct cn_walk *walk)
{
  uintptr_t pc;

  if (cn_arch_is_interrupting_return(walk->frame.pc))
    report_parse_failure(walk, "a signal handler that interrupted managed code is on it");
  if (cn_arch_is_signal_frame(walk->frame.pc, walk->frame.sp, &pc) && cn_index_has_code_at(pc + 1) &&
      !cn_arch_is_in_entry(pc))
    report_parse_failure(walk, "a signal handler that interrupted managed code reached a safepoint");
}

static inline void set_frame_map(struct cn_frame *frame, uint64_t key, uint64_t value)
{
  CN_ASSERT(value != 0 && key >> CN_ENTRY_ADDRESS_SHIFT == frame->pc);
  frame->map = cn_entry_map_of(value);
  frame->size = key & CN_ENTRY_SIZE_MASK;
  frame->shape = value & CN_ENTRY_SHAPE_MASK;
}

static inline __attribute__((always_inline)) bool find_frame_map(struct cn_walk *walk)
{
  struct cn_frame *frame = &walk->frame;
  uint64_t key, value;

  if (!(walk->stopped ? cn_index_look_up_entry(frame->pc, &key, &value)
                      : cn_index_look_up_concurrent(frame->pc, &key, &value)))
    return false;
  set_frame_map(frame, key, value);
  return true;
}

static enum cn_frames decode_frame_map(struct cn_frame *frame)
{
  uint64_t key, value;
  enum cn_frames found = cn_index_find_or_decode(frame->pc, &key, &value);

  if (found == CN_FRAMES_FOUND)
    set_frame_map(frame, key, value);
  return found;
}

/* Called for a frame without a map at the walk's anchor. Ends the program unless the anchor is from an entry, because
 * managed code left all other anchors. */
static void check_native_anchor(const struct cn_walk *walk)
{
  if (!cn_anchor_is_entry(walk->anchor) && (cn_image_joint_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) == 0)
    report_parse_failure(walk, "managed code called native code there and has no frame map: no image is registered "
                               "for it, as if the 'enter' of a module in memory (<cairn/compile.h>) was not called");
}

/* Resolve a pc that the table does not have. `anchored` is true if the pc comes from an anchor. */
/* Like find_frame_map(), and replaces a mark by the true pc. */
static inline __attribute__((always_inline)) bool find_map_or_mark(struct cn_walk *walk)
{
  return find_frame_map(walk) || (cn_marked_return_resolve_pc(&walk->frame) && find_frame_map(walk));
}

static __attribute__((noinline)) bool resolve_frame_slowly(struct cn_walk *walk, bool anchored)
{
  struct cn_frame *frame = &walk->frame;
  bool entered = false; /* the pc is in native code that called a managed function */

  do {
    if (cn_marked_return_resolve_pc(frame))
      continue;
    enum cn_frames found = decode_frame_map(frame);
    if (found == CN_FRAMES_FOUND)
      break;
    frame->map = NULL;
    if (cn_code_regions_find(frame->pc, &frame->region))
      return true;
    if (cn_return_barrier_resolve_pc(frame))
      continue;
    if (step_over_entry(walk)) {
      anchored = false;
      entered = true;
      continue;
    }
    if (found == CN_FRAMES_NO_SAFEPOINT)
      report_parse_failure(walk, "the managed function has no safepoint there");
    check_signal_frame(walk);
    if (anchored)
      check_native_anchor(walk);
    else if (!entered && cn_arch_is_managed_call_return(frame->pc))
      report_parse_failure(walk, "the managed function has no frame map: was its object linked without 'cairn "
                                 "frames --rewrite', or its section cairn_frames taken away?");
    if (!step_to_next_anchor(walk))
      return !(walk->past_end = true);
    anchored = true;
  } while (!find_frame_map(walk));
  frame->link = frame->place[CN_ARCH_FRAME_POINTER];
  return true;
}

static inline bool resolve_frame(struct cn_walk *walk, bool anchored)
{
  struct cn_frame *frame = &walk->frame;

  CN_ASSERT(!walk->past_end);
  if (!find_frame_map(walk))
    return resolve_frame_slowly(walk, anchored);
  frame->link = frame->place[CN_ARCH_FRAME_POINTER];
  return true;
}

bool cn_walk_resolve_frame(struct cn_walk *walk)
{
  return resolve_frame(walk, false);
}

/* Fields that are valid only with other fields keep their old values, because short walks are frequent and the struct
 * is large. */
static void reset_walk(struct cn_walk *walk, const struct cairn_mutator *mutator, uintptr_t stack_end)
{
  struct cn_frame *frame = &walk->frame;

  cn_index_prepare_walk();
  walk->mutator = mutator;
  walk->stack = NULL;
  walk->anchor = NULL;
  walk->natives = 0;
  walk->stack_end = stack_end;
  walk->ahead.length = 0;
  walk->ahead.begun = false;
  walk->fetch_at = UINTPTR_MAX;
  walk->virtual_frame = 0;
  walk->past_end = walk->stepping = walk->stepped = false;
  walk->claims = 0;
  walk->stopped = cairn_mutator.stopped != NULL;
  frame->pc = frame->sp = frame->callee = 0;
  frame->pc_slot = frame->barrier = NULL;
  frame->regs = NULL;
  frame->map = NULL;
}

static void begin_on_own_stack(struct cn_walk *walk, const struct cairn_mutator *mutator)
{
  CN_ASSERT(mutator->anchors == NULL || !cn_anchors_wrong(mutator->anchors, mutator->anchor));
  reset_walk(walk, mutator, mutator->stack_end);
  walk->stack = mutator->stack;
  walk->anchor = __atomic_load_n(&mutator->anchor, __ATOMIC_ACQUIRE); /* a native thread may add an entry's anchor */
}

static inline void place_registers(struct cn_frame *frame, const struct cn_saved_regs *regs)
{
#pragma GCC unroll 16
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    frame->place[i] = (uintptr_t *)&regs->gpr[cn_arch_callee_saved[i]];
}

static bool begin_at_registers(struct cn_walk *walk, const struct cn_saved_regs *regs)
{
  struct cn_frame *frame = &walk->frame;

  CN_ASSERT(regs->pc != 0);
  frame->pc = regs->pc;
  frame->pc_slot = (uintptr_t *)&regs->pc;
  frame->sp = cn_arch_sp_after(regs);
  place_registers(frame, regs);
  walk->fetch_at = frame->sp + CN_PREFETCH_MIN_WALK_WORDS * sizeof frame->sp;
  return cn_walk_resolve_frame(walk);
}

bool cn_walk_begin(struct cn_walk *walk, const struct cairn_mutator *mutator, const struct cn_saved_regs *regs)
{
  struct cn_frame *frame = &walk->frame;

  begin_on_own_stack(walk, mutator);
  if (regs == NULL) {
    if (!step_to_next_anchor(walk))
      return !(walk->past_end = true);
    walk->fetch_at = frame->sp + CN_PREFETCH_MIN_WALK_WORDS * sizeof frame->sp;
    return resolve_frame(walk, true);
  }
  walk->stopped = true;
  frame->regs = regs;
  return begin_at_registers(walk, regs);
}

bool cn_walk_begin_to_leave(struct cn_walk *walk, const struct cn_saved_regs *regs)
{
  struct cn_frame *frame = &walk->frame;
  uint64_t key, value;

  CN_ASSERT(cairn_mutator.attached && cairn_mutator.state == CAIRN_ABI_MANAGED);
  frame->pc = regs->pc;
  walk->stack_end = cairn_mutator.stack_end;
  walk->past_end = false;
  frame->sp = cn_arch_sp_after(regs);
  frame->regs = regs;
  place_registers(frame, regs);
  frame->link = frame->place[CN_ARCH_FRAME_POINTER];
  if (!cn_index_look_up_entry(frame->pc, &key, &value))
    return false;
  set_frame_map(frame, key, value);
  return true;
}

bool cn_walk_begin_running(struct cn_walk *walk, const struct cn_saved_regs *regs)
{
  CN_ASSERT(cairn_mutator.attached && cairn_mutator.stopped == NULL);
  begin_on_own_stack(walk, &cairn_mutator);
  return begin_at_registers(walk, regs);
}

/* False: another walk has claimed the stack. */
static bool enter_stack(struct cn_walk *walk, struct cairn_stack *stack)
{
  const struct cn_stack_view view = cn_coroutine_stacks_view_of(walk->mutator, stack);

  if (walk->claims && !cn_coroutine_stacks_claim_stack(walk->mutator, stack, walk->claims))
    return false;
  CN_ASSERT(view.end != 0);
  walk->stack = stack;
  walk->anchor = view.anchor;
  walk->stack_end = view.end;
  walk->fetch_at = UINTPTR_MAX;
  return true;
}

/* Find the anchors of the frame's stack, if a manager has continued the walk on another stack; an unregistered stack
 * has no anchors. Callers other than managers may set the iterator back to a frame whose anchors the walk has
 * passed. */
static bool find_stack_of_frame(struct cn_walk *walk)
{
  if (walk->mutator == NULL)
    return true;
  struct cairn_stack *stack = cn_coroutine_stacks_exist() ? cn_coroutine_stacks_at(walk->frame.sp) : NULL;
  if (stack == NULL)
    walk->mutator = cn_coroutine_stacks_owner_of(walk->mutator, walk->frame.sp);
  return (stack == walk->stack && walk->stepping) || enter_stack(walk, stack);
}

bool cn_walk_set_state(struct cn_walk *walk, const struct cairn_stack_state *state)
{
  struct cn_frame *frame = &walk->frame;

  walk->stepped = true;
  walk->virtual_frame = state->virtual_frame;
  if (state->pc == NULL)
    return !(walk->past_end = true);
  walk->past_end = false;
  frame->pc = cn_arch_strip_return(*state->pc);
  frame->pc_slot = state->pc;
  frame->sp = state->sp;
  frame->callee = 0;
  frame->regs = NULL;
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    frame->place[i] = state->reg[cn_arch_callee_saved[i]];
  for (int i = 0; i < CN_ARCH_REGISTER_COUNT; i++) {
    frame->other[i] = state->reg[i];
    if (state->reg[i] != NULL && i != cn_arch_sp_dwarf_number && !cn_arch_is_callee_saved(i))
      frame->regs = &cn_walk_separate_regs;
  }
  if (!find_stack_of_frame(walk))
    return !(walk->past_end = true);
  return cn_walk_resolve_frame(walk);
}

bool cn_walk_begin_on_stack(struct cn_walk *walk, const struct cairn_mutator *mutator, struct cairn_stack *stack,
                            const struct cairn_stack_state *state)
{
  CN_ASSERT(mutator != NULL);
  reset_walk(walk, mutator, 0);
  (void)enter_stack(walk, stack); /* the walk has no claims yet */
  if (state != NULL)
    return cn_walk_set_state(walk, state);
  return step_to_next_anchor(walk) ? cn_walk_resolve_frame(walk) : !(walk->past_end = true);
}

bool cn_walk_begin_waiting(struct cn_walk *walk, const struct cairn_mutator *mutator, struct cairn_stack *stack)
{
  struct cairn_stack_state state = {.pc = NULL};

  if (stack == NULL || stack->suspended == NULL)
    return cn_walk_begin_on_stack(walk, mutator, stack, NULL);
  return stack->suspended(stack, &state) && cn_walk_begin_on_stack(walk, mutator, stack, &state);
}

bool cn_walk_begin_suspended(struct cn_walk *walk, const struct cairn_stack_state *state, uintptr_t stack_end)
{
  reset_walk(walk, NULL, stack_end);
  return cn_walk_set_state(walk, state);
}

void cn_walk_save(const struct cn_walk *walk, struct cn_saved_walk *kept)
{
  CN_ASSERT(!walk->past_end && walk->frame.map != NULL);
  kept->walk = *walk;
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    if (walk->frame.place[i] != NULL)
      kept->reg[i] = *walk->frame.place[i];
}

void cn_walk_resume(struct cn_walk *walk, struct cn_saved_walk *kept)
{
  struct cn_frame *frame = &walk->frame;

  reset_walk(walk, kept->walk.mutator, kept->walk.stack_end);
  walk->stack = kept->walk.stack;
  walk->anchor = kept->walk.anchor;
  frame->pc = kept->walk.frame.pc;
  frame->sp = kept->walk.frame.sp;
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    frame->place[i] = kept->walk.frame.place[i] != NULL ? &kept->reg[i] : NULL;
  if (!cn_walk_resolve_frame(walk) || frame->map == NULL || frame->sp != kept->walk.frame.sp)
    report_parse_failure(walk, "an activation that has not run is not there any more");
  walk->fetch_at = frame->sp + CN_PREFETCH_MIN_WALK_WORDS * sizeof frame->sp;
}

/* The caller may lie at a lower address, since a stack may have several pieces. If the manager reports the end of the
 * stack, there must be no older activation. */
static __attribute__((noinline)) bool step_by_region_manager(struct cn_walk *walk)
{
  const struct cn_code_region region = walk->frame.region;
  const uintptr_t *pc_slot = walk->frame.pc_slot;
  uintptr_t sp = walk->frame.sp;

  CN_ASSERT(region.manager != NULL && region.manager->previous != NULL);
  CN_ASSERT(!walk->stepping); /* fails if a manager's callback steps the walk */
  walk->stepped = false;
  walk->stepping = true;
  cn_code_regions_enter_region(&region);
  region.manager->previous(&walk->iterator, region.data);
  cn_code_regions_leave_region();
  walk->stepping = false;
  if (!walk->stepped)
    report_parse_failure(walk, "its manager did not step to the caller");
  if (!walk->past_end && walk->frame.sp == sp && walk->frame.pc_slot == pc_slot)
    report_parse_failure(walk, "its manager stepped to the same activation");
  if (walk->past_end && step_to_next_anchor(walk))
    report_parse_failure(walk, "a manager says that there is no older activation");
  return !walk->past_end;
}

/* Note that the prologue has saved registers below `cfa`. The code is branch-free, because the set of registers is
 * unpredictable. */
static inline void place_pushed_registers(struct cn_frame *frame, uintptr_t cfa)
{
  typedef uintptr_t word_pair __attribute__((vector_size(16), aligned(8), may_alias));
  const struct cn_prologue_shape *shape = &cn_arch_prologue_shapes[frame->shape];
  const word_pair *keep = (const word_pair *)shape->keep, *offset = (const word_pair *)shape->offset;
  word_pair *place = (word_pair *)frame->place, end = {cfa, cfa};

#pragma GCC unroll 8
  for (int i = 0; i < CN_FRAME_PLACES / 2; i++)
    place[i] = (place[i] & keep[i]) + ((end & ~keep[i]) + offset[i]);
}

/* The end of the frame; 0 if its base register is unknown. */
static uintptr_t frame_end_of(const struct cn_frame *frame)
{
  const struct cn_frame_map *map = frame->map;
  const uintptr_t *kept =
      map->cfa_reg == cn_arch_sp_dwarf_number ? &frame->sp : cn_frame_register_place(frame, map->cfa_reg);

  return kept != NULL ? *kept + (uintptr_t)(intptr_t)map->cfa_offset : 0;
}

static void place_saved_registers(struct cn_frame *frame, uintptr_t cfa)
{
  const int32_t *offset = cn_map_saved_offsets(frame->map);

  CN_ASSERT(!frame->map->pushed); /* maps of pushed registers have no offsets */
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    if (frame->map->saved >> i & 1)
      frame->place[i] = (uintptr_t *)(cfa + (uintptr_t)(intptr_t)offset[i]);
}

/* The place of the return address in a frame that may be irregular. */
static uintptr_t *return_slot_of(const struct cn_frame *frame, uintptr_t cfa)
{
  if (CN_ARCH_CALL_PUSHES_RETURN || frame->map->pushed)
    return cn_arch_return_slot(cfa, frame->shape);
  return (uintptr_t *)(cfa + (uintptr_t)(intptr_t)cn_map_saved_offsets(frame->map)[CN_CALLEE_SAVED_COUNT]);
}

static __attribute__((noinline)) void prefetch_frames(struct cn_walk *walk)
{
  CN_ASSERT(walk->frame.sp <= walk->stack_end);
  bool entered = !walk->stopped && cn_index_enter();
  const uintptr_t *at =
      cn_prefetch_page_entries(&walk->ahead, atomic_load_explicit(&cn_index_current, memory_order_acquire),
                               (const uintptr_t *)walk->frame.sp - 1, (const uintptr_t *)walk->stack_end,
                               walk->frame.pc, cn_prefetch_find_pcs_any);

  walk->fetch_at = (uintptr_t)at;
  if (!walk->stopped)
    cn_index_leave(entered);
}

/* `slot` has the return address. */
static inline bool step_to_caller(struct cn_walk *walk, uintptr_t cfa, uintptr_t *slot)
{
  struct cn_frame *frame = &walk->frame;

  if (cfa <= frame->sp || cfa > walk->stack_end || cfa % sizeof cfa != 0)
    report_parse_failure(walk, "the frame does not end on the stack");
  walk->virtual_frame = 0;
  if (CN_ARCH_SIGNS_RETURNS)
    frame->callee = frame->pc;
  frame->pc_slot = slot;
  frame->pc = cn_arch_strip_return(*slot);
  frame->sp = cfa;
  frame->regs = NULL;
  if (walk->ahead.begun)
    __builtin_prefetch(frame->pc_slot + CN_PREFETCH_DISTANCE_WORDS);
  if (cfa > walk->fetch_at)
    prefetch_frames(walk);
  return find_map_or_mark(walk) || resolve_frame_slowly(walk, false);
}

static __attribute__((noinline)) bool step_over_irregular_frame(struct cn_walk *walk)
{
  struct cn_frame *frame = &walk->frame;
  uintptr_t cfa = frame_end_of(frame);

  CN_ASSERT(frame->size == 0);
  if (cfa == 0)
    report_parse_failure(walk, "the frame's base register is unknown");
  uintptr_t *slot = return_slot_of(frame, cfa);
  if (frame->map->pushed)
    place_pushed_registers(frame, cfa);
  else
    place_saved_registers(frame, cfa);
  frame->link = frame->place[CN_ARCH_FRAME_POINTER];
  return step_to_caller(walk, cfa, slot);
}

/* The place of the frame pointer in a frame that saves it and ends at `cfa`. */
static inline uintptr_t *record_of(const struct cn_frame *frame, uintptr_t cfa)
{
  return (uintptr_t *)(cfa - cn_arch_frame_record_bytes(frame->shape));
}

bool cn_walk_next(struct cn_walk *walk)
{
  struct cn_frame *frame = &walk->frame;
  uintptr_t *link = frame->link;
  uintptr_t cfa;

  CN_ASSERT(!walk->past_end);
  if (frame->map == NULL)
    return step_by_region_manager(walk);
  if (frame->size & CN_ENTRY_CHAINED_BIT) {
    if (link == NULL)
      report_parse_failure(walk, "the frame's base register is unknown");
    cfa = *link + cn_arch_frame_record_bytes(frame->shape);
    frame->link = record_of(frame, cfa);
  } else {
    if (frame->size == 0)
      return step_over_irregular_frame(walk);
    cfa = frame->sp + frame->size * sizeof cfa;
    if (cn_arch_shape_registers(frame->shape) >> CN_ARCH_FRAME_POINTER & 1)
      frame->link = record_of(frame, cfa);
  }
  uintptr_t *slot = cn_arch_return_slot(cfa, frame->shape);
  place_pushed_registers(frame, cfa);
  return step_to_caller(walk, cfa, slot);
}

/* Move the return address to the last word of the frame, whose saved registers have been read. */
static uintptr_t *move_return_address(const struct cn_frame *frame, uintptr_t cfa)
{
  uintptr_t *last = (uintptr_t *)cfa - 1, *slot = return_slot_of(frame, cfa);

  if (slot != last)
    *last = cn_arch_strip_return(*slot);
  return last;
}

void cn_walk_leave_frame(struct cn_walk *walk, struct cn_transfer *transfer)
{
  struct cn_frame *frame = &walk->frame;
  bool is_pushed = frame->size != 0 || frame->map->pushed;
  const uintptr_t *offset = cn_arch_prologue_shapes[frame->shape].offset;
  uintptr_t cfa;

  CN_ASSERT(!walk->past_end && frame->map != NULL);
  if (frame->size & CN_ENTRY_CHAINED_BIT)
    cfa = frame->link != NULL ? *frame->link + cn_arch_frame_record_bytes(frame->shape) : 0;
  else
    cfa = frame->size != 0 ? frame->sp + frame->size * sizeof cfa : frame_end_of(frame);
  if (cfa <= frame->sp || cfa > walk->stack_end || cfa % sizeof cfa != 0)
    report_parse_failure(walk, "the frame does not end on the stack");
  if (!is_pushed)
    place_saved_registers(frame, cfa);
#pragma GCC unroll 16
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    transfer->saved[i] = *frame->place[i];
  for (unsigned pushed = is_pushed ? cn_arch_shape_registers(frame->shape) : 0; pushed != 0; pushed &= pushed - 1) {
    int i = __builtin_ctz(pushed);
    transfer->saved[i] = *(const uintptr_t *)(cfa + offset[i]);
  }
  cn_map_read_vectors(frame->map, cfa, transfer->vector);
  transfer->slot = move_return_address(frame, cfa);
}
