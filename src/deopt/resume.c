/* SPDX-License-Identifier: Apache-2.0
 *
 * Resumes an older activation: leaves all younger ones, as longjmp() does, and lets the activation go on at its return
 * address with a given result of its pending call. Runs on the stack's thread, in phase MUTATE: the native caller
 * becomes managed in a slow path, so that stops pass before and no thread walks the stack during the change. The file
 * has no state.
 */
#include <cairn/abi.h>
#include <cairn/deopt.h>
#include "base/check.h"
#include "deopt/site.h"
#include "deopt/vectors.h"
#include "runtime/core/mutator.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/roots/roots.h"
#include "runtime/signals/signals.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/walk.h"

/* ---- checks ---- */

static enum cairn_status check_caller(const struct cn_walk *target, struct cairn_deopt_failure *failure)
{
  const struct cairn_mutator *mutator = &cairn_mutator;

  if (target->past_end)
    return cn_deopt_fail(failure, CAIRN_E_UNKNOWN, 0, CAIRN_DEOPT_WHOLE, "the iterator is past the end");
  if (target->frame.map == NULL)
    return cn_deopt_fail(failure, CAIRN_E_UNKNOWN, target->frame.pc, CAIRN_DEOPT_WHOLE,
                         "the activation is not one of compiled code");
  if (!mutator->attached || target->mutator != mutator || target->stack != mutator->stack)
    return cn_deopt_fail(failure, CAIRN_E_SELF, target->frame.pc, CAIRN_DEOPT_WHOLE,
                         "the activation is not on the calling thread's stack");
  if (mutator->busy || mutator->stopped != NULL || cn_thread_is_in_handler() || cn_signals_is_interrupting())
    return cn_deopt_fail(failure, CAIRN_E_BUSY, target->frame.pc, CAIRN_DEOPT_WHOLE,
                         "the caller is a signal handler, a collector, or the operation of a handshake");
  if (mutator->state != CAIRN_ABI_NATIVE)
    return cn_deopt_fail(failure, CAIRN_E_BUSY, target->frame.pc, CAIRN_DEOPT_WHOLE,
                         "managed code has called the function as a leaf");
  if (!cn_arch_may_replace_returns())
    return cn_deopt_fail(failure, CAIRN_E_REFUSED, target->frame.pc, CAIRN_DEOPT_WHOLE,
                         "the thread has a shadow stack");
  return CAIRN_OK;
}

static enum cairn_status check_result(const struct cairn_deopt_result *result, struct cairn_deopt_failure *failure)
{
  if (result->kind > CAIRN_ABI_DEOPT_RESULT_REFERENCE)
    return cn_deopt_fail(failure, CAIRN_E_BOUNDS, 0, CAIRN_DEOPT_WHOLE, "there is no kind %u of results", result->kind);
  if (result->kind == CAIRN_ABI_DEOPT_RESULT_REFERENCE && result->word != 0 &&
      !cn_handles_is_live((const struct cairn_handle *)(uintptr_t)result->word))
    return cn_deopt_fail(failure, CAIRN_E_BOUNDS, 0, CAIRN_DEOPT_WHOLE,
                         "the result 0x%llx is no handle, or has been freed", (unsigned long long)result->word);
  return CAIRN_OK;
}

/* Find the target anew, since the program may have set its iterator, and its callee-saved vector registers. */
static enum cairn_status find_target(struct cn_walk *walk, const struct cn_walk *target, uint64_t *vector,
                                     struct cairn_deopt_failure *failure)
{
  bool there = cn_walk_begin(walk, &cairn_mutator, NULL), foreign = false;
  bool has_vectors = there && cn_vectors_find(walk->frame.pc, walk->frame.sp, vector);

  while (there && walk->frame.sp < target->frame.sp) {
    foreign = foreign || walk->frame.map == NULL;
    there = cn_vectors_go_to_caller(walk, vector);
  }
  if (!there || walk->frame.sp != target->frame.sp || walk->frame.pc != target->frame.pc)
    return cn_deopt_fail(failure, CAIRN_E_UNKNOWN, target->frame.pc, CAIRN_DEOPT_WHOLE,
                         "the activation is not on the stack");
  if (foreign || walk->natives > 1)
    return cn_deopt_fail(failure, CAIRN_E_NATIVE, target->frame.pc, CAIRN_DEOPT_WHOLE,
                         "%s lies between the caller and the activation",
                         foreign ? "an activation with an own manager" : "a native activation");
  if (!has_vectors)
    return cn_deopt_fail(failure, CAIRN_E_NATIVE, target->frame.pc, CAIRN_DEOPT_WHOLE,
                         "no unwinder finds the vector registers of the caller's managed caller");
  if (cn_pin_scopes_any_in((uintptr_t)&there, walk->frame.sp))
    return cn_deopt_fail(failure, CAIRN_E_PINNED, target->frame.pc, CAIRN_DEOPT_WHOLE,
                         "a younger activation has an open scope of a pin");
  return CAIRN_OK;
}

/* ---- the transfer ---- */

static uintptr_t result_word(const struct cairn_deopt_result *result)
{
  struct cairn_handle *handle = (struct cairn_handle *)(uintptr_t)result->word;

  if (result->kind != CAIRN_ABI_DEOPT_RESULT_REFERENCE || handle == NULL)
    return result->word;
  uintptr_t reference = cairn_handle_get(handle);
  cairn_handle_free(handle);
  return reference;
}

/* The address may be one that take-overs or walks have put there, which then also see this return. */
static void fill_transfer(const struct cn_walk *walk, uintptr_t result, struct cn_transfer *transfer)
{
  transfer->pc = (uintptr_t)cn_arch_return;
  transfer->result = result;
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    transfer->saved[i] = walk->frame.place[i] != NULL ? *walk->frame.place[i] : 0;
  /* The slot is the last word of the callee's frame, where the callee may have saved a register. */
  transfer->slot = (uintptr_t *)walk->frame.sp - 1;
  *transfer->slot = cn_arch_strip_return(*walk->frame.pc_slot);
}

enum cairn_status cairn_deopt_resume(struct cairn_stack_iterator *iterator, const struct cairn_deopt_result *result,
                                     struct cairn_deopt_failure *failure)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  struct cn_transfer transfer = {.saved = {0}};
  struct cn_walk walk;
  enum cairn_status status = check_caller((const struct cn_walk *)iterator, failure);

  if (status == CAIRN_OK)
    status = check_result(result, failure);
  if (status != CAIRN_OK)
    return status;
  cn_slow_path_enter(mutator, true);
  status = find_target(&walk, (const struct cn_walk *)iterator, transfer.vector, failure);
  if (status != CAIRN_OK) {
    cn_slow_path_leave(mutator, true);
    return status;
  }
  fill_transfer(&walk, result_word(result), &transfer);
  cn_signals_drop_ended_anchors(mutator, walk.frame.sp);
  cn_slow_path_leave(mutator, false);
  cn_arch_transfer(&transfer);
}
