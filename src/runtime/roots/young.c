/* SPDX-License-Identifier: Apache-2.0
 *
 * Enumeration for collections of a young generation, with barriers on the stack:
 *
 *   youngest   f g h ... [B0] ... [B1] .......... [B2] ............................ [B3] ...
 *   oldest
 *                         16       64              256                               1024
 *
 * A scan looks at activations from the youngest on, until it meets a barrier: no older one has run.
 * Then it sets new barriers above that one, the youngest 16 activations away, and takes off those
 * that are not needed for the distances to grow by a factor. If an exception or a longjmp goes past
 * some, the next scan meets the one below. If an activation returns through one, the stub sets
 * another one some activations further down, if none is as near.
 *
 * A scan need not look at an older activation that has not run. After the last scan none of its
 * roots led into the young generation (the collector's promise), and it has had no others since:
 * no other code writes to its slots. A root in a callee-saved register lies where a younger
 * function saved it, or in an anchor; it has moved with the register, but is the same value, and a
 * collection that moves old objects updates it where it is then. A derived pointer has changed as
 * little as its base. There are three exceptions:
 *   - locals whose address other code knows. Their places are remembered, and visited each time;
 *   - roots with tags of the language's own, which may lead to something that changes;
 *   - activations of other code info managers, of whose roots nothing is known.
 * A scan always looks at activations of the last two kinds, and at all younger ones.
 *
 * Each stack has barriers of its own, lent from one pool while the stack is deep. A thread goes
 * from one stack to another without passing any, so a scan keeps to one stack. If managers may lead
 * a walk to other stacks, all of them are looked at whole, and no barrier is set.
 *
 * Needs: frame maps (stackmaps-v2, "Stack Map Format") and nothing else of compiled code.
 */
#include "runtime/roots/young.h"

#include <stdatomic.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/roots/deferred_frames.h"
#include "runtime/walk/coroutine_stacks.h"
#include "runtime/walk/return_barriers.h"

enum {
  NEAR_ACTIVATIONS = 16, /* activations above the youngest barrier */
  DISTANCE_FACTOR = 4,   /* times as many are above the next one */
  MAX_CANDIDATES = 24
};

/* What is known of a stack, by the number of its barriers. */
struct notes {
  CN_GROW(uintptr_t *) areas; /* references in areas below the last barrier, oldest first */
  CN_GROW(uintptr_t *) fresh; /* references in areas that a scan finds, youngest first */
  CN_GROW(uintptr_t *) stops; /* slots for barriers to come, likewise */
};

static struct notes notes[CN_RETURN_BARRIER_SETS];
static _Atomic bool used;

struct candidate {
  uintptr_t *slot;
  uint64_t depth; /* activations above it */
  size_t roots;   /* that were found in them */
};

struct scan {
  struct cn_walk *walk;
  struct cn_return_barriers *set;
  struct notes *notes;
  cairn_stack_root *found; /* may be null */
  void *env;
  uint64_t depth;
  size_t roots; /* that were found, as struct cn_young counts them */
  bool unsure;  /* the activation must be looked at each time */
  bool callee;  /* the younger neighbour has a frame map */
  bool still;   /* no native code runs on the stack meanwhile */
  struct candidate candidate[MAX_CANDIDATES];
  unsigned candidates;
};

static void note_root(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  struct scan *scan = env;

  if (tag >= CAIRN_ROOT_USER)
    scan->unsure = true;
  scan->roots += tag == CAIRN_ROOT_DEFAULT || tag == CAIRN_ROOT_BASE;
  if (scan->found != NULL)
    scan->found(scan->env, slot, tag, parameter);
}

static void note_area(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  struct notes *its = env;

  (void)tag;
  (void)parameter;
  cn_grow_push(&its->fresh, slot);
}

/* Note the activation's return address as a candidate for a barrier now, or as a stop for one to
 * come. */
