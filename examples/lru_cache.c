/* SPDX-License-Identifier: Apache-2.0
 *
 * A cache that drops the entry whose last use is the oldest. Entries lie in a map by key and in a list by use, whose
 * links are members of the entry. An entry without references to it is garbage at once: a caller may keep the value of
 * an entry that the cache has dropped.
 *
 *   lru_cache [CAPACITY [FILE]]    a line of FILE or of standard input is a key; prints hits, misses and the entries
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/map.h>
#include <cairn/string.h>

typedef const char managed text;
typedef struct entry managed entry;
typedef struct entries managed entries;
typedef struct cache managed cache;

struct entry {
  entry *newer, *older;
  text *key, *value;
};

CAIRN_MAP(entries, text *, entry *, cairn_hash_text, cairn_equal_texts)

struct cache {
  entry *newest, *oldest;
  entries *by_key;
  long capacity, hits, misses, dropped;
};

static cache *cache_new(long capacity)
{
  cache *c = cairn_new(cache);

  c->by_key = entries_new();
  c->capacity = capacity;
  return c;
}

/* ---- the list by use ---- */

static void unlink_entry(cache *c, entry *e)
{
  if (e->newer)
    e->newer->older = e->older;
  else
    c->newest = e->older;
  if (e->older)
    e->older->newer = e->newer;
  else
    c->oldest = e->newer;
  e->newer = e->older = NULL;
}

static void link_newest(cache *c, entry *e)
{
  e->older = c->newest;
  if (c->newest)
    c->newest->newer = e;
  else
    c->oldest = e;
  c->newest = e;
}

/* ---- the cache ---- */

/* The value of the key, or null. */
static text *cache_get(cache *c, text *key)
{
  entry *managed *found = entries_get(c->by_key, key);

  if (!found) {
    c->misses++;
    return NULL;
  }
  c->hits++;
  entry *e = *found;
  unlink_entry(c, e);
  link_newest(c, e);
  return e->value;
}

static void drop_oldest(cache *c)
{
  entry *e = c->oldest;

  unlink_entry(c, e);
  entries_remove(c->by_key, e->key);
  c->dropped++;
}

/* Adds a key that the cache lacks. */
static void cache_put(cache *c, text *key, text *value)
{
  entry *e = cairn_new(entry);

  e->key = key;
  e->value = value;
  if (entries_count(c->by_key) >= c->capacity)
    drop_oldest(c);
  entries_put(c->by_key, key, e);
  link_newest(c, e);
}

/* True if list and map have the same entries, and the list's links fit together. */
static _Bool cache_is_whole(cache *c)
{
  long count = 0;
  entry *last = NULL;

  for (entry *e = c->newest; e; last = e, e = e->older) {
    entry *managed *found = entries_get(c->by_key, e->key);
    if (e->newer != last || !found || *found != e)
      return 0;
    count++;
  }
  return last == c->oldest && count == entries_count(c->by_key);
}

/* ---- the command ---- */

/* The text backwards: a result that takes time, as far as this program is concerned. */
static text *compute(text *key)
{
  size_t length = strlen(key);
  char managed *result = cairn_text_uninit(length);

  for (size_t i = 0; i < length; i++)
    result[i] = key[length - 1 - i];
  return result;
}

static void print(cache *c)
{
  long printed = 0;

  printf("%ld hits, %ld misses, %ld dropped, %ld entries\n", c->hits, c->misses, c->dropped, entries_count(c->by_key));
  for (entry *e = c->newest; e && printed < 20; e = e->older, printed++)
    puts(cairn_format("%-20s %s", e->key, e->value));
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: lru_cache [CAPACITY [FILE]]") < 0;

  long capacity = argc > 1 ? atol(argv[1]) : 100;
  FILE *file = argc > 2 ? fopen(argv[2], "r") : stdin;
  cache *c = cache_new(capacity < 1 ? 1 : capacity);
  unsigned long checksum = 0;

  if (!file) {
    perror(argv[2]);
    return 1;
  }
  for (text *key; (key = cairn_read_line(file)) != NULL;) {
    text *value = cache_get(c, key);
    if (!value)
      cache_put(c, key, value = compute(key));
    checksum = checksum * 31 + cairn_hash_text(value);
  }
  print(c);
  printf("checksum %016lx, the cache is %s\n", checksum, cache_is_whole(c) ? "whole" : "broken");
  return 0;
}
