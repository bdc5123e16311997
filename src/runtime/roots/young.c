/* SPDX-License-Identifier: Apache-2.0
 *
 * Enumerates stacks for collections of a young generation, with barriers on the stack:
 *
 *   youngest   f g h ... [B0] ... [B1] .......... [B2] ............................ [B3] ...
 *   oldest
 *                         16       64              256                               1024
 *
 * A scan visits activations from the youngest on until it meets a barrier: all activations below a barrier are
 * unchanged, because they have not run since the previous scan. Then the scan sets new barriers above the met barrier,
 * the youngest at a depth of 16 activations, with depths that grow by a factor, and removes superfluous barriers. If an
 * exception or a longjmp skips some barriers, the next scan meets an older barrier. If an activation returns through a
 * barrier, the stub sets a new barrier some activations further down, unless another barrier is as near.
 *
 * A scan may skip an unchanged activation. After the previous scan all its roots pointed outside the young generation
 * (the collector guarantees this), and the roots have not changed, because only the activation's code writes to its
 * slots. A root in a callee-saved register is in the frame of the younger function that saved the register, or in an
 * anchor. Such a root may change its place, but not its value; a collection that moves old objects updates its current
 * place. A derived pointer is as unchanged as its base. There are three exceptions:
 *   - locals whose address escapes: their slots are recorded, and visited in each scan;
 *   - roots with the language's own tags, because their data may change;
 *   - activations of other code info managers, because their roots are unknown.
 * A scan always visits activations with roots of the last two kinds, and all younger activations.
 *
 * Each deep stack has its own set of barriers, from one pool. A thread may switch stacks without a return through a
 * barrier, so each scan is for one stack. If managers may continue a walk on other stacks, all stacks are scanned
 * completely, and have no barriers.
 *
 * Runs in phase STOP, on the thread that took the task. `stack_notes` has an entry for each set of barriers, so threads
 * share no entry. The only other state is the atomic flag that young scans are used.
 *
 * Needs: frame maps (stackmaps-v2, "Stack Map Format"), and no other facts about compiled code.
 */
#include "runtime/roots/roots.h"

#include <stdatomic.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/walk/coroutine_stacks.h"
#include "runtime/walk/return_barriers.h"

enum {
  NEAR_ACTIVATIONS = 16, /* minimal depth of the youngest barrier */
  DISTANCE_FACTOR = 4,   /* the depth of each next barrier grows by this factor */
  MAX_CANDIDATES = 24
};

/* The data of a stack, indexed by the number of its set of barriers. */
struct stack_notes {
  CN_GROW(uintptr_t *) areas;           /* references in described allocas below the last barrier, oldest first */
  CN_GROW(uintptr_t *) fresh;           /* references in described allocas that this scan finds, youngest first */
  CN_GROW(struct cn_return_slot) stops; /* places for later barriers, youngest first */
};

static struct stack_notes stack_notes[CN_RETURN_BARRIER_SETS];
static _Atomic bool young_scan_used;

struct barrier_candidate {
  struct cn_return_slot place;
  uint64_t depth; /* number of activations above the candidate */
  size_t roots;   /* number of roots in these activations */
};

struct stack_scan {
  struct cn_walk *walk;
  struct cn_return_barriers *set;
  struct stack_notes *notes;
  cairn_stack_root *found; /* may be null */
  void *env;
  uint64_t depth;
  size_t roots; /* number of roots so far (struct cn_young_scan_result) */
  bool unsure;  /* each scan must visit the activation */
  bool callee;  /* the activation's callee has a frame map */
  bool still;   /* no native code runs on the stack during the scan */
  struct barrier_candidate candidate[MAX_CANDIDATES];
  unsigned candidates;
};

static void visit_scanned_root(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  struct stack_scan *scan = env;

  if (tag >= CAIRN_ROOT_USER)
    scan->unsure = true;
  scan->roots += tag == CAIRN_ROOT_DEFAULT || tag == CAIRN_ROOT_BASE;
  if (scan->found != NULL)
    scan->found(scan->env, slot, tag, parameter);
}

static void note_area_slot(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  struct stack_notes *its = env;

  (void)tag;
  (void)parameter;
  cn_grow_push(&its->fresh, slot);
}

/* Notes the activation's return address as a candidate for a barrier of this scan, or as a place for a later
 * barrier. */