static void consider(struct scan *scan)
{
  const struct cn_frame *frame = &scan->walk->frame;
  CN_ASSERT(scan->candidates <= MAX_CANDIDATES);
  uint64_t next =
      scan->candidates == 0 ? NEAR_ACTIVATIONS : DISTANCE_FACTOR * scan->candidate[scan->candidates - 1].depth;

  if (!scan->callee || !cn_return_barrier_fits(frame, frame->pc_slot))
    return;
  if (scan->depth % CN_RETURN_BARRIER_STOP == 0)
    cn_grow_push(&scan->notes->stops, frame->pc_slot);
  if (scan->depth >= next && scan->candidates < MAX_CANDIDATES)
    scan->candidate[scan->candidates++] = (struct candidate){frame->pc_slot, scan->depth, scan->roots};
}

static void look_at(struct scan *scan)
{
  const struct cn_frame *frame = &scan->walk->frame;

  CN_ASSERT(!scan->walk->past_end);
  consider(scan);
  scan->unsure = frame->map == NULL;
  cn_frame_roots(scan->walk, note_root, scan);
  if (scan->unsure)
    scan->notes->stops.count = scan->candidates = 0;
  if (scan->candidates != 0)
    cn_frame_roots_areas(scan->walk, note_area, scan->notes);
  scan->callee = frame->map != NULL;
  scan->depth++;
}

/* Keep the areas of activations that have not run: they lie above the youngest barrier. */
static void forget_areas(const struct scan *scan)
{
  const struct cn_return_barrier *youngest = cn_return_barrier_youngest(scan->set);
  struct notes *its = scan->notes;

  while (its->areas.count != 0 && (youngest == NULL || (uintptr_t)its->areas.at[its->areas.count - 1] < youngest->sp))
    its->areas.count--;
}

/* Set new barriers younger than `met`, which the scan has met at scan->depth; it may be null. */
static void set_barriers(struct scan *scan, const struct cn_return_barrier *met)
{
  uint64_t all = scan->depth + (met == NULL ? 0 : met->below);
  struct notes *its = scan->notes;

  CN_ASSERT(scan->candidates <= MAX_CANDIDATES);
  for (unsigned i = scan->candidates; i-- > 0;) {
    const struct candidate *candidate = &scan->candidate[i];
    CN_ASSERT(candidate->depth < scan->depth);
    CN_ASSERT(i == 0 || candidate[-1].depth < candidate->depth);
    if (met == NULL || 2 * candidate->depth <= scan->depth)
      cn_return_barrier_set(scan->set, candidate->slot, all - candidate->depth);
  }
  const struct cn_return_barrier *youngest = cn_return_barrier_youngest(scan->set);
  if (youngest == NULL)
    return;
  for (size_t i = its->fresh.count; i-- > 0;)
    if ((uintptr_t)its->fresh.at[i] >= youngest->sp)
      cn_grow_push(&its->areas, its->fresh.at[i]);
  for (size_t i = its->stops.count; i-- > 0;)
    if ((uintptr_t)its->stops.at[i] >= youngest->sp)
      cn_return_barrier_stop(scan->set, its->stops.at[i]);
  if (scan->still)
    cn_return_barrier_thin(scan->set, all);
}

/* The walk is where the activations that have not run begin, or (not `more`) past the end. */
static const struct cn_return_barrier *met_by(const struct scan *scan, bool more)
{
  const struct cn_frame *frame = &scan->walk->frame;
  CN_ASSERT(!more || cn_return_barrier_is_there(frame));
  struct cn_return_barrier *met = cn_return_barrier_met(scan->set, more ? frame->pc_slot : NULL);

  if (met != NULL) {
    met->slot = frame->barrier;
    met->sp = frame->sp;
    met->in_place = scan->callee && cn_return_barrier_fits(frame, frame->barrier);
  }
  return met;
}

/* Look at everything, past barriers, and leave them alone. None can be trusted yet if one lies
 * above an activation that must always be looked at. Returns how many roots lie above the first
 * one. */
