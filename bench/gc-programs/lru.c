/* SPDX-License-Identifier: Apache-2.0
 *
 * A cache of strings by strings, of which the one that was used longest ago goes first: `lru
 * THREADS ENTRIES COUNT`. Low keys are asked for more often; three look-ups in four or so find one.
 */
#include <string.h>
#include "workload.h"

struct text {
  long length;
  char bytes[];
};

struct entry {
  struct entry managed *chain, *newer, *older;
  struct text managed *key, *value;
};

struct cache {
  struct entry managed * managed * buckets;
  struct entry managed *newest, *oldest;
  long size, used;
};

static struct text managed *make_key(long number)
{
  char digits[24];
  long length = 0;

  do {
    digits[length++] = (char)('0' + number % 10);
    number /= 10;
  } while (number != 0);
  struct text managed *key = make_text(struct text, 4 + length);
  key->length = 4 + length;
  key->bytes[0] = 'k', key->bytes[1] = 'e', key->bytes[2] = 'y', key->bytes[3] = ':';
  for (long i = 0; i < length; i++)
    key->bytes[4 + i] = digits[i];
  return key;
}

static struct text managed *make_value(long length, char first)
{
  struct text managed *value = make_text(struct text, length);

  value->length = length;
  for (long i = 0; i < length; i++)
    value->bytes[i] = (char)(first + (i & 15));
  return value;
}

static long hash(struct text managed *key)
{
  unsigned hash = 2166136261U;

  for (long i = 0; i < key->length; i++)
    hash = (hash ^ (unsigned char)key->bytes[i]) * 16777619U;
  return (long)(hash >> 1);
}

static int is_same(struct text managed *a, struct text managed *b)
{
  if (a->length != b->length)
    return 0;
  for (long i = 0; i < a->length; i++)
    if (a->bytes[i] != b->bytes[i])
      return 0;
  return 1;
}

static struct entry managed *find(struct cache managed *cache, struct text managed *key)
{
  struct entry managed *entry = cache->buckets[hash(key) % cache->size];

  while (entry != NULL && !is_same(entry->key, key))
    entry = entry->chain;
  return entry;
}

static void unlink_entry(struct cache managed *cache, struct entry managed *entry)
{
  if (entry->newer != NULL)
    entry->newer->older = entry->older;
  else
    cache->newest = entry->older;
  if (entry->older != NULL)
    entry->older->newer = entry->newer;
  else
    cache->oldest = entry->newer;
}

static void link_newest(struct cache managed *cache, struct entry managed *entry)
{
  entry->newer = NULL;
  entry->older = cache->newest;
  if (cache->newest != NULL)
    cache->newest->newer = entry;
  else
    cache->oldest = entry;
  cache->newest = entry;
}

static void evict(struct cache managed *cache)
{
  struct entry managed *last = cache->oldest;
  struct entry managed *managed *link = &cache->buckets[hash(last->key) % cache->size];

  unlink_entry(cache, last);
  if (*link == last) {
    *link = last->chain;
  } else {
    struct entry managed *before = *link;
    while (before->chain != last)
      before = before->chain;
    before->chain = last->chain;
  }
  drop(last->key);
  drop(last->value);
  drop(last);
  cache->used--;
}

static void insert(struct cache managed *cache, struct text managed *key, struct text managed *value)
{
  struct entry managed *entry = make(struct entry);
  long bucket = hash(key) % cache->size;

  entry->key = key;
  entry->value = value;
  entry->chain = cache->buckets[bucket];
  cache->buckets[bucket] = entry;
  link_newest(cache, entry);
  if (++cache->used > cache->size)
    evict(cache);
}

static struct cache managed *make_cache(long size)
{
  struct cache managed *cache = make(struct cache);

  cache->buckets = NULL;
  cache->newest = cache->oldest = NULL;
  cache->size = size;
  cache->used = 0;
  cache->buckets = make_array(struct entry managed *, size);
  return cache;
}

static long work(void)
{
  long size = arguments[0], count = arguments[1], random = 1, sum = 0;
  struct cache managed *cache = make_cache(size);

  for (long i = 0; i < count; i++) {
    long a = next_random(&random) % (4 * size), b = next_random(&random) % (4 * size);
    long c = next_random(&random) % (4 * size), least = a < b ? a : b;
    struct text managed *key = make_key(least < c ? least : c);
    struct entry managed *entry = find(cache, key);
    if (entry != NULL) {
      sum += entry->value->length + entry->value->bytes[0];
      unlink_entry(cache, entry);
      link_newest(cache, entry);
      drop(key);
    } else {
      insert(cache, key, make_value(16 + a % 240, (char)('a' + i % 8)));
    }
  }
  sum += cache->used;
  while (cache->used > 0)
    evict(cache);
  drop(cache->buckets);
  drop(cache);
  return sum;
}
