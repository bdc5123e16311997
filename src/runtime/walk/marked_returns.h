/* SPDX-License-Identifier: Apache-2.0
 *
 * Marked returns: addresses of stubs (arch.h) in place of return addresses, one for each pair of a return address and a
 * reason. When the callee returns, its caller's activation is left for good (deopt/take_over.h). Any number of
 * activations share a mark, and a tail call or a return barrier may take it along, since the mark's address alone has
 * the true return address.
 *
 * Unwinders step over marks by the stubs' call-frame information, walks by cn_marked_return_resolve_pc(). A frame's
 * pc_slot has the mark.
 */
#ifndef CN_RUNTIME_WALK_MARKED_RETURNS_H
#define CN_RUNTIME_WALK_MARKED_RETURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include "runtime/walk/walk.h"

enum { CN_MARKED_RETURNS = CAIRN_ABI_MARKED_BLOCKS * CAIRN_ABI_MARKED_BLOCK_BYTES / 8 };

extern uintptr_t cn_marked_return_cells[CN_MARKED_RETURNS]; /* true return addresses; 0: never used */

static inline bool cn_marked_return_find(uintptr_t pc, unsigned *index)
{
  return pc - (uintptr_t)cn_arch_marked_returns < CAIRN_ABI_MARKED_BLOCKS * CAIRN_ABI_MARKED_BLOCK_BYTES &&
         cn_arch_find_marked_return(pc, index);
}

/* The true return address of a mark; any other address is its own. Any thread. */
static inline uintptr_t cn_marked_return_true_pc(uintptr_t pc)
{
  unsigned index;

  return cn_marked_return_find(pc, &index) ? cn_marked_return_cells[index] : pc;
}

/* If the frame's pc is a mark, replace it by the true return address. Any thread, while the stack does not run. */
static inline bool cn_marked_return_resolve_pc(struct cn_frame *frame)
{
  uintptr_t mark = frame->pc;

  frame->pc = cn_marked_return_true_pc(mark);
  return frame->pc != mark;
}

/* True if the callee of the frame returns through a mark, whose reason `*reason` gets. */
bool cn_marked_return_is_in_frame(const struct cn_frame *frame, uint64_t *reason);

/* The reason of a mark. */
uint64_t cn_marked_return_reason(uintptr_t mark);

/* ---- bypassed_marks.c ---- */

/* A mark that an exception has bypassed: it was on the return to `pc`, with stack pointer `sp`. */
struct cn_bypassed_mark {
  uintptr_t sp, pc;
  uint64_t reason;
  struct cairn_stack *stack; /* the mutator's */
};
struct cn_bypassed_marks {
  struct cn_bypassed_mark *at;
  size_t count, room;
};

/* Note that an exception passes the mark, and arm the thread's poll. Called by the port in the unwinder's second
 * phase. */
void cn_bypassed_marks_note(uintptr_t sp, uintptr_t mark);

/* The calling thread's list, from the oldest activation of each stack to the youngest. Its slow paths change it. */
struct cn_bypassed_marks *cn_bypassed_marks_of_thread(void);

/* Free the list at the thread's end. */
void cn_bypassed_marks_free(void);

/* ---- the table of marks: in a stop of the world; cn_marked_return_make() also under CN_LOCK_MARKS ---- */

/* Begin and end a count of the marks in use. Between the two calls the caller counts all frames of all stacks. The end
 * frees the marks of other frames. */
void cn_marked_returns_begin_count(void);
void cn_marked_returns_count(const struct cn_frame *frame);
void cn_marked_returns_end_count(void);

/* The mark for this return address and reason. 0: all marks are in use. */
uintptr_t cn_marked_return_make(uintptr_t pc, uint64_t reason);

/* Check the marks. Returns the error, or null. Linear. */
const char *cn_marked_returns_wrong(void);

#endif
