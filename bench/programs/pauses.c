/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/pauses: linked to a program, it prints at the end how long collections took, by the
 * clock and by the time for which the collecting thread had a processor. No listener does that:
 * with one the runtime does more in each pause, to tell what happens. Apart from these it prints
 * the longest in which the system had no part: without many page faults, and, by the clock, without
 * another thread on the processor.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <cairn/collector.h>

enum { MOST = 1 << 20, FEW = 2 /* page faults, each of which may be that of a large page */ };

static struct {
  uint64_t clock, processor; /* nanoseconds */
} pauses[MOST];
static size_t count;
static uint64_t clock_alone, processor_alone; /* the longest without the system's part */

static uint64_t time_of(clockid_t which)
{
  struct timespec now;

  clock_gettime(which, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void note_longest(uint64_t *longest, uint64_t pause)
{
  if (pause > *longest)
    *longest = pause;
}

static void collect(const struct cairn_collection *collection)
{
  struct rusage before, after;

  getrusage(RUSAGE_THREAD, &before);
  uint64_t clock = time_of(CLOCK_MONOTONIC), ran = time_of(CLOCK_THREAD_CPUTIME_ID);
  cairn_collector_generational.collect(collection);
  ran = time_of(CLOCK_THREAD_CPUTIME_ID) - ran;
  clock = time_of(CLOCK_MONOTONIC) - clock;
  getrusage(RUSAGE_THREAD, &after);
  if (count == MOST)
    return;
  pauses[count].processor = ran;
  pauses[count++].clock = clock;
  if (after.ru_minflt - before.ru_minflt > FEW)
    return;
  note_longest(&processor_alone, ran);
  if (after.ru_nivcsw == before.ru_nivcsw && after.ru_nvcsw == before.ru_nvcsw)
    note_longest(&clock_alone, clock);
}

static int by_clock(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;

  return (x[0] > y[0]) - (x[0] < y[0]);
}

static int by_processor(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;

  return (x[1] > y[1]) - (x[1] < y[1]);
}

/* -fcairn-collector=timed; filled before the runtime looks at it. */
extern struct cairn_collector cairn_collector_timed;
struct cairn_collector cairn_collector_timed;

static void begin(void)
{
  cairn_collector_timed = cairn_collector_generational;
  cairn_collector_timed.collect = collect;
}
__attribute__((section(".preinit_array"), used)) static void (*const entry)(void) = begin;

__attribute__((destructor)) static void end(void)
{
  if (count == 0)
    return;
  fprintf(stderr, "pauses: %zu", count);
  qsort(pauses, count, sizeof *pauses, by_processor);
  fprintf(stderr, " %.3f %.3f %.3f %.3f", (double)pauses[count / 2].processor / 1e6,
          (double)pauses[count - 1 - count / 100].processor / 1e6,
          (double)pauses[count - 1].processor / 1e6, (double)processor_alone / 1e6);
  qsort(pauses, count, sizeof *pauses, by_clock);
  fprintf(stderr, " %.3f %.3f %.3f %.3f\n", (double)pauses[count / 2].clock / 1e6,
          (double)pauses[count - 1 - count / 100].clock / 1e6,
          (double)pauses[count - 1].clock / 1e6, (double)clock_alone / 1e6);
}
