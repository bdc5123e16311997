/* SPDX-License-Identifier: Apache-2.0
 *
 * A small object system, as dynamic languages have: an object's shape says where each property lies. The access
 * object.count in one place of the program meets objects of one shape, of two, of four, and of many, and finds the
 * property by an inline cache in data, by one in code that the runtime patches, by the shape's hash table, or at a
 * place that is known before.
 *
 *   inline_cache [objects [rounds]]     prints sums; with rounds above 1, nanoseconds for an access, too: medians
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cairn/cairn.h>
#include <cairn/patched_cache.h>

/* ---- shapes: native memory that stays ---- */

enum { PROPERTIES = 8, BUCKETS = 16, SHAPES = 16 };

/* A name is compared by address. */
struct name {
  const char *text;
  size_t hash;
};
static struct name names[PROPERTIES] = {{"count", 0}, {"colour", 0}, {"owner", 0}, {"next", 0},
                                        {"left", 0},  {"right", 0},  {"size", 0},  {"title", 0}};

struct property {
  const struct name *name;
  long index;
};
struct shape {
  size_t mask; /* number of buckets - 1 */
  struct property *buckets;
};
static struct shape shapes[SHAPES];

static struct property *find_bucket(const struct shape *shape, const struct name *name)
{
  size_t bucket = name->hash & shape->mask;

  while (shape->buckets[bucket].name && shape->buckets[bucket].name != name)
    bucket = (bucket + 1) & shape->mask;
  return &shape->buckets[bucket];
}

static long find_property(const struct shape *shape, const struct name *name)
{
  return find_bucket(shape, name)->index;
}

static size_t hash_of(const char *text)
{
  size_t hash = 5381;

  while (*text)
    hash = hash * 33 ^ (unsigned char)*text++;
  return hash;
}

/* Each shape has the properties at other places. */
static void make_shapes(void)
{
  for (int p = 0; p < PROPERTIES; p++)
    names[p].hash = hash_of(names[p].text);
  for (int s = 0; s < SHAPES; s++) {
    shapes[s] = (struct shape){BUCKETS - 1, calloc(BUCKETS, sizeof(struct property))};
    for (int p = 0; p < PROPERTIES; p++)
      *find_bucket(&shapes[s], &names[p]) = (struct property){&names[p], (p + s) % PROPERTIES};
  }
}

/* ---- objects ---- */

struct number {
  long value;
};

struct object {
  const struct shape *shape;
  struct number managed *property[PROPERTIES];
};
typedef struct object managed *reference;
typedef reference managed *references;

static reference make_object(const struct shape *shape, long count)
{
  reference object = cairn_new(struct object);

  object->shape = shape;
  struct number managed *number = cairn_new(struct number);
  number->value = count;
  object->property[find_property(shape, &names[0])] = number;
  return object;
}

/* The first `count` objects have numbers from 1 on, and the shapes in turn. */
static references make_objects(long count, int shape_count)
{
  references objects = cairn_new_array(reference, count);

  for (long i = 0; i < count; i++)
    objects[i] = make_object(&shapes[i % shape_count], i + 1);
  return objects;
}

/* ---- four ways to object.count ---- */

CAIRN_INLINE_CACHE_GROUP(sites, 1)

static long sum_by_data(references objects, long count)
{
  long sum = 0;

  for (long i = 0; i < count; i++) {
    reference object = objects[i];
    struct cairn_inline_cache_values found;
    if (!cairn_inline_cache_find(&sites[0], (uintptr_t)object->shape, &found)) {
      found.word[0] = (uintptr_t)find_property(object->shape, &names[0]);
      found.word[1] = 0;
      cairn_inline_cache_fill(&sites[0], (uintptr_t)object->shape, found);
    }
    sum += object->property[found.word[0]]->value;
  }
  return sum;
}

/* Values are other than 0, so they are the index and 1. */
CAIRN_PATCHED_CACHE(patched_site, 1)

static long fill_patched_site(const struct shape *shape)
{
  long found = find_property(shape, &names[0]) + 1;

  if (cairn_patched_cache_fill(&patched_site, (uintptr_t)shape, (uintptr_t)found, NULL) != CAIRN_OK)
    abort();
  return found;
}

static long sum_by_code(references objects, long count)
{
  long sum = 0;

  for (long i = 0; i < count; i++) {
    reference object = objects[i];
    long found = (long)cairn_patched_cache_find(patched_site, 1, (uintptr_t)object->shape);
    if (!found)
      found = fill_patched_site(object->shape);
    sum += object->property[found - 1]->value;
  }
  return sum;
}

static long sum_by_hash(references objects, long count)
{
  long sum = 0;

  for (long i = 0; i < count; i++)
    sum += objects[i]->property[find_property(objects[i]->shape, &names[0])]->value;
  return sum;
}

/* Of objects with the first shape alone. */
static long sum_in_place(references objects, long count)
{
  long sum = 0;

  for (long i = 0; i < count; i++)
    sum += objects[i]->property[0]->value;
  return sum;
}

/* ---- measurement ---- */

static volatile long result; /* so that sums are computed */

static double now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

enum { WAYS = 4, MAX_ROUNDS = 10000 };

static const struct way {
  const char *name;
  long (*sum)(references objects, long count);
} ways[WAYS] = {{"data", sum_by_data}, {"code", sum_by_code}, {"hash", sum_by_hash}, {"known place", sum_in_place}};

static double times[WAYS][MAX_ROUNDS];

static int compare(const void *one, const void *other)
{
  double a = *(const double *)one, b = *(const double *)other;

  return (a > b) - (a < b);
}

/* The ways take turns, so that all meet the same disturbances. */
static void measure(references objects, long count, long rounds, int way_count)
{
  for (long round = 0; round < rounds; round++)
    for (int way = 0; way < way_count; way++) {
      double begin = now();
      result = ways[way].sum(objects, count);
      times[way][round] = (now() - begin) / (double)count;
    }
  for (int way = 0; way < way_count; way++) {
    qsort(times[way], (size_t)rounds, sizeof times[way][0], compare);
    printf("%s%s %.2f ns", way ? ", " : "  ", ways[way].name, times[way][rounds / 2]);
  }
  printf("\n");
}

static void visit_shapes(int shape_count, long count, long rounds)
{
  static const char *const stages[] = {"empty", "monomorphic", "polymorphic", "megamorphic"};

  cairn_inline_cache_clear(&sites[0]);
  cairn_inline_cache_clear(&patched_site.data);
  references objects = make_objects(count, shape_count);
  long by_data = sum_by_data(objects, count), by_code = sum_by_code(objects, count);
  printf("%d shapes, %s: %ld %s\n", shape_count, stages[cairn_inline_cache_stage(&patched_site.data)], by_data,
         by_data == by_code && by_data == sum_by_hash(objects, count) ? "each way" : "by data alone");
  if (rounds > 1)
    measure(objects, count, rounds, shape_count == 1 ? WAYS : WAYS - 1);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: inline_cache [objects [rounds]]") < 0;

  long count = argc > 1 ? atol(argv[1]) : 500, rounds = argc > 2 ? atol(argv[2]) : 1;
  struct cairn_patch_failure failure;

  if (cairn_patched_cache_add(&patched_site, &failure) != CAIRN_OK)
    return fprintf(stderr, "%s\n", failure.text), 1;
  make_shapes();
  for (int shape_count = 1; shape_count <= SHAPES; shape_count *= 2)
    visit_shapes(shape_count, count, rounds < MAX_ROUNDS ? rounds : MAX_ROUNDS);
  return 0;
}
