/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks runs of regular frames, whose sizes and roots the index has (walk/index.h), and lists the addresses of their
 * roots, by the port's loop or by this file's portable loop over vectors of two words. Also has the rare cases of all
 * loops. Runs in phase STOP, on any thread; one thread at a time uses a walk. The only state is
 * `cn_fast_walk_portable_only`, which tests set.
 */
#include "runtime/roots/fast_walk.h"

#include <stddef.h>
#include <string.h>
#include "base/check.h"

typedef uintptr_t word_pair __attribute__((vector_size(16)));

enum { PAIRS = CN_FRAME_PLACES / 2, PLAIN_PAIRS = CN_PLAIN_REGISTERS / 2 };
struct lanes {
  word_pair place[PAIRS];
  word_pair sp; /* the stack pointer is in the upper half */
};
_Static_assert(2 * (int)PLAIN_PAIRS == (int)CN_PLAIN_REGISTERS && (int)PLAIN_PAIRS <= (int)PAIRS &&
                   (int)CN_PLAIN_SP == CN_PLAIN_REGISTERS + 1,
               "the lanes of plain roots, and the stack pointer's pair, have the numbers of root codes");

static inline struct lanes lanes_load(uintptr_t *const *place, uintptr_t sp)
{
  struct lanes lanes = {.sp = {0, sp}};

  memcpy(lanes.place, place, sizeof lanes.place);
  return lanes;
}

static inline void lanes_store(struct lanes lanes, uintptr_t **place)
{
  memcpy(place, lanes.place, sizeof lanes.place);
}

static inline struct lanes lanes_apply_pushes(struct lanes lanes, uint64_t value, uintptr_t cfa)
{
  const struct cn_prologue_shape *shape = &cn_arch_prologue_shapes[value & CN_ENTRY_SHAPE_MASK];
  const word_pair *keep = (const word_pair *)shape->keep, *offset = (const word_pair *)shape->offset;
  word_pair both = {cfa, cfa};

#pragma GCC unroll 8
  for (int i = 0; i < PAIRS; i++)
    lanes.place[i] = (lanes.place[i] & keep[i]) + ((both & ~keep[i]) + offset[i]);
  lanes.sp = both;
  return lanes;
}

_Static_assert((int)CN_ENTRY_CODES >= (int)CN_FAST_WALK_GROUP_ROOTS, "a group of an entry's codes is read");
_Static_assert(CN_FAST_WALK_GROUP_ROOTS == 8, "in two halves of four, or as a vector of eight");

/* Writes roots by half groups; one half group is enough for most frames. */
static inline void lanes_write_root_places(struct lanes lanes, const uint16_t *code, unsigned count, uintptr_t **out)
{
  _Alignas(16) uintptr_t at[CN_PLAIN_REG_MASK + 1];
  enum { HALF_GROUP_ROOTS = CN_FAST_WALK_GROUP_ROOTS / 2 };
  unsigned i = 0;

  memcpy(at, lanes.place, PLAIN_PAIRS * sizeof lanes.place[0]);
  memcpy(at + CN_PLAIN_REGISTERS, &lanes.sp, sizeof lanes.sp);
  do {
#pragma GCC unroll 4
    for (unsigned k = i; k < i + HALF_GROUP_ROOTS; k++)
      out[k] = (uintptr_t *)(at[code[k] & CN_PLAIN_REG_MASK] + (code[k] & ~(unsigned)CN_PLAIN_REG_MASK));
    i += HALF_GROUP_ROOTS;
  } while (__builtin_expect(i < count && i < CN_FAST_WALK_GROUP_ROOTS, 0));
}

static cn_prefetch_pc_finder *const lanes_find_entries = cn_prefetch_find_pcs_any;

#include "runtime/roots/fast_walk_loop.h"

/* ---- the loop's rare cases ---- */

uintptr_t **cn_fast_walk_grow_slots(const struct cn_fast_walk *stretch, uintptr_t **out)
{
  struct cn_root_slots *slots = stretch->slots;

  CN_CHECK(out >= slots->at && out <= slots->at + slots->room);
  slots->count = (size_t)(out - slots->at);
  cn_root_slots_reserve(slots, CN_FAST_WALK_MIN_ROOM);
  return slots->at + slots->count;
}

uintptr_t **cn_fast_walk_visit_others(const struct cn_fast_walk *stretch, const struct cn_frame_map *map,
                                      uintptr_t **out)
{
  CN_ASSERT(map != NULL && out <= stretch->slots->at + stretch->slots->room);
  stretch->slots->count = (size_t)(out - stretch->slots->at);
  stretch->walk->frame.map = map;
  cn_frame_roots_visit_others(stretch->walk, stretch->others, stretch->env);
  return cn_fast_walk_grow_slots(stretch, stretch->slots->at + stretch->slots->count);
}

/* ---- a walk ---- */

bool cn_fast_walk_portable_only;

static bool is_fast_walkable(const struct cn_frame *frame, uintptr_t end)
{
  if (frame->map == NULL || frame->sp % sizeof frame->sp != 0 || frame->sp > end)
    return false;
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    if (frame->place[i] == NULL)
      return false;
  return true;
}

uint64_t cn_fast_walk_regular_frames(struct cn_walk *walk, struct cn_root_slots *slots, cairn_stack_root *others,
                                     void *env)
{
  struct cn_fast_walk stretch = {
      .walk = walk,
      .index = atomic_load_explicit(&cn_index_current, memory_order_acquire),
      .end = (const uintptr_t *)walk->stack_end,
      .slots = slots,
      .others = others,
      .env = env,
  };

  if (!is_fast_walkable(&walk->frame, walk->stack_end))
    return 0;
  cn_root_slots_reserve(slots, CN_FAST_WALK_MIN_ROOM);
  cn_fast_walk_loop *own = cn_fast_walk_portable_only ? NULL : cn_arch_find_fast_walk();
  uint64_t frames = own ? own(&stretch) : walk_regular_frames(&stretch);
  CN_CHECK(slots->count <= slots->room); /* the loop writes without checks */
  CN_ASSERT(walk->frame.sp <= walk->stack_end);
  return frames;
}
