/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers: addresses of stubs (arch.h) in the places of some old activations' return addresses. A walk or a return
 * that comes by one knows that older activations have not run since. Only for collectors that call
 * cairn_visit_young_roots(); others never see one.
 *
 * Unwinders find their way by the stubs' call-frame information, walks by cn_return_barrier_resolve_pc().
 */
#ifndef CN_RUNTIME_WALK_RETURN_BARRIERS_H
#define CN_RUNTIME_WALK_RETURN_BARRIERS_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/abi.h>
#include "runtime/walk/walk.h"

/* The true return addresses, one per barrier. */
extern uintptr_t cn_return_barrier_cells[CAIRN_ABI_BARRIERS];

/* If the frame's pc is that of a barrier, set it to the true one; pc_slot is then the barrier's cell. Any thread, while
 * the stack stands still. */
bool cn_return_barrier_resolve_pc(struct cn_frame *frame);

/* True if the frame's callee returns to it through a barrier: neither the frame nor an older one has run. */
bool cn_return_barrier_is_in_frame(const struct cn_frame *frame);

/* ---- the barriers of a stack: phase STOP, the thread that walks the stack; or within cn_return_barrier_returned()
 * ---- */

/*  A barrier that is set. For all of a stack these hold (cn_return_barriers_wrong()):
 *   - each is younger than the one before it, so at a lower address
 *   - each has its own cell, which has a return address
 *   - no stop that is older than the youngest barrier is above the stop before it */
struct cn_return_barrier {
  uintptr_t *slot; /* the place of the last finding */
  uintptr_t sp;    /* of the first activation that has yet to run */
  uint64_t below;  /* about how many have yet to run */
  uint8_t cell;    /* of cn_return_barrier_cells[] */
  bool in_place;   /* the slot is a frame's return address, and may be restored */
};

/* True if the slot can be replaced: the frame was entered through it from a younger one with a frame map. */
static inline bool cn_return_barrier_fits(const struct cn_frame *frame, const uintptr_t *slot)
{
  return frame->map != NULL && (uintptr_t)(slot + 1) == frame->sp;
}

/* Sets of barriers are few: they are lent to the stacks that are deep. */
enum { CN_RETURN_BARRIER_SETS = 64, CN_RETURN_BARRIER_SET_CAPACITY = 32 /* in a set */ };
struct cn_return_barriers;

/* Lend an empty set. Null: all are lent. Any thread. */
struct cn_return_barriers *cn_return_barriers_borrow_set(void);

/* Take a set back, which may be null: its stack ends, or is without barriers. All activations that are yet to return
 * are free of them. The thread that runs on the stack, or phase STOP. */
void cn_return_barriers_return_set(struct cn_return_barriers *set);

/* Its number, below CN_RETURN_BARRIER_SETS. */
unsigned cn_return_barriers_number_of(const struct cn_return_barriers *set);

/* Set a barrier in a slot that fits, younger than all others of the set; about `below` activations are older. Does
 * nothing if the barriers are used up, or forbidden. */
void cn_return_barrier_set(struct cn_return_barriers *set, uintptr_t *slot, uint64_t below);

/* A walk from the youngest activation met the barrier with this cell first; null: it met no barrier. Younger barriers
 * have gone with their activations. Returns that barrier, or null. */
struct cn_return_barrier *cn_return_barrier_note_met(struct cn_return_barriers *set, const uintptr_t *cell);

/* The youngest barrier of the set, or null. */
struct cn_return_barrier *cn_return_barrier_youngest(struct cn_return_barriers *set);

/* Check a set. Returns the error, or null. Linear. */
const char *cn_return_barriers_wrong(const struct cn_return_barriers *set);

/* Check all sets together: each barrier that is taken is in one set, which is lent. Returns the error, or null. Phase
 * STOP, while stack walks are excluded. */
const char *cn_return_barriers_pool_wrong(void);

/* After a scan, from the oldest to the youngest: note a slot that fits, older than the youngest barrier. After a return
 * to a younger one a barrier can be set there without a walk. */
void cn_return_barrier_add_stop(struct cn_return_barriers *set, uintptr_t *slot);
enum { CN_RETURN_BARRIER_STOP_DISTANCE = 64 }; /* activations from stop to stop */

/* With `all` activations on the stack: take barriers off where the next older one is not much further away than the
 * next younger one. Only while native code is off the stack: it may unwind, and would find in a barrier's cell the
 * words of another stack. */
void cn_return_barrier_thin_out(struct cn_return_barriers *set, uint64_t all);

/* From now on distrust the barriers of all stacks: the data at their places may have become an activation (a code
 * region was added). Any thread. */
void cn_return_barriers_distrust_all(void);

/* Set whether those of the set are trusted from now on, after a scan of the whole stack. Returns whether they were
 * trusted before. */
bool cn_return_barriers_set_trust(struct cn_return_barriers *set, bool trust);

/* Called by a barrier's stub: an activation has returned there. `regs` are the registers of the activation that goes
 * on, with the true pc; `pc` identifies the barrier. Not a safepoint. */
void cn_return_barrier_returned(const struct cn_saved_regs *regs, uintptr_t pc);

#endif
