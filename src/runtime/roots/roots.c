/* SPDX-License-Identifier: Apache-2.0
 *
 * All roots, for a collector. Derived pointers (statepoints-later, "Base & Derived Pointers") take
 * two phases: every offset of every frame is read before the first slot is written, and every
 * derived slot is written after the last base. One place may be a root of several frames and pairs
 * (a callee-saved register that no function touched), so nothing may be read again after the first
 * write.
 *
 * All that holds for each walk by itself: no place belongs to two walks (sources.h). So one thread
 * may write to the slots that a walk has found while others still walk elsewhere.
 */
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/counts.h"
#include "runtime/core/grow.h"
#include "runtime/core/mutex.h"
#include "runtime/core/report.h"
#include "runtime/os/os.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/roots/global_roots.h"
#include "runtime/roots/handles.h"
#include "runtime/roots/sources.h"
#include "runtime/roots/stretch.h"
#include "runtime/roots/user_roots.h"
#include "runtime/roots/young.h"
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

/* What one thread fetches at a time: of one source, and `derived` and `offsets` of all that were
 * fetched with it. It serves one source after another, and stays for later collections. */
struct cairn_root_set {
  struct cn_walk walk;
  struct cn_root_slots slots;
  CN_GROW(struct derived) derived;
  CN_GROW(struct offset) offsets;
  CN_GROW(struct user) users;
  size_t noted;           /* offsets of earlier sources */
  uint64_t frames, found; /* counts of this collection */
  bool images;            /* the source are the images and handles, not a stack */
  struct cairn_root_set *next, *next_unused;
};

static struct cn_mutex changing;
static struct cairn_root_set *all, *unused;
static size_t fetched; /* and not visited yet */
static bool images_taken;
static enum { NOTHING, EVERYTHING, YOUNG } enumerates;

/* Check what a manager says. Decoding has checked frame maps. */
static void check_place(const struct cn_walk *walk, const void *place)
{
  if (place == NULL || (uintptr_t)place % sizeof(uintptr_t) != 0)
    cn_frame_roots_bad(walk, "a root that is not kept anywhere");
}

static void note(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  struct cairn_root_set *roots = env;
  const struct cn_walk *walk = &roots->walk;

  check_place(walk, slot);
  switch (tag) {
  case CAIRN_ROOT_DEFAULT:
    cn_grow_push(&roots->slots, slot);
    return;
  case CAIRN_ROOT_OFFSET:
    if (*slot != 0)
      cn_grow_push(&roots->offsets,
                   (struct offset){slot, *slot - (uintptr_t)parameter, (uintptr_t)parameter});
    return;
  case CAIRN_ROOT_BASE:
    /* Each derived pointer's base is a root as well, whether or not it is listed by itself. */
    check_place(walk, parameter);
    cn_grow_push(&roots->slots, (uintptr_t *)parameter);
    cn_grow_push(&roots->derived,
                 (struct derived){slot, parameter, *slot - *(uintptr_t *)parameter});
    return;
  default:
    if (!cn_user_roots_any())
      cn_frame_roots_bad(
          walk,
          "a root with a tag of the language's own, and nobody called cairn_set_user_roots()");
    cn_grow_push(&roots->users, (struct user){slot, tag, parameter});
  }
}

static void note_frames(struct cairn_root_set *roots)
{
  struct cn_walk *walk = &roots->walk;

  CN_ASSERT(!walk->past_end);
  do {
    uint64_t frames = cn_stretch_walk(walk, &roots->slots, note, roots);
    roots->frames += frames;
    if (frames > 0 && !cn_walk_settle(walk))
      return;
    roots->frames++;
    cn_frame_roots(walk, note, roots);
  } while (cn_walk_next(walk));
}

/* After a full enumeration set the barriers that the next young collection needs. */
static void note_source(struct cairn_root_set *roots, const struct cn_source *source)
{
  uint64_t visited;

  if (enumerates == YOUNG && cn_young_scan(source, &roots->walk, note, roots, &visited)) {
    roots->frames += visited;
    return;
  }
  if (cn_sources_walk(source, &roots->walk))
    note_frames(roots);
  if (enumerates != YOUNG)
    cn_young_all_seen(source, &roots->walk);
}

/* ---- notes ---- */

static struct cairn_root_set *new_notes(void)
{
  size_t page = cn_os_page();
  struct cairn_root_set *roots = cn_os_resize(NULL, 0, (sizeof *roots + page - 1) / page * page);

  if (roots == NULL)
    cn_report_exhausted("no memory to note roots");
  roots->next = all;
  all = roots;
  return roots;
}

static struct cairn_root_set *take_notes(void)
{
  cn_mutex_take(&changing, UINT64_MAX);
  struct cairn_root_set *roots = unused ? unused : new_notes();
  if (roots == unused)
    unused = roots->next_unused;
  fetched++;
  roots->images = !images_taken;
  images_taken = true;
  cn_mutex_release(&changing);
  return roots;
}

