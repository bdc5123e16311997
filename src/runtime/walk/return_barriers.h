/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers: addresses of stubs (arch.h) in the places of some old activations' return addresses. A
 * walk or a return that comes by one knows that no older activation has run since. Only for
 * collectors that call cairn_visit_young_roots(); others never see one.
 *
 * Unwinders find their way by the stubs' call-frame information, walks by cn_return_barrier_pass().
 */
#ifndef CN_RUNTIME_WALK_RETURN_BARRIERS_H
#define CN_RUNTIME_WALK_RETURN_BARRIERS_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/abi.h>
#include "runtime/walk/walk.h"

/* The true return addresses, one per barrier. */
extern uintptr_t cn_return_barrier_cells[CAIRN_ABI_BARRIERS];

/* If the frame's pc is that of a barrier, set it to the true one; pc_slot is then the barrier's
 * cell. Any thread, while no thread runs on that stack. */
bool cn_return_barrier_pass(struct cn_frame *frame);

/* True if the frame's callee returns to it through a barrier: neither it nor an older one has
 * run. */
bool cn_return_barrier_is_there(const struct cn_frame *frame);

/* ---- the barriers of a stack: phase STOP, the thread that walks the stack; or within
 * cn_return_barrier_returned() ---- */

/* A barrier that is set. Of all of a stack it holds (cn_return_barriers_wrong()) that
 *   - each is younger than the one before it, so at a lower address
 *   - each has a cell of its own, which has a return address
 *   - no stop that is older than the youngest barrier is above the stop before it */
struct cn_return_barrier {
  uintptr_t *slot; /* where it was found last */
  uintptr_t sp;    /* of the first activation that has not run */
  uint64_t below;  /* about how many have not run */
  uint8_t cell;    /* of cn_return_barrier_cells[] */
  bool in_place;   /* the slot is a frame's return address, and may be restored */
};

/* Can the slot be replaced? The frame was entered through it from a younger one with a frame
 * map. */
static inline bool cn_return_barrier_fits(const struct cn_frame *frame, const uintptr_t *slot)
{
  return frame->map != NULL && (uintptr_t)(slot + 1) == frame->sp;
}

/* There are few sets of barriers: they are lent to the stacks that are deep. */
enum { CN_RETURN_BARRIER_SETS = 64, CN_RETURN_BARRIER_MOST = 32 /* in a set */ };
struct cn_return_barriers;

/* Lend an empty set. Null: all are lent. Any thread. */
struct cn_return_barriers *cn_return_barriers_borrow(void);

/* Take a set back, which may be null: its stack ends, or has no barrier. No activation that is yet
 * to return has one. The thread that runs on the stack, or phase STOP. */
void cn_return_barriers_give_back(struct cn_return_barriers *set);

/* Its number, below CN_RETURN_BARRIER_SETS. */
unsigned cn_return_barriers_number(const struct cn_return_barriers *set);

/* Set a barrier in a slot that fits, younger than all others of the set; about `below` activations
 * are older. Nothing happens if there are no more barriers, or none may be set. */
void cn_return_barrier_set(struct cn_return_barriers *set, uintptr_t *slot, uint64_t below);

/* A walk from the youngest activation has come by the barrier with this cell first, or (null) by
 * none: younger ones have gone with their activations. Returns that barrier, or null. */
struct cn_return_barrier *cn_return_barrier_met(struct cn_return_barriers *set, const uintptr_t *cell);

/* The youngest that is set; null: there is none. */
struct cn_return_barrier *cn_return_barrier_youngest(struct cn_return_barriers *set);

/* What does not hold of a set; null: all does. Linear. */
const char *cn_return_barriers_wrong(const struct cn_return_barriers *set);

/* What does not hold of all sets together: each barrier that is taken is in one set, which is lent.
 * Phase STOP, while nothing else looks at stacks. */
const char *cn_return_barriers_pool_wrong(void);

/* After a scan, from the oldest to the youngest: note a slot that fits, older than the youngest
 * barrier. After a return to a younger one a barrier can be set there without a walk. */
void cn_return_barrier_stop(struct cn_return_barriers *set, uintptr_t *slot);
enum { CN_RETURN_BARRIER_STOP = 64 }; /* activations from stop to stop */

/* With `all` activations on the stack: take barriers off where the next older one is not much
 * further away than the next younger one. Not while native code runs on the stack: it may unwind,
 * and would find in a barrier's cell what another stack has put there. */
void cn_return_barrier_thin(struct cn_return_barriers *set, uint64_t all);

/* No barrier can be trusted, of any stack: what lies there may have become an activation (a code
 * region was added). Any thread. */
void cn_return_barriers_distrust(void);

/* Say whether those of the set can be from now on, after a look at the whole stack. Returns whether
 * they could before. */
bool cn_return_barriers_trust(struct cn_return_barriers *set, bool trust);

/* By a barrier's stub: an activation has returned there. `regs` is what the activation that goes on
 * finds in its registers, its pc the true one; `pc` tells the barrier. Not a safepoint. */
void cn_return_barrier_returned(const struct cn_regs *regs, uintptr_t pc);

#endif
