/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists the marks that exceptions have bypassed, because an activation with a mark on its callee's return may catch the
 * exception and go on. The unwinder visits the marks from the youngest on. Each visit drops the entries of younger
 * activations, which the exception has ended, so an exception leaves at most one entry: that of the activation where it
 * ends, or of one in front of it. Owns the thread-local list. Each thread, for itself, in phase MUTATE: in its
 * unwinder's second phase, and in slow paths. Takes no lock.
 */
#include "runtime/walk/marked_returns.h"

#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/core/grow.h"
#include "runtime/core/poll_word.h"

static _Thread_local struct cn_bypassed_marks bypassed;

static bool is_over(const struct cn_bypassed_mark *mark, uintptr_t sp)
{
  return mark->stack == cairn_mutator.stack && mark->sp <= sp;
}

void cn_bypassed_marks_note(uintptr_t sp, uintptr_t mark)
{
  unsigned index;

  if (!cairn_mutator.attached || !cn_marked_return_find(mark, &index))
    return;
  cn_defer_signals();
  while (bypassed.count != 0 && is_over(&bypassed.at[bypassed.count - 1], sp))
    bypassed.count--;
  cn_grow_push(&bypassed, (struct cn_bypassed_mark){.sp = sp,
                                                    .pc = cn_marked_return_cells[index],
                                                    .reason = cn_marked_return_reason(mark),
                                                    .stack = cairn_mutator.stack});
  cn_poll_word_arm(&cairn_mutator, CN_POLL_REASON_MARK);
  cn_undefer_signals();
}

struct cn_bypassed_marks *cn_bypassed_marks_of_thread(void)
{
  return &bypassed;
}

void cn_bypassed_marks_free(void)
{
  cn_grow_free_array(&bypassed);
}
