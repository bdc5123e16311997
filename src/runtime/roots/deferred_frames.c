/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps a place for each stack. The roots of all younger activations have been given. Those of the older activations,
 * which have stood still since, are deferred. A visit moves the place down. Activations that run again, or are called,
 * lie above the barrier that the next young enumeration meets, and are scanned there; if the place lies above it, too,
 * it moves down to the barrier.
 *
 * Phase STOP. A young enumeration calls these functions on the thread that took the stack, for one stack; visits are
 * the collecting thread's.
 */
#include "runtime/roots/deferred_frames.h"

#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/walk/return_barriers.h"

enum { VISIT_ACTIVATIONS = 256 /* in one visit */ };

static struct older {
  enum { UNKNOWN, LEFT, GIVEN } state;
  uint64_t stop; /* the last stop that saw the stack */
  struct cn_walk_kept place;
} stacks[CN_RETURN_BARRIER_SETS];
static bool wanted;
static uint64_t stop;

void cn_deferred_frames_begin_stop(void)
{
  stop++;
}

void cn_deferred_frames_new_stack(unsigned number)
{
  CN_CHECK(number < CN_RETURN_BARRIER_SETS);
  stacks[number].state = UNKNOWN;
}

void cn_deferred_frames_left(unsigned number, const struct cn_walk *walk, bool more)
{
  struct older *its = &stacks[number];

  CN_CHECK(number < CN_RETURN_BARRIER_SETS);
  if (!wanted)
    return;
  its->stop = stop;
  if (its->state == GIVEN || !more)
    its->state = GIVEN;
  else if (its->state == UNKNOWN || its->place.walk.frame.sp < walk->frame.sp) {
    its->state = LEFT;
    cn_walk_keep(walk, &its->place);
  }
}

void cairn_deferred_roots(bool are_wanted)
{
  for (unsigned i = 0; i < CN_RETURN_BARRIER_SETS; i++)
    stacks[i].state = UNKNOWN;
  wanted = are_wanted;
}

/* ---- a visit ---- */

struct visit {
  cairn_root_visitor *call;
  void *env;
};

static void visit_root(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  const struct visit *visit = env;
  uintptr_t reference = *slot - (uintptr_t)parameter;

  CN_CHECK(tag < CAIRN_ROOT_USER); /* barriers lie only below these */
  if (tag == CAIRN_ROOT_DEFAULT)
    visit->call(visit->env, (struct cairn_slot){slot});
  else if (tag == CAIRN_ROOT_BASE)
    visit->call(visit->env, (struct cairn_slot){parameter});
  else if (*slot != 0)
    visit->call(visit->env, (struct cairn_slot){&reference});
}

static void visit_some(struct older *its, struct visit *visit)
{
  struct cn_walk walk;
  bool more = true;

  CN_CHECK(its->state == LEFT);
  cn_walk_resume(&walk, &its->place);
  for (int i = 0; more && i < VISIT_ACTIVATIONS; i++) {
    CN_CHECK(walk.frame.map != NULL); /* also below code of other managers */
    cn_frame_roots(&walk, visit_root, visit);
    more = cn_walk_next(&walk);
  }
  if (more)
    cn_walk_keep(&walk, &its->place);
  else
    its->state = GIVEN;
}

bool cairn_deferred_roots_visit(cairn_root_visitor *call, void *env)
{
  struct visit visit = {call, env};

  CN_CHECK(wanted);
  for (unsigned i = 0; i < CN_RETURN_BARRIER_SETS; i++)
    if (stacks[i].state == LEFT && stacks[i].stop == stop) { /* else the stack has gone */
      visit_some(&stacks[i], &visit);
      return true;
    }
  return false;
}