static void note_barrier_candidate(struct stack_scan *scan)
{
  const struct cn_frame *frame = &scan->walk->frame;
  CN_ASSERT(scan->candidates <= MAX_CANDIDATES);
  uint64_t next =
      scan->candidates == 0 ? NEAR_ACTIVATIONS : DISTANCE_FACTOR * scan->candidate[scan->candidates - 1].depth;

  if (!scan->callee || !cn_return_barrier_fits(frame, frame->pc_slot))
    return;
  struct cn_return_slot place = {frame->pc_slot, frame->sp, frame->callee};
  if (scan->depth % CN_RETURN_BARRIER_STOP_DISTANCE == 0)
    cn_grow_push(&scan->notes->stops, place);
  if (scan->depth >= next && scan->candidates < MAX_CANDIDATES)
    scan->candidate[scan->candidates++] = (struct barrier_candidate){place, scan->depth, scan->roots};
}

static void scan_activation(struct stack_scan *scan)
{
  const struct cn_frame *frame = &scan->walk->frame;

  CN_ASSERT(!scan->walk->past_end);
  note_barrier_candidate(scan);
  scan->unsure = frame->map == NULL;
  cn_frame_roots_visit_all(scan->walk, visit_scanned_root, scan);
  if (scan->unsure)
    scan->notes->stops.count = scan->candidates = 0;
  if (scan->candidates != 0 && frame->map->areas != 0)
    cn_frame_roots_visit_areas(scan->walk, note_area_slot, scan->notes);
  scan->callee = frame->map != NULL;
  scan->depth++;
}

/* Keeps only the described allocas of unchanged activations, whose addresses are above the youngest barrier's. */
static void forget_younger_areas(const struct stack_scan *scan)
{
  const struct cn_return_barrier *youngest = cn_return_barrier_youngest(scan->set);
  struct stack_notes *its = scan->notes;

  while (its->areas.count != 0 && (youngest == NULL || (uintptr_t)its->areas.at[its->areas.count - 1] < youngest->sp))
    its->areas.count--;
}

/* Sets new barriers, younger than `met`: the barrier that the scan met at scan->depth, or null. */
static void set_barriers(struct stack_scan *scan, const struct cn_return_barrier *met)
{
  uint64_t all = scan->depth + (met == NULL ? 0 : met->below);
  struct stack_notes *its = scan->notes;

  CN_ASSERT(scan->candidates <= MAX_CANDIDATES);
  for (unsigned i = scan->candidates; i-- > 0;) {
    const struct barrier_candidate *candidate = &scan->candidate[i];
    CN_ASSERT(candidate->depth < scan->depth);
    CN_ASSERT(i == 0 || candidate[-1].depth < candidate->depth);
    if (met == NULL || 2 * candidate->depth <= scan->depth)
      cn_return_barrier_set(scan->set, candidate->place, all - candidate->depth);
  }
  const struct cn_return_barrier *youngest = cn_return_barrier_youngest(scan->set);
  if (youngest == NULL)
    return;
  for (size_t i = its->fresh.count; i-- > 0;)
    if ((uintptr_t)its->fresh.at[i] >= youngest->sp)
      cn_grow_push(&its->areas, its->fresh.at[i]);
  for (size_t i = its->stops.count; i-- > 0;)
    if ((uintptr_t)its->stops.at[i].slot >= youngest->sp)
      cn_return_barrier_add_stop(scan->set, its->stops.at[i]);
  if (scan->still)
    cn_return_barrier_thin_out(scan->set, all);
}

/* Updates the barrier that the scan met, with the walk at the youngest unchanged activation or, if `more` is false, at
 * the end. */
static const struct cn_return_barrier *update_met_barrier(const struct stack_scan *scan, bool more)
{
  const struct cn_frame *frame = &scan->walk->frame;
  CN_ASSERT(!more || cn_return_barrier_is_in_frame(frame));
  struct cn_return_barrier *met = cn_return_barrier_note_met(scan->set, more ? frame->pc_slot : NULL);

  if (met != NULL) {
    met->slot = frame->barrier;
    met->sp = frame->sp;
    met->callee = frame->callee;
    met->in_place = scan->callee && cn_return_barrier_fits(frame, frame->barrier) &&
                    cn_arch_sign_like(*frame->barrier, *frame->pc_slot, frame->sp, frame->callee) != 0;
  }
  return met;
}

/* Visits all activations, without a change of the barriers. The barriers stay untrusted if an activation below a
 * barrier must be visited in each scan. Returns the number of roots above the first barrier. */
