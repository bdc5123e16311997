/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector that frees and moves nothing: it times the enumeration of roots.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <cairn/abi.h>
#include <cairn/collector.h>

void bench_begin(long visits);
void bench_mark(void);
void bench_report(long depth, long visits);

enum { MOST = 1 << 20 };

static double took[MOST];
static long count, young, enabled;
static uint64_t roots, activations;
static double marked;
static uintptr_t space, space_end;

static double now(clockid_t clock)
{
  struct timespec time;

  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static enum cairn_status init(size_t initial, size_t most)
{
  (void)most;
  void *at = mmap(NULL, initial, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    return CAIRN_E_MEMORY;
  space = (uintptr_t)at;
  space_end = space + initial;
  return CAIRN_OK;
}

/* One thread, and one buffer. */
static enum cairn_status give(struct cairn_mutator *mutator, size_t bytes)
{
  if (space_end - space < bytes)
    return CAIRN_E_FULL;
  cairn_buffer_give(mutator, space, space_end);
  space = space_end;
  return CAIRN_OK;
}

static enum cairn_status no(struct cairn_mutator *mutator, size_t bytes)
{
  (void)mutator;
  (void)bytes;
  return CAIRN_E_FULL;
}

static void visit(void *env, struct cairn_slot slot)
{
  (void)env;
  roots += *slot.address != 0;
}

static void collect(const struct cairn_collection *collection)
{
  uint64_t visited = 0;

  (void)collection;
  if (!enabled || count == MOST)
    return;
  double start = now(CLOCK_MONOTONIC);
  if (young)
    visited = cairn_visit_young_roots(visit, visit, NULL);
  else
    cairn_visit_roots(visit, NULL);
  took[count++] = now(CLOCK_MONOTONIC) - start;
  activations = visited;
}

static const struct cairn_collector still = {.version = CAIRN_ABI_COLLECTOR_VERSION,
                                             .size = sizeof(struct cairn_collector),
                                             .name = "still",
                                             .init = init,
                                             .refill = give,
                                             .grow = no,
                                             .collect = collect};

__attribute__((constructor(102))) static void use_still(void)
{
  cairn_set_collector(&still);
}

void bench_begin(long visits)
{
  enabled = visits >= 0;
  young = visits > 0;
}

void bench_mark(void)
{
  marked = now(CLOCK_THREAD_CPUTIME_ID);
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* One line: the first visit, the median, the 99th percentile and the maximum of the others,
 * activations of the last; and what the way up took per activation. */
void bench_report(long depth, long visits)
{
  double up = (now(CLOCK_THREAD_CPUTIME_ID) - marked) / (double)depth, first = count ? took[0] : 0;

  (void)visits;
  if (count > 1) {
    qsort(took + 1, (size_t)count - 1, sizeof *took, compare);
    printf("%.0f %.0f %.0f %.0f %lu ", first, took[count / 2], took[count - count / 100 - 1], took[count - 1],
           (unsigned long)activations);
  }
  printf("%.3f\n", up);
}
