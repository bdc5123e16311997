/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes activations over: makes the state of the youngest activation, and finds the registers and the return address
 * that the continuation gets instead of it. The activation stays on the stack, where collections update it, until the
 * state is made; then the stub jumps (arch.h, struct cn_transfer). The usual take-over is like in-line allocation of
 * compiled code: signal handlers may interrupt it. The others run in a slow path: signals and cancellation wait.
 *
 * Runs on the activation's thread, in phase MUTATE, and holds no lock. The file has no state.
 */
#include "deopt/take_over.h"

#include <string.h>
#include <cairn/abi.h>
#include <cairn/deopt.h>
#include "base/check.h"
#include "deopt/report.h"
#include "deopt/site.h"
#include "runtime/core/messages.h"
#include "runtime/events/event_dispatch.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/roots/roots.h"
#include "runtime/safepoints/safepoint.h"
#include "runtime/walk/marked_returns.h"
#include "runtime/walk/walk.h"

_Noreturn static void end_program(uintptr_t pc, const char *reason)
{
  cn_report_fatal(pc, "the activation cannot be taken over: %s", reason);
}

/* The site of the activation, after all checks. Ends the program if the activation cannot be taken over: its code
 * relies on the take-over. `has_registers` is false if the activation's call has changed registers. */
static const struct cn_deopt_site *site_to_leave(const struct cn_frame *frame, bool has_registers, uintptr_t *body)
{
  const struct cn_deopt_site *site = cn_deopt_site_of_map(frame->map);
  struct cairn_deopt_failure failure;
  uintptr_t pc = frame->pc;

  if (site == NULL)
    end_program(pc, "its call has no deopt operands");
  if (!cn_deopt_site_is_checked(site) && cn_deopt_site_check(site, has_registers ? frame : NULL, &failure) != CAIRN_OK)
    end_program(pc, failure.text);
  *body = cn_deopt_site_find_continuation(site);
  if (*body == 0)
    end_program(pc, "its language has no continuation, or the continuation is not managed");
  return site;
}

/* The low words of the registers for results. */
struct returned {
  uint64_t vector, word;
};

/* The result of the pending call of the innermost frame. */
static struct cairn_deopt_result result_of(const struct cn_deopt_site *site, const struct returned *returned)
{
  CN_ASSERT(site->size.frames != 0);
  unsigned kind = cn_deopt_site_frames(site)[site->size.frames - 1].frame.result;
  uint64_t word = kind == CAIRN_ABI_DEOPT_RESULT_FLOAT ? returned->vector : returned->word;

  return (struct cairn_deopt_result){kind, kind == CAIRN_ABI_DEOPT_RESULT_NONE ? 0 : word};
}

/* ---- in line ---- */

/* The usual take-over, which contains no safepoint: no stop or handler waits, the state fits into the thread's buffer,
 * the site has been checked, and events have no consumers. Signal handlers may interrupt it, as they interrupt in-line
 * allocation of compiled code. False: everything is as before. */
static bool take_over_in_line(const struct cn_saved_regs *regs, struct cn_transfer *transfer, uint64_t reason,
                              const struct returned *returned)
{
  struct cairn_deopt_result result = {.kind = CAIRN_ABI_DEOPT_RESULT_NONE};
  struct cn_walk walk;

  if (cairn_mutator.state != CAIRN_ABI_MANAGED || cn_events_have_consumers() || !cn_arch_may_replace_returns() ||
      !cn_walk_begin_to_leave(&walk, regs))
    return false;
  const struct cn_deopt_site *site = cn_map_kept(walk.frame.map);
  if (site == NULL || !cn_deopt_site_is_checked(site) || cn_pin_scopes_any_in(walk.frame.sp, UINTPTR_MAX))
    return false;
  transfer->pc = cn_deopt_site_find_continuation(site);
  if (transfer->pc == 0)
    return false;
  if (returned != NULL)
    result = result_of(site, returned);
  transfer->argument = cn_deopt_state_make_in_line(site, &walk.frame, reason, result);
  if (transfer->argument == 0)
    return false;
  cn_deopt_report_take_over(site, reason, returned != NULL);
  cn_walk_leave_frame(&walk, transfer);
  return true;
}

