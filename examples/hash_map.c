/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash map from strings to counts that grows as it fills. Strings are managed objects with a
 * flexible array of bytes; the table is a managed array of references.
 *
 *   hash_map [words]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

struct string {
  long length;
  char bytes[];
};

struct entry {
  struct entry managed *next;
  struct string managed *key;
  unsigned long hash;
  long count;
};

typedef struct entry managed *entry_ref;

struct map {
  entry_ref managed *buckets;
  long capacity, used;
};

static unsigned long hash_of(struct string managed *key)
{
  unsigned long hash = 14695981039346656037ul;

  for (long i = 0; i < key->length; i++)
    hash = (hash ^ (unsigned char)key->bytes[i]) * 1099511628211ul;
  return hash ^ hash >> 29;
}

static int same(struct string managed *a, struct string managed *b)
{
  if (a->length != b->length)
    return 0;
  for (long i = 0; i < a->length; i++)
    if (a->bytes[i] != b->bytes[i])
      return 0;
  return 1;
}

static struct map managed *map_new(void)
{
  struct map managed *map = cairn_new(struct map);

  map->capacity = 8;
  map->buckets = cairn_new_array(entry_ref, map->capacity);
  return map;
}

static void grow(struct map managed *map)
{
  long capacity = map->capacity * 2;
  entry_ref managed *buckets = cairn_new_array(entry_ref, capacity);

  for (long i = 0; i < map->capacity; i++)
    for (entry_ref entry = map->buckets[i], next; entry; entry = next) {
      entry_ref managed *bucket = &buckets[entry->hash & (unsigned long)(capacity - 1)];
      next = entry->next;
      entry->next = *bucket;
      *bucket = entry;
    }
  map->buckets = buckets;
  map->capacity = capacity;
}

static entry_ref map_at(struct map managed *map, struct string managed *key)
{
  unsigned long hash = hash_of(key);

  for (entry_ref entry = map->buckets[hash & (unsigned long)(map->capacity - 1)]; entry;
       entry = entry->next)
    if (entry->hash == hash && same(entry->key, key))
      return entry;
  if (map->used == map->capacity)
    grow(map);
  entry_ref entry = cairn_new(struct entry);
  entry_ref managed *bucket = &map->buckets[hash & (unsigned long)(map->capacity - 1)];
  entry->key = key;
  entry->hash = hash;
  entry->next = *bucket;
  *bucket = entry;
  map->used++;
  return entry;
}

/* A pseudo-random word: a fresh object each time, garbage if the map has it already. */
static struct string managed *word(unsigned long seed)
{
  static const char syllables[] = "kalomenirusatipe";
  long parts = 1 + (long)(seed >> 8 & 3);
  struct string managed *text = cairn_new_flex(struct string, parts * 2, bytes);

  text->length = parts * 2;
  for (long i = 0; i < parts; i++) {
    unsigned long at = seed >> (16 + 3 * i) & 7;
    text->bytes[2 * i] = syllables[2 * at];
    text->bytes[2 * i + 1] = syllables[2 * at + 1];
  }
  return text;
}

static void print(struct string managed *text)
{
  for (long i = 0; i < text->length; i++)
    putchar(text->bytes[i]);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: hash_map [words]") < 0;

  long words = argc > 1 ? atol(argv[1]) : 300000;
  struct map managed *map = map_new();
  unsigned long seed = 42, checksum = 0;
  entry_ref best = NULL;

  for (long i = 0; i < words; i++) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    map_at(map, word(seed >> 20))->count++;
  }
  for (long i = 0; i < map->capacity; i++)
    for (entry_ref entry = map->buckets[i]; entry; entry = entry->next) {
      checksum += entry->hash * (unsigned long)entry->count;
      if (!best || entry->count > best->count ||
          (entry->count == best->count && entry->hash < best->hash))
        best = entry;
    }
  printf("%ld different words of %ld, checksum %016lx\n", map->used, words, checksum);
  printf("most frequent: ");
  if (best) {
    print(best->key);
    printf(" (%ld)\n", best->count);
  }
  return 0;
}
