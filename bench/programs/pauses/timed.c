/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/pauses: linked to a program, it prints at the end how long collections took, by the
 * clock and by the time for which the collecting thread had a processor. No listener does that:
 * with one the runtime does more in each pause, to tell what happens. Apart from these it prints
 * the longest in which the machine had no part: without many page faults, with a processor at its
 * speed before and after it, and, by the clock, without another thread on the processor.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <cairn/collector.h>
#include "../witness.h"

enum { MOST = 1 << 20, FEW = 2 /* page faults, each of which may be that of a large page */ };

static struct pause {
  uint64_t clock, processor; /* nanoseconds */
  uint32_t witness;          /* the slower of those before and after it */
  bool faults, switches;
} pauses[MOST];
static size_t count;

static uint64_t time_of(clockid_t which)
{
  struct timespec now;

  clock_gettime(which, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void collect(const struct cairn_collection *collection)
{
  struct rusage before, after;
  uint64_t witness_before = witness();

  getrusage(RUSAGE_THREAD, &before);
  uint64_t clock = time_of(CLOCK_MONOTONIC), ran = time_of(CLOCK_THREAD_CPUTIME_ID);
  cairn_collector_generational.collect(collection);
  ran = time_of(CLOCK_THREAD_CPUTIME_ID) - ran;
  clock = time_of(CLOCK_MONOTONIC) - clock;
  getrusage(RUSAGE_THREAD, &after);
  uint64_t witness_after = witness();
  if (count < MOST)
    pauses[count++] =
        (struct pause){.clock = clock,
                       .processor = ran,
                       .witness = (uint32_t)(witness_before > witness_after ? witness_before : witness_after),
                       .faults = after.ru_minflt - before.ru_minflt > FEW,
                       .switches = after.ru_nivcsw != before.ru_nivcsw || after.ru_nvcsw != before.ru_nvcsw};
}

/* The longest in which the machine had no part, of processor time and by the clock; how many of all
 * were with the processor slow. */
static size_t find_undisturbed(uint64_t *processor, uint64_t *clock)
{
  uint32_t least = UINT32_MAX;
  size_t slow = 0;

  for (size_t i = 0; i < count; i++)
    least = pauses[i].witness < least ? pauses[i].witness : least;
  for (size_t i = 0; i < count; i++) {
    bool is_slow = pauses[i].witness > WITNESS_SLOW * least;
    slow += is_slow;
    if (is_slow || pauses[i].faults)
      continue;
    *processor = pauses[i].processor > *processor ? pauses[i].processor : *processor;
    if (!pauses[i].switches)
      *clock = pauses[i].clock > *clock ? pauses[i].clock : *clock;
  }
  return slow;
}

static int by_clock(const void *a, const void *b)
{
  const struct pause *x = a, *y = b;

  return (x->clock > y->clock) - (x->clock < y->clock);
}

static int by_processor(const void *a, const void *b)
{
  const struct pause *x = a, *y = b;

  return (x->processor > y->processor) - (x->processor < y->processor);
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
  uint64_t processor_alone = 0, clock_alone = 0;
  size_t slow = find_undisturbed(&processor_alone, &clock_alone);
  fprintf(stderr, "pauses: %zu", count);
  qsort(pauses, count, sizeof *pauses, by_processor);
  fprintf(stderr, " %.3f %.3f %.3f %.3f", (double)pauses[count / 2].processor / 1e6,
          (double)pauses[count - 1 - count / 100].processor / 1e6, (double)pauses[count - 1].processor / 1e6,
          (double)processor_alone / 1e6);
  qsort(pauses, count, sizeof *pauses, by_clock);
  fprintf(stderr, " %.3f %.3f %.3f %.3f %.1f%%\n", (double)pauses[count / 2].clock / 1e6,
          (double)pauses[count - 1 - count / 100].clock / 1e6, (double)pauses[count - 1].clock / 1e6,
          (double)clock_alone / 1e6, 100 * (double)slow / (double)count);
}
