/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring of masses, each held to both its neighbours by springs, over many small steps of time: a
 * circular doubly linked list of structs with doubles, read and written all the way round. Nobody
 * knows how long the ring is.
 */
#include "../programs/kernel.h"

enum { MASSES = 500, STEPS = 400 };

struct mass {
  struct mass managed *next, *previous;
  double place, speed;
};

static struct mass ANEW ring;

void setup_spring_ring(void)
{
  struct mass managed *first = bench_new(struct mass);

  first->next = first->previous = first;
  for (int i = 1; i < MASSES; i++) {
    struct mass managed *mass = bench_new(struct mass);
    mass->next = first;
    mass->previous = first->previous;
    first->previous->next = mass;
    first->previous = mass;
  }
  ring = first;
}

/* One mass is drawn aside, the others are at rest. */
NOINLINE static void draw(struct mass managed *drawn)
{
  struct mass managed *mass = drawn;

  do {
    mass->place = mass->speed = 0;
    mass = mass->next;
  } while (mass != drawn);
  drawn->place = 1000;
}

NOINLINE static void pull(struct mass managed *first, double time)
{
  struct mass managed *mass = first;

  do {
    mass->speed += time * (mass->previous->place + mass->next->place - 2 * mass->place);
    mass = mass->next;
  } while (mass != first);
}

NOINLINE static void move(struct mass managed *first, double time)
{
  struct mass managed *mass = first;

  do {
    mass->place += time * mass->speed;
    mass = mass->next;
  } while (mass != first);
}

NOINLINE static double motion(const struct mass managed *first)
{
  const struct mass managed *mass = first;
  double sum = 0;

  do {
    sum += mass->speed * mass->speed;
    mass = mass->next;
  } while (mass != first);
  return sum;
}

long kernel_spring_ring(void)
{
  draw(ring);
  for (int step = 0; step < STEPS; step++) {
    pull(ring, 0.25);
    move(ring, 0.25);
  }
  return (long)motion(ring);
}
