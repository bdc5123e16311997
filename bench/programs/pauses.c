/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/pauses: linked to a program, it prints at the end how long collections took, by the
 * clock and by the time for which the collecting thread had a processor. No listener does that:
 * with one the runtime walks over the heap, to tell how full it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cairn/collector.h>

enum { MOST = 1 << 20 };

static struct {
  uint64_t clock, processor; /* nanoseconds */
} pauses[MOST];
static size_t count;

static uint64_t processor(void)
{
  struct timespec now;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t now(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void collect(const struct cairn_collection *collection)
{
  uint64_t clock = now(), ran = processor();

  cairn_collector_generational.collect(collection);
  if (count == MOST)
    return;
  pauses[count].processor = processor() - ran;
  pauses[count++].clock = now() - clock;
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
  fprintf(stderr, " %.3f %.3f %.3f", (double)pauses[count / 2].processor / 1e6,
          (double)pauses[count - 1 - count / 100].processor / 1e6,
          (double)pauses[count - 1].processor / 1e6);
  qsort(pauses, count, sizeof *pauses, by_clock);
  fprintf(stderr, " %.3f %.3f %.3f\n", (double)pauses[count / 2].clock / 1e6,
          (double)pauses[count - 1 - count / 100].clock / 1e6,
          (double)pauses[count - 1].clock / 1e6);
}