/* ---- in a slow path ---- */

/* Let stops pass, and collect if a collection is due. */
static void begin_take_over(const struct cn_saved_regs *regs)
{
  bool native, collects = cn_safepoint_enter(regs, &native);

  if (native)
    end_program(regs->pc, "native code has called cairn_deoptimize()");
  if (!cn_arch_may_replace_returns())
    end_program(regs->pc, "the thread has a shadow stack");
  if (collects)
    cn_collect_from_mapped_code(regs, cn_collect_due_cause(), CN_NO_BLOCK_REQUEST);
}

/* Fill the transfer from the youngest activation. `result` is the result of its pending call; null: the call is that of
 * the take-over. */
static void take_over(const struct cn_saved_regs *regs, struct cn_transfer *transfer, uint64_t reason,
                      const struct cairn_deopt_result *result)
{
  static const struct cairn_deopt_result none = {.kind = CAIRN_ABI_DEOPT_RESULT_NONE};
  struct cn_walk walk;

  if (!cn_walk_begin(&walk, &cairn_mutator, regs) || walk.frame.map == NULL || walk.natives != 0)
    end_program(regs->pc, "it is not one of compiled code");
  const struct cn_deopt_site *site = site_to_leave(&walk.frame, result == NULL, &transfer->pc);
  cn_deopt_report_take_over(site, reason, result != NULL);
  transfer->argument = cn_deopt_state_make(site, &walk.frame, regs, reason, result != NULL ? *result : none);
  uintptr_t sp = walk.frame.sp;
  cn_walk_leave_frame(&walk, transfer);
  if (cn_pin_scopes_any_in(sp, (uintptr_t)transfer->slot))
    end_program(regs->pc, "it has an open scope of a pin");
}

/* ---- the stubs' functions ---- */

void cn_deopt_leave_now(const struct cn_saved_regs *regs, struct cn_transfer *transfer, uint64_t reason)
{
  transfer->result = 0;
  if (take_over_in_line(regs, transfer, reason, NULL))
    return;
  begin_take_over(regs);
  take_over(regs, transfer, reason, NULL);
  cn_safepoint_leave(false);
}

/* A handle keeps a reference while stops pass and while this thread collects: no frame map describes the result. */
static void leave_in_slow_path(const struct cn_saved_regs *regs, struct cn_transfer *transfer, uint64_t reason,
                               const struct returned *returned)
{
  const struct cn_deopt_site *site = cn_deopt_site_find(regs->pc);

  if (site == NULL || site->status != CAIRN_OK)
    end_program(regs->pc, "its call has no frame records");
  struct cairn_deopt_result result = result_of(site, returned);
  struct cairn_handle *handle = result.kind == CAIRN_ABI_DEOPT_RESULT_REFERENCE ? cairn_handle_new(result.word) : NULL;
  begin_take_over(regs);
  if (handle != NULL) {
    result.word = cairn_handle_get(handle);
    cairn_handle_free(handle);
  }
  take_over(regs, transfer, reason, &result);
  cn_safepoint_leave(false);
}

/* The reason is read first, because the mark has left the stack, and a stop may reuse it. */
void cn_deopt_leave_returned(const struct cn_saved_regs *regs, struct cn_transfer *transfer, uintptr_t mark,
                             uint64_t vector, uint64_t word)
{
  uint64_t reason = cn_marked_return_reason(mark);
  const struct returned returned = {vector, word};

  transfer->result = 0;
  if (!take_over_in_line(regs, transfer, reason, &returned))
    leave_in_slow_path(regs, transfer, reason, &returned);
}
