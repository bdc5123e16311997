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

/* The source position of the innermost function, or with `outermost` of the function that owns the frame. */
static bool find_source(uintptr_t pc, bool outermost, struct cn_source_place *source)
{
  uint32_t depths = 1;
  bool found = cn_safepoint_find_source(pc, 0, source, &depths);

  return found && (!outermost || cn_safepoint_find_source(pc, depths - 1, source, &depths));
}

/* Damaged details neither break the caller's message nor start another message: the look-up runs under a guard. If the
 * thread has a guard already, the function returns false without a look-up. */
static bool find_source_guarded(uintptr_t pc, bool nearest, struct cn_source_place *source)
{
  struct cn_report_guard guard = {.outer = cn_report_guard};
  unsigned locks = cn_locks_held_by_thread();
  bool reads = cn_image_is_reading();
  volatile bool found = false;

  if (guard.outer != NULL)
    return false;
  cn_report_guard = &guard;
  if (sigsetjmp(guard.back, 0) == 0) {
    found = find_source(nearest ? cn_safepoint_find_nearest(pc) : pc, !nearest, source);
  } else {
    cn_locks_release_others(locks);
    cn_image_restore_reading(reads);
    found = false;
  }
  cn_report_guard = guard.outer;
  return found;
}

bool cn_safepoint_format_source(uintptr_t pc, char *buffer, size_t size)
{
  struct cn_source_place source;
  bool found = find_source_guarded(pc, false, &source);

  if (found && source.file != NULL)
    snprintf(buffer, size, "%s at %s:%u", source.function, source.file, source.line);
  else if (found)
    snprintf(buffer, size, "%s", source.function);
  return found;
}

bool cn_safepoint_format_nearest(uintptr_t pc, char *buffer, size_t size)
{
  struct cn_source_place source;

  if (!find_source_guarded(pc, true, &source) || source.file == NULL || source.line == 0)
    return false;
  snprintf(buffer, size, "%s:%u", source.file, source.line);
  return true;
}
