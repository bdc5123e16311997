/* SPDX-License-Identifier: Apache-2.0
 *
 * Detects stack overflow, in polls and in faults, prints a message and ends the program, unless the language has an
 * exception for it. Runs on each thread for its own stack. In a slow path, in phase MUTATE, it reads the bounds again,
 * and throws; or it lowers the mutator's stack floor, delivers postponed signals, and ends the program with exit
 * handlers. In the handler of a fault, in any phase, it is async-signal-safe, changes nothing and calls _exit(). The
 * file takes no lock itself and owns no state.
 */
#include "runtime/signals/signals.h"

#include <unistd.h>
#include <cairn/abi.h>
#include <cairn/exceptions.h>
#include "base/check.h"
#include "runtime/core/bounds.h"
#include "runtime/core/hooks.h"
#include "runtime/core/image.h"
#include "runtime/core/poll_word.h"
#include "runtime/core/messages.h"
#include "runtime/debug/backtrace.h"
#include "runtime/os/os.h"
#include "runtime/walk/walk.h"

enum {
  MAX_FRAME_BYTES = 256 << 20, /* the largest frame that the explanation covers */
};

static bool has_stack_polls(void)
{
  return (cn_image_joint_flags() & CAIRN_ABI_IMAGE_STACK_POLLS) != 0;
}

static uint64_t count_frames(const struct cairn_mutator *mutator, const struct cn_saved_regs *regs)
{
  struct cn_walk walk;
  uint64_t count = 0;

  if ((cn_image_joint_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) != 0)
    return 0;
  for (bool there = cn_walk_begin(&walk, mutator, regs); there; there = cn_walk_next(&walk))
    count++;
  return count;
}

static bool is_below_floor(const struct cairn_mutator *mutator, uintptr_t sp)
{
  return sp >= mutator->stack_bottom && sp < mutator->stack_floor;
}

void cn_overflow_check_stack(struct cairn_mutator *mutator, const struct cn_saved_regs *regs, bool native)
{
  uintptr_t sp = cn_arch_sp_after(regs), floor = mutator->stack_floor;
  char place[CN_REPORT_PC];

  if (!has_stack_polls() || !is_below_floor(mutator, sp))
    return;
  cn_bounds_find_stack(mutator); /* the program may have raised its limit */
  if (mutator->stack_floor != floor)
    cn_poll_word_set_stack_limit(mutator);
  if (!is_below_floor(mutator, sp))
    return;
  if (!native)
    cn_hooks.throw_on_failure(CAIRN_FAILURE_STACK, regs);
  uint64_t frames = count_frames(mutator, regs);
  size_t used = mutator->stack_end - sp, size = mutator->stack_end - mutator->stack_bottom;
  CN_ASSERT(used <= size && mutator->stack_floor < mutator->stack_end);
  /* Lower the floor, because the polls of exit handlers, which run on the reserve, must not fail. */
  mutator->stack_floor = mutator->stack_bottom;
  cn_poll_word_set_stack_limit(mutator);
  mutator->busy = 0;
  cn_deliver_postponed_signals();
  cn_report_print_text("cairn: stack overflow at pc %s: %lu managed frames on %zu KB of stack, "
                       "of %zu KB\n",
                       cn_report_format_pc(regs->pc, place), (unsigned long)frames, used >> 10, size >> 10);
  cn_backtrace_print_from(regs->pc);
  cn_report_exit_program();
}

size_t cn_overflow_stack_bytes(uintptr_t address, uintptr_t sp)
{
  const struct cairn_mutator *mutator = &cairn_mutator;
  uintptr_t bottom = mutator->stack_bottom, lowest = bottom > MAX_FRAME_BYTES ? bottom - MAX_FRAME_BYTES : 0;

  if (!mutator->attached || sp < lowest || sp >= mutator->stack_floor || address < lowest ||
      address >= mutator->stack_floor)
    return 0;
  return mutator->stack_end - bottom;
}

void cn_overflow_explain_fault(uintptr_t address, uintptr_t pc, uintptr_t sp)
{
  size_t bytes = has_stack_polls() ? cn_overflow_stack_bytes(address, sp) : 0;
  char place[CN_REPORT_PC];

  if (bytes == 0)
    return;
  cn_report_print_text("cairn: stack overflow at pc %s: no room for its frame on %zu KB of stack\n",
                       cn_report_format_pc(pc, place), bytes >> 10);
  cn_backtrace_print_from_fault(pc);
  _exit(1);
}
