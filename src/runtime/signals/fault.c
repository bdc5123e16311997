/* SPDX-License-Identifier: Apache-2.0
 *
 * Explains three kinds of fault: an access by a stale reference, since stress mode unmaps the space that objects left;
 * a frame too large for the rest of the stack; and an access to a section of an image that was unmapped but not
 * unregistered. Explanations run on the faulting thread, in its signal handler, in any phase. Also gives alternate
 * stacks to threads that are attached, and frees them at their ends, in phase MUTATE. Owns `signals_watched`, an atomic
 * flag that the start or a loading thread sets.
 */
#include "runtime/signals/signals.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/arch/arch.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/messages.h"
#include "runtime/core/options.h"
#include "runtime/debug/backtrace.h"
#include "runtime/handlers/action.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/os/os.h"

enum { ALTERNATE_STACK_BYTES = 64 << 10, SOURCE_TEXT_BYTES = 512 };

static bool explain_stale_reference(uintptr_t address, uintptr_t pc)
{
  const struct cairn_collector *collector = cn_heap_collector();
  uint64_t number;
  char place[CN_REPORT_PC], collection[32] = "an earlier collection", source[SOURCE_TEXT_BYTES] = "";

  if (collector->was_unmapped == NULL || !collector->was_unmapped(address, &number))
    return false;
  if (number != 0)
    snprintf(collection, sizeof collection, "collection %lu", (unsigned long)number);
  bool found = cn_safepoint_format_nearest(pc, source, sizeof source);
  CN_ASSERT(!found || source[0] != 0);
  cn_report_print_text("cairn: stale reference: address 0x%lx was moved by %s, used at pc %s%s%s\n",
                       (unsigned long)address, collection, cn_report_format_pc(pc, place), found ? ", near " : "",
                       source);
  cn_backtrace_print_from_fault(pc);
  return true;
}

/* Explains a fault on a section of a registered image, which the collector reads. */
static bool explain_unmapped_image(uintptr_t address, uintptr_t pc)
{
  char place[CN_REPORT_PC];

  if (!cn_images_have_section_on_page(address))
    return false;
  cn_report_print_text("cairn: code that was loaded in memory is unmapped, and its image is still "
                       "registered: 0x%lx, which it has, is read at pc %s; call the module's 'leave' "
                       "(<cairn/compile.h>) before it is removed\n",
                       (unsigned long)address, cn_report_format_pc(pc, place));
  cn_backtrace_print_from_fault(pc);
  return true;
}

bool cn_fault_explain(const siginfo_t *info, const void *context)
{
  uintptr_t address = (uintptr_t)info->si_addr, pc = cn_arch_context_pc(context);

  if (info->si_code <= 0 || (info->si_signo != SIGSEGV && info->si_signo != SIGBUS))
    return false;
  cn_overflow_explain_fault(address, cn_arch_context_caller_pc(context), cn_arch_context_sp(context));
  bool stale = explain_stale_reference(address, pc);
  return (info->si_signo == SIGSEGV && info->si_code == SEGV_MAPERR && explain_unmapped_image(address, pc)) || stale;
}

static bool signals_watched;

/* Gives the thread an alternate stack, unless the program has set one. */
static bool give_alternate_stack(struct cairn_mutator *mutator)
{
  stack_t stack = {.ss_size = ALTERNATE_STACK_BYTES}, before;

  if (sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE) == 0)
    return true;
  CN_ASSERT(mutator == &cairn_mutator && mutator->fault_stack == NULL);
  stack.ss_sp = cn_os_resize_mapping(NULL, 0, ALTERNATE_STACK_BYTES);
  mutator->fault_stack = stack.ss_sp;
  return stack.ss_sp != NULL && sigaltstack(&stack, NULL) == 0;
}

void cn_fault_give_alternate_stack(struct cairn_mutator *mutator)
{
  if (__atomic_load_n(&signals_watched, __ATOMIC_ACQUIRE))
    give_alternate_stack(mutator);
}

void cn_fault_free_alternate_stack(struct cairn_mutator *mutator)
{
  stack_t none = {.ss_flags = SS_DISABLE}, now;

  if (mutator->fault_stack == NULL)
    return;
  if (sigaltstack(NULL, &now) == 0 && now.ss_sp == mutator->fault_stack)
    sigaltstack(&none, NULL);
  CN_ASSERT(mutator == &cairn_mutator); /* fails for another thread, which may be using the stack */
  cn_os_free_mapping(mutator->fault_stack, ALTERNATE_STACK_BYTES);
  mutator->fault_stack = NULL;
}

void cn_fault_watch_signals(void)
{
  static const int crashes[] = {SIGFPE, SIGILL, SIGABRT};

  if (signals_watched || !give_alternate_stack(&cairn_mutator))
    return;
  __atomic_store_n(&signals_watched, true, __ATOMIC_RELEASE);
  cn_os_watch_signal(SIGSEGV);
  cn_os_watch_signal(SIGBUS);
  for (size_t i = 0; cn_options.backtrace && i < sizeof crashes / sizeof *crashes; i++)
    cn_os_watch_signal(crashes[i]);
}
