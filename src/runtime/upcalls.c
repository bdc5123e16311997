/* SPDX-License-Identifier: Apache-2.0
 *
 * Upcalls of the lower rooms, handed on to the rooms that answer them.
 */
#include "runtime/core/upcalls.h"

#include <stdio.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "framemap/framemap.h"
#include "runtime/attach.h"
#include "runtime/core/hold.h"
#include "runtime/core/image.h"
#include "runtime/core/lock.h"
#include "runtime/core/options.h"
#include "runtime/core/report.h"
#include "runtime/debug/backtrace.h"
#include "runtime/debug/safepoint_details.h"
#include "runtime/heap/buffer.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/layouts.h"
#include "runtime/heap/noted_stores.h"
#include "runtime/os/os.h"
#include "runtime/safepoint.h"
#include "runtime/signals/fault.h"
#include "runtime/signals/signals.h"
#include "runtime/stop_limit.h"
#include "runtime/threads/background.h"
#include "runtime/threads/stop.h"
#include "runtime/threads/workers.h"
#include "runtime/walk/code_regions.h"
#include "runtime/weak/finalisers.h"

/* Refuse new code in a code region: the program should have removed the region with its code. */
static void check_regions(const struct cairn_image *image)
{
  const unsigned char *cursor = image->frames_start;
  struct cn_framemap_function function;
  struct cn_region region;

  while (cn_code_regions_any() && cursor != NULL &&
         cn_framemap_next_function(&cursor, image->frames_stop, &function) == CN_FRAMEMAP_OK)
    if (cn_code_regions_overlap(function.entry, function.entry + function.code_size, &region))
      cairn_fatal("compiled code at 0x%lx is loaded into the code region [0x%lx, 0x%lx)", (unsigned long)function.entry,
                  (unsigned long)region.start, (unsigned long)region.end);
}

void cn_upcall_image(const struct cairn_image *image)
{
  cn_layouts_check(image);
  /* What no file has is unmapped by the program itself, maybe too early: fault.c. */
  if ((image->flags & CAIRN_ABI_IMAGE_STACK_POLLS) != 0 || !cn_os_is_in_file((uintptr_t)image))
    cn_fault_install();
  /* A fault under stress is explained with a backtrace, and a handler cannot load anything; nor can
   * who has stopped a thread that loads something. */
  if (cn_options.stress != 0 || (cn_options.verify & CN_VERIFY_FRAMES) != 0)
    cn_os_unwinder(true);
  check_regions(image);
  cn_heap_check_image(image, image);
}

void cn_upcall_image_leaves(const struct cairn_image *image)
{
  cn_noted_stores_forget();
  cn_finalisers_forget(image);
  if (cn_heap_remembers(image))
    cn_heap_forget(image);
}

bool cn_upcall_owns_layout(const struct cairn_layout *layout)
{
  return cn_buffer_is_filler(layout);
}

void cn_upcall_release(void)
{
  cn_signals_release();
}

void cn_upcall_stop_waits(int thread, uint64_t since)
{
  cn_stop_limit_waits(thread, since);
}

void cn_upcall_handler_ends(uintptr_t pc)
{
  cn_attach_handler_ends(pc);
}

bool cn_upcall_delivering(void)
{
  return cn_signals_delivering();
}

bool cn_upcall_own_thread(void)
{
  return cn_workers_is_one() || cn_background_is_it();
}

void cn_upcall_back(void)
{
  cn_safepoint_back();
}

void cn_upcall_come_back(struct cairn_mutator *mutator, bool native)
{
  CN_ASSERT(mutator == &cairn_mutator && mutator->attached);
  cn_hold_cancellation();
  mutator->busy++;
  if (native)
    cn_stop_come_back(mutator);
}

void cn_upcall_leave(struct cairn_mutator *mutator, bool native)
{
  CN_CHECK(mutator->busy != 0);
  if (native)
    cn_stop_leave(mutator);
  uint64_t busy = --mutator->busy;
  cn_hold_let_cancellation();
  if (busy == 0)
    cn_signals_release();
}

void cn_upcall_print_stack(uintptr_t frame)
{
  cn_backtrace_abort(frame);
}

/* Look up the details of a safepoint, which stripped programs have too. Damaged details must
 * neither end the message that calls this nor begin one of their own. If there is a guard already,
 * nothing is printed, and nothing need be looked up. */
bool cn_upcall_source(uintptr_t pc, char *buffer, size_t size)
{
  struct cn_report_guard guard = {.outer = cn_report_guard};
  struct cn_source source;
  unsigned locks = cn_locks_held();
  bool reads = cn_image_reads();
  volatile bool found = false;
  uint32_t depths = 1;

  if (guard.outer != NULL)
    return false;
  cn_report_guard = &guard;
  if (sigsetjmp(guard.back, 0) == 0)
    for (uint32_t i = 0; i < depths; i++)
      found = cn_safepoint_details_source(pc, i, &source, &depths);
  else {
    cn_locks_restore(locks);
    cn_image_restore(reads);
    found = false;
  }
  cn_report_guard = guard.outer;
  if (found && source.file != NULL)
    snprintf(buffer, size, "%s at %s:%u", source.function, source.file, source.line);
  else if (found)
    snprintf(buffer, size, "%s", source.function);
  return found;
}
