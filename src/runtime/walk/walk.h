/* SPDX-License-Identifier: Apache-2.0
 *
 * The stack walker: visits managed frames from the youngest to the oldest (pillar-stack-iterator-2011, "Stack Iteration
 * Interface": the stack pointer, and where callee-saved registers were last saved).
 */
#ifndef CN_RUNTIME_WALK_WALK_H
#define CN_RUNTIME_WALK_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/arch/arch.h"
#include "runtime/core/mutator.h"
#include "runtime/walk/code_regions.h"
#include "runtime/walk/index.h"
#include "runtime/walk/prefetch.h"

/* An activation of a managed function at a safepoint, with `map` set, or of code with its own manager, with `region`
 * set. place[r] is the address with the value of callee-saved register r (enum cn_reg) in this frame: in a stub's save
 * area, in an anchor, or in the frame of a younger function that saved the register; null if it is unknown. The other
 * registers are known only in a youngest frame that called a slow path, and in frames whose manager reports them. */
enum { CN_FRAME_PLACES = (CN_CALLEE_SAVED_COUNT + 1) / 2 * 2 }; /* whole pairs; a last place without register is any */
struct cn_frame {
  uintptr_t pc, sp;
  uintptr_t *pc_slot;
  uintptr_t *barrier; /* the slot with the barrier, if pc_slot is a barrier's cell */
  uintptr_t callee;   /* with CN_ARCH_SIGNS_RETURNS: the pc of the frame that has pc_slot; 0: pc_slot lies elsewhere */
  uintptr_t *place[CN_FRAME_PLACES];
  const struct cn_saved_regs *regs; /* null: only callee-saved registers are known; &cn_walk_separate_regs: other[] has
                                       the other registers' places */
  const struct cn_frame_map *map;
  uintptr_t *link;              /* with a map: a copy of the frame pointer's place, for a shorter critical path */
  unsigned size;                /* size as in the key of the map's entry (index.h) */
  unsigned shape;               /* of the prologue, if the map says `pushed` */
  struct cn_code_region region; /* `region` is valid if map is null, `other` by `regs` */
  uintptr_t *other[CN_ARCH_REGISTER_COUNT];
};

extern const struct cn_saved_regs cn_walk_separate_regs;

/* The address with the value of register `reg` (DWARF number) in this frame; null: the value is lost. */
static inline uintptr_t *cn_frame_register_place(const struct cn_frame *frame, unsigned reg)
{
  if (reg < CN_ARCH_REGISTER_COUNT && cn_arch_callee_saved_index[reg] != CN_CALLEE_SAVED_COUNT)
    return frame->place[cn_arch_callee_saved_index[reg]];
  if (frame->regs == NULL || reg >= CN_ARCH_REGISTER_COUNT || reg == cn_arch_sp_dwarf_number)
    return NULL;
  if (frame->regs == &cn_walk_separate_regs)
    return frame->other[reg];
  return (uintptr_t *)&frame->regs->gpr[reg];
}

/* A walk has the size of a struct cairn_stack_iterator, because managers get the walk as an iterator and may copy
 * it. */
struct cn_walk {
  union {
    struct {
      const struct cairn_mutator *mutator; /* null: the stack is unregistered */
      struct cairn_stack *stack;           /* the activation's stack; null: the thread's own stack */
      struct cn_anchor *anchor;            /* only older anchors are still to be consumed (anchors.h) */
      uint64_t natives;                    /* number of crossed native ranges */
      uintptr_t stack_end;                 /* all frames of this stack lie below this address */
      struct cn_walk_prefetcher ahead;
      uintptr_t fetch_at;     /* a step beyond this address prefetches again */
      unsigned virtual_frame; /* for the public iterator; otherwise 0 */
      bool past_end;
      bool stepping : 1; /* a manager must set the iterator */
      bool stepped : 1;  /* the manager has set it */
      bool stopped;      /* tables stay allocated: this thread collects, or the stack's thread is stopped */
      uintptr_t claims;  /* the name for claims of the stacks that the walk reaches; 0: it claims no stacks */
      struct cn_frame frame;
    };
    struct cairn_stack_iterator iterator;
  };
};
_Static_assert(sizeof(struct cn_walk) == sizeof(struct cairn_stack_iterator), "<cairn/stack.h>");

/* Start at the registers that a stub saved, or, if `regs` is null and the thread is in native code, at the youngest
 * anchor. True: `walk->frame` is the youngest managed frame. False: the stack has only native frames. A stack that
 * cannot be parsed ends the program. */
bool cn_walk_begin(struct cn_walk *walk, const struct cairn_mutator *mutator, const struct cn_saved_regs *regs);

