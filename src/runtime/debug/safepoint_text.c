/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the source position of a safepoint into messages.
 *
 * Runs on any thread, in any phase, also in signal handlers. The file has no state. Images are locked during the
 * look-up (safepoint_details.c). If a section is damaged, the function writes no text, and releases the locks that the
 * look-up took.
 */
#include "runtime/debug/backtrace.h"

#include <setjmp.h>
#include <stdio.h>
#include "runtime/core/image.h"
#include "runtime/core/lock.h"
#include "runtime/core/messages.h"

/* Damaged details neither break the caller's message nor start another message: the look-up runs under a guard. If the
 * thread has a guard already, the function returns false without a look-up. */
bool cn_safepoint_format_source(uintptr_t pc, char *buffer, size_t size)
{
  struct cn_report_guard guard = {.outer = cn_report_guard};
  struct cn_source_place source;
  unsigned locks = cn_locks_held_by_thread();
  bool reads = cn_image_is_reading();
  volatile bool found = false;
  uint32_t depths = 1;

  if (guard.outer != NULL)
    return false;
  cn_report_guard = &guard;
  if (sigsetjmp(guard.back, 0) == 0)
    for (uint32_t i = 0; i < depths; i++)
      found = cn_safepoint_find_source(pc, i, &source, &depths);
  else {
    cn_locks_release_others(locks);
    cn_image_restore_reading(reads);
    found = false;
  }
  cn_report_guard = guard.outer;
  if (found && source.file != NULL)
    snprintf(buffer, size, "%s at %s:%u", source.function, source.file, source.line);
  else if (found)
    snprintf(buffer, size, "%s", source.function);
  return found;
}
