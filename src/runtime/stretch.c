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
 *   base                                                        base + 64
 *    | pc | . . . . . | ret | . . | stale | . . . . | ret | . . . . . |
 *      0                 6            9                15                 bits 0, 6, 9 and 15
 *      |--- 6 words -----|---------- 9 words ----------|                  sizes by the frame maps
 */
#include "runtime/stretch.h"

#include <string.h>

enum { WINDOW = 64, WORD = sizeof(uintptr_t), GROUP = 4, MOST = CN_ENTRY_PLAIN_MAX + GROUP };

typedef uintptr_t pair __attribute__((vector_size(16)));

/* Where registers are kept, and the stack pointer, by the low bits of a root's code. */
struct places {
  _Alignas(16) uintptr_t at[CN_PLAIN_REG + 1];
};

struct stretch {
  const struct cn_index *index;
  uintptr_t *base, *end; /* the window's first word; no word of the stack lies at or above `end` */
  uintptr_t low;         /* of the code */
  uint32_t length;
  pair kept[CN_CALLEE_SAVED / 2]; /* as `places` before the next frame; stays in registers */
  struct places places;
  struct cn_slots *slots;
  cairn_stack_root *others;
  void *env;
  uint64_t frames;
};

/* Words that may be return addresses; word 0 is one. Sets how many words there are. */
static uint64_t look_ahead(const struct stretch *s, unsigned *words)
{
  uint64_t found = 1;
  size_t room = (size_t)(s->end - s->base);

  *words = room < WINDOW ? (unsigned)room : WINDOW;
  if (*words == WINDOW)
    return found | cn_arch_candidates(s->base, s->low, s->length);
  for (unsigned i = 1; i < *words; i++)
    found |= (uint64_t)(s->base[i] - s->low <= s->length) << i;
  return found;
}

static inline void show_places(struct stretch *s, uintptr_t sp)
{
  for (int i = 0; i < CN_CALLEE_SAVED / 2; i++)
    ((pair *)s->places.at)[i] = s->kept[i];
  s->places.at[CN_PLAIN_SP] = sp;
}

/* The prologue has saved the registers of `mask` below `cfa`. */
static inline void save(struct stretch *s, unsigned mask, uintptr_t cfa)
{
  const struct cn_shape *shape = &cn_arch_shapes[mask];
  const pair *keep = (const pair *)shape->keep, *offset = (const pair *)shape->offset;
  pair both = {cfa, cfa};

  for (int i = 0; i < CN_CALLEE_SAVED / 2; i++)
    s->kept[i] = (s->kept[i] & keep[i]) + (both & ~keep[i]) + offset[i];
}

/* Whole groups are written, since how many roots there are is hard to predict: what is too much is
 * overwritten by the next. Behind the codes there is more of the map. */
static inline void note(struct stretch *s, const struct cn_map *map, unsigned count)
{
  struct cn_slots *slots = s->slots;
  unsigned i = 0;

  if (slots->room - slots->count < MOST)
    cn_slots_room(slots, MOST);
  uintptr_t **out = slots->at + slots->count;
  do {
    for (unsigned k = i; k < i + GROUP; k++)
      out[k] = (uintptr_t *)(s->places.at[map->plain_at[k] & CN_PLAIN_REG] +
                             (map->plain_at[k] & ~(unsigned)CN_PLAIN_REG));
    i += GROUP;
  } while (i < count);
  slots->count += count;
}

static void to_frame(const struct stretch *s, struct cn_frame *frame, uintptr_t *pc_slot)
{
  frame->pc_slot = pc_slot;
  frame->pc = *pc_slot;
  frame->sp = (uintptr_t)(pc_slot + 1);
  frame->regs = NULL;
  memcpy(frame->place, s->kept, sizeof frame->place);
}

static void note_others(const struct stretch *s, struct cn_walk *walk, uintptr_t *pc_slot,
                        const struct cn_map *map)
{
  if (s->frames > 0)
    to_frame(s, &walk->frame, pc_slot);
  walk->frame.map = map;
  cn_roots_others(walk, s->others, s->env);
}

