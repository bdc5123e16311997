/* SPDX-License-Identifier: Apache-2.0
 *
 * Invalidates functions: stops the world and marks their activations (marking.h). Runs on the requester's thread, in
 * native code; or, for one activation, on the thread that has stopped the others. The file has no state.
 */
#include <cairn/deopt.h>

#include "base/check.h"
#include "deopt/marking.h"
#include "deopt/site.h"
#include "runtime/core/defer.h"
#include "runtime/core/mutator.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/walk.h"

/* ---- the stop ---- */

static enum cairn_status refuse_stop(enum cn_native_stop_refusal refusal, struct cairn_deopt_failure *failure)
{
  static const char *const reasons[] = {
      [CN_NATIVE_STOP_WITHOUT_SAFEPOINTS] = "code without safepoints is loaded",
      [CN_NATIVE_STOP_AT_EXIT] = "the thread runs exit handlers at a safepoint",
      [CN_NATIVE_STOP_OWN] = "the thread has stopped the others, or works for a thread that has",
      [CN_NATIVE_STOP_HANDLER] = "the caller is a signal handler, which has interrupted managed code",
      [CN_NATIVE_STOP_LEAF] = "managed code has called the function as a leaf",
  };
  bool refused = refusal == CN_NATIVE_STOP_WITHOUT_SAFEPOINTS;

  return cn_deopt_fail(failure, refused ? CAIRN_E_REFUSED : CAIRN_E_BUSY, 0, CAIRN_DEOPT_WHOLE, "%s", reasons[refusal]);
}

static enum cairn_status check_stop(struct cairn_deopt_failure *failure)
{
  enum cn_native_stop_refusal refusal = cn_native_stop_check();

  cn_unseen_check_process();
  if (!cn_arch_may_replace_returns())
    return cn_deopt_fail(failure, CAIRN_E_REFUSED, 0, CAIRN_DEOPT_WHOLE, "the thread has a shadow stack");
  return refusal == CN_NATIVE_STOP_ALLOWED ? CAIRN_OK : refuse_stop(refusal, failure);
}

static enum cairn_status begin_stop(struct cairn_deopt_failure *failure)
{
  enum cairn_status status = check_stop(failure);

  if (status != CAIRN_OK)
    return status;
  if (!cn_native_stop_begin())
    return cn_deopt_fail(failure, CAIRN_E_BUSY, 0, CAIRN_DEOPT_WHOLE,
                         "the caller is a signal handler, and another thread forks");
  return CAIRN_OK;
}

/* ---- functions ---- */

static bool add_functions(struct cn_marking *marking, const uintptr_t *functions, size_t count, uint64_t reason)
{
  for (size_t i = 0; i < count; i++)
    if (!cn_marking_add_function(marking, functions[i], reason))
      return false;
  return true;
}

static enum cairn_status mark_in_stop(struct cn_marking *marking, uint64_t reason, size_t *marked)
{
  enum cairn_status status = begin_stop(marking->failure);

  if (status != CAIRN_OK)
    return status;
  if (cn_marking_prepare(marking)) {
    *marked = cn_marking_apply(marking);
    cn_marking_report(marking, reason);
  } else {
    status = marking->failure->status;
  }
  cn_native_stop_end();
  return status;
}

enum cairn_status cairn_deopt_invalidate(const uintptr_t *functions, size_t count, uint64_t reason, size_t *marked,
                                         struct cairn_deopt_failure *failure)
{
  struct cairn_deopt_failure first = {.status = CAIRN_OK};
  struct cn_marking marking = {.failure = &first};
  size_t number = 0;

  cn_defer_signals();
  if (check_stop(&first) == CAIRN_OK && add_functions(&marking, functions, count, reason))
    mark_in_stop(&marking, reason, &number);
  cn_marking_free(&marking);
  cn_undefer_signals();
  if (marked != NULL)
    *marked = number;
  if (failure != NULL)
    *failure = first;
  return first.status;
}

/* ---- one activation ---- */

static enum cairn_status mark_frame(const struct cn_walk *walk, uint64_t reason, struct cairn_deopt_failure *failure)
{
  struct cairn_deopt_failure first = {.status = CAIRN_OK};
  struct cn_marking marking = {.failure = &first};
  const struct cn_deopt_site *site = cn_deopt_site_of_map(walk->frame.map);

  if (site == NULL)
    cn_deopt_fail(&first, CAIRN_E_PLAIN, walk->frame.pc, CAIRN_DEOPT_WHOLE, "the call has no deopt operands");
  else if (cn_deopt_site_check(site, NULL, &first) == CAIRN_OK && cn_marking_prepare_frame(&marking, walk, reason)) {
    cn_marking_apply(&marking);
    cn_marking_report(&marking, reason);
  }
  cn_marking_free(&marking);
  if (failure != NULL)
    *failure = first;
  return first.status;
}

/* The stacks of other threads stand still only in a stop of the caller. */
static enum cairn_status check_iterator(const struct cn_walk *walk, bool is_stopped,
                                        struct cairn_deopt_failure *failure)
{
  bool is_own = cairn_mutator.attached && walk->mutator == &cairn_mutator && walk->stack == cairn_mutator.stack;

  if (walk->past_end)
    return cn_deopt_fail(failure, CAIRN_E_UNKNOWN, 0, CAIRN_DEOPT_WHOLE, "the iterator is past the end");
  if (walk->frame.map == NULL)
    return cn_deopt_fail(failure, CAIRN_E_UNKNOWN, walk->frame.pc, CAIRN_DEOPT_WHOLE,
                         "the activation is not one of compiled code");
  if (walk->mutator == NULL)
    return cn_deopt_fail(failure, CAIRN_E_UNKNOWN, walk->frame.pc, CAIRN_DEOPT_WHOLE,
                         "the activation's stack is unknown: cairn_stack_add() adds it");
  if (!is_own && !is_stopped && walk->stack == walk->mutator->stack)
    return cn_deopt_fail(failure, CAIRN_E_BUSY, walk->frame.pc, CAIRN_DEOPT_WHOLE,
                         "another thread runs on the activation's stack");
  return CAIRN_OK;
}

enum cairn_status cairn_deopt_on_return(struct cairn_stack_iterator *iterator, uint64_t reason,
                                        struct cairn_deopt_failure *failure)
{
  const struct cn_walk *walk = (const struct cn_walk *)iterator;
  bool is_stopped = cn_stop_is_own_stop();
  enum cairn_status status = check_iterator(walk, is_stopped, failure);

  if (status != CAIRN_OK)
    return status;
  cn_defer_signals();
  if (!is_stopped)
    status = begin_stop(failure);
  if (status == CAIRN_OK) {
    status = mark_frame(walk, reason, failure);
    if (!is_stopped)
      cn_native_stop_end();
  }
  cn_undefer_signals();
  return status;
}
