/* SPDX-License-Identifier: Apache-2.0
 *
 * The courses that the pacer takes: thousands of simulated collections of programs that change. What would go wrong:
 * nurseries stay small after their cause is gone, so that the program stands still for most of the time; a marker that
 * lacks a processor lets the heap grow without a bound; garbage is promoted while it could be left; pauses exceed their
 * goal. test/run/heap/pacer_planted.test plants such errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "collectors/generational/pacer.h"
#include "pacer/simulation.h"

/* In the place of the runtime and the collector. */
uint64_t __wrap_cn_os_thread_processor_time(int thread);
uint64_t __wrap_cn_os_clock_nanoseconds(void);
uint64_t __wrap_cn_cards_scan_time(void);
size_t __wrap_cairn_mutator_count(void);
bool __wrap_cn_evacuation_notes_cards(void);

uint64_t __wrap_cn_os_thread_processor_time(int thread)
{
  (void)thread;
  return simulated_time();
}

uint64_t __wrap_cn_os_clock_nanoseconds(void)
{
  return simulated_time();
}

uint64_t __wrap_cn_cards_scan_time(void)
{
  return simulated_scan_time();
}

size_t __wrap_cairn_mutator_count(void)
{
  return 1;
}

bool __wrap_cn_evacuation_notes_cards(void)
{
  return is_simulation_evacuating();
}

static const struct program usual = {.alive = 64 * MIB,
                                     .newest = 16 << 10,
                                     .survival = 50,
                                     .allocation = 1000,
                                     .copy = 2000,
                                     .walk = 200,
                                     .mark = 1000,
                                     .scan = 250,
                                     .roots = 20000,
                                     .card = 150,
                                     .dirty = 100,
                                     .marker = 800,
                                     .groups = 4,
                                     .addresses = 256 * MIB,
                                     .slowness = 1};

static const uint64_t GOAL = 3 * MILLISECOND;
static const size_t HEAP = (size_t)16 << 30;
enum { MANY = 2000, SOME = 500, FEW = 50 }; /* collections */

/* ---- courses in figures ---- */

static size_t percent(uint64_t part, uint64_t whole)
{
  return (size_t)(part * 100 / (whole + 1));
}

static size_t mean_nursery(const struct course *course)
{
  return course->allocated / course->collections;
}

/* Fails with the figures of the course if one of them, `found`, exceeds `most`. */
static void at_most(const char *name, const struct course *course, const char *figure, size_t found, size_t most)
{
  if (found <= most)
    return;
  fail_msg("%s: %s is %zu, more than %zu: %zu collections (%zu of whole nurseries, %zu of the rest, %zu full), "
           "%zu markings, paused %zu %% of the time, longest pause %zu us, mean nursery %zu KiB, peak %zu MiB, "
           "garbage %zu %%",
           name, figure, found, most, course->collections, course->whole, course->rest, course->full, course->markings,
           percent(course->paused, course->time), (size_t)course->longest / 1000, mean_nursery(course) / 1024,
           course->peak / MIB, percent(course->garbage, course->allocated));
}

static void check_course(const char *name, const struct course *course, size_t most_paused, size_t most_long,
                         size_t most_peak)
{
  at_most(name, course, "the percentage of time in pauses", percent(course->paused, course->time), most_paused);
  at_most(name, course, "the percentage of long pauses", percent(course->beyond, course->collections), most_long);
  at_most(name, course, "the peak", course->peak / MIB, most_peak / MIB);
}

/* ---- programs that do not change ---- */

static void check_steady(uint64_t goal, size_t alive, size_t survival)
{
  struct program program = usual;
  char name[80];

  program.alive = alive;
  program.survival = survival;
  snprintf(name, sizeof name, "%zu MiB, %zu thousandths survive, %zu ms", alive / MIB, survival,
           (size_t)(goal / MILLISECOND));
  start_simulation(goal, HEAP);
  simulate(&program, MANY);
  struct course course = simulate(&program, MANY);
  /* Of a large heap the scan of cards and the least copies take more than a goal of 1 ms. */
  check_course(name, &course,
               alive > 512 * MIB ? 75
               : goal != 0       ? 65
                                 : 70,
               goal == MILLISECOND && alive > 512 * MIB ? 5 : 1, 7 * alive + 64 * MIB);
  if (survival < 400)
    at_most(name, &course, "the number of whole nurseries", course.whole, 0);
  if (goal == 0 && survival < 100)
    at_most(name, &course, "the mean nursery", mean_nursery(&course), 2 * MIB);
  if (goal == 0 && survival > 100 && alive > 32 * MIB)
    at_most(name, &course, "32 MiB over the mean nursery", 32 * MIB / mean_nursery(&course), 1);
}

