/* SPDX-License-Identifier: Apache-2.0
 *
 * Divides the process's resident set into parts, for CAIRN_STATS: parts of the collector, frame maps, stacks, mapped
 * files, and the rest. Owns the parts at the peak and now, and the collector's function. That function is set in phase
 * INIT; the parts change on the collecting thread in phase STOP, and on the thread that ends the program while it
 * excludes stops. No locks.
 *
 * The resident set is read after a collection. So the parts at the peak are those after the collection that left the
 * largest resident set, and the maximum of the system may be a little greater.
 */
#include "runtime/safepoints/memory_parts.h"

#include <stdio.h>
#include <string.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/messages.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/index.h"

enum {
  MAX_PARTS = 24,
  MIN_GROWTH_SHARE = 64, /* the parts are taken again if the resident set has grown by one part in this many */
  STACK_STEP_BYTES = 64 << 10
};

struct memory_parts {
  uint64_t resident;
  size_t count;
  struct {
    const char *name;
    uint64_t bytes;
  } at[MAX_PARTS];
};

static cairn_memory_report *memory_report;
static struct memory_parts peak_parts, parts_now;
static uint64_t greatest_resident; /* bytes of the resident set when `peak_parts` were taken */

void cairn_report_memory(cairn_memory_report *report)
{
  memory_report = report;
}

void cairn_memory_part(const char *name, uint64_t bytes)
{
  if (parts_now.count == MAX_PARTS)
    cairn_fatal("a collector reports more than %d parts of its memory, the last is %s", MAX_PARTS, name);
  parts_now.at[parts_now.count].name = name;
  parts_now.at[parts_now.count++].bytes = bytes;
}

size_t cairn_resident_bytes(uintptr_t start, size_t bytes)
{
  return cn_os_resident_bytes(start, bytes);
}

/* The pages of a stack that are in memory. The search goes downwards, because addresses far below are unmapped. */
static size_t resident_stack_bytes(const struct cairn_mutator *mutator)
{
  size_t page = cn_os_page_bytes(), sum = 0;
  uintptr_t end = (mutator->stack_end + page - 1) & ~(uintptr_t)(page - 1), bottom = mutator->stack_bottom;

  while (end > bottom) {
    size_t step = end - bottom < STACK_STEP_BYTES ? (end - bottom) & ~(size_t)(page - 1) : STACK_STEP_BYTES;
    size_t found = step != 0 ? cn_os_resident_bytes(end - step, step) : 0;
    if (found == 0)
      break;
    sum += found;
    end -= step;
  }
  return sum;
}

static void take_parts(void)
{
  size_t maps, stacks = 0, files;
  uint64_t sum = 0;

  memset(&parts_now, 0, sizeof parts_now);
  parts_now.resident = cn_os_resident_set_bytes(&files);
  if (memory_report != NULL)
    memory_report();
  for (const struct cairn_mutator *m = cairn_mutator_next(NULL); m; m = cairn_mutator_next(m))
    stacks += resident_stack_bytes(m);
  cairn_memory_part("frame maps", cn_index_memory_bytes(&maps));
  cairn_memory_part("stacks", stacks);
  cairn_memory_part("files", files);
  for (size_t i = 0; i < parts_now.count; i++)
    sum += parts_now.at[i].bytes;
  cairn_memory_part("other", parts_now.resident > sum ? parts_now.resident - sum : 0);
}

void cn_memory_note_peak(void)
{
  size_t files;

  if (!cn_options.stats)
    return;
  uint64_t resident = cn_os_resident_set_bytes(&files);
  if (resident <= greatest_resident + greatest_resident / MIN_GROWTH_SHARE)
    return;
  greatest_resident = resident;
  take_parts();
  peak_parts = parts_now;
}

static void print_parts(const struct memory_parts *parts, const char *when)
{
  char name[128];

  CN_ASSERT(parts->count <= MAX_PARTS);
  snprintf(name, sizeof name, "memory %s (bytes)", when);
  cn_report_print_count(name, parts->resident);
  for (size_t i = 0; i < parts->count; i++) {
    snprintf(name, sizeof name, "memory %s: %s (bytes)", when, parts->at[i].name);
    cn_report_print_count(name, parts->at[i].bytes);
  }
}

void cn_memory_print_parts(void)
{
  bool own = cn_stop_is_own_stop();

  if (!own)
    cn_stop_exclude_stops();
  take_parts();
  if (!own)
    cn_stop_permit_stops();
  if (parts_now.resident > greatest_resident)
    peak_parts = parts_now;
  print_parts(&peak_parts, "at peak");
  print_parts(&parts_now, "at end");
}
