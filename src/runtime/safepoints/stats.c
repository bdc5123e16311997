/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts pauses and the collector's work, reports collections as events, gives collectors the pause goal and soft
 * limit, ends the runtime's threads and trace at the end of the program, and prints statistics as lines of `name:
 * value`. Owns the histogram of pauses and the collector's own counts; other counts are in core/counts.h. Collections
 * are counted and reported in phase STOP, on the requester. The destructor runs on the thread that ends the program, in
 * any phase, and sums the counts of threads under the lock of stops.
 */
#include "runtime/safepoints/safepoint.h"

#include <string.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/core/messages.h"
#include "runtime/events/event_dispatch.h"
#include "runtime/events/phase_times.h"
#include "runtime/heap/buffer.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/latency/latency.h"
#include "runtime/profile/profile.h"
#include "runtime/safepoints/memory_parts.h"
#include "runtime/os/os.h"
#include "runtime/threads/workers.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/index.h"

enum { MAX_COUNTS = 24 };

struct cn_histogram cn_stats_pauses;

/* With CAIRN_STATS: nanoseconds for which collecting threads had a processor. */
static struct {
  uint64_t begun; /* of the thread's processor time, when the collection began */
  uint64_t total, longest;
} processor_time;

/* The counts that the collector names; an entry with a null name is free. */
static struct collector_count {
  const char *name;
  uint64_t sum;
} collector_counts[MAX_COUNTS];

void cairn_note_moved(size_t bytes)
{
  cn_stats.objects_moved++;
  cn_stats.bytes_moved += bytes;
}

void cairn_note_all_moved(uint64_t objects, uint64_t bytes)
{
  cn_stats.objects_moved += objects;
  cn_stats.bytes_moved += bytes;
}

void cairn_note_full(bool concurrent)
{
  if (concurrent)
    cn_stats.concurrent++;
  else
    cn_stats.full++;
}

void cairn_note_count(const char *name, uint64_t amount)
{
  size_t i = 0;

  CN_CHECK(name != NULL);
  while (i < MAX_COUNTS && collector_counts[i].name != NULL && collector_counts[i].name != name &&
         strcmp(collector_counts[i].name, name) != 0)
    i++;
  if (i == MAX_COUNTS)
    cairn_fatal("a collector has more than %d counts, the last is %s", MAX_COUNTS, name);
  collector_counts[i].name = name;
  collector_counts[i].sum += amount;
}

uint64_t cn_stats_allocated_bytes(void)
{
  uint64_t bytes = cn_stats.allocated;

  for (const struct cairn_mutator *m = cairn_mutator_next(NULL); m; m = cairn_mutator_next(m))
    bytes += cn_buffer_allocated_bytes(m);
  return bytes;
}

static void note_processor_time(uint64_t nanoseconds)
{
  processor_time.total += nanoseconds;
  if (nanoseconds > processor_time.longest)
    processor_time.longest = nanoseconds;
}

uint64_t cn_stats_begin_collection(const struct cairn_collection *collection)
{
  if (cn_options.stats)
    processor_time.begun = cn_os_thread_processor_time(cn_os_thread());
  return cn_events_report((struct cairn_event){.kind = CAIRN_EVENT_COLLECTION_BEGINS,
                                               .collection = cn_stats.collections + 1,
                                               .asked = collection,
                                               .heap = cn_events_have_consumers() ? cn_heap_used_bytes() : 0});
}

void cn_stats_end_collection(const struct cairn_collection *collection, const struct cn_stats *before, uint64_t since)
{
  const struct cn_stats *now = &cn_stats;

  CN_ASSERT(before->collections == now->collections && before->frames <= now->frames);
  cn_stats.collections++;
  uint64_t end = cn_events_report((struct cairn_event){.kind = CAIRN_EVENT_COLLECTION_ENDS,
                                                       .since = since,
                                                       .collection = now->collections,
                                                       .asked = collection,
                                                       .heap = cn_events_have_consumers() ? cn_heap_used_bytes() : 0,
                                                       .frames = now->frames - before->frames,
                                                       .roots = now->roots - before->roots,
                                                       .objects_moved = now->objects_moved - before->objects_moved,
                                                       .bytes_moved = now->bytes_moved - before->bytes_moved,
                                                       .full = now->full - before->full,
                                                       .marking_ended = now->concurrent - before->concurrent});
  if (cn_options.stats)
    note_processor_time(cn_os_thread_processor_time(cn_os_thread()) - processor_time.begun);
  cn_stats.paused += end - since;
  cn_histogram_add_value(&cn_stats_pauses, end - since);
  cn_memory_note_peak();
}

/* Sums the counts of all threads, which running threads change concurrently. If the operation of a handshake calls
 * exit(), the set of threads is fixed already. */
static void sum_thread_counts(uint64_t *safepoints, uint64_t *allocated)
{
  bool own = cn_stop_is_own_stop();

  if (!own)
    cn_stop_exclude_stops();
  *safepoints = cn_stats.safepoints;
  *allocated = cn_stats_allocated_bytes();
  for (const struct cairn_mutator *m = cairn_mutator_next(NULL); m; m = cairn_mutator_next(m))
    *safepoints += __atomic_load_n(&m->safepoints, __ATOMIC_RELAXED);
  if (!own)
    cn_stop_permit_stops();
}

uint64_t cairn_pause_goal(void)
{
  return cn_options.pause;
}

uint64_t cairn_full_pause_goal(void)
{
  return cn_options.pause_full;
}

size_t cairn_soft_limit(void)
{
  return cn_options.heap_soft;
}

size_t cairn_heap_growth(void)
{
  return cn_options.heap_growth;
}

/* Runs after the program's exit handlers. A program that ends by a signal or by _exit() prints nothing. */
__attribute__((destructor(101))) static void end_runtime(void)
{
  uint64_t safepoints, allocated;

  cn_unseen_check_process();
  cn_watchdog_stop();
  cn_stop_limit_end_reporter();
  cn_profile_end();
  unsigned workers = cn_workers_count();
  cn_workers_end_at_exit();
  cn_background_end_at_exit();
  cn_events_close_trace();
  if (!cn_options.stats)
    return;
  sum_thread_counts(&safepoints, &allocated);
  cn_report_print_text("collector: %s\n", cn_heap_collector()->name);
  if ((cn_heap_collector()->traits & CAIRN_COLLECTOR_PARALLEL) != 0)
    cn_report_print_count("workers", workers);
  cn_report_print_count("collections", cn_stats.collections);
  if ((cn_heap_collector()->traits & CAIRN_COLLECTOR_GENERATIONS) != 0) {
    cn_report_print_count("full collections", cn_stats.full);
    cn_report_print_count("concurrent markings", cn_stats.concurrent);
  }
  cn_report_print_count("safepoints taken", safepoints);
  cn_report_print_count("frames walked", cn_stats.frames);
  cn_report_print_count("roots found", cn_stats.roots);
  size_t maps, bytes = cn_index_memory_bytes(&maps);
  cn_report_print_count("frame maps met", maps);
  cn_report_print_count("frame map memory", bytes);
  cn_report_print_count("objects moved", cn_stats.objects_moved);
  cn_report_print_count("bytes moved", cn_stats.bytes_moved);
  cn_report_print_count("bytes allocated", allocated);
  cn_report_print_microseconds("pause median (us)", cn_histogram_quantile(&cn_stats_pauses, 500));
  cn_report_print_microseconds("pause maximum (us)", cn_stats_pauses.maximum);
  cn_report_print_microseconds("pause total (us)", cn_stats.paused);
  cn_report_print_microseconds("pause maximum on a processor (us)", processor_time.longest);
  cn_report_print_microseconds("pause total on a processor (us)", processor_time.total);
  cn_phase_times_print();
  for (size_t i = 0; i < MAX_COUNTS && collector_counts[i].name != NULL; i++)
    cn_report_print_count(collector_counts[i].name, collector_counts[i].sum);
  cn_memory_print_parts();
  cn_report_print_count("heap maximum", cn_options.heap_max);
  if (cn_options.heap_soft != 0)
    cn_report_print_count("heap soft limit", cn_options.heap_soft);
  cn_external_print_stats();
  cn_pins_print_sites();
  cn_watchdog_print_results();
}
