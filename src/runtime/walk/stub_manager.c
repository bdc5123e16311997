/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the code info manager of the stubs that call native code (pillar-stack-iterator-2011, "another region for
 * code implemented in the Pillar runtime"): steps from a stub to its managed caller by the stub's anchor. Runs on any
 * thread, in any phase, as its walk. The manager is constant, and the walk has all state.
 */
#include "runtime/walk/walk.h"

#include "base/check.h"

/* The anchor has the return address into the stub's caller, and the callee-saved registers that the caller's frame has
 * not saved. A stub has no references except its caller's. */
static void step_past_stub(struct cairn_stack_iterator *iterator, void *data)
{
  struct cn_frame *frame = &((struct cn_walk *)iterator)->frame;
  struct cn_anchor *anchor = data;

  CN_ASSERT(anchor != NULL && anchor->pc != 0);
  cn_arch_mark_anchor_walked(anchor);
  frame->pc_slot = &anchor->pc;
  frame->pc = anchor->pc;
  frame->sp = cn_anchor_sp(anchor);
  frame->callee = 0;
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    frame->place[i] = cn_arch_has_anchor_register(anchor, i) ? &anchor->saved[i] : NULL;
  frame->regs = NULL;
}

const struct cairn_code_manager cn_stub_code_manager = {
    .name = "transition to native code",
    .previous = step_past_stub,
};
