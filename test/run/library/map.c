// RUN: %root/test/run/Inputs/same %build --args 3000 --small 40 --many 8000 %s
// RUN: clang -O1 -w -DCAIRN_PLAIN -I%root/include %s -o %t.plain && %t.plain 3000 > %t.expected
// RUN: %cairn-cc -O2 -I%root/include -fcairn-barriers=cards -fcairn-collector=generational %s -o %t
// RUN: %t 3000 | diff %t.expected - && env CAIRN_STRESS=97 CAIRN_VERIFY=heap %t 3000 | diff %t.expected -
// RUN: %t 3000 weak | FileCheck %s && env CAIRN_STRESS=7 %t 100 weak | FileCheck %s
// CHECK: 0 of the dead, all of the living, as many as counted
// Maps of texts, objects, integers and structs as keys. Wrong: an entry is not found after a collection or a growth, a
// removed one is found, a chain ends at a removed entry; a weak entry stays, or goes with its key alive.
#include <stdio.h>
#include <stdlib.h>
#include <cairn/map.h>

struct node {
  long number;
  struct node managed *next;
};
typedef struct node managed *ref;
struct point {
  int x, y;
};

static unsigned long hash_point(struct point p)
{
  return cairn_hash_integer((unsigned long)p.x << 32 ^ (unsigned)p.y);
}

static _Bool equal_points(struct point p, struct point q)
{
  return p.x == q.x && p.y == q.y;
}

/* Long chains, with other hashes among them. */
#define hash_badly(n) ((unsigned long)(n) % 7)

CAIRN_MAP(words, const char managed *, long, cairn_hash_text, cairn_equal_texts)
CAIRN_MAP(objects, ref, ref, cairn_hash_object, cairn_equal_words)
CAIRN_MAP(grid, struct point, ref, hash_point, equal_points)
CAIRN_MAP(chains, long, long, hash_badly, cairn_equal_words)
CAIRN_WEAK_MAP(notes, ref, ref, cairn_hash_object, cairn_equal_words)

static unsigned long hash;

static void note(long value)
{
  hash = hash * 31 + (unsigned long)value;
}

static ref node(long number, ref next)
{
  ref n = cairn_new(struct node);

  n->number = number;
  n->next = next;
  return n;
}

static void count_words(long n)
{
  struct words managed *map = words_new();
  long sum = 0, value;

  for (long i = 0; i < n; i++)
    ++*words_at(map, cairn_format("word %ld", i * 7 % (n / 3 + 1)));
  for (long i = 0; i < n; i += 5)
    sum += words_remove(map, cairn_format("word %ld", i));
  for (long i = -1; (i = words_next(map, i)) >= 0;) {
    value = map->entries->at[i].value;
    sum += value * (long)strlen(map->entries->at[i].key);
    words_put(map, map->entries->at[i].key, value + 1);
  }
  for (long i = 0; i < n; i++)
    sum += words_get(map, cairn_format("word %ld", i)) ? *words_get(map, cairn_format("word %ld", i)) : 3;
  note(sum);
  note(words_count(map));
}

static void map_objects(long n)
{
  struct objects managed *map = objects_new();
  struct grid managed *grid = grid_new();
  ref list = NULL;
  long wrong = 0;

  for (long i = 0; i < n; i++) {
    list = node(i, list);
    objects_put(map, list, node(-i, NULL));
    grid_put(grid, (struct point){(int)i % 50, (int)i / 50}, list);
    if (i % 32 == 31)
      cairn_collect();
  }
  for (ref key = list; key; key = key->next) {
    wrong += (*objects_get(map, key))->number != -key->number;
    wrong += *grid_get(grid, (struct point){(int)key->number % 50, (int)key->number / 50}) != key;
    if (key->number % 3 == 0)
      wrong += !objects_remove(map, key) || objects_remove(map, key);
  }
  for (ref key = list; key; key = key->next)
    wrong += (objects_get(map, key) == NULL) != (key->number % 3 == 0);
  wrong += objects_get(map, node(1, NULL)) != NULL || grid_get(grid, (struct point){-1, 0}) != NULL;
  note(wrong);
  note(objects_count(map) * 5 + grid_count(grid));
}

/* Entries come and go, so that chains have removed entries in them, and the map does not grow. */
static void churn(long n)
{
  struct chains managed *map = chains_new();

  for (long i = 0; i < n; i++) {
    chains_put(map, i, i * i);
    if (i >= 10)
      note(chains_remove(map, i - 10) * 2 + chains_remove(map, i - 11));
    if (i >= 5)
      note(*chains_get(map, i - 5));
  }
  note(chains_count(map));
  note(map->entries->room <= 64);
}

static ref list;

/* Every fourth key lives, in a list; the values of others lead to their keys. */
static int forget(long n)
{
  struct notes managed *map = notes_new();
  long living = 0, dead = 0, found = 0;

  for (long i = 0; i < n; i++) {
    ref key = node(i, i % 4 ? NULL : list);
    if (i % 4 == 0) {
      list = key;
      living++;
    }
    notes_put(map, key, node(-i, i % 4 == 1 ? key : NULL));
  }
  cairn_collect();
  cairn_collect();
  for (long i = -1; (i = notes_next(map, i)) >= 0;)
    dead += map->entries->at[i].key->number % 4 != 0;
  for (ref key = list; key; key = key->next)
    found += notes_get(map, key) && (*notes_get(map, key))->number == -key->number;
  printf("%ld of the dead, %s of the living, %s\n", dead, found == living ? "all" : "some",
         notes_count(map) == living ? "as many as counted" : "more than counted");
  return 0;
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 10;

  if (argc > 2)
    return forget(n);
  count_words(n);
  printf("%lx\n", hash);
  map_objects(n);
  printf("%lx\n", hash);
  churn(n);
  printf("%lx\n", hash);
  return 0;
}
