/* SPDX-License-Identifier: Apache-2.0
 *
 * To step to the caller one needs the size of the frame, for that its safepoint, for that the return
 * address, and for that the step before: a chain of some sixteen cycles a frame, and of a cache miss
 * where a program has many safepoints. It is broken by a guess. Sixty-four words of the stack ahead
 * are compared with the range of the code: those in it are candidates, and the next one is taken for
 * the next return address, before the size of this frame is known. Then it is compared with where
 * the size says the return address is. So all that the guess decides is how early the processor reads
 * what: a stale return address or a pointer to a function on the stack costs a mispredicted branch,
 * and what is no candidate is found by the size.
 *
 *   ahead                                                       ahead + 64
 *    | pc | . . . . . | ret | . . | stale | . . . . | ret | . . . . . |
 *      0                 6            9                15                 bits 6, 9 and 15
 *      |--- 6 words -----|---------- 9 words ----------|                  sizes by the frame maps
 *
 * Frames that end where their frame pointer says need no guess: there the chain is that of the frame
 * pointers. Registers' places are kept as vectors of two; how many roots there are, and which
 * registers are saved, is not to be predicted, so the usual numbers take no branch.
 */
#include "runtime/stretch.h"

#include <string.h>

enum { WINDOW = 64, WORD = sizeof(uintptr_t), GROUP = 4, MOST = CN_ENTRY_PLAIN_MAX + GROUP };

typedef uintptr_t pair __attribute__((vector_size(16)));

/* Where each callee-saved register is kept, by enum cn_reg, and the stack pointer: by the low bits of
 * a root's code. */
struct places {
  _Alignas(16) uintptr_t at[CN_PLAIN_REG + 1];
};

/* What stays as it is while a stretch is walked. */
struct stretch {
  struct cn_walk *walk;
  const struct cn_index *index;
  const uintptr_t *end; /* no word of the stack lies at or above it */
  uintptr_t low;        /* of the code */
  uint32_t length;
  struct cn_slots *slots;
  cairn_stack_root *others;
  void *env;
};

/* Which words of the 64 from `from` on, but for the first, may be return addresses. */
static uint64_t look_ahead(const struct stretch *s, const uintptr_t *from)
{
  size_t room = (size_t)(s->end - from);
  uint64_t found = 0;

  if (room >= WINDOW)
    return cn_arch_candidates(from, s->low, s->length) & ~(uint64_t)1;
  for (size_t i = 1; i < room; i++)
    found |= (uint64_t)(from[i] - s->low <= s->length) << i;
  return found;
}

/* Where two registers are kept, after a prologue that saved those of a shape below the CFA. */
static inline pair saved(pair kept, const struct cn_shape *shape, int two, pair cfa)
{
  pair keep = ((const pair *)shape->keep)[two];

  return (kept & keep) + ((cfa & ~keep) + ((const pair *)shape->offset)[two]);
}

/* Whole groups are written, the first of them in any case: what is too much is overwritten by the
 * next frame's. Behind the codes there is more of the map. */
static inline void note(uintptr_t **out, const uint16_t *code, unsigned count,
                        const struct places *places)
{
  unsigned i = 0;

  do {
#pragma GCC unroll 4
    for (unsigned k = 0; k < GROUP; k++)
      out[k] = (uintptr_t *)(places->at[code[k] & CN_PLAIN_REG] +
                             (code[k] & ~(unsigned)CN_PLAIN_REG));
    i += GROUP;
    out += GROUP;
    code += GROUP;
  } while (__builtin_expect(i < count, 0));
}

static void to_frame(struct cn_frame *frame, uintptr_t *pc_slot, const struct places *places)
{
  frame->pc_slot = pc_slot;
  frame->pc = *pc_slot;
  frame->sp = (uintptr_t)(pc_slot + 1);
  frame->regs = NULL;
  memcpy(frame->place, places, sizeof frame->place);
}

/* Roots without a code, and room for more with one, which begins at the address that is returned.
 * `pc_slot` is null while the walk's frame is the current one. */
static __attribute__((noinline)) uintptr_t **note_others(const struct stretch *s,
                                                         uintptr_t *pc_slot,
                                                         const struct places *places,
                                                         const struct cn_map *map,
                                                         uintptr_t **out)
{
  s->slots->count = (size_t)(out - s->slots->at);
  if (pc_slot)
    to_frame(&s->walk->frame, pc_slot, places);
  s->walk->frame.map = map;
  cn_roots_others(s->walk, s->others, s->env);
  cn_slots_room(s->slots, MOST);
  return s->slots->at + s->slots->count;
}

static __attribute__((noinline)) uintptr_t **more_room(struct cn_slots *slots, uintptr_t **out)
{
  slots->count = (size_t)(out - slots->at);
  cn_slots_room(slots, MOST);
  return slots->at + slots->count;
}

