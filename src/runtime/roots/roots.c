/* SPDX-License-Identifier: Apache-2.0
 *
 * All roots, for a collector. Derived pointers (statepoints-later, "Base & Derived Pointers") take
 * two phases: every offset of every frame is read before the first slot is written, and every
 * derived slot is written after the last base. One place may be a root of several frames and pairs
 * (a callee-saved register that no function touched), so nothing may be read again after the first
 * write.
 */
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/counts.h"
#include "runtime/core/grow.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/roots/global_roots.h"
#include "runtime/roots/handles.h"
#include "runtime/roots/stretch.h"
#include "runtime/roots/young.h"
#include "runtime/walk/coroutine_stacks.h"
#include "runtime/walk/return_barriers.h"

struct derived {
  uintptr_t *slot, *base;
  uintptr_t offset; /* modulo 2^64: the derived pointer may lie below its base */
};

/* A reference plus a constant: the collector sees the reference alone. */
struct offset {
  uintptr_t *slot, reference, offset;
};

struct user {
  uintptr_t *slot;
  unsigned tag;
  void *parameter;
};

static struct cn_root_slots slots;
static CN_GROW(struct derived) derived;
static CN_GROW(struct offset) offsets;
static CN_GROW(struct user) users;
static cairn_user_root *user_roots;

/* Check what a manager says. Decoding has checked frame maps. */
static void check_place(const struct cn_walk *walk, const void *place)
{
  if (place == NULL || (uintptr_t)place % sizeof(uintptr_t) != 0)
    cn_frame_roots_bad(walk, "a root that is not kept anywhere");
}

static void note(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  check_place(env, slot);
  switch (tag) {
  case CAIRN_ROOT_DEFAULT:
    cn_grow_push(&slots, slot);
    return;
  case CAIRN_ROOT_OFFSET:
    if (*slot != 0)
      cn_grow_push(&offsets,
                   (struct offset){slot, *slot - (uintptr_t)parameter, (uintptr_t)parameter});
    return;
  case CAIRN_ROOT_BASE:
    /* Each derived pointer's base is a root as well, whether or not it is listed by itself. */
    check_place(env, parameter);
    cn_grow_push(&slots, (uintptr_t *)parameter);
    cn_grow_push(&derived, (struct derived){slot, parameter, *slot - *(uintptr_t *)parameter});
    return;
  default:
    if (user_roots == NULL)
      cn_frame_roots_bad(
          env, "a root with a tag of the language's own, and nobody called cairn_set_user_roots()");
    cn_grow_push(&users, (struct user){slot, tag, parameter});
  }
}

static void note_frames(struct cn_walk *walk)
{
  CN_ASSERT(!walk->past_end);
  walk->collecting = true;
  do {
    uint64_t frames = cn_stretch_walk(walk, &slots, note, walk);
    cn_stats.frames += frames;
    if (frames > 0 && !cn_walk_settle(walk))
      return;
    cn_stats.frames++;
    cn_frame_roots(walk, note, walk);
  } while (cn_walk_next(walk));
}

static void begin_notes(void)
{
  slots.count = derived.count = offsets.count = users.count = 0;
  cn_coroutine_stacks_begin();
}

/* A mutator at no safepoint is in native code, and its youngest anchor tells its place. Its state
 * may be managed for a moment, until it reads its poll word and waits. */
static void note_stack(const struct cairn_mutator *mutator)
{
  struct cn_walk walk;

  if (cn_walk_begin(&walk, mutator, mutator->stopped))
    note_frames(&walk);
}

static void note_stacks(void)
{
  begin_notes();
  for (struct cairn_mutator *m = cairn_mutator_next(NULL); m; m = cairn_mutator_next(m))
    note_stack(m);
  cn_coroutine_stacks_each(note_frames);
}

/* After a full enumeration set the barriers that the next young collection needs. */
static void all_seen(void)
{
  const struct cairn_mutator *owner = cn_return_barrier_owner();

  if (owner)
    cn_young_all_seen(owner);
}

void cairn_set_user_roots(cairn_user_root *handler)
{
  user_roots = handler;
}

/* Visit the stack's roots that are not in `slots`. write_back() writes derived pointers and offsets
 * back. */
static void visit_special(cairn_root_visitor *visit, void *env)
{
  CN_CHECK(users.count == 0 || user_roots != NULL);
  for (size_t i = 0; i < offsets.count; i++)
    visit(env, (struct cairn_slot){&offsets.at[i].reference});
  for (size_t i = 0; i < users.count; i++)
    user_roots(users.at[i].slot, users.at[i].tag, users.at[i].parameter, visit, env);
  cn_stats.roots += slots.count + derived.count + offsets.count + users.count;
}

static void visit_stack(cairn_root_visitor *visit, void *env)
{
  uintptr_t *const *at = slots.at, *const *end = at + slots.count;

  for (; at != end; at++)
    visit(env, (struct cairn_slot){*at});
  visit_special(visit, env);
}

static void write_back(void)
{
  CN_ASSERT(derived.count <= slots.count); /* each base is in `slots` */
  for (size_t i = 0; i < derived.count; i++)
    *derived.at[i].slot = *derived.at[i].base + derived.at[i].offset;
  for (size_t i = 0; i < offsets.count; i++)
    *offsets.at[i].slot = offsets.at[i].reference + offsets.at[i].offset;
}

static void visit_globals(cairn_root_visitor *visit, void *env)
{
  cn_global_roots_visit(visit, env);
  cn_stats.roots += cn_handles_visit(visit, env);
}

void cairn_visit_roots(cairn_root_visitor *visit, void *env)
{
  note_stacks();
  all_seen();
  visit_globals(visit, env);
  visit_stack(visit, env);
  write_back();
}

struct many {
  cairn_roots_visitor *visit;
  void *env;
};

static void visit_one(void *env, struct cairn_slot slot)
{
  const struct many *many = env;

  many->visit(many->env, &slot.address, 1);
}

void cairn_visit_root_arrays(cairn_roots_visitor *visit, void *env)
{
  struct many many = {visit, env};

  note_stacks();
  all_seen();
  visit_globals(visit_one, &many);
  visit(env, slots.at, slots.count);
  visit_special(visit_one, &many);
  write_back();
}

void cairn_visit_young_roots(cairn_root_visitor *visit, void *env, uint64_t *visited)
{
  uint64_t before = cn_stats.frames;

  begin_notes();
  for (struct cairn_mutator *m = cairn_mutator_next(NULL); m; m = cairn_mutator_next(m))
    if (m == cn_return_barrier_owner())
      cn_stats.frames += cn_young_scan(m, note);
    else
      note_stack(m);
  cn_coroutine_stacks_each(note_frames);
  if (visited != NULL)
    *visited = cn_stats.frames - before;
  visit_globals(visit, env);
  visit_stack(visit, env);
  write_back();
}
