/* SPDX-License-Identifier: Apache-2.0
 *
 * The stack walker: managed frames from the youngest to the oldest (pillar-stack-iterator-2011, "Stack Iteration
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

/* An activation: of a managed function, at a safepoint (then it has a map), or of code with its own manager (then
 * its region is set instead). place[r] is the address that keeps the value of callee-saved register r (enum cn_reg)
 * in this frame: in a stub's save area, in an anchor, or in the frame of a younger function that saved it; null if
 * it is unknown. The other registers are known only in the youngest frame, if that called a slow path, or where a
 * manager says so. */
struct cn_frame {
  uintptr_t pc, sp;
  uintptr_t *pc_slot; /* where the pc is kept */
  uintptr_t *barrier; /* if pc_slot is a barrier's cell: where the barrier is */
  uintptr_t *place[CN_CALLEE_SAVED_COUNT];
  const struct cn_saved_regs *regs; /* null: only callee-saved registers are known; &cn_walk_separate_regs: other[] has
                                     * the places of the others */
  const struct cn_frame_map *map;
  uintptr_t *link;              /* with a map: the frame pointer's place, which steps
                                   wait for, and for the vectors of places longer */
  unsigned size;                /* as in the key of the map's entry (index.h) */
  unsigned saved;               /* the registers that the frame has saved */
  struct cn_code_region region; /* this and the next: if something above says so */
  uintptr_t *other[CN_ARCH_REGISTER_COUNT];
};

extern const struct cn_saved_regs cn_walk_separate_regs;

/* The address that keeps the value of register `reg` (DWARF number) in this frame; null: it is lost. */
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

/* A struct cairn_stack_iterator holds a walk: managers get the walker's own and may copy it. Hence the size. */
struct cn_walk {
  union {
    struct {
      const struct cairn_mutator *mutator; /* null: of an unregistered stack */
      struct cairn_stack *stack;           /* the stack of the activation; null: the thread's own */
      struct cn_anchor *anchor;            /* the anchors below it (anchors.h) are yet to be consumed */
      uint64_t natives;                    /* native ranges crossed */
      uintptr_t stack_end;                 /* all frames of this stack lie below it */
      struct cn_walk_prefetcher ahead;
      uintptr_t fetch_at;     /* a step beyond has more to fetch */
      unsigned virtual_frame; /* of the public iterator; else 0 */
      bool past_end;
      bool stepping : 1; /* a manager is to set the iterator */
      bool stepped : 1;  /* the manager has set it */
      bool stopped;      /* tables stay meanwhile: this thread collects, or the stack's is stopped */
      uintptr_t claims;  /* if not 0: the walk claims the stacks that it comes to in this name, and ends where
                          * another has been (cn_coroutine_stacks_claim_stack()) */
      struct cn_frame frame;
    };
    struct cairn_stack_iterator iterator;
  };
};
_Static_assert(sizeof(struct cn_walk) == sizeof(struct cairn_stack_iterator), "<cairn/stack.h>");

/* Start at the registers that a stub saved, or (`regs` null) at the youngest anchor: the caller is native code.
 * True: `walk->frame` is the youngest managed frame. False: the stack has only native frames. A stack that cannot be
 * parsed ends the program. */
bool cn_walk_begin(struct cn_walk *walk, const struct cairn_mutator *mutator, const struct cn_saved_regs *regs);

/* Start at the managed code of the calling thread that is running: at a call that returns as `regs` says; only its
 * callee-saved registers are read. */
bool cn_walk_begin_running(struct cn_walk *walk, const struct cn_saved_regs *regs);

/* Start at an activation of a waiting stack that coroutine_stacks.h does not know. */
bool cn_walk_begin_suspended(struct cn_walk *walk, const struct cairn_stack_state *state, uintptr_t stack_end);

/* Like cn_walk_begin_suspended(), for a stack that coroutine_stacks.h knows, or (null) for the thread's own while the
 * thread runs on another. If `state` is null, start at the youngest anchor. */
bool cn_walk_begin_on_stack(struct cn_walk *walk, const struct cairn_mutator *mutator, struct cairn_stack *stack,
                            const struct cairn_stack_state *state);

/* Like cn_walk_begin_on_stack(), from the activation that waits on that stack. False: the stack lacks one. */
bool cn_walk_begin_waiting(struct cn_walk *walk, const struct cairn_mutator *mutator, struct cairn_stack *stack);

/* Find the activation at frame->pc, or the first one beyond native code. False: the walk is at its end. */
bool cn_walk_resolve_frame(struct cn_walk *walk);

/* Go to the next older activation. False: the walk is at its end. */
bool cn_walk_next(struct cn_walk *walk);

/* Go to the place in the state; null in its pc is past the end. False: the walk is at its end there. */
bool cn_walk_set_state(struct cn_walk *walk, const struct cairn_stack_state *state);

/* A place on a stack, for a walk in a later stop that goes on there: neither its activation nor an older one has run
 * since. Registers are those of then, and their copies are read-only. */
struct cn_saved_walk {
  struct cn_walk walk;
  uintptr_t reg[CN_CALLEE_SAVED_COUNT];
};
void cn_walk_save(const struct cn_walk *walk, struct cn_saved_walk *kept);
void cn_walk_resume(struct cn_walk *walk, struct cn_saved_walk *kept);

/* An activation of a stub that called native code: its data is the anchor. The walker steps over it at once
 * (stub_manager.c). */
extern const struct cairn_code_manager cn_stub_code_manager;

#endif
