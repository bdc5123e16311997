/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises addresses of code: stubs, entries of managed functions and calls of these. Async-signal-safe, any thread;
 * the file has no state.
 */
#include "runtime/arch/arch.h"

#include <stddef.h>
#include "base/check.h"
#include "runtime/arch/stub_code.h"
#include "runtime/os/os.h"

enum { FIRST_PAGE_END = 4096, MARK_ALIGNMENT = 16 }; /* abi.def, MANAGED_MARK */

/* ---- entries of managed functions ---- */

static bool has_managed_mark(uintptr_t entry)
{
  uint64_t mark;

  return cn_os_read_memory(entry - sizeof mark, &mark, sizeof mark) && mark == CAIRN_ABI_MANAGED_MARK;
}

/* An entry, such as that of cairn_collect(), also serves native code, which may reach it by a thunk of the linker. */
bool cn_arch_is_managed_call_return(uintptr_t pc)
{
  uintptr_t target = pc < FIRST_PAGE_END ? 0 : cn_arch_call_target(pc);
  uintptr_t through = target != 0 ? cn_arch_thunk_target(target) : 0;

  if (target == 0 || has_managed_mark(target) || has_managed_mark(through))
    return false;
  return has_managed_mark(target - CAIRN_ABI_ENTRY_SIZE) || has_managed_mark(through - CAIRN_ABI_ENTRY_SIZE) ||
         cn_arch_is_in_stubs(target) || cn_arch_is_in_stubs(through);
}

bool cn_arch_is_in_entry(uintptr_t pc)
{
  uintptr_t entry = (pc - sizeof(uint64_t)) / MARK_ALIGNMENT * MARK_ALIGNMENT + sizeof(uint64_t);

  for (; pc >= FIRST_PAGE_END && pc - entry < CAIRN_ABI_ENTRY_SIZE; entry -= MARK_ALIGNMENT)
    if (has_managed_mark(entry))
      return true;
  return false;
}

/* ---- stubs ---- */

bool cn_arch_restart_transition(void *ucontext)
{
  uintptr_t offset = cn_arch_context_pc(ucontext) - (uintptr_t)cn_arch_stubs_start;

  for (const uint32_t *window = cn_arch_restart_ranges; window != cn_arch_restart_ranges_end; window += 3)
    if (offset >= window[1] && offset < window[2]) {
      cn_arch_set_context_pc(ucontext, (uintptr_t)cn_arch_stubs_start + window[0]);
      return true;
    }
  return false;
}

bool cn_arch_is_interrupting_return(uintptr_t pc)
{
  return pc == (uintptr_t)cn_arch_interrupting_return;
}

bool cn_arch_is_entry_return(uintptr_t pc)
{
  return pc == (uintptr_t)cn_arch_body_return;
}

bool cn_arch_is_in_stubs(uintptr_t pc)
{
  return pc - (uintptr_t)cn_arch_stubs_start < (size_t)(cn_arch_stubs_end - cn_arch_stubs_start);
}

bool cn_arch_is_same_sp(uintptr_t end, uintptr_t sp, uintptr_t callee)
{
  CN_ASSERT(sp % sizeof sp == 0);
  return end == sp || (end == sp + sizeof end && cn_arch_is_in_stubs(callee));
}

bool cn_arch_is_stub_or_thunk(uintptr_t pc)
{
  return cn_arch_is_in_stubs(pc) || cn_arch_is_in_stubs(cn_arch_thunk_target(pc));
}

uintptr_t cn_arch_stubs_range(uintptr_t *end)
{
  *end = (uintptr_t)cn_arch_stubs_end;
  return (uintptr_t)cn_arch_stubs_start;
}
