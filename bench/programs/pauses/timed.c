/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/pauses: linked to a program, it writes into the file that PAUSES_FILE names how long
 * collections took, by the clock and by the time for which the collecting thread had a processor.
 * No listener does that: with one the runtime does more in each pause, to tell what happens. Each
 * collection has five 64-bit numbers: the moment at which it began, both times in nanoseconds, page
 * faults, and whether another thread had the processor meanwhile.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <cairn/collector.h>

enum { MOST = 1 << 20 };

static struct pause {
  long begin, clock, processor, faults, switches;
} pauses[MOST];
static size_t count;

static long time_of(clockid_t which)
{
  struct timespec now;

  clock_gettime(which, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void collect(const struct cairn_collection *collection)
{
  struct rusage before, after;

  getrusage(RUSAGE_THREAD, &before);
  long begin = time_of(CLOCK_MONOTONIC), ran = time_of(CLOCK_THREAD_CPUTIME_ID);
  cairn_collector_generational.collect(collection);
  ran = time_of(CLOCK_THREAD_CPUTIME_ID) - ran;
  long clock = time_of(CLOCK_MONOTONIC) - begin;
  getrusage(RUSAGE_THREAD, &after);
  if (count < MOST)
    pauses[count++] =
        (struct pause){.begin = begin,
                       .clock = clock,
                       .processor = ran,
                       .faults = after.ru_minflt - before.ru_minflt,
                       .switches = after.ru_nivcsw != before.ru_nivcsw || after.ru_nvcsw != before.ru_nvcsw};
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
  const char *path = getenv("PAUSES_FILE");
  FILE *file = path == NULL ? NULL : fopen(path, "wb");

  if (file == NULL || fwrite(pauses, sizeof *pauses, count, file) != count || fclose(file) != 0)
    perror("pauses: PAUSES_FILE");
}
