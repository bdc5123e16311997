/* SPDX-License-Identifier: Apache-2.0
 *
 * Visits the roots of old activations in parts over several stops, since young enumerations skip these roots. Each
 * stack with return barriers has a position. The roots of all activations above the position have been visited. The
 * roots of the older activations, which have not run since, are deferred. A visit moves the position down. Activations
 * that run after the enumeration lie above the barrier that the next young enumeration meets; the next enumeration
 * scans these activations. If the position lies above that barrier, too, the position moves down to the barrier.
 *
 * Owns the table of positions, the number of the stop, and whether the collector wants deferral. Runs in phase STOP. A
 * young enumeration calls these functions for a stack on the thread that took the stack's task; the collecting thread
 * begins the enumeration, and visits deferred roots.
 */
#include "runtime/roots/roots.h"

#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/walk/return_barriers.h"

enum { MAX_VISITED_ACTIVATIONS = 256 /* in one visit */ };

static struct deferred_stack {
  enum { DEFERRAL_UNKNOWN, DEFERRAL_PENDING, DEFERRAL_DONE } state;
  uint64_t stop; /* the last stop that saw the stack */
  struct cn_saved_walk place;
} deferred_stacks[CN_RETURN_BARRIER_SETS];
static bool deferral_wanted;
static uint64_t stop_number;

void cn_deferred_frames_begin_stop(void)
{
  stop_number++;
}

void cn_deferred_frames_forget_stack(unsigned number)
{
  CN_CHECK(number < CN_RETURN_BARRIER_SETS);
  deferred_stacks[number].state = DEFERRAL_UNKNOWN;
}

void cn_deferred_frames_note_left(unsigned number, const struct cn_walk *walk, bool more)
{
  struct deferred_stack *its = &deferred_stacks[number];

  CN_CHECK(number < CN_RETURN_BARRIER_SETS);
  if (!deferral_wanted)
    return;
  its->stop = stop_number;
  if (its->state == DEFERRAL_DONE || !more)
    its->state = DEFERRAL_DONE;
  else if (its->state == DEFERRAL_UNKNOWN || its->place.walk.frame.sp < walk->frame.sp) {
    its->state = DEFERRAL_PENDING;
    cn_walk_save(walk, &its->place);
  }
}

void cairn_deferred_roots(bool are_wanted)
{
  for (unsigned i = 0; i < CN_RETURN_BARRIER_SETS; i++)
    deferred_stacks[i].state = DEFERRAL_UNKNOWN;
  deferral_wanted = are_wanted;
}

/* ---- a visit ---- */

struct deferred_root_visit {
  cairn_root_visitor *call;
  void *env;
};

static void visit_deferred_root(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  const struct deferred_root_visit *visit = env;
  uintptr_t reference = *slot - (uintptr_t)parameter;

  CN_CHECK(tag < CAIRN_ROOT_USER); /* activations with such roots are never deferred */
  if (tag == CAIRN_ROOT_DEFAULT)
    visit->call(visit->env, (struct cairn_slot){slot});
  else if (tag == CAIRN_ROOT_BASE)
    visit->call(visit->env, (struct cairn_slot){parameter});
  else if (*slot != 0)
    visit->call(visit->env, (struct cairn_slot){&reference});
}

static void visit_next_activations(struct deferred_stack *its, struct deferred_root_visit *visit)
{
  struct cn_walk walk;
  bool more = true;

  CN_CHECK(its->state == DEFERRAL_PENDING);
  cn_walk_resume(&walk, &its->place);
  for (int i = 0; more && i < MAX_VISITED_ACTIVATIONS; i++) {
    CN_CHECK(walk.frame.map != NULL); /* frames of other managers are never deferred */
    cn_frame_roots_visit_all(&walk, visit_deferred_root, visit);
    more = cn_walk_next(&walk);
  }
  if (more)
    cn_walk_save(&walk, &its->place);
  else
    its->state = DEFERRAL_DONE;
}

bool cairn_deferred_roots_visit(cairn_root_visitor *call, void *env)
{
  struct deferred_root_visit visit = {call, env};

  CN_CHECK(deferral_wanted);
  for (unsigned i = 0; i < CN_RETURN_BARRIER_SETS; i++)
    if (deferred_stacks[i].state == DEFERRAL_PENDING &&
        deferred_stacks[i].stop == stop_number) { /* otherwise the stack no longer exists */
      visit_next_activations(&deferred_stacks[i], &visit);
      return true;
    }
  return false;
}
