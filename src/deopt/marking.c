/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the activations of functions on all stacks, checks that their sites can be taken over, and replaces the return
 * addresses of their callees by marks (marked_returns.h). Runs in a stop of the world, on the thread that has stopped
 * the others; functions are added before. For one activation it may run on its thread in phase MUTATE. Holds no lock
 * between the steps of a walk. The marking has all state.
 */
#include "deopt/marking.h"

#include "base/check.h"
#include "base/sorted.h"
#include "deopt/report.h"
#include "deopt/site.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/roots/roots.h"
#include "runtime/walk/index.h"
#include "runtime/walk/marked_returns.h"
#include "runtime/walk/return_barriers.h"
#include "runtime/walk/walk.h"

bool cn_marking_add_function(struct cn_marking *marking, uintptr_t address, uint64_t reason)
{
  struct cn_marked_function function = {.reason = reason};

  if (!cn_index_function_range(address, &function.start, &function.end)) {
    cn_deopt_fail(marking->failure, CAIRN_E_UNKNOWN, address, CAIRN_DEOPT_WHOLE,
                  "the address is not in the code of a managed function");
    return false;
  }
  cn_grow_push(&marking->functions, function);
  return true;
}

/* A return address lies in (start, end]. */
static const struct cn_marked_function *find_function(const struct cn_marking *marking, uintptr_t pc)
{
  const struct cn_marked_function *functions = marking->functions.at;
  size_t below = cn_sorted_count_below(functions, marking->functions.count, sizeof *functions, pc);

  return below > 0 && pc <= functions[below - 1].end ? &functions[below - 1] : NULL;
}

/* ---- activations ---- */

/* True if a scope of a pin is open in the activation itself. */
static bool has_open_pin(const struct cn_walk *walk)
{
  if (!cn_pin_scopes_any_in(walk->frame.sp, UINTPTR_MAX))
    return false;
  struct cn_walk older = *walk;
  uintptr_t end = cn_walk_next(&older) ? older.frame.sp : walk->stack_end;
  return cn_pin_scopes_any_in(walk->frame.sp, end);
}

bool cn_marking_add_activation(struct cn_marking *marking, const struct cn_walk *walk, uint64_t reason)
{
  const struct cn_frame *frame = &walk->frame;
  size_t count = marking->slots.count;
  uint64_t earlier;

  if (cn_marked_return_is_in_frame(frame, &earlier))
    return true;
  if (count == 0 || marking->slots.at[count - 1].pc != frame->pc) { /* else the site has been checked */
    const struct cn_deopt_site *site = cn_deopt_site_of_map(frame->map);
    if (site == NULL || site->status == CAIRN_E_PLAIN)
      return true;
    if (cn_deopt_site_check(site, NULL, marking->failure) != CAIRN_OK)
      return false;
  }
  if (has_open_pin(walk)) {
    cn_deopt_fail(marking->failure, CAIRN_E_PINNED, frame->pc, CAIRN_DEOPT_WHOLE,
                  "the activation has an open scope of a pin");
    return false;
  }
  CN_ASSERT(frame->pc_slot != NULL);
  uintptr_t callee = cn_return_barrier_is_in_frame(frame) ? 0 : frame->callee; /* a barrier's cell is never signed */
  if (cn_arch_sign_like(*frame->pc_slot, frame->pc, frame->sp, callee) == 0) {
    cn_deopt_fail(marking->failure, CAIRN_E_REFUSED, frame->pc, CAIRN_DEOPT_WHOLE,
                  "the return address to the activation has an unknown signature");
    return false;
  }
  cn_grow_push(&marking->slots,
               (struct cn_marked_slot){
                   .slot = frame->pc_slot, .pc = frame->pc, .reason = reason, .sp = frame->sp, .callee = callee});
  return true;
}

/* In recursion, most frames have the pc of their callee's frame. */
static bool visit_stack(struct cn_marking *marking, struct cn_walk *walk, bool there)
{
  const struct cn_marked_function *function = NULL;
  uintptr_t pc = 0;

  for (; there; there = cn_walk_next(walk)) {
    const struct cn_frame *frame = &walk->frame;
    cn_marked_returns_count(frame);
    if (frame->map == NULL)
      continue;
    if (frame->pc != pc)
      function = find_function(marking, pc = frame->pc);
    if (function != NULL && !cn_marking_add_activation(marking, walk, function->reason))
      return false;
  }
  return true;
}

static bool visit_stacks(struct cn_marking *marking)
{
  struct cn_root_task task;
  struct cn_walk walk;
  bool passed = true;

  cn_root_tasks_begin();
  while (cn_root_tasks_take_next(&task)) {
    passed = visit_stack(marking, &walk, cn_root_tasks_begin_walk(&task, &walk)) && passed;
    cn_root_tasks_end_walk(&task);
  }
  return passed;
}

/* ---- marks ---- */

bool cn_marking_make_marks(struct cn_marking *marking)
{
  uintptr_t pc = 0, mark = 0;

  for (size_t i = 0; i < marking->slots.count; i++) {
    struct cn_marked_slot *at = &marking->slots.at[i];
    if (at->pc != pc || at->reason != at[-1].reason)
      mark = cn_marked_return_make(pc = at->pc, at->reason);
    if (mark == 0) {
      cn_deopt_fail(marking->failure, CAIRN_E_MEMORY, pc, CAIRN_DEOPT_WHOLE, "all marks of activations are in use");
      return false;
    }
    at->mark = mark;
  }
  return true;
}

bool cn_marking_prepare(struct cn_marking *marking)
{
  cn_sort_by_address(marking->functions.at, marking->functions.count, sizeof *marking->functions.at);
  cn_marked_returns_begin_count();
  if (!visit_stacks(marking))
    return false;
  cn_marked_returns_end_count();
  return cn_marking_make_marks(marking);
}

bool cn_marking_prepare_frame(struct cn_marking *marking, const struct cn_walk *walk, uint64_t reason)
{
  return cn_marking_add_activation(marking, walk, reason) && cn_marking_make_marks(marking);
}

size_t cn_marking_apply(const struct cn_marking *marking)
{
  for (size_t i = 0; i < marking->slots.count; i++) {
    const struct cn_marked_slot *at = &marking->slots.at[i];
    CN_ASSERT(cn_arch_strip_return(*at->slot) == at->pc && at->mark != 0);
    __atomic_store_n(at->slot, cn_arch_sign_like(*at->slot, at->mark, at->sp, at->callee), __ATOMIC_RELEASE);
  }
  return marking->slots.count;
}

void cn_marking_report(const struct cn_marking *marking, uint64_t reason)
{
  const struct cn_deopt_site *site = marking->slots.count != 0 ? cn_deopt_site_find(marking->slots.at[0].pc) : NULL;

  cn_deopt_report_marks(site, reason, marking->slots.count);
}

void cn_marking_free(struct cn_marking *marking)
{
  cn_grow_free_array(&marking->functions);
  cn_grow_free_array(&marking->slots);
}