/* Start at the registers that a stub saved, for a walk that only cn_walk_leave_frame() follows. Of the walk, only
 * `frame`, without `pc_slot`, is set. The calling thread is managed, and reaches no safepoint up to the end of the
 * walk. False: the table lacks the frame; cn_walk_begin() finds it. */
bool cn_walk_begin_to_leave(struct cn_walk *walk, const struct cn_saved_regs *regs);

/* Start at the running managed code of the calling thread, at a call that returns to the pc in `regs`; only
 * callee-saved registers of `regs` are read. */
bool cn_walk_begin_running(struct cn_walk *walk, const struct cn_saved_regs *regs);

/* Start at an activation of a waiting stack that coroutine_stacks.h does not know. */
bool cn_walk_begin_suspended(struct cn_walk *walk, const struct cairn_stack_state *state, uintptr_t stack_end);

/* Like cn_walk_begin_suspended(), for a stack that coroutine_stacks.h knows, or, if `stack` is null, for the mutator's
 * own stack while the thread runs on another stack. If `state` is null, start at the youngest anchor. */
bool cn_walk_begin_on_stack(struct cn_walk *walk, const struct cairn_mutator *mutator, struct cairn_stack *stack,
                            const struct cairn_stack_state *state);

/* Like cn_walk_begin_on_stack(), from the youngest activation of a waiting stack. False: the stack has no
 * activation. */
bool cn_walk_begin_waiting(struct cn_walk *walk, const struct cairn_mutator *mutator, struct cairn_stack *stack);

/* Find the activation at frame->pc, or the first activation beyond native code. False: the walk is at its end. */
bool cn_walk_resolve_frame(struct cn_walk *walk);

/* Go to the next older activation. False: the walk is at its end. */
bool cn_walk_next(struct cn_walk *walk);

/* Go to the activation of the state, or to the end if its pc is null. False: the walk is at its end. */
bool cn_walk_set_state(struct cn_walk *walk, const struct cairn_stack_state *state);

/* Set the callee-saved registers of the transfer (arch.h) to the values that they have when the current frame returns:
 * a frame with a map, with known places of all tracked registers. The transfer has the vector registers of the frame.
 * Its slot becomes the last word of the frame, which then has the address where the frame returns to, without a
 * signature. The walk is then of no further use. */
void cn_walk_leave_frame(struct cn_walk *walk, struct cn_transfer *transfer);

/* A saved position on a stack. A walk in a later stop continues there if neither the activation nor an older activation
 * has run since. The walk gets copies of the saved registers, and must not write them. */
struct cn_saved_walk {
  struct cn_walk walk;
  uintptr_t reg[CN_CALLEE_SAVED_COUNT];
};
void cn_walk_save(const struct cn_walk *walk, struct cn_saved_walk *kept);
void cn_walk_resume(struct cn_walk *walk, struct cn_saved_walk *kept);

/* The manager of stubs that called native code, with an anchor as data. The walker itself steps over such stubs
 * (stub_manager.c). */
extern const struct cairn_code_manager cn_stub_code_manager;

/* ---- landing_path.c ---- */

/* The paths of a thread's last throws, which predict the next ones: an array. Null: memory is exhausted. */
struct cn_landing_path;
struct cn_landing_path *cn_landing_path_new(void);
void cn_landing_path_free(struct cn_landing_path *paths); /* null is valid */

/* An activation whose call has a landing. */
struct cn_landing_activation {
  uintptr_t pc, sp;
  const uintptr_t *slot; /* has the pc, or a mark or barrier in its place */
  const struct cn_map_landing *landing;
};

/* Find the youngest activation whose call has a landing, and its callee-saved registers, from the registers that a stub
 * saved. The calling thread is managed, in no signal handler, and reaches no safepoint up to the use of the result.
 * False: an activation needs the general walk, for instance its map is not in the table yet. */
bool cn_landing_path_follow(struct cn_landing_path *paths, const struct cn_saved_regs *regs,
                            uintptr_t saved[CN_CALLEE_SAVED_COUNT], struct cn_landing_activation *out);

/* ---- native_pcs.c ---- */

/* Caches return addresses outside all code with frame maps: returns of managed code into native code. Each series of
 * managed activations ends at such an address. The table is small, and a new address may replace an old address. */

/* True: `pc` is outside all code with frame maps. False: unknown. Any thread. Code that is loaded during the call has
 * no activation on a stack that is being walked. */
bool cn_native_pcs_contain(uintptr_t pc);

/* Note that `pc` is outside all code with frame maps. The caller of this and of the next function holds
 * CN_LOCK_FRAMES. */
void cn_native_pcs_add(uintptr_t pc);

/* Forget all addresses, because of new code. */
void cn_native_pcs_clear(void);

#endif