static void steady_programs(void **state)
{
  static const uint64_t goals[] = {1, 3, 10, 0};
  static const size_t alive[] = {4, 64, 900}, survival[] = {10, 50, 333, 600, 1000};

  (void)state;
  for (size_t g = 0; g < sizeof goals / sizeof *goals; g++)
    for (size_t a = 0; a < sizeof alive / sizeof *alive; a++)
      for (size_t s = 0; s < sizeof survival / sizeof *survival; s++)
        check_steady(goals[g] * MILLISECOND, alive[a] * MIB, survival[s]);
}

/* Visits of cards take three times as long as the program. */
static void program_with_many_dirty_cards(void **state)
{
  struct program program = usual;

  (void)state;
  program.dirty = 20000;
  program.survival = 500;
  start_simulation(GOAL, HEAP);
  simulate(&program, MANY);
  struct course course = simulate(&program, MANY);
  check_course("many dirty cards", &course, 75, 25, 10 * usual.alive);
}

/* Nearly all that the program allocates is in large arrays, so small objects tell nothing about the time of visits. */
static void program_with_large_arrays(void **state)
{
  struct program program = usual;

  (void)state;
  program.large = 999;
  program.survival = program.newest = 0;
  program.visits = 20000;
  program.alive = 4 * MIB;
  start_simulation(GOAL, HEAP);
  simulate(&program, MANY);
  struct course course = simulate(&program, MANY);
  check_course("large arrays", &course, 25, 1, 64 * MIB);
}

/* ---- causes of small nurseries, which go ---- */

static void recovers(const char *name, const struct program *meanwhile)
{
  start_simulation(GOAL, HEAP);
  simulate(&usual, MANY);
  struct course before = simulate(&usual, MANY), after;
  simulate(meanwhile, SOME);
  simulate(&usual, 2 * FEW);
  after = simulate(&usual, FEW);
  at_most(name, &after, "the mean nursery before", mean_nursery(&before), mean_nursery(&after) / 2 * 3);
  after = simulate(&usual, MANY);
  check_course(name, &after, 25, 1, 10 * usual.alive);
  after = simulate(&usual, MANY);
  check_course(name, &after, 25, 1, 5 * usual.alive);
}

/* A nursery that was sized for a promotion would take many times the pause if it were copied, and its cards visited,
 * because of a large array. */
static void large_arrays_beside_survivors(void **state)
{
  struct program program = usual;

  (void)state;
  program.large = 300;
  program.survival = 1000;
  program.dirty = 10000;
  start_simulation(GOAL, HEAP);
  simulate(&program, MANY);
  struct course course = simulate(&program, MANY);
  at_most("large arrays beside survivors", &course, "the longest pause in us", course.longest / 1000, 2 * GOAL / 1000);
}

static void nurseries_recover(void **state)
{
  struct program meanwhile = usual;

  (void)state;
  meanwhile.survival = 1000;
  recovers("all survive", &meanwhile);
  meanwhile = usual;
  meanwhile.dirty = 20000;
  meanwhile.survival = 500;
  recovers("many dirty cards", &meanwhile);
  meanwhile.addresses = 160 << 10;
  recovers("few addresses", &meanwhile);
  meanwhile = usual;
  meanwhile.slowness = 10;
  recovers("slow processors", &meanwhile);
  meanwhile = usual;
  meanwhile.large = 900;
  recovers("large objects", &meanwhile);
  meanwhile = usual;
  meanwhile.roots = 5 * MILLISECOND;
  recovers("many roots", &meanwhile);
}

/* ---- large heaps ---- */

enum { LARGE_BYTES = 900 * MIB };

static struct program fill_large_heap(void)
{
  struct program program = usual;