static size_t scan_past_barriers(struct stack_scan *scan, bool more)
{
  bool met = false, distrust = false;
  size_t above = SIZE_MAX;

  for (; more; more = cn_walk_next(scan->walk)) {
    if (!met && cn_return_barrier_is_in_frame(&scan->walk->frame)) {
      met = true;
      above = scan->roots;
    }
    scan_activation(scan);
    distrust = distrust || (met && scan->unsure);
  }
  if (distrust)
    cn_return_barriers_set_trust(scan->set, false);
  cn_deferred_frames_note_left(cn_return_barriers_number_of(scan->set), scan->walk, false);
  return above;
}

static size_t roots_above_youngest(const struct stack_scan *scan)
{
  const struct cn_return_barrier *youngest = cn_return_barrier_youngest(scan->set);

  for (unsigned i = 0; youngest != NULL && i < scan->candidates; i++)
    if (scan->candidate[i].place.slot == youngest->slot)
      return scan->candidate[i].roots;
  return SIZE_MAX; /* the met barrier is the youngest, or there is no barrier */
}

/* Returns the number of roots above the barrier that ends the scan. */
static size_t scan_to_youngest_barrier(struct stack_scan *scan, bool more)
{
  for (; more && !cn_return_barrier_is_in_frame(&scan->walk->frame); more = cn_walk_next(scan->walk))
    scan_activation(scan);
  const struct cn_return_barrier *met = update_met_barrier(scan, more);
  cn_deferred_frames_note_left(cn_return_barriers_number_of(scan->set), scan->walk, more && scan->found != NULL);
  forget_younger_areas(scan);
  for (size_t i = 0; scan->found != NULL && i < scan->notes->areas.count; i++)
    scan->found(scan->env, scan->notes->areas.at[i], CAIRN_ROOT_DEFAULT, NULL);
  set_barriers(scan, met);
  return roots_above_youngest(scan);
}

/* The set of barriers of the task's stack; null if the stack can have no barriers. */
static struct cn_return_barriers *task_barriers_of(const struct cn_root_task *source)
{
  struct cn_return_barriers **place = cn_coroutine_stacks_barriers_of(source->mutator, source->stack);

  if (cn_walks_may_cross_stacks() || (source->stack && source->stack->suspended))
    return NULL;
  if (*place == NULL) {
    if ((*place = cn_return_barriers_borrow_set()) != NULL) {
      stack_notes[cn_return_barriers_number_of(*place)].areas.count = 0;
      cn_deferred_frames_forget_stack(cn_return_barriers_number_of(*place));
    }
  }
  return *place;
}

/* The result for a stack that can have no new barriers now. If the stack has barriers, a later scan may stop at
 * them. */
static struct cn_young_scan_result young_of_whole_stack(const struct cn_root_task *source)
{
  struct cn_return_barriers *set = *cn_coroutine_stacks_barriers_of(source->mutator, source->stack);

  if (set == NULL)
    return (struct cn_young_scan_result){.settled = 0, .end = 0};
  cn_deferred_frames_note_left(cn_return_barriers_number_of(set), NULL, false);
  return (struct cn_young_scan_result){.settled = 0, .end = SIZE_MAX};
}

bool cn_young_scan_stack(const struct cn_root_task *source, struct cn_walk *walk, cairn_stack_root *found, void *env,
                         struct cn_young_scan_result *young)
{
  struct cn_return_barriers *set = task_barriers_of(source);

  young_scan_used = true;
  if (set == NULL) {
    *young = young_of_whole_stack(source);
    return false;
  }
  struct stack_scan scan = {.walk = walk,
                            .set = set,
                            .notes = &stack_notes[cn_return_barriers_number_of(set)],
                            .found = found,
                            .env = env,
                            .still = source->waits || source->mutator->stopped != NULL};
  scan.notes->fresh.count = scan.notes->stops.count = 0;
  bool trusted = cn_return_barriers_set_trust(set, true);
  bool more = cn_root_tasks_begin_walk(source, walk);
  size_t above = trusted ? scan_to_youngest_barrier(&scan, more) : scan_past_barriers(&scan, more);
  CN_ASSERT_VALID(cn_return_barriers_wrong(set));
  if (cn_return_barrier_youngest(set) == NULL) {
    *cn_coroutine_stacks_barriers_of(source->mutator, source->stack) = NULL;
    cn_return_barriers_return_set(set);
  }
  *young = (struct cn_young_scan_result){scan.depth, above < scan.roots ? above : scan.roots, scan.roots};
  return true;
}

void cn_young_note_full_scan(const struct cn_root_task *source, struct cn_walk *walk)
{
  struct cn_young_scan_result young;

  if (young_scan_used)
    cn_young_scan_stack(source, walk, NULL, NULL, &young);
}
