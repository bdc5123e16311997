/* SPDX-License-Identifier: Apache-2.0
 *
 * Inline caches of managed code. What would go wrong: a look-up gives the place of another shape's property, or moves
 * with an object.
 */
// RUN: %cairn-cc -O2 %s -o %t && %cairn-cc -O0 %s -o %t.O0
// RUN: env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=heap %t.O0 | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_STATS=1 %t 2>&1 >/dev/null | FileCheck --check-prefix=MOVED %s
// CHECK: shapes 1: stage 1, 1 fills, sum 500
// CHECK: shapes 4: stage 2, 4 fills, sum 500
// CHECK: shapes 9: stage 3, 9 fills, sum 500
// CHECK: cleared: stage 3, 10 fills, sum 500
// MOVED: objects moved: {{[1-9]}}
#include <cairn/cairn.h>
#include <cairn/inline_cache.h>
#include <stdio.h>

enum { SHAPES = 9, OBJECTS = 500 };

/* The index of the property "count" in the objects of a shape. */
struct shape {
  long index;
};
static struct shape shapes[SHAPES];

struct object {
  const struct shape *shape;
  long property[SHAPES];
};

CAIRN_INLINE_CACHE_GROUP(sites, 1)
static long fills;
static struct object managed *kept; /* so that objects are allocated */

static long count_of(struct object managed *object)
{
  uintptr_t key = (uintptr_t)object->shape;
  struct cairn_inline_cache_values found;

  if (!cairn_inline_cache_find(&sites[0], key, &found)) {
    found.word[0] = (uintptr_t)object->shape->index;
    found.word[1] = 0;
    cairn_inline_cache_fill(&sites[0], key, found);
    fills++;
  }
  return object->property[found.word[0]];
}

static long sum_counts(int shape_count)
{
  long sum = 0;

  for (int i = 0; i < OBJECTS; i++) {
    struct object managed *object = cairn_new(struct object);
    object->shape = &shapes[i % shape_count];
    object->property[object->shape->index] = 1;
    kept = object;
    kept = cairn_new(struct object); /* the object moves */
    sum += count_of(object);
  }
  return sum;
}

static void report(const char *what, int shape_count)
{
  long sum = sum_counts(shape_count);

  printf("%s: stage %d, %ld fills, sum %ld\n", what, (int)cairn_inline_cache_stage(&sites[0]), fills, sum);
}

int main(void)
{
  for (int i = 0; i < SHAPES; i++)
    shapes[i].index = SHAPES - 1 - i;
  report("shapes 1", 1);
  report("shapes 4", 4);
  report("shapes 9", 9);
  cairn_inline_caches_clear_key((uintptr_t)&shapes[3]);
  report("cleared", 9);
  return 0;
}
