/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports crashes for CAIRN_BACKTRACE: signals of a bug whose default action ends the program. Reports run in the
 * signal's handler, on the thread that the signal ends, in any phase; async-signal-safe. The first thread that crashes
 * reports, and the others wait for the end of the program (backtrace.c). A constructor loads the unwinder, because a
 * handler must not. Owns no state, and takes locks only in look-ups of source positions.
 */
#include "runtime/signals/signals.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/check.h"
#include "runtime/arch/arch.h"
#include "runtime/core/messages.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/debug/backtrace.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/os/os.h"

enum {
  NULL_PAGE_BYTES = 64 << 10,    /* accesses below this address go through a null pointer or reference */
  MAX_OFFSET_BYTES = 1 << 30,    /* the greatest distance of an address from the object that the report names */
  MIN_BACKTRACE_ROOM = 24 << 10, /* the stack that a backtrace needs */
  CAUSE_TEXT_BYTES = 160,
  SOURCE_TEXT_BYTES = 512,
};

__attribute__((constructor)) static void load_unwinder(void)
{
  if (cn_options.backtrace)
    cn_os_has_unwinder(true);
}

/* True if the signal comes from an access to the memory at `si_addr`. */
static bool has_fault_address(const siginfo_t *info)
{
  return info->si_code > 0 && info->si_code != SI_KERNEL && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS);
}

static void describe_access(const siginfo_t *info, const void *context, char text[CAUSE_TEXT_BYTES])
{
  uintptr_t address = (uintptr_t)info->si_addr;
  size_t stack = cn_overflow_stack_bytes(address, cn_arch_context_sp(context));

  if (stack != 0)
    snprintf(text, CAUSE_TEXT_BYTES, "stack overflow, %zu KB of stack", stack >> 10);
  else if (address < NULL_PAGE_BYTES)
    snprintf(text, CAUSE_TEXT_BYTES, "null reference or pointer, offset %lu", (unsigned long)address);
  else
    snprintf(text, CAUSE_TEXT_BYTES, "address 0x%lx", (unsigned long)address);
}

static void describe_cause(const siginfo_t *info, const void *context, char text[CAUSE_TEXT_BYTES])
{
  if (has_fault_address(info))
    describe_access(info, context, text);
  else if (info->si_code > 0 && info->si_signo == SIGFPE)
    snprintf(text, CAUSE_TEXT_BYTES, "%s", info->si_code == FPE_INTDIV ? "integer division" : "arithmetic exception");
  else if (info->si_code > 0)
    snprintf(text, CAUSE_TEXT_BYTES, "%s", info->si_signo == SIGILL ? "illegal instruction" : "unknown address");
  else if (info->si_pid == getpid())
    snprintf(text, CAUSE_TEXT_BYTES, "raised by the program");
  else
    snprintf(text, CAUSE_TEXT_BYTES, "sent by process %d", (int)info->si_pid);
}

static void print_cause(const siginfo_t *info, const void *context)
{
  char cause[CAUSE_TEXT_BYTES], place[CN_REPORT_PC], source[SOURCE_TEXT_BYTES] = "";
  uintptr_t pc = cn_arch_context_pc(context);
  const char *name = sigabbrev_np(info->si_signo);

  describe_cause(info, context, cause);
  bool found = cn_safepoint_format_nearest(pc, source, sizeof source);
  cn_report_print_text("cairn: SIG%s: %s; thread %d, pc %s%s%s\n", name != NULL ? name : "?", cause, cn_os_thread(),
                       cn_report_format_pc(pc, place), found ? ", near " : "", source);
}

/* Prints the registers that refer to objects; the object of the faulting access is among them, unless the reference
 * was null or pointed into an object. */
static void print_objects(const siginfo_t *info, const void *context)
{
  uintptr_t address = has_fault_address(info) ? (uintptr_t)info->si_addr : 0, value;
  char type[CN_LAYOUT_TEXT_BYTES], distance[64];
  const char *name;

  for (int reg = 0; reg < CN_ARCH_REGISTER_COUNT; reg++) {
    name = cn_arch_context_register(context, reg, &value);
    if (!cn_layouts_find_type_at(value, type, sizeof type))
      continue;
    distance[0] = 0;
    if (address >= value && address - value < MAX_OFFSET_BYTES)
      snprintf(distance, sizeof distance, "; the address is %lu bytes after", (unsigned long)(address - value));
    cn_report_print_text("cairn: %s refers to 0x%lx %s%s\n", name, (unsigned long)value, type, distance);
  }
}

/* False on a program's own small alternate stack. */
static bool has_room_for_backtrace(void)
{
  stack_t stack;

  return sigaltstack(NULL, &stack) != 0 || (stack.ss_flags & SS_ONSTACK) == 0 ||
         (uintptr_t)__builtin_frame_address(0) - (uintptr_t)stack.ss_sp >= MIN_BACKTRACE_ROOM;
}

void cn_crash_report(const siginfo_t *info, const void *context)
{
  if (!cn_options.backtrace || !cn_os_is_signal_watched(info->si_signo) || !cn_backtrace_claim_end())
    return;
  print_cause(info, context);
  print_objects(info, context);
  if (has_room_for_backtrace())
    cn_backtrace_print_crash(cn_arch_context_pc(context));
  else
    cn_report_print_text("cairn: the alternate stack has no room for a backtrace\n");
}
