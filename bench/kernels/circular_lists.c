/* SPDX-License-Identifier: Apache-2.0
 *
 * A tour through points by nearest insertion: circular doubly linked lists of structs with
 * doubles, each point taken out of the list of those left and put where the tour grows least.
 */
#include "../programs/kernel.h"

enum { POINTS = 256 };

struct point {
  struct point managed *next, *previous;
  struct point managed *made_before;
  double x, y;
};

static struct point ANEW points;

static void put_after(struct point managed *at, struct point managed *point)
{
  point->next = at->next;
  point->previous = at;
  at->next->previous = point;
  at->next = point;
}

static void take_out(struct point managed *point)
{
  point->previous->next = point->next;
  point->next->previous = point->previous;
  point->next = point->previous = point;
}

/* Of their squares, which costs no call. */
static double distance(const struct point managed *a, const struct point managed *b)
{
  double x = a->x - b->x, y = a->y - b->y;

  return __builtin_sqrt(x * x + y * y);
}

void setup_circular_lists(void)
{
  unsigned long seed = 1;

  for (int i = 0; i < POINTS; i++) {
    struct point managed *point = bench_new(struct point);
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    point->x = (double)(seed >> 40);
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    point->y = (double)(seed >> 40);
    point->made_before = points;
    points = point;
  }
}

/* All in one list, in the order of their making. */
NOINLINE static void join_all(struct point managed *last)
{
  last->next = last->previous = last;
  for (struct point managed *point = last->made_before; point; point = point->made_before)
    put_after(last, point);
}

/* The point of the tour after which `point` makes it longer by the least. */
NOINLINE static struct point managed *place_in(struct point managed *tour,
                                               const struct point managed *point)
{
  struct point managed *best = tour, *at = tour;
  double least = 1e300;

  do {
    double more = distance(at, point) + distance(point, at->next) - distance(at, at->next);
    if (more < least) {
      least = more;
      best = at;
    }
    at = at->next;
  } while (at != tour);
  return best;
}

NOINLINE static double length_of(const struct point managed *tour)
{
  const struct point managed *at = tour;
  double length = 0;

  do {
    length += distance(at, at->next);
    at = at->next;
  } while (at != tour);
  return length;
}

long kernel_circular_lists(void)
{
  struct point managed *tour = points;
  join_all(tour);
  struct point managed *left = tour->next;

  take_out(tour);
  for (;;) {
    struct point managed *point = left, *rest = left->next;
    take_out(point);
    put_after(place_in(tour, point), point);
    if (rest == point)
      break;
    left = rest;
  }
  return (long)length_of(tour);
}
