/* SPDX-License-Identifier: Apache-2.0
 *
 * Doubles, and a slow path now and then: a travelling salesman's tour, built by putting each city
 * where it costs least, as a circle of objects. An array that does not fit the allocation buffer
 * comes from the slow path every so many cities; what that leaves in the upper halves of the vector
 * registers, all that follows has to live with.
 */
#include <math.h>
#include "../programs/kernel.h"

#define CITIES 400
#define LARGE 600 /* doubles: more than is allocated in line */

struct city {
  struct city managed *next, *previous;
  double x, y;
};

static struct city managed *cities[CITIES];
static double ANEW large;

void setup_tour(void)
{
  unsigned long random = 12345;

  for (int i = 0; i < CITIES; i++) {
    cities[i] = bench_new(struct city);
    random = random * 6364136223846793005 + 1442695040888963407;
    cities[i]->x = (double)(random >> 40);
    random = random * 6364136223846793005 + 1442695040888963407;
    cities[i]->y = (double)(random >> 40);
  }
}

static double distance(const struct city managed *a, const struct city managed *b)
{
  double x = a->x - b->x, y = a->y - b->y;

  return sqrt(x * x + y * y);
}

NOINLINE static void insert(struct city managed *start, struct city managed *city)
{
  struct city managed *best = start, *at = start;
  double least = 1e300;

  do {
    double cost = distance(at, city) + distance(city, at->next) - distance(at, at->next);
    if (cost < least) {
      least = cost;
      best = at;
    }
    at = at->next;
  } while (at != start);
  city->next = best->next;
  city->previous = best;
  best->next->previous = city;
  best->next = city;
}

long kernel_tour(void)
{
  struct city managed *start = cities[0], *at;
  double length = 0;

  start->next = start->previous = start;
  for (int i = 1; i < CITIES; i++) {
    insert(start, cities[i]);
    if (i % 100 == 0)
      large = bench_array(double, LARGE);
  }
  at = start;
  do {
    length += distance(at, at->next);
    at = at->next;
  } while (at != start);
  return (long)length;
}