static void give_notes_back(struct cairn_root_set *roots)
{
  roots->found += roots->slots.count + roots->users.count;
  roots->slots.count = roots->users.count = 0;
  roots->noted = roots->offsets.count;
  cn_mutex_take(&changing, UINT64_MAX);
  roots->next_unused = unused;
  unused = roots;
  fetched--;
  cn_mutex_release(&changing);
}

/* ---- visits ---- */

/* Visit the stack's roots that are not in `slots`. write_back() writes derived pointers and offsets
 * back. */
static void visit_special(struct cairn_root_set *roots, cairn_root_visitor *visit, void *env)
{
  CN_CHECK(roots->users.count == 0 || cn_user_roots_any());
  for (size_t i = roots->noted; i < roots->offsets.count; i++)
    visit(env, (struct cairn_slot){&roots->offsets.at[i].reference});
  for (size_t i = 0; i < roots->users.count; i++) {
    const struct user *user = &roots->users.at[i];
    cn_user_roots_visit(user->slot, user->tag, user->parameter, visit, env);
  }
}

static void visit_images(struct cairn_root_set *roots, cairn_root_visitor *visit, void *env)
{
  roots->found += cn_global_roots_visit(visit, env);
  roots->found += cn_handles_visit(visit, env);
}

void cairn_roots_visit(struct cairn_root_set *roots, cairn_root_visitor *visit, void *env)
{
  uintptr_t *const *at = roots->slots.at, *const *end = at + roots->slots.count;

  if (roots->images)
    visit_images(roots, visit, env);
  for (; at != end; at++)
    visit(env, (struct cairn_slot){*at});
  visit_special(roots, visit, env);
  give_notes_back(roots);
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

void cairn_roots_visit_array(struct cairn_root_set *roots, cairn_roots_visitor *visit, void *env)
{
  struct many many = {visit, env};

  if (roots->images)
    visit_images(roots, visit_one, &many);
  if (roots->slots.count != 0)
    visit(env, roots->slots.at, roots->slots.count);
  visit_special(roots, visit_one, &many);
  give_notes_back(roots);
}

/* ---- an enumeration ---- */

void cairn_roots_begin(bool young)
{
  if (enumerates != NOTHING)
    cairn_fatal("cairn_roots_begin(): another enumeration of the roots is not over");
  enumerates = young ? YOUNG : EVERYTHING;
  images_taken = false;
  cn_sources_begin();
}

struct cairn_root_set *cairn_roots_fetch(void)
{
  struct cn_source source;

  if (enumerates == NOTHING)
    cairn_fatal("cairn_roots_fetch() outside of cairn_roots_begin() and cairn_roots_end()");
  struct cairn_root_set *roots = take_notes();
  if (roots->images)
    return roots;
  if (!cn_sources_next(&source)) {
    give_notes_back(roots);
    return NULL;
  }
  note_source(roots, &source);
  cn_sources_walked(&source);
  return roots;
}

static void write_back(struct cairn_root_set *roots)
{
  for (size_t i = 0; i < roots->derived.count; i++)
    *roots->derived.at[i].slot = *roots->derived.at[i].base + roots->derived.at[i].offset;
  for (size_t i = 0; i < roots->offsets.count; i++)
    *roots->offsets.at[i].slot = roots->offsets.at[i].reference + roots->offsets.at[i].offset;
  cn_stats.frames += roots->frames;
  cn_stats.roots += roots->found + roots->derived.count + roots->offsets.count;
  roots->derived.count = roots->offsets.count = roots->noted = 0;
  roots->frames = roots->found = 0;
}

uint64_t cairn_roots_end(void)
{
  uint64_t before = cn_stats.frames;

  if (enumerates == NOTHING || fetched != 0 || !images_taken || !cn_sources_done())
    cairn_fatal("cairn_roots_end(): not all roots have been fetched and visited");
  CN_ASSERT_VALID(cn_return_barriers_pool_wrong());
  for (struct cairn_root_set *roots = all; roots; roots = roots->next)
    write_back(roots);
  enumerates = NOTHING;
  return cn_stats.frames - before;
}

static uint64_t visit_all(bool young, cairn_root_visitor *visit, void *env)
{
  struct cairn_root_set *roots;

  cairn_roots_begin(young);
  while ((roots = cairn_roots_fetch()) != NULL)
    cairn_roots_visit(roots, visit, env);
  return cairn_roots_end();
}

void cairn_visit_roots(cairn_root_visitor *visit, void *env)
{
  visit_all(false, visit, env);
}

void cairn_visit_root_arrays(cairn_roots_visitor *visit, void *env)
{
  struct cairn_root_set *roots;

  cairn_roots_begin(false);
  while ((roots = cairn_roots_fetch()) != NULL)
    cairn_roots_visit_array(roots, visit, env);
  cairn_roots_end();
}

void cairn_visit_young_roots(cairn_root_visitor *visit, void *env, uint64_t *visited)
{
  uint64_t count = visit_all(true, visit, env);

  if (visited != NULL)
    *visited = count;
}
