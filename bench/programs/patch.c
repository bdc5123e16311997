/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/patch: times batches of patches, alone and with two threads that run managed code. Prints a line for each
 * kind of batch: name, threads, sites, stops of one batch, and nanoseconds.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cairn/assumption.h>
#include <cairn/cairn.h>
#include <cairn/events.h>
#include <cairn/patch.h>

enum { SITES = 10000, RUNNERS = 2, MAX_ROUNDS = 100000 };

void retargeted(void);

static atomic_bool ends;
static atomic_int running;
static struct cairn_point points[SITES], site;
static long times[MAX_ROUNDS];
static atomic_long stops;

cairn_unmanaged static void count_stop(void *env, const struct cairn_event *event)
{
  (void)env;
  stops += event->kind == CAIRN_EVENT_STOPPED;
}

static void *run(void *unused)
{
  running++;
  while (!ends)
    retargeted();
  return unused;
}

cairn_unmanaged static void nothing(void)
{
}
cairn_unmanaged static void nothing_else(void)
{
  __asm__ volatile("");
}

cairn_unmanaged static long now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Time the invalidation of an assumption that the first `count` shadows depend on: they become jumps. */
cairn_unmanaged static long invalidate_once(int count)
{
  struct cairn_assumption *assumption = cairn_assumption_new();
  struct cairn_patch *patch = cairn_patch_begin();

  for (int i = 0; i < count; i++)
    cairn_patch_jump(patch, &points[i], points[i].address + points[i].length);
  if (cairn_assumption_depend(assumption, patch, NULL) != CAIRN_OK)
    abort();
  long start = now();
  if (cairn_assumption_invalidate(&assumption, 1, NULL) != CAIRN_OK)
    abort();
  long time = now() - start;
  cairn_assumption_free(assumption);
  return time;
}

enum { TARGET, SHAPE, SHADOWS, INVALIDATION };

/* A patch: another target; another shape; or the first `count` shadows become jumps, or nops again. */
cairn_unmanaged static void commit_once(int kind, int count, bool other)
{
  struct cairn_patch *patch = cairn_patch_begin();

  if (kind == TARGET)
    cairn_patch_call(patch, &site, (uintptr_t)(other ? nothing : nothing_else));
  else if (kind == SHAPE && other)
    cairn_patch_nops(patch, &site);
  else if (kind == SHAPE)
    cairn_patch_call(patch, &site, (uintptr_t)nothing);
  for (int i = 0; kind == SHADOWS && i < count; i++)
    if (other)
      cairn_patch_jump(patch, &points[i], points[i].address + points[i].length);
    else
      cairn_patch_restore(patch, &points[i]);
  if (cairn_patch_commit(patch, NULL) != CAIRN_OK)
    abort();
}

cairn_unmanaged static long commit_timed(int kind, int count)
{
  long start = now();

  commit_once(kind, count, true);
  return now() - start;
}

cairn_unmanaged static void measure(const char *name, int kind, int count, int rounds)
{
  long stops_of_one = 0;

  for (int i = 0; i < rounds; i++) {
    commit_once(kind == INVALIDATION ? SHADOWS : kind, count, false);
    stops_of_one = -stops;
    times[i] = kind == INVALIDATION ? invalidate_once(count) : commit_timed(kind, count);
    stops_of_one += stops;
  }
  printf("%s %d %d %ld", name, (int)running, count, stops_of_one);
  for (int i = 0; i < rounds; i++)
    printf(" %ld", times[i]);
  printf("\n");
}

cairn_unmanaged static void measure_one_site(int rounds)
{
  measure("another-target", TARGET, 1, rounds);
  measure("another-shape", SHAPE, 1, rounds);
}

cairn_unmanaged static void find_points(void)
{
  if (cairn_points_with_id(1, points, SITES) != SITES || cairn_points_with_id(0, &site, 1) != 1)
    abort();
}

int main(int argc, char **argv)
{
  pthread_t threads[RUNNERS];
  int rounds = argc > 1 ? atoi(argv[1]) : 100;

  if (rounds < 1 || rounds > MAX_ROUNDS || cairn_listen(count_stop, NULL) != CAIRN_OK)
    abort();
  find_points();
  measure_one_site(rounds);
  for (int i = 0; i < RUNNERS; i++)
    if (pthread_create(&threads[i], NULL, run, NULL) != 0)
      abort();
  while (running < RUNNERS)
    ;
  measure_one_site(rounds);
  measure("batch-10000", SHADOWS, SITES, rounds / 10 + 1);
  measure("invalidate-1", INVALIDATION, 1, rounds);
  measure("invalidate-100", INVALIDATION, 100, rounds);
  measure("invalidate-10000", INVALIDATION, SITES, rounds / 10 + 1);
  ends = true;
  for (int i = 0; i < RUNNERS; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
