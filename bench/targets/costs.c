/* SPDX-License-Identifier: Apache-2.0
 *
 * Single costs, counted in instructions (bench/targets): each is the difference of two kernels, or of a kernel compiled
 * in two ways, over the number of rounds. harness.c runs the kernels.
 */
#include "../programs/kernel.h"

enum { ROUNDS = 1000 };

struct cell {
  struct cell managed *next;
  long value;
};

static struct cell ANEW list;
long costs_native(long value);

static void make_list(void)
{
  for (long i = list ? ROUNDS : 0; i < ROUNDS; i++) {
    struct cell managed *cell = cairn_new(struct cell);
    *cell = (struct cell){list, i};
    list = cell;
  }
}

#define KERNEL(name) \
  void setup_##name(void) \
  { \
    make_list(); \
  } \
  long kernel_##name(void)

/* ---- polls ---- */

KERNEL(poll)
{
  long sum = 0;

  for (const struct cell managed *cell = list; cell; cell = cell->next)
    sum += cell->value;
  return sum;
}

/* ---- calls: of a managed function, of one that allocates, of a native one ---- */

NOINLINE static long call(long value)
{
  __asm__ volatile("" : "+r"(value));
  return value;
}

NOINLINE static struct cell managed *make(void)
{
  __asm__ volatile("" ::: "memory");
  return cairn_new(struct cell);
}

NOINLINE static struct cell managed *pass(struct cell managed *cell)
{
  __asm__ volatile("" ::: "memory");
  return cell;
}

KERNEL(call)
{
  long sum = 0;

  for (long i = 0; i < ROUNDS; i++)
    sum += call(i);
  return sum;
}

KERNEL(native)
{
  long sum = 0;

  for (long i = 0; i < ROUNDS; i++)
    sum += costs_native(i);
  return sum;
}

KERNEL(pass)
{
  struct cell managed *cell = list;

  for (long i = 0; i < ROUNDS; i++)
    list = pass(cell);
  return 0;
}

KERNEL(make)
{
  for (long i = 0; i < ROUNDS; i++)
    list = make();
  return 0;
}

/* ---- stores ---- */

NOINLINE static void store_reference(struct cell managed *cell, struct cell managed *other)
{
  cell->next = other;
}

KERNEL(store)
{
  struct cell managed *first = list, *second = first->next;

  for (long i = 0; i < ROUNDS; i++) {
    store_reference(first, second);
    __asm__ volatile("" ::: "memory");
  }
  return 0;
}

/* ---- walks: collections with two depths of the stack, which only visit the roots (costs_native.c) ---- */

NOINLINE static long down_one(struct cell managed *a, long depth, long collections);

NOINLINE static long down_three(struct cell managed *a, struct cell managed *b, long depth, long collections)
{
  struct cell managed *c = b->next;
  long value = down_one(c, depth - 1, collections);

  return value + a->value + b->value + c->value;
}

static long down_one(struct cell managed *a, long depth, long collections)
{
  if (depth > 0)
    return down_three(a, a->next, depth - 1, collections) + a->value;
  for (long i = 0; i < collections; i++)
    cairn_collect();
  return a->value;
}

/* A list in a circle, which is as long for each depth. */
static long walk(long depth, long collections)
{
  struct cell managed *first = cairn_new(struct cell), *second = cairn_new(struct cell);

  *first = (struct cell){second, 1};
  *second = (struct cell){first, 2};
  return down_one(first, depth, collections);
}

KERNEL(walk_first) { return walk(3 * ROUNDS, 1); }
KERNEL(walk_short_once)
{
  return walk(ROUNDS, 1);
}
KERNEL(walk_short)
{
  return walk(ROUNDS, 2);
}
KERNEL(walk_long_once)
{
  return walk(3 * ROUNDS, 1);
}
KERNEL(walk_long)
{
  return walk(3 * ROUNDS, 2);
}
