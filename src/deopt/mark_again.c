/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks activations again that have caught an exception, and so bypassed their marks (bypassed_marks.c). An activation
 * is found by its stack pointer at the bypassed mark, and by its function. It is marked once one of its calls has
 * records; until then, each poll of its thread takes the slow path. Runs on the activation's thread, in phase MUTATE,
 * in a slow path; takes CN_LOCK_MARKS. The file has no state.
 */
#include "deopt/mark_again.h"

#include "base/check.h"
#include "deopt/marking.h"
#include "deopt/site.h"
#include "runtime/core/lock.h"
#include "runtime/core/poll_word.h"
#include "runtime/walk/index.h"
#include "runtime/walk/marked_returns.h"
#include "runtime/walk/walk.h"

/* Find the activation with this stack pointer, or one of the same function in its place. */
static bool find_activation(const struct cn_bypassed_mark *mark, const struct cn_saved_regs *regs,
                            struct cn_walk *found)
{
  struct cn_walk walk;
  uintptr_t start, end;
  bool more = cn_walk_begin(&walk, &cairn_mutator, regs);

  if (!more)
    return false;
  while (more && walk.frame.sp <= mark->sp) {
    *found = walk;
    more = cn_walk_next(&walk);
  }
  return found->frame.map != NULL && cn_index_function_range(mark->pc, &start, &end) && found->frame.pc > start &&
         found->frame.pc <= end;
}

static void mark_activation(struct cn_marking *marking, uint64_t reason)
{
  bool taken = cn_lock_take(CN_LOCK_MARKS);

  CN_CHECK(taken); /* no signal handler runs in a slow path */
  if (cn_marking_make_marks(marking))
    cn_marking_apply(marking);
  cn_lock_release(CN_LOCK_MARKS);
  if (marking->failure->status == CAIRN_OK)
    cn_marking_report(marking, reason);
}

/* True: the activation waits for a call with records. An activation that cannot be taken over is given up. */
static bool waits_for_call(const struct cn_bypassed_mark *mark, const struct cn_saved_regs *regs)
{
  struct cairn_deopt_failure failure = {.status = CAIRN_OK};
  struct cn_marking marking = {.failure = &failure};
  struct cn_walk walk = {.frame = {.sp = UINTPTR_MAX}};
  uint64_t reason;

  if (!find_activation(mark, regs, &walk) || cn_marked_return_is_in_frame(&walk.frame, &reason))
    return false;
  bool is_possible = cn_marking_add_activation(&marking, &walk, mark->reason);
  bool waits = is_possible && marking.slots.count == 0;
  if (is_possible && !waits)
    mark_activation(&marking, mark->reason);
  cn_marking_free(&marking);
  return waits;
}

void cn_deopt_mark_again(const struct cn_saved_regs *regs)
{
  struct cn_bypassed_marks *marks = cn_bypassed_marks_of_thread();
  bool waits = false;
  size_t kept = 0;

  cn_poll_word_disarm(&cairn_mutator, CN_POLL_REASON_MARK);
  for (size_t i = 0; i < marks->count; i++) {
    bool is_here = marks->at[i].stack == cairn_mutator.stack;
    bool waits_here = is_here && waits_for_call(&marks->at[i], regs);
    if (!is_here || waits_here)
      marks->at[kept++] = marks->at[i];
    waits = waits || waits_here;
  }
  marks->count = kept;
  if (waits)
    cn_poll_word_arm(&cairn_mutator, CN_POLL_REASON_MARK);
}
