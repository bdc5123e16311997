/* SPDX-License-Identifier: Apache-2.0
 *
 * Work of <cairn/string.h>, <cairn/array.h> and <cairn/map.h>. `containers KIND TURNS` does it so many times, and
 * prints nanoseconds for each operation and a checksum. With CAIRN_PLAIN text and arrays are plain memory: the
 * functions of <string.h> are the C library's own. With QSORT, plain arrays are sorted by qsort(); with UTHASH, maps
 * are uthash's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cairn/array.h>
#include <cairn/map.h>
#ifdef UTHASH
#include <uthash.h>
#endif

#define ANY __attribute__((noinline))

enum { TEXTS = 64, KEYS = 20000, SORTED = 20000, MOVED = 256 };

static unsigned long seed = 1;

static long pick(long below)
{
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return (long)(seed >> 33) % below;
}

/* ---- text: TEXTS operations a turn ---- */

typedef char managed *text;

ANY static text managed *make_texts(long length)
{
  text managed *texts = cairn_new_array(text, TEXTS);

  for (long i = 0; i < TEXTS; i++) {
    texts[i] = cairn_text_uninit((size_t)(length + i % 7));
    memset(texts[i], 'x', (size_t)(length + i % 7));
  }
  return texts;
}

ANY static long lengths(text managed *texts, long unused)
{
  long sum = unused - unused;

  for (long i = 0; i < TEXTS; i++)
    sum += (long)strlen(texts[i]);
  return sum;
}

ANY static long comparisons(text managed *texts, long unused)
{
  long sum = unused - unused;

  for (long i = 0; i < TEXTS; i++)
    sum += strcmp(texts[i], texts[(i + 7) % (TEXTS - 1)]) <= 0;
  return sum;
}

ANY static long byte_comparisons(text managed *texts, long length)
{
  long sum = 0;

  for (long i = 0; i < TEXTS; i++)
    sum += memcmp(texts[i], texts[(i + 7) % (TEXTS - 1)], (size_t)length) <= 0;
  return sum;
}

ANY static long searches(text managed *texts, long unused)
{
  long sum = unused - unused;

  for (long i = 0; i < TEXTS; i++)
    sum += strchr(texts[i], 'y') == NULL;
  return sum;
}

ANY static long moves(text managed *array, long n)
{
  for (long i = 0; i < TEXTS; i++) {
    text last = array[n - 1];
    memmove(&array[1], &array[0], (size_t)(n - 1) * sizeof array[0]);
    array[0] = last;
  }
  return array[0] == NULL;
}

static text managed *make_array(long n)
{
  text managed *array = cairn_new_array(text, n);

  for (long i = 0; i < n; i++)
    array[i] = cairn_text("x");
  return array;
}

/* ---- sorts: SORTED operations a turn ---- */

struct node {
  long key;
};
typedef struct node managed *ref;

static int by_value(const long managed *a, const long managed *b)
{
  return *a < *b ? -1 : *a > *b;
}

static int by_key(const ref managed *a, const ref managed *b)
{
  return (*a)->key<(*b)->key ? -1 : (*a)->key>(*b)->key;
}

#ifdef QSORT
#define SORT(a, n, compare) qsort(a, (size_t)(n), sizeof *(a), (int (*)(const void *, const void *))(compare))
#else
#define SORT(a, n, compare) cairn_sort(a, n, compare)
#endif

ANY static long sort_numbers(void)
{
  long managed *a = cairn_new_array(long, SORTED);

  for (long i = 0; i < SORTED; i++)
    a[i] = pick(1000000);
  SORT(a, SORTED, by_value);
  return a[SORTED / 2];
}

ANY static long sort_references(ref managed *nodes)
{
  for (long i = 0; i < SORTED; i++)
    nodes[i]->key = pick(1000000);
  SORT(nodes, SORTED, by_key);
  return nodes[SORTED / 2]->key;
}

static ref managed *make_nodes(void)
{
  ref managed *nodes = cairn_new_array(ref, SORTED);

  for (long i = 0; i < SORTED; i++)
    nodes[i] = cairn_new(struct node);
  return nodes;
}

/* ---- maps: 3 * KEYS operations a turn ---- */

#ifndef UTHASH

CAIRN_MAP(numbers, long, long, cairn_hash_integer, cairn_equal_words)
CAIRN_MAP(words, text, long, cairn_hash_text, cairn_equal_texts)

ANY static long map_numbers(void)
{
  struct numbers managed *map = numbers_new();
  long sum = 0;

  for (long i = 0; i < 2 * KEYS; i++)
    *numbers_at(map, pick(KEYS)) += i;
  for (long i = 0; i < KEYS; i++)
    sum += numbers_get(map, i) ? *numbers_get(map, i) : 0;
  return sum;
}

