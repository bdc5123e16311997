/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of the fast walk. A file that includes this header first defines `struct lanes`, which holds the places of
 * the callee-saved registers, in the order of enum cn_reg, and the stack pointer. The file also defines:
 *
 *   struct lanes lanes_load(uintptr_t *const *place, uintptr_t sp)
 *   void lanes_store(struct lanes lanes, uintptr_t **place)
 *   struct lanes lanes_apply_pushes(struct lanes lanes, uint64_t value, uintptr_t cfa)
 *       the lanes of the caller, if the frame ends at `cfa` and its prologue has the shape of an entry's value
 *   void lanes_write_root_places(struct lanes lanes, const uint16_t *code, unsigned count, uintptr_t **out)
 *       writes the places of the roots with these codes: at least min(`count`, CN_FAST_WALK_GROUP_ROOTS), at most
 *       CN_FAST_WALK_GROUP_ROOTS
 *   cn_prefetch_pc_finder *const lanes_find_entries
 *
 * The critical path of an iteration takes about sixteen cycles: the return address gives the safepoint, the safepoint
 * gives the frame's size, and the size gives the next return address. All other work runs in parallel. A frame whose
 * end is given by the frame pointer does not wait for the look-up. The number of roots and the set of saved registers
 * are unpredictable, so the usual numbers need no branch. The loop prefetches the stack and the lines for the places of
 * roots, because the processor's prefetcher starts again at each page. If a program has so many safepoints that the
 * table exceeds the caches, the loop also prefetches the entries of later return addresses (prefetch.h).
 */
#ifndef CN_RUNTIME_ROOTS_FAST_WALK_LOOP_H
#define CN_RUNTIME_ROOTS_FAST_WALK_LOOP_H

#include "base/check.h"
#include "runtime/roots/fast_walk.h"
#include "runtime/walk/marked_returns.h"

static inline unsigned shape_of(uint64_t value)
{
  return value & CN_ENTRY_SHAPE_MASK;
}

/* The end of a frame whose end is given by the frame pointer; UINTPTR_MAX: the frame pointer is invalid. The key has
 * the frame's minimal size in words. */
static inline uintptr_t chained_end(uintptr_t sp, const uintptr_t *frame_pointer, uint64_t key, uint64_t value)
{
  uintptr_t end = *frame_pointer + cn_arch_frame_record_bytes(shape_of(value));
  uintptr_t bytes = end - sp;
  uintptr_t words = bytes / sizeof end | bytes << 61; /* a large number if `end` is unaligned or lies below `sp` */

  return words - (key & CN_ENTRY_WORDS_MASK) <= UINTPTR_MAX >> 8 ? end : UINTPTR_MAX;
}

/* Makes the frame that begins at `sp` the walk's current frame. Its pc, or the mark of its pc, lies in its callee,
 * whose entry has the value `callee`. */
static inline void make_frame_current(const struct cn_fast_walk *stretch, uintptr_t pc, uintptr_t sp, uint64_t callee,
                                      struct lanes lanes)
{
  struct cn_frame *frame = &stretch->walk->frame;

  frame->pc_slot = cn_arch_return_slot(sp, shape_of(callee));
  frame->pc = pc;
  frame->sp = sp;
  frame->regs = NULL;
  lanes_store(lanes, frame->place);
}

/* True: `*pc` was a mark, and is now the true return address. */
static inline bool replace_mark(uintptr_t *pc)
{
  uintptr_t mark = *pc;

  *pc = cn_marked_return_true_pc(mark);
  return *pc != mark;
}

/* The function writes whole groups, so it may write more places than `count`. */
static inline void write_root_places(struct lanes lanes, const struct cn_index_entry *entry, uint64_t value,
                                     unsigned count, uintptr_t **out)
{
  lanes_write_root_places(lanes, entry->code, count, out);
  if (__builtin_expect(count > CN_ENTRY_CODES, 0))
    for (unsigned i = CN_ENTRY_CODES; i < count; i += CN_FAST_WALK_GROUP_ROOTS)
      lanes_write_root_places(lanes, cn_entry_map_of(value)->plain_at + i, count - i, out + i);
}