static bool prepare(struct stretch *s, const struct cn_frame *frame)
{
  uintptr_t high;

  if (frame->map == NULL || frame->sp % WORD != 0)
    return false;
  for (int i = 0; i < CN_CALLEE_SAVED; i++)
    if (frame->place[i] == NULL)
      return false;
  if (!cn_frames_range(frame->pc, &s->low, &high))
    return false;
  s->length = high - s->low < UINT32_MAX ? (uint32_t)(high - s->low) : UINT32_MAX;
  s->index = atomic_load_explicit(&cn_frames_index, memory_order_acquire);
  s->end = (uintptr_t *)s->walk->stack_end;
  cn_slots_room(s->slots, MOST);
  return (uintptr_t *)frame->sp <= s->end;
}

/* Where the caller's pc is kept, if the frame pointer tells; null: that is not what a frame can be. */
static inline uintptr_t *chained(const uintptr_t *slot, uintptr_t *frame_pointer,
                                 const struct cn_map *map)
{
  uintptr_t *next = (uintptr_t *)(*frame_pointer + WORD);
  uintptr_t bytes = (uintptr_t)next - (uintptr_t)slot;

  return bytes % WORD == 0 && bytes >= map->extent + 2 * WORD ? next : NULL;
}

uint64_t cn_stretch_walk(struct cn_walk *walk, struct cn_slots *slots, cairn_stack_root *others,
                         void *env)
{
  struct stretch s = {.walk = walk, .slots = slots, .others = others, .env = env};
  struct places places;
  uint64_t frames = 0, ahead = 0;

  if (!prepare(&s, &walk->frame))
    return 0;
  const struct cn_index *index = s.index;
  uintptr_t *slot = (uintptr_t *)walk->frame.sp - 1, *next, *window = slot;
  uintptr_t *frame_pointer = walk->frame.place[CN_ARCH_FRAME_POINTER];
  uintptr_t pc = walk->frame.pc; /* the first one may be kept elsewhere */
  const uintptr_t *end = s.end;
  uintptr_t **out = slots->at + slots->count, **last = slots->at + slots->room - MOST;
  memcpy(places.at, walk->frame.place, sizeof walk->frame.place);
  pair *kept = (pair *)places.at, kept0 = kept[0], kept1 = kept[1], kept2 = kept[2];
  for (;;) {
    uint64_t key;
    const struct cn_entry *entry = cn_index_find(index, pc, &key);
    size_t size = key & CN_ENTRY_WORDS;
    if (entry == NULL || size == 0)
      break;
    uint64_t value = atomic_load_explicit(&entry->value, memory_order_relaxed);
    const struct cn_map *map = cn_entry_map(value);
    if (size == CN_ENTRY_CHAINED) {
      next = chained(slot, frame_pointer, map);
      ahead = 0;
    } else {
      next = slot + size;
      if (ahead == 0 && size < WINDOW) {
        window = slot;
        ahead = look_ahead(&s, window);
      }
    }
    if (next == NULL || next >= end)
      break;
    if (out > last) {
      out = more_room(slots, out);
      last = slots->at + slots->room - MOST;
    }
    places.at[CN_PLAIN_SP] = (uintptr_t)(slot + 1);
    unsigned count = value >> CN_ENTRY_PLAIN_SHIFT & CN_ENTRY_PLAIN_MAX;
    note(out, map->plain_at, count, &places);
    out += count;
    if (value & CN_ENTRY_OTHERS) {
      out = note_others(&s, frames > 0 ? slot : NULL, &places, map, out);
      last = slots->at + slots->room - MOST;
    }
    const struct cn_shape *shape = &cn_arch_shapes[value & CN_ENTRY_SAVED];
    pair cfa = {(uintptr_t)(next + 1), (uintptr_t)(next + 1)};
    kept[0] = kept0 = saved(kept0, shape, 0, cfa);
    kept[1] = kept1 = saved(kept1, shape, 1, cfa);
    kept[2] = kept2 = saved(kept2, shape, 2, cfa);
    if (value >> CN_ARCH_FRAME_POINTER & 1)
      frame_pointer = next - 1;
    frames++;
    slot = next;
    if (ahead != 0) {
      uintptr_t *guess = window + __builtin_ctzll(ahead), *same = guess;
      __asm__("" : "+r"(same)); /* or else the compiler would put `next` in place of the guess */
      ahead &= ahead - 1;
      if (__builtin_expect(same != next, 0)) {
        size_t at = (size_t)(next - window);
        ahead = at < WINDOW - 1 ? ahead & ~(uint64_t)0 << (at + 1) : 0;
      } else {
        slot = guess;
      }
    }
    pc = *slot;
  }
  slots->count = (size_t)(out - slots->at);
  if (frames > 0)
    to_frame(&walk->frame, slot, &places);
  return frames;
}