  program.alive = LARGE_BYTES;
  program.survival = 1000;
  start_simulation(GOAL, HEAP);
  simulate(&program, MANY);
  return program;
}

/* Most of each pause goes by before the first copy, so the nursery shrinks, the marking is late, and all that the
 * program allocates is promoted. */
static void large_heap_with_costly_pauses(void **state)
{
  struct program program = fill_large_heap();

  (void)state;
  program.survival = 50;
  program.scan = 600;
  program.roots = MILLISECOND / 2;
  for (int i = 0; i < 20; i++) {
    struct course course = simulate(&program, FEW);
    at_most("costly pauses", &course, "the percentage of time in pauses", percent(course.paused, course.time), 85);
    at_most("costly pauses", &course, "the peak", course.peak, 5 * (size_t)LARGE_BYTES);
  }
}

/* The marker is idle at each stop, but each nursery gives it more than a pause can mark; then it lacks a processor. */
static void marking_that_fails_to_end(void **state)
{
  struct program program = fill_large_heap();
  size_t count = 0;

  (void)state;
  program.mark = 80000;
  program.marker = 200000;
  while (cn_pacer.tries < 3 && count++ < 4 * MANY)
    simulate(&program, 1);
  assert_true(cn_pacer.tries >= 3);
  program.marker = 0;
  program.survival = 10;
  simulate(&program, FEW);
  struct course course = simulate(&program, SOME);
  at_most("no marker", &course, "the percentage of time in pauses", percent(course.paused, course.time), 40);
}

static void marks_slowly(const char *name, uint64_t marker, uint64_t mark, size_t most_peak)
{
  struct program program = usual;

  program.survival = 600;
  program.marker = marker;
  program.mark = mark;
  start_simulation(GOAL, HEAP);
  for (int i = 0; i < 10; i++) {
    struct course course = simulate(&program, MANY);
    at_most(name, &course, "the peak", course.peak / MIB, most_peak / MIB);
  }
}

/* Pauses mark less than the program promotes, until a pause marks all that is left; or nearly as much. */
static void marking_that_is_too_slow(void **state)
{
  (void)state;
  marks_slowly("no marker", 0, 20000, 22 * usual.alive);
  marks_slowly("no marker, slow pauses", 0, 200000, 62 * usual.alive);
  marks_slowly("a slow marker", 400, 20000, 18 * usual.alive);
}

/* ---- without a goal for pauses ---- */

static void nursery_follows_survival(void **state)
{
  struct program program = usual;

  (void)state;
  start_simulation(0, HEAP);
  for (int i = 0; i < 10; i++) {
    program.survival = 500;
    simulate(&program, FEW);
    struct course course = simulate(&program, FEW);
    at_most("half survives", &course, "32 MiB over the mean nursery", 32 * MIB / mean_nursery(&course), 1);
    program.survival = 1;
    program.newest = 1 << 10;
    simulate(&program, FEW);
    course = simulate(&program, FEW);
    at_most("little survives", &course, "the mean nursery", mean_nursery(&course), 2 * MIB);
  }
}

/* ---- a heap whose maximum is near ---- */

static void memory_runs_short(void **state)
{
  static const uint64_t goals[] = {0, 1, 3, 10};
  struct program program = usual;

  (void)state;
  for (size_t i = 0; i < sizeof goals / sizeof *goals; i++) {
    start_simulation(goals[i] * MILLISECOND, 80 * MIB);
    simulate(&program, MANY);
    struct course course = simulate(&program, MANY);
    at_most("a small maximum", &course, "the peak", course.peak / MIB, 80);
    at_most("a small maximum", &course, "the percentage of full collections", percent(course.full, course.collections),
            25);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steady_programs),           cmocka_unit_test(program_with_many_dirty_cards),
      cmocka_unit_test(program_with_large_arrays), cmocka_unit_test(large_arrays_beside_survivors),
      cmocka_unit_test(nurseries_recover),         cmocka_unit_test(large_heap_with_costly_pauses),
      cmocka_unit_test(marking_that_fails_to_end), cmocka_unit_test(marking_that_is_too_slow),
      cmocka_unit_test(nursery_follows_survival),  cmocka_unit_test(memory_runs_short),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