static bool prepare(struct stretch *s, const struct cn_walk *walk)
{
  uintptr_t high;

  if (walk->frame.map == NULL)
    return false;
  for (int i = 0; i < CN_CALLEE_SAVED; i++)
    if (walk->frame.place[i] == NULL)
      return false;
  if (walk->frame.sp % WORD != 0 || !cn_frames_range(walk->frame.pc, &s->low, &high))
    return false;
  s->length = high - s->low < UINT32_MAX ? (uint32_t)(high - s->low) : UINT32_MAX;
  s->index = atomic_load_explicit(&cn_frames_index, memory_order_acquire);
  s->base = (uintptr_t *)walk->frame.sp - 1;
  s->end = (uintptr_t *)walk->stack_end;
  memcpy(s->kept, walk->frame.place, sizeof s->kept);
  return s->base < s->end;
}

/* The words of a frame whose end its frame pointer tells. 0: that is not what a frame can be. */
static inline size_t chained(const struct stretch *s, uintptr_t sp, const struct cn_map *map)
{
  uintptr_t *kept = (uintptr_t *)s->kept[CN_ARCH_FRAME_POINTER / 2][CN_ARCH_FRAME_POINTER % 2];
  uintptr_t bytes = *kept + 2 * WORD - sp;

  return bytes % WORD == 0 && bytes >= map->extent + 2 * WORD ? bytes / WORD : 0;
}

/* One frame, whose pc is kept at s->base[at], but for the first, whose pc may be kept elsewhere.
 * Returns the words to the next, or 0 if this is not for here. */
static inline size_t step(struct stretch *s, struct cn_walk *walk, uintptr_t pc, size_t at)
{
  uint64_t key;
  const struct cn_entry *entry = cn_index_find(s->index, pc, &key);
  size_t size = key & CN_ENTRY_WORDS;

  if (entry == NULL || size == 0)
    return 0;
  uint64_t value = atomic_load_explicit(&entry->value, memory_order_relaxed);
  uintptr_t sp = (uintptr_t)(s->base + at + 1);
  if (size == CN_ENTRY_CHAINED)
    size = chained(s, sp, cn_entry_map(value));
  if (size == 0 || size >= (size_t)(s->end - s->base) - at)
    return 0;
  if (s->slots) {
    show_places(s, sp);
    note(s, cn_entry_map(value), value >> CN_ENTRY_PLAIN_SHIFT & CN_ENTRY_PLAIN_MAX);
    if (value & CN_ENTRY_OTHERS)
      note_others(s, walk, s->base + at, cn_entry_map(value));
  }
  save(s, value & CN_ENTRY_SAVED, sp + size * WORD);
  s->frames++;
  return size;
}

static inline void run(struct stretch *s, struct cn_walk *walk)
{
  uintptr_t pc = walk->frame.pc;

  for (;;) {
    unsigned words;
    size_t size, at = 0;
    uint64_t ahead = look_ahead(s, &words);
    while ((size = step(s, walk, pc, at)) != 0) {
      at += size;
      ahead &= ahead - 1;
      if (ahead == 0 || (size_t)__builtin_ctzll(ahead) != at) { /* the guess was wrong */
        if (at >= words || !(ahead >> at & 1))
          break;
        ahead &= ~(uint64_t)0 << at;
      }
      pc = s->base[at];
    }
    s->base += at;
    if (size == 0)
      return;
    pc = *s->base;
  }
}

uint64_t cn_stretch_walk(struct cn_walk *walk, struct cn_slots *slots, cairn_stack_root *others,
                         void *env)
{
  struct stretch s = {.slots = slots, .others = others, .env = env};

  if (!prepare(&s, walk))
    return 0;
  run(&s, walk);
  if (s.frames > 0)
    to_frame(&s, &walk->frame, s.base);
  return s.frames;
}