ANY static long map_words(text managed *keys)
{
  struct words managed *map = words_new();
  long sum = 0;

  for (long i = 0; i < 2 * KEYS; i++)
    *words_at(map, keys[pick(KEYS)]) += i;
  for (long i = 0; i < KEYS; i++) {
    long managed *value = words_get(map, keys[i]);
    sum += value ? *value : 0;
  }
  return sum;
}

#else

struct entry {
  long number;
  const char *word;
  long value;
  UT_hash_handle hh;
};

static struct entry *new_entry(void)
{
  return calloc(1, sizeof(struct entry));
}

static void clear(struct entry *map)
{
  struct entry *entry, *next;

  HASH_ITER(hh, map, entry, next)
  {
    HASH_DEL(map, entry);
    free(entry);
  }
}

ANY static long map_numbers(void)
{
  struct entry *map = NULL, *found;
  long sum = 0;

  for (long i = 0; i < 2 * KEYS; i++) {
    long key = pick(KEYS);
    HASH_FIND(hh, map, &key, sizeof key, found);
    if (!found) {
      found = new_entry();
      found->number = key;
      HASH_ADD(hh, map, number, sizeof key, found);
    }
    found->value += i;
  }
  for (long i = 0; i < KEYS; i++) {
    HASH_FIND(hh, map, &i, sizeof i, found);
    sum += found ? found->value : 0;
  }
  clear(map);
  return sum;
}

ANY static long map_words(text managed *keys)
{
  struct entry *map = NULL, *found;
  long sum = 0;

  for (long i = 0; i < 2 * KEYS; i++) {
    const char *key = keys[pick(KEYS)];
    HASH_FIND_STR(map, key, found);
    if (!found) {
      found = new_entry();
      found->word = key;
      HASH_ADD_KEYPTR(hh, map, found->word, strlen(found->word), found);
    }
    found->value += i;
  }
  for (long i = 0; i < KEYS; i++) {
    HASH_FIND_STR(map, keys[i], found);
    sum += found ? found->value : 0;
  }
  clear(map);
  return sum;
}

#endif

static text managed *make_keys(void)
{
  text managed *keys = cairn_new_array(text, KEYS);

  for (long i = 0; i < KEYS; i++)
    keys[i] = cairn_format("key %ld of a map", i * 7919);
  return keys;
}

/* ---- the kinds ---- */

struct kind {
  const char *name;
  long (*work)(text managed *texts, long length);
  long length, operations;
};

static const struct kind kinds[] = {
    {"strlen-16", lengths, 16, TEXTS},          {"strlen-1024", lengths, 1024, TEXTS},
    {"strcmp-16", comparisons, 16, TEXTS},      {"strcmp-1024", comparisons, 1024, TEXTS},
    {"memcmp-16", byte_comparisons, 16, TEXTS}, {"memcmp-1024", byte_comparisons, 1024, TEXTS},
    {"strchr-16", searches, 16, TEXTS},         {"strchr-1024", searches, 1024, TEXTS},
    {"memmove", moves, MOVED, TEXTS},
};

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

ANY static int report(double nanoseconds, double operations, long sum)
{
  return printf("%.3f %ld\n", nanoseconds / operations, sum) < 0;
}

ANY static int run_kind(const struct kind *kind, long turns)
{
  text managed *texts = kind->work == moves ? make_array(kind->length) : make_texts(kind->length);
  long sum = 0;
  double start = now();

  for (long i = 0; i < turns; i++)
    sum += kind->work(texts, kind->length);
  return report(now() - start, (double)turns * (double)kind->operations, sum);
}

ANY static int run_other(const char *name, long turns)
{
  ref managed *nodes = make_nodes();
  text managed *keys = make_keys();
  long sum = 0, sort = strncmp(name, "sort", 4) == 0;
  double start = now();

  for (long i = 0; i < turns; i++)
    if (strcmp(name, "sort-numbers") == 0)
      sum += sort_numbers();
    else if (strcmp(name, "sort-references") == 0)
      sum += sort_references(nodes);
    else if (strcmp(name, "map-numbers") == 0)
      sum += map_numbers();
    else
      sum += map_words(keys);
  return report(now() - start, (double)turns * (sort ? SORTED : 3 * KEYS), sum);
}

int main(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "strlen-16";
  long turns = argc > 2 ? atol(argv[2]) : 1;

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(name, kinds[i].name) == 0)
      return run_kind(&kinds[i], turns);
  return run_other(name, turns);
}
