/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of the fast walk, for who includes it after he has defined `struct lanes`, which holds
 * where each callee-saved register is kept now, in the order of enum cn_reg, and
 *
 *   struct lanes lanes_load(uintptr_t *const *place)
 *   void lanes_store(struct lanes lanes, uintptr_t *place)
 *   struct lanes lanes_save(struct lanes lanes, unsigned mask, uintptr_t cfa)
 *       after a prologue that pushed the registers of `mask`
 *   void lanes_note(struct lanes lanes, uintptr_t sp, const uint16_t *code, unsigned count,
 *                   uintptr_t **out)
 *       the places of the roots with these codes; more may be written, up to a whole group
 *   size_t lanes_look(const struct cn_stretch *stretch, const uintptr_t *words,
 *                     const struct cn_entry **start)
 *       for those of CN_STRETCH_AHEAD words that lie in the code, where a search for them begins;
 *       how many
 *
 * To step to the caller one needs the size of the frame, for that its safepoint, for that the
 * return address, and for that the step before: some sixteen cycles a frame, in which the processor
 * does all else. Frames that end where their frame pointer says are not held up by the look-up. How
 * many roots there are, and which registers are saved, is not to be predicted; so the usual numbers
 * take no branch. Where a program has so many safepoints that the table lies far from the
 * processor, the words of the stack some way ahead are taken for return addresses, if they lie in
 * the code, and what the table has of them is fetched, and a while later what that points to: a
 * wrong guess costs the fetch, and nothing depends on it.
 */
#ifndef CN_RUNTIME_STRETCH_LOOP_H
#define CN_RUNTIME_STRETCH_LOOP_H

#include "runtime/stretch.h"

/* Where the caller's pc is kept, if the frame pointer tells; UINTPTR_MAX: that is not what a frame
 * can be. */
static inline uintptr_t *chained(const uintptr_t *slot, const uintptr_t *frame_pointer,
                                 const struct cn_map *map)
{
  uintptr_t *next = (uintptr_t *)(*frame_pointer + sizeof *next);
  intptr_t bytes = (intptr_t)((uintptr_t)next - (uintptr_t)slot);

  return bytes % (intptr_t)sizeof *next == 0 &&
                 bytes >= (intptr_t)(map->extent + 2 * sizeof *next)
             ? next
             : (uintptr_t *)UINTPTR_MAX;
}

/* Fetch the maps of what was looked at before, and the entries of what lies ahead. */
static __attribute__((noinline)) const uintptr_t *fetch(const struct cn_stretch *stretch,
                                                        const uintptr_t *slot,
                                                        const uintptr_t *seen,
                                                        struct cn_stretch_ahead *ahead)
{
  if (seen < slot)
    seen = slot;
  for (size_t i = 0; i < ahead->count; i++) {
    uint64_t value = atomic_load_explicit(&ahead->start[i]->value, memory_order_relaxed);
    __builtin_prefetch(cn_entry_map(value));
  }
  ahead->count = 0;
  if ((size_t)(stretch->end - seen) < CN_STRETCH_AHEAD)
    return stretch->end;
  ahead->count = lanes_look(stretch, seen, ahead->start);
  for (size_t i = 0; i < ahead->count; i++)
    __builtin_prefetch(ahead->start[i]);
  return seen + CN_STRETCH_AHEAD;
}

static uint64_t loop(const struct cn_stretch *stretch)
{
  const struct cn_frame *frame = &stretch->walk->frame;
  const struct cn_index *index = stretch->index;
  struct cn_slots *slots = stretch->slots;
  const uintptr_t *end = stretch->end;
  uintptr_t *slot = (uintptr_t *)frame->sp - 1, *next;
  const uintptr_t *frame_pointer = frame->place[CN_ARCH_FRAME_POINTER];
  uintptr_t pc = frame->pc; /* the first one may be kept elsewhere */
  uintptr_t **out = slots->at + slots->count, **last = slots->at + slots->room - CN_STRETCH_ROOM;
  struct lanes lanes = lanes_load(frame->place);
  uintptr_t places[CN_CALLEE_SAVED];
  uint64_t frames = 0, key;
  struct cn_stretch_ahead ahead;
  const uintptr_t *seen = stretch->length != 0 ? slot : end;

  ahead.count = 0;
  for (;;) {
    if (slot + CN_STRETCH_LEFT > seen && seen != end)
      seen = fetch(stretch, slot, seen, &ahead);
    const struct cn_entry *entry = cn_index_find(index, pc, &key);
    size_t words = key & CN_ENTRY_WORDS;
    if (entry == NULL || words == 0)
      break;
    uint64_t value = atomic_load_explicit(&entry->value, memory_order_relaxed);
    const struct cn_map *map = cn_entry_map(value);
    if (words == CN_ENTRY_CHAINED) { /* which has pushed its caller's */
      next = chained(slot, frame_pointer, map);
      frame_pointer = next - 1;
    } else {
      next = slot + words;
      if (value >> CN_ARCH_FRAME_POINTER & 1)
        frame_pointer = next - 1;
    }
    if (next >= end)
      break;
    if (out > last) {
      out = cn_stretch_room(stretch, out);
      last = slots->at + slots->room - CN_STRETCH_ROOM;
    }
    unsigned count = value >> CN_ENTRY_PLAIN_SHIFT & CN_ENTRY_PLAIN_MAX;
    lanes_note(lanes, (uintptr_t)(slot + 1), map->plain_at, count, out);
    out += count;
    if (value & CN_ENTRY_OTHERS) {
      lanes_store(lanes, places);
      out = cn_stretch_others(stretch, frames > 0 ? slot : NULL, places, map, out);
      last = slots->at + slots->room - CN_STRETCH_ROOM;
    }
    lanes = lanes_save(lanes, value & CN_ENTRY_SAVED, (uintptr_t)(next + 1));
    frames++;
    slot = next;
    pc = *slot;
  }
  slots->count = (size_t)(out - slots->at);
  lanes_store(lanes, places);
  if (frames > 0)
    cn_stretch_leave(stretch, slot, places);
  return frames;
}

#endif