static size_t scan_all(struct scan *scan, bool more)
{
  bool met = false, distrust = false;
  size_t above = SIZE_MAX;

  for (; more; more = cn_walk_next(scan->walk)) {
    if (!met && cn_return_barrier_is_there(&scan->walk->frame)) {
      met = true;
      above = scan->roots;
    }
    look_at(scan);
    distrust = distrust || (met && scan->unsure);
  }
  if (distrust)
    cn_return_barriers_trust(scan->set, false);
  cn_deferred_frames_left(cn_return_barriers_number(scan->set), scan->walk, false);
  return above;
}

/* How many of the roots that were found lie above the youngest barrier. */
static size_t roots_above(const struct scan *scan)
{
  const struct cn_return_barrier *youngest = cn_return_barrier_youngest(scan->set);

  for (unsigned i = 0; youngest != NULL && i < scan->candidates; i++)
    if (scan->candidate[i].slot == youngest->slot)
      return scan->candidate[i].roots;
  return SIZE_MAX; /* that which was met is the youngest, or there is none */
}

/* Returns the same. */
static size_t scan_young(struct scan *scan, bool more)
{
  for (; more && !cn_return_barrier_is_there(&scan->walk->frame); more = cn_walk_next(scan->walk))
    look_at(scan);
  const struct cn_return_barrier *met = met_by(scan, more);
  cn_deferred_frames_left(cn_return_barriers_number(scan->set), scan->walk, more && scan->found != NULL);
  forget_areas(scan);
  for (size_t i = 0; scan->found != NULL && i < scan->notes->areas.count; i++)
    scan->found(scan->env, scan->notes->areas.at[i], CAIRN_ROOT_DEFAULT, NULL);
  set_barriers(scan, met);
  return roots_above(scan);
}

/* The barriers of the source's stack, if it can have any. */
static struct cn_return_barriers *barriers_of(const struct cn_root_task *source)
{
  struct cn_return_barriers **place = cn_coroutine_stacks_barriers(source->mutator, source->stack);

  if (cn_coroutine_stacks_lead_on() || (source->stack && source->stack->suspended))
    return NULL;
  if (*place == NULL) {
    if ((*place = cn_return_barriers_borrow()) != NULL) {
      notes[cn_return_barriers_number(*place)].areas.count = 0;
      cn_deferred_frames_new_stack(cn_return_barriers_number(*place));
    }
  }
  return *place;
}

/* If a stack that can have no barriers now has some, a later scan may stop there. */
static struct cn_young all_of(const struct cn_root_task *source)
{
  struct cn_return_barriers *set = *cn_coroutine_stacks_barriers(source->mutator, source->stack);

  if (set == NULL)
    return (struct cn_young){.settled = 0, .end = 0};
  cn_deferred_frames_left(cn_return_barriers_number(set), NULL, false);
  return (struct cn_young){.settled = 0, .end = SIZE_MAX};
}

bool cn_young_scan(const struct cn_root_task *source, struct cn_walk *walk, cairn_stack_root *found, void *env,
                   struct cn_young *young)
{
  struct cn_return_barriers *set = barriers_of(source);

  used = true;
  if (set == NULL) {
    *young = all_of(source);
    return false;
  }
  struct scan scan = {.walk = walk,
                      .set = set,
                      .notes = &notes[cn_return_barriers_number(set)],
                      .found = found,
                      .env = env,
                      .still = source->waits || source->mutator->stopped != NULL};
  scan.notes->fresh.count = scan.notes->stops.count = 0;
  bool trusted = cn_return_barriers_trust(set, true);
  bool more = cn_root_tasks_walk(source, walk);
  size_t above = trusted ? scan_young(&scan, more) : scan_all(&scan, more);
  CN_ASSERT_VALID(cn_return_barriers_wrong(set));
  if (cn_return_barrier_youngest(set) == NULL) {
    *cn_coroutine_stacks_barriers(source->mutator, source->stack) = NULL;
    cn_return_barriers_give_back(set);
  }
  *young = (struct cn_young){scan.depth, above < scan.roots ? above : scan.roots, scan.roots};
  return true;
}

void cn_young_all_seen(const struct cn_root_task *source, struct cn_walk *walk)
{
  struct cn_young young;

  if (used)
    cn_young_scan(source, walk, NULL, NULL, &young);
}