enum { MIN_WALK_BYTES = CN_PREFETCH_MIN_WALK_WORDS * sizeof(uintptr_t) };

/* Without this alignment, a walk over ten frames takes up to 20 % longer. */
static __attribute__((aligned(64))) uint64_t walk_regular_frames(const struct cn_fast_walk *stretch)
{
  const struct cn_frame *frame = &stretch->walk->frame;
  const struct cn_index *index = stretch->index;
  struct cn_root_slots *slots = stretch->slots;
  uintptr_t sp = frame->sp, cfa, end = (uintptr_t)stretch->end;
  uintptr_t limit = end - sp > MIN_WALK_BYTES ? sp + MIN_WALK_BYTES : end;
  const uintptr_t *frame_pointer = frame->place[CN_ARCH_FRAME_POINTER];
  uintptr_t pc = frame->pc; /* the first pc may be stored elsewhere */
  uintptr_t **out = slots->at + slots->count, **last = slots->at + slots->room - CN_FAST_WALK_MIN_ROOM;
  struct lanes lanes = lanes_load(frame->place, frame->sp);
  struct cn_walk_prefetcher ahead = {.begun = false};
  uint64_t frames = 0, key, callee = 0; /* the value of the last frame's entry */

  CN_ASSERT(slots->room - slots->count >= CN_FAST_WALK_MIN_ROOM && sp % sizeof sp == 0);
  for (;;) {
    const struct cn_index_entry *entry = cn_index_find_entry(index, pc, &key);
    if (entry == NULL && replace_mark(&pc))
      continue;
    if (entry == NULL || (key & CN_ENTRY_SIZE_MASK) == 0)
      break;
    uint64_t value = atomic_load_explicit(&entry->value, memory_order_relaxed);
    uintptr_t record = cn_arch_frame_record_bytes(shape_of(value));
    if (key & CN_ENTRY_CHAINED_BIT) { /* the frame has saved its caller's frame pointer */
      cfa = chained_end(sp, frame_pointer, key, value);
      frame_pointer = (const uintptr_t *)(cfa - record);
    } else {
      cfa = sp + (key & CN_ENTRY_WORDS_MASK) * sizeof cfa;
      if (cn_arch_shape_registers(shape_of(value)) >> CN_ARCH_FRAME_POINTER & 1)
        frame_pointer = (const uintptr_t *)(cfa - record);
    }
    if (__builtin_expect(cfa > limit, 0)) {
      if (cfa > end)
        break;
      limit = (uintptr_t)cn_prefetch_page_entries(&ahead, index, (uintptr_t *)cfa - 1, stretch->end, pc,
                                                  lanes_find_entries);
    }
    if (__builtin_expect(out > last, 0)) {
      out = cn_fast_walk_grow_slots(stretch, out);
      last = slots->at + slots->room - CN_FAST_WALK_MIN_ROOM;
    }
    unsigned count = value >> CN_ENTRY_PLAIN_SHIFT & CN_ENTRY_PLAIN_MAX;
    write_root_places(lanes, entry, value, count, out);
    out += count;
    if (__builtin_expect(ahead.begun, 0)) {
      __builtin_prefetch(out + CN_PREFETCH_DISTANCE_WORDS, 1);
      __builtin_prefetch((uintptr_t *)sp + CN_PREFETCH_DISTANCE_WORDS);
    }
    if (__builtin_expect(value & CN_ENTRY_OTHERS_BIT, 0)) {
      if (frames > 0)
        make_frame_current(stretch, pc, sp, callee, lanes);
      out = cn_fast_walk_visit_others(stretch, cn_entry_map_of(value), out);
      last = slots->at + slots->room - CN_FAST_WALK_MIN_ROOM;
    }
    lanes = lanes_apply_pushes(lanes, value, cfa);
    frames++;
    sp = cfa;
    callee = value;
    pc = cn_arch_strip_return(*cn_arch_return_slot(sp, shape_of(value)));
  }
  CN_ASSERT(out <= last + CN_FAST_WALK_MIN_ROOM && sp <= end);
  slots->count = (size_t)(out - slots->at);
  if (frames > 0)
    make_frame_current(stretch, pc, sp, callee, lanes);
  return frames;
}

#endif
