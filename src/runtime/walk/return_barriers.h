/* SPDX-License-Identifier: Apache-2.0
 *
 * Return barriers: addresses of stubs (arch.h) in place of the return addresses of some old activations. If a walk or a
 * return meets a barrier, older activations have not run since the barrier was set. Only collectors that call
 * cairn_visit_young_roots() use barriers.
 *
 * Unwinders step over barriers by the stubs' call-frame information, walks by cn_return_barrier_resolve_pc().
 */
#ifndef CN_RUNTIME_WALK_RETURN_BARRIERS_H
#define CN_RUNTIME_WALK_RETURN_BARRIERS_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/abi.h>
#include "runtime/walk/walk.h"

/* The replaced return addresses, one for each barrier, without signatures. */
extern uintptr_t cn_return_barrier_cells[CAIRN_ABI_BARRIERS];

/* If the frame's pc is a barrier's stub, replace it by the true return address, and set pc_slot to the barrier's cell.
 * Any thread, while the stack does not run. */
bool cn_return_barrier_resolve_pc(struct cn_frame *frame);

/* True if the frame's callee returns to the frame through a barrier: then neither the frame nor an older frame has
 * run. */
bool cn_return_barrier_is_in_frame(const struct cn_frame *frame);

/* ---- the barriers of a stack: in phase STOP on the thread that walks the stack, or in cn_return_barrier_returned()
 * ---- */

/* The place of a return address: a slot in a frame that ends at `sp`, and the frame's pc, as in struct cn_frame. */
struct cn_return_slot {
  uintptr_t *slot;
  uintptr_t sp, callee;
};

/*  A barrier on a stack. Invariants of all barriers of a stack (cn_return_barriers_wrong()):
 *   - each barrier is younger than the previous barrier, and at a lower address
 *   - each barrier has its own cell with a return address
 *   - addresses of the stops that are older than the youngest barrier descend */
struct cn_return_barrier {
  uintptr_t *slot;  /* the slot where a walk last found the barrier */
  uintptr_t sp;     /* stack pointer of the youngest activation that has not run */
  uintptr_t callee; /* the pc of the frame that has the slot, as in struct cn_frame */
  uint64_t below;   /* approximate number of activations that have not run */
  uint8_t cell;     /* of cn_return_barrier_cells[] */
  bool in_place;    /* the slot is a frame's return address, which may be restored: `sp` is the frame's end */
};

/* True if a barrier may replace the slot: the walk came to the frame through this slot, from a younger frame with a
 * frame map. */
static inline bool cn_return_barrier_fits(const struct cn_frame *frame, const uintptr_t *slot)
{
  return frame->map != NULL && frame->sp - (uintptr_t)(slot + 1) < CN_ARCH_RETURN_REACH_BYTES;
}

/* The few sets of barriers are lent to deep stacks. */
enum { CN_RETURN_BARRIER_SETS = 64, CN_RETURN_BARRIER_SET_CAPACITY = 32 /* in a set */ };
struct cn_return_barriers;

/* Lend an empty set. Null: all sets are lent. Any thread. */
struct cn_return_barriers *cn_return_barriers_borrow_set(void);

/* Return a set, which may be null, after the end of its stack, or when no remaining activation has a barrier of the
 * set. Called by the thread that runs on the stack, or in phase STOP. */
void cn_return_barriers_return_set(struct cn_return_barriers *set);

/* The set's number, less than CN_RETURN_BARRIER_SETS. */
unsigned cn_return_barriers_number_of(const struct cn_return_barriers *set);

/* Set a barrier in a slot that fits, younger than all other barriers of the set; about `below` activations are older.
 * The barrier's address is signed if the return address is signed. Does nothing if all barriers are in use, or barriers
 * are forbidden, or the return address has an unknown signature. */
void cn_return_barrier_set(struct cn_return_barriers *set, struct cn_return_slot at, uint64_t below);

/* Note that a walk from the youngest activation has met the barrier with this cell first; null: the walk met no
 * barrier. Drops younger barriers, whose activations have returned. Returns the met barrier, or null. */
struct cn_return_barrier *cn_return_barrier_note_met(struct cn_return_barriers *set, const uintptr_t *cell);

struct cn_return_barrier *cn_return_barrier_youngest(struct cn_return_barriers *set);

/* Check a set. Returns the error, or null. Linear. */
const char *cn_return_barriers_wrong(const struct cn_return_barriers *set);

/* Check that each taken barrier is in exactly one lent set. Returns the error, or null. Phase STOP, while no thread
 * walks a stack. */
const char *cn_return_barriers_pool_wrong(void);

/* Called after a scan, from the oldest to the youngest slot: note a slot that fits, older than the youngest barrier.
 * After a return to a younger barrier a new barrier can be set in the slot without a walk. */
void cn_return_barrier_add_stop(struct cn_return_barriers *set, struct cn_return_slot at);
enum { CN_RETURN_BARRIER_STOP_DISTANCE = 64 }; /* activations from stop to stop */

/* Remove a barrier if its older neighbour is not much deeper than its younger neighbour; the stack has `all`
 * activations. Called only while no native code runs on the stack: native code may be unwinding, and the removed
 * barrier's cell may get a return address of another stack. */
void cn_return_barrier_thin_out(struct cn_return_barriers *set, uint64_t all);

/* Distrust the barriers of all stacks from now on, after a code region was added: data on a stack may have become an
 * activation. Any thread. */
void cn_return_barriers_distrust_all(void);

/* Trust or distrust the set's barriers after a scan of the whole stack. Returns whether the barriers were trusted
 * before. */
bool cn_return_barriers_set_trust(struct cn_return_barriers *set, bool trust);

/* Called by a barrier's stub when an activation returns through the barrier. `regs` are the registers of the caller
 * that continues, with the true pc; `pc` identifies the barrier. Not a safepoint. */
void cn_return_barrier_returned(const struct cn_saved_regs *regs, uintptr_t pc);

#endif
