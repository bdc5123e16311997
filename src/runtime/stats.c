/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics: one `name: value` per line.
 */
#include "runtime/stats.h"

#include <stddef.h>
#include <cairn/collector.h>
#include "runtime/heap.h"
#include "runtime/mutator.h"
#include "runtime/options.h"
#include "runtime/report.h"

struct cn_stats cn_stats;

void cairn_note_moved(size_t bytes)
{
  cn_stats.objects_moved++;
  cn_stats.bytes_moved += bytes;
}

/* Values below 16 have a bucket each; above, the four bits below the highest choose the step. */
static size_t bucket(uint64_t value)
{
  if (value < CN_PAUSE_STEPS)
    return (size_t)value;
  unsigned power = 63u - (unsigned)__builtin_clzll(value);
  return (size_t)(power - 3) * CN_PAUSE_STEPS + (size_t)(value >> (power - 4) & 15);
}

static uint64_t bucket_start(size_t index)
{
  if (index < CN_PAUSE_STEPS)
    return index;
  return (uint64_t)(CN_PAUSE_STEPS + index % CN_PAUSE_STEPS) << (index / CN_PAUSE_STEPS - 1);
}

void cn_stats_pause(uint64_t nanoseconds)
{
  cn_stats.pauses[bucket(nanoseconds)]++;
  if (nanoseconds > cn_stats.pause_max)
    cn_stats.pause_max = nanoseconds;
}

uint64_t cn_stats_pause_median(const struct cn_stats *stats)
{
  uint64_t total = 0, below = 0;

  for (size_t i = 0; i < CN_PAUSES; i++)
    total += stats->pauses[i];
  for (size_t i = 0; i < CN_PAUSES; i++) {
    below += stats->pauses[i];
    if (2 * below >= total && below != 0)
      return bucket_start(i);
  }
  return 0;
}

static void line(const char *name, uint64_t value)
{
  cn_report_text("%s: %llu\n", name, (unsigned long long)value);
}

static void line_microseconds(const char *name, uint64_t nanoseconds)
{
  cn_report_text("%s: %llu.%llu\n", name, (unsigned long long)nanoseconds / 1000,
                 (unsigned long long)nanoseconds / 100 % 10);
}

/* After the program's own exit handlers. A program that ends by a signal or _exit() prints nothing.
 * */
__attribute__((destructor(101))) static void print(void)
{
  if (!cn_options.stats)
    return;
  cn_report_text("collector: %s\n", cn_heap_collector()->name);
  line("collections", cn_stats.collections);
  line("safepoints taken", cn_stats.safepoints);
  line("frames walked", cn_stats.frames);
  line("roots found", cn_stats.roots);
  line("objects moved", cn_stats.objects_moved);
  line("bytes moved", cn_stats.bytes_moved);
  line("bytes allocated", cn_mutator_allocated());
  line_microseconds("pause median (us)", cn_stats_pause_median(&cn_stats));
  line_microseconds("pause maximum (us)", cn_stats.pause_max);
  line("heap maximum", cn_options.heap_max);
}
