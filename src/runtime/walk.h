/* SPDX-License-Identifier: Apache-2.0
 *
 * The stack walker: managed frames from the youngest to the oldest (seeds: pillar-stack-iterator,
 * "the iterator contains the value for esp and pointers to the memory locations where ... were last
 * saved").
 */
#ifndef CN_RUNTIME_WALK_H
#define CN_RUNTIME_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/arch/arch.h"
#include "runtime/frames.h"
#include "runtime/mutator.h"

/* An activation of a managed function, at a safepoint. place[r] is where the value that callee-saved
 * register r (enum cn_reg) has in this frame is kept now: in a stub's save area, in an anchor, or in
 * the frame of a younger function that saved it; null if nobody knows. The other registers are known
 * in the youngest frame only, and only if that called a slow path. */
struct cn_frame {
  uintptr_t pc, sp;
  uintptr_t *pc_slot;                       /* where the pc is kept */
  uintptr_t *place[CN_CALLEE_SAVED];
  const struct cn_regs *regs;               /* null: only callee-saved registers are known */
  const struct cn_map *map;
};

/* Where the value that register `reg` (DWARF number) has in this frame is kept; null: lost. */
static inline uintptr_t *cn_frame_register(const struct cn_frame *frame, unsigned reg)
{
  for (int i = 0; i < CN_CALLEE_SAVED; i++)
    if (cn_arch_saved[i] == reg)
      return frame->place[i];
  return frame->regs && reg < CN_ARCH_REGISTERS && reg != cn_arch_sp
             ? (uintptr_t *)&frame->regs->gpr[reg]
             : NULL;
}

struct cn_walk {
  struct cn_frame frame;
  const struct cairn_mutator *mutator;
  struct cn_anchor *anchor; /* anchors below this one are not consumed yet */
  uint64_t natives;         /* native stretches crossed */
};

/* Start at what a stub saved, or (`regs` null) at the youngest anchor: the caller is native code.
 * True: `walk->frame` is the youngest managed frame. False: there is none. A stack that cannot be
 * parsed ends the program. */
bool cn_walk_begin(struct cn_walk *walk, const struct cairn_mutator *mutator,
                   const struct cn_regs *regs);

/* Go to the next older managed frame. False: none is left. */
bool cn_walk_next(struct cn_walk *walk);

#endif
