/* SPDX-License-Identifier: Apache-2.0
 *
 * Patched inline caches of managed code: each stage, copies by inlining, clears, and threads that look up meanwhile.
 * What would go wrong: a look-up gives the place of another shape's property; a cleared entry stays in the code; a copy
 * of a point is left.
 */
// RUN: %cairn-cc -O2 %s -o %t && %cairn-cc -O0 %s -o %t.O0
// RUN: %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: env CAIRN_STRESS=7 CAIRN_VERIFY=heap %t.O0 | FileCheck %s
// CHECK: empty: stage 0
// CHECK: shapes 1: stage 1, fills 1, sum 500
// CHECK: shapes 2: stage 2, fills 2, sum 500
// CHECK: shapes 4: stage 2, fills 4, sum 500
// CHECK: shapes 9: stage 3, fills 9, sum 500
// CHECK: one key cleared: stage 3, fills 10, sum 500
// CHECK: all cleared: stage 1, fills 1, sum 500
// CHECK: cleared by key: stage 1, fills 2, sum 500
// CHECK: storm: right
// CHECK: bad: -2 -2 -3 -82 -4
#include <cairn/cairn.h>
#include <cairn/patched_cache.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHAPES = 9, OBJECTS = 500 };

/* The index of the property "count" in the objects of a shape, and 1. */
struct shape {
  long place;
};
static struct shape shapes[SHAPES];

struct object {
  const struct shape *shape;
  long property[SHAPES];
};

CAIRN_PATCHED_CACHE(cache, 17)
static atomic_long fills;
static atomic_bool ends;
static struct object managed *kept; /* so that objects are allocated */

/* Inlined into each caller: the cache has several points. */
static inline long count_of(struct object managed *object)
{
  uintptr_t found = cairn_patched_cache_find(cache, 17, (uintptr_t)object->shape);

  if (!found) {
    found = (uintptr_t)object->shape->place;
    if (cairn_patched_cache_fill(&cache, (uintptr_t)object->shape, found, NULL) != CAIRN_OK)
      abort();
    fills++;
  }
  return object->property[found - 1];
}

static struct object managed *make_object(long number)
{
  struct object managed *object = cairn_new(struct object);

  object->shape = &shapes[number];
  object->property[object->shape->place - 1] = 1;
  kept = object;
  kept = cairn_new(struct object); /* the object moves */
  return object;
}

static long sum_counts(int shape_count)
{
  long sum = 0;

  for (int i = 0; i < OBJECTS; i += 2)
    sum += count_of(make_object(i % shape_count)) + count_of(make_object((i + 1) % shape_count));
  return sum;
}

/* Another point, where the key is a constant, once fill has inlined everything. */
static long count_constant(void)
{
  struct object managed *object = make_object(0);

  return object->shape == &shapes[0] ? count_of(object) : 0;
}

/* The sum of a cache with up to four entries, while the data are wrong: only the code has the right places. */
static long sum_by_code(int shape_count)
{
  for (int i = 0; i < shape_count; i++)
    cache.data.entry[i].word[0] += 1000000000;
  long sum = sum_counts(shape_count);
  for (int i = 0; i < shape_count; i++)
    cache.data.entry[i].word[0] -= 1000000000;
  return sum;
}

static void report(const char *what, int shape_count)
{
  long sum = sum_counts(shape_count);

  if (shape_count <= CAIRN_INLINE_CACHE_ENTRIES && sum_by_code(shape_count) != sum)
    abort();

  if (count_constant() != 1)
    abort();
  printf("%s: stage %d, fills %ld, sum %ld\n", what, (int)cairn_inline_cache_stage(&cache.data), fills, sum);
}

static void *run(void *unused)
{
  for (int round = 0; !ends; round++)
    if (sum_counts(round % SHAPES + 1) != OBJECTS)
      abort();
  return unused;
}

/* Threads fill and look up while the cache is cleared. */
static void storm(int rounds)
{
  pthread_t threads[2];

  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < rounds; i++) {
    if (i % 3 == 0 ? cairn_inline_cache_clear(&cache.data) : cairn_inline_caches_clear_key((uintptr_t)&shapes[i % 3]))
      abort();
    if (sum_counts(i % 5 + 1) != OBJECTS)
      abort();
  }
  ends = true;
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("storm: right\n");
}

/* A point of another form. */
uintptr_t other_point(uint64_t id, uint32_t bytes, void *target, uint32_t arguments, ...)
    __asm__("llvm.experimental.patchpoint.i64");
CAIRN_PATCHED_CACHE(other, 18)
static volatile int never;

static void try_bad(void)
{
  if (never)
    kept->property[0] = (long)other_point(18, 144, NULL, 1, 5L);
  int no_key = cairn_patched_cache_fill(&cache, 0, 1, NULL), no_value = cairn_patched_cache_fill(&cache, 1, 0, NULL);
  int twice = cairn_patched_cache_add(&cache, NULL), shape = cairn_patched_cache_add(&other, NULL);
  int unknown = cairn_patched_cache_fill(&other, 1, 1, NULL);

  printf("bad: %d %d %d %d %d\n", no_key, no_value, twice, shape, unknown);
}

int main(void)
{
  for (int i = 0; i < SHAPES; i++)
    shapes[i].place = SHAPES - i;
  if (cairn_patched_cache_add(&cache, NULL) != CAIRN_OK)
    abort();
  printf("empty: stage %d\n", (int)cairn_inline_cache_stage(&cache.data));
  report("shapes 1", 1);
  report("shapes 2", 2);
  report("shapes 4", 4);
  report("shapes 9", 9);
  cairn_inline_caches_clear_key((uintptr_t)&shapes[3]);
  report("one key cleared", 9);
  fills = 0;
  cairn_inline_cache_clear(&cache.data);
  report("all cleared", 1);
  cairn_inline_caches_clear_key((uintptr_t)&shapes[0]);
  report("cleared by key", 1);
  storm(12);
  try_bad();
  return cairn_patched_cache_remove(&cache) != CAIRN_OK;
}
