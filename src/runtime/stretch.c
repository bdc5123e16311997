/* SPDX-License-Identifier: Apache-2.0
 *
 * Stretches of regular frames: the loop for any processor, over vectors of two.
 */
#include "runtime/stretch.h"

#include <string.h>

typedef uintptr_t pair __attribute__((vector_size(16)));

struct lanes {
  pair a, b, c;
};
_Static_assert(sizeof(struct lanes) == CN_CALLEE_SAVED * sizeof(uintptr_t), "three pairs");

static inline struct lanes lanes_load(uintptr_t *const *place)
{
  struct lanes lanes;

  memcpy(&lanes, place, sizeof lanes);
  return lanes;
}

static inline void lanes_store(struct lanes lanes, uintptr_t *place)
{
  memcpy(place, &lanes, sizeof lanes);
}

static inline struct lanes lanes_save(struct lanes lanes, unsigned mask, uintptr_t cfa)
{
  const pair *keep = (const pair *)cn_arch_shapes[mask].keep;
  const pair *offset = (const pair *)cn_arch_shapes[mask].offset;
  pair both = {cfa, cfa};

  lanes.a = (lanes.a & keep[0]) + ((both & ~keep[0]) + offset[0]);
  lanes.b = (lanes.b & keep[1]) + ((both & ~keep[1]) + offset[1]);
  lanes.c = (lanes.c & keep[2]) + ((both & ~keep[2]) + offset[2]);
  return lanes;
}

/* Half a group at a time. */
static inline void lanes_note(struct lanes lanes, uintptr_t sp, const uint16_t *code,
                              unsigned count, uintptr_t **out)
{
  _Alignas(16) uintptr_t at[CN_PLAIN_REG + 1];
  enum { HALF = CN_STRETCH_GROUP / 2 };
  unsigned i = 0;

  ((pair *)at)[0] = lanes.a;
  ((pair *)at)[1] = lanes.b;
  ((pair *)at)[2] = lanes.c;
  at[CN_PLAIN_SP] = sp;
  do {
#pragma GCC unroll 4
    for (unsigned k = 0; k < HALF; k++)
      out[k] = (uintptr_t *)(at[code[k] & CN_PLAIN_REG] + (code[k] & ~(unsigned)CN_PLAIN_REG));
    out += HALF;
    code += HALF;
    i += HALF;
  } while (__builtin_expect(i < count, 0));
}

static inline size_t lanes_look(const struct cn_stretch *stretch, const uintptr_t *words,
                                const struct cn_entry **start)
{
  size_t count = 0;

  for (int i = 0; i < CN_STRETCH_AHEAD; i++) {
    start[count] = cn_index_start(stretch->index, words[i]);
    count += words[i] - stretch->low <= stretch->length;
  }
  return count;
}

#include "runtime/stretch_loop.h"

/* ---- what the loop seldom does ---- */

uintptr_t **cn_stretch_room(const struct cn_stretch *stretch, uintptr_t **out)
{
  struct cn_slots *slots = stretch->slots;

  slots->count = (size_t)(out - slots->at);
  cn_slots_room(slots, CN_STRETCH_ROOM);
  return slots->at + slots->count;
}

void cn_stretch_leave(const struct cn_stretch *stretch, uintptr_t *pc_slot,
                      const uintptr_t *places)
{
  struct cn_frame *frame = &stretch->walk->frame;

  frame->pc_slot = pc_slot;
  frame->pc = *pc_slot;
  frame->sp = (uintptr_t)(pc_slot + 1);
  frame->regs = NULL;
  memcpy(frame->place, places, sizeof frame->place);
}

uintptr_t **cn_stretch_others(const struct cn_stretch *stretch, uintptr_t *pc_slot,
                              const uintptr_t *places, const struct cn_map *map, uintptr_t **out)
{
  stretch->slots->count = (size_t)(out - stretch->slots->at);
  if (pc_slot)
    cn_stretch_leave(stretch, pc_slot, places);
  stretch->walk->frame.map = map;
  cn_roots_others(stretch->walk, stretch->others, stretch->env);
  return cn_stretch_room(stretch, stretch->slots->at + stretch->slots->count);
}

/* ---- a walk ---- */

bool cn_stretch_any;

static bool suits(const struct cn_frame *frame, uintptr_t end)
{
  if (frame->map == NULL || frame->sp % sizeof frame->sp != 0 || frame->sp > end)
    return false;
  for (int i = 0; i < CN_CALLEE_SAVED; i++)
    if (frame->place[i] == NULL)
      return false;
  return true;
}

uint64_t cn_stretch_walk(struct cn_walk *walk, struct cn_slots *slots, cairn_stack_root *others,
                         void *env)
{
  struct cn_stretch stretch = {
      .walk = walk,
      .index = atomic_load_explicit(&cn_frames_index, memory_order_acquire),
      .end = (const uintptr_t *)walk->stack_end,
      .slots = slots,
      .others = others,
      .env = env,
  };

  if (!suits(&walk->frame, walk->stack_end))
    return 0;
  if (stretch.index->mask >= CN_STRETCH_LARGE &&
      cn_frames_range(walk->frame.pc, &stretch.low, &stretch.length))
    stretch.length -= stretch.low;
  cn_slots_room(slots, CN_STRETCH_ROOM);
  cn_stretch_loop *own = cn_stretch_any ? NULL : cn_arch_stretch();
  return own ? own(&stretch) : loop(&stretch);
}
