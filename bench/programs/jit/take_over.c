/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/jit: times take-overs. Prints a line for each kind: name, and nanoseconds of processor time of each
 * round. Function
 * `recurses` calls itself n times and then at_bottom(); its calls have records of 12 values.
 */
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 2000, DEPTH = 100000, MAX_ROUNDS = 100000, RESUMED_DEPTH = 10 };

struct node {
  long value;
};

long recurses(long n, double x, struct node managed *p);

static double times[3][MAX_ROUNDS];
static long sum, states;
static int rounds, round_number;
static double marked_at;

cairn_unmanaged static double now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

cairn_unmanaged static void print_times(const char *name, const double *all)
{
  printf("%s", name);
  for (int i = 0; i < rounds; i++)
    printf(" %.1f", all[i]);
  printf("\n");
}

/* ---- the interpreter ---- */

/* A collection comes when half of a deep stack is taken over. */
static long go_on(struct cairn_deopt_state managed *state)
{
  if (++states == DEPTH / 2)
    cairn_collect();
  return (long)cairn_deopt_state_word(state, 0) + 1;
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  (void)function, (void)index;
  return (const void *)(uintptr_t)go_on;
}

static const struct cairn_deopt_language language = {.name = "bench", .continuation = find_continuation};

/* ---- take-overs ---- */

cairn_unmanaged static void mark_all(void)
{
  uintptr_t function = (uintptr_t)recurses;
  size_t marked;
  double begin = now();

  if (cairn_deopt_invalidate(&function, 1, 0, &marked, NULL) != CAIRN_OK || marked != DEPTH)
    exit(1);
  marked_at = now();
  times[1][round_number] = (marked_at - begin) / DEPTH;
}

static bool is_resumed;

__attribute__((noinline)) cairn_unmanaged static void resume_above(void)
{
  const struct cairn_deopt_result result = {CAIRN_ABI_DEOPT_RESULT_INTEGER, 1};
  struct cairn_stack_iterator it;

  cairn_stack_youngest(&it);
  for (int i = 0; i < RESUMED_DEPTH; i++)
    cairn_stack_next(&it);
  cairn_deopt_resume(&it, &result, NULL);
  exit(1);
}

__attribute__((visibility("default"))) long at_bottom(void)
{
  if (is_resumed)
    resume_above();
  else
    mark_all();
  return 0;
}

__attribute__((noinline)) static long resume_often(struct node managed *node)
{
  long total = 0;

  for (long i = 0; i < REPEATS; i++)
    total += recurses(RESUMED_DEPTH - 1, 1.5, node);
  return total;
}

cairn_unmanaged static void note(int kind, double begin, double count)
{
  times[kind][round_number] = (now() - begin) / count;
}

int main(int argc, char **argv)
{
  struct node managed *node = cairn_new(struct node);

  rounds = argc > 1 ? atoi(argv[1]) : 10;
  if (rounds < 1 || rounds > MAX_ROUNDS || cairn_deopt_add_language(1, &language) != CAIRN_OK)
    return 1;
  for (round_number = 0; round_number < rounds; round_number++) {
    states = 0;
    is_resumed = false;
    sum += recurses(DEPTH, 1.5, node);
    note(2, marked_at, DEPTH);
    if (states != DEPTH)
      return 1;
    is_resumed = true;
    double begin = now();
    sum += resume_often(node);
    note(0, begin, REPEATS);
  }
  print_times("mark", times[1]);
  print_times("return-marked", times[2]);
  print_times("resume", times[0]);
  return sum == 0;
}
