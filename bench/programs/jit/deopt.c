/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/jit: times the reading of records, and take-overs. Prints a line for each kind: name, and nanoseconds of
 * each round.
 */
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SITES = 1000, VALUES = 12, OBJECTS = 4, REPEATS = 2000, MAX_ROUNDS = 100000 };

struct node {
  struct node managed *next;
  long value;
};

/* sites.ll (bench/lib/deopt.py) */
void calls(long n, double x, struct node managed *p);
long leaves_0(long n, double x, struct node managed *p);
long leaves_4(long n, double x, struct node managed *p);
long loops(struct node managed *p0, struct node managed *p1, struct node managed *p2, struct node managed *p3, long n0,
           long n1, long n2, long n3, double x0, double x1, double x2, double x3);
/* deopt_layouts.c */
cairn_leaf void note_layout(struct node managed *node);
cairn_native const struct cairn_layout *find_layout(uint64_t number);

static double times[MAX_ROUNDS];
static long decodings, sum;
static int rounds;

/* Of the machine for single decodings, which are short, and of the processor for repeated work. */
static clockid_t clock_in_use = CLOCK_MONOTONIC;

cairn_unmanaged static double now(void)
{
  struct timespec time;

  clock_gettime(clock_in_use, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

cairn_unmanaged static void print_times(const char *name, int count)
{
  printf("%s", name);
  for (int i = 0; i < count; i++)
    printf(" %.1f", times[i]);
  printf("\n");
}

/* The first look-up at the youngest activation. */
cairn_unmanaged static void time_decoding(struct cairn_stack_iterator *it)
{
  uint32_t count = 0;
  double begin = now();

  if (cairn_deopt_count(it, &count) != CAIRN_OK || count != 6 + VALUES)
    exit(1);
  times[decodings++] = now() - begin;
}

cairn_unmanaged static void read_frame(const struct cairn_stack_iterator *it, struct cairn_deopt_value *value)
{
  struct cairn_deopt_frame frame;

  if (cairn_deopt_frame(it, 0, &frame) != CAIRN_OK)
    exit(1);
  for (uint32_t i = 0; i < frame.locals; i++)
    if (cairn_deopt_read(it, frame.first + i, value) == CAIRN_OK)
      sum += (long)value->word[0];
}

cairn_unmanaged static void time_reading(const struct cairn_stack_iterator *it)
{
  struct cairn_deopt_value value;

  for (int round = 0; round < rounds; round++) {
    double begin = now();
    for (int i = 0; i < REPEATS; i++)
      if (cairn_deopt_read(it, 6 + (uint32_t)i % VALUES, &value) == CAIRN_OK)
        sum += (long)value.word[0];
    times[round] = (now() - begin) / REPEATS;
  }
  print_times("deopt-read", rounds);
  for (int round = 0; round < rounds; round++) {
    double begin = now();
    for (int i = 0; i < REPEATS; i++)
      read_frame(it, &value);
    times[round] = (now() - begin) / REPEATS;
  }
  print_times("deopt-frame", rounds);
}

__attribute__((visibility("default"))) cairn_unmanaged void look(long site)
{
  struct cairn_stack_iterator it;

  cairn_stack_youngest(&it);
  time_decoding(&it);
  if (site + 1 < SITES)
    return;
  print_times("decode", SITES);
  clock_in_use = CLOCK_THREAD_CPUTIME_ID;
  time_reading(&it);
}

static long continue_frame(struct cairn_deopt_state managed *state)
{
  return cairn_deopt_state_integer(state, cairn_deopt_state_first(state, 0) + VALUES / 3);
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  (void)function;
  (void)index;
  return continue_frame;
}

cairn_unmanaged static void add_language(void)
{
  static const struct cairn_deopt_language language = {
      .name = "one", .continuation = find_continuation, .layout = find_layout};

  if (cairn_deopt_add_language(1, &language) != CAIRN_OK)
    exit(1);
}

/* Time take-overs: without objects, and the difference for each object. */
static void time_take_overs(struct node managed *node)
{
  static double without[MAX_ROUNDS];

  for (int round = 0; round < rounds; round++) {
    double begin = now();
    for (int i = 0; i < REPEATS; i++)
      sum += leaves_0(i, 2.5, node);
    without[round] = (now() - begin) / REPEATS;
    begin = now();
    for (int i = 0; i < REPEATS; i++)
      sum += leaves_4(i, 2.5, node);
    times[round] = ((now() - begin) / REPEATS - without[round]) / OBJECTS;
  }
  print_times("materialise", rounds);
  for (int round = 0; round < rounds; round++)
    times[round] = without[round];
  print_times("eager", rounds);
}

/* ---- entries of loops ---- */

/* The frame of a function that an interpreter runs. */
struct frame {
  struct node managed *reference[VALUES / 3];
  long integer[VALUES / 3];
  double number[VALUES / 3];
};

__attribute__((visibility("default"))) void runs_body(void)
{
}

static long enter_loop(struct frame managed *frame)
{
  return loops(frame->reference[0], frame->reference[1], frame->reference[2], frame->reference[3], frame->integer[0],
               frame->integer[1], frame->integer[2], frame->integer[3], frame->number[0], frame->number[1],
               frame->number[2], frame->number[3]);
}

/* Runs the loop from its head on, or lets compiled code do so. */
__attribute__((noinline)) static long interpret_loop(struct frame managed *frame, bool enters)
{
  for (;; frame->integer[0]--) {
    if (enters)
      return enter_loop(frame);
    if (frame->integer[0] == 0)
      return frame->integer[1] + frame->integer[2];
    runs_body();
  }
}

/* The difference of entering compiled code at the head, and of going on there; the loop ends at once. */
static void time_entries(struct node managed *node)
{
  struct frame managed *frame = cairn_new(struct frame);

  for (int i = 0; i < VALUES / 3; i++)
    frame->reference[i] = node;
  for (int round = 0; round < rounds; round++) {
    double begin = now();
    for (int i = 0; i < REPEATS; i++)
      sum += interpret_loop(frame, false);
    double without = now() - begin;
    begin = now();
    for (int i = 0; i < REPEATS; i++)
      sum += interpret_loop(frame, true);
    times[round] = (now() - begin - without) / REPEATS;
  }
  print_times("osr-enter", rounds);
}

int main(int argc, char **argv)
{
  struct node managed *node = cairn_new(struct node);

  rounds = argc > 1 ? atoi(argv[1]) : 10;
  if (rounds < 1 || rounds > MAX_ROUNDS)
    return 1;
  note_layout(node);
  add_language();
  calls(7, 2.5, node);
  time_take_overs(node);
  time_entries(node);
  return sum == 0;
}
