/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed C: hash maps with open addressing, from keys of any type to values of any type.
 *
 *   #include <cairn/map.h>
 *
 *   CAIRN_MAP(counts, const char managed *, long, cairn_hash_text, cairn_equal_texts)
 *
 *   struct counts managed *map = counts_new();
 *   ++*counts_at(map, word);
 *   if ((count = counts_get(map, word))) printf("%ld\n", *count);
 *   for (long i = -1; (i = counts_next(map, i)) >= 0;)
 *     puts(map->entries->at[i].key);
 *
 * CAIRN_MAP(name, K, V, hash, equal) defines struct name and these functions, which are managed code:
 *   name_new()           a new, empty map
 *   name_get(map, key)   a reference to the key's value; null if the map lacks the key
 *   name_at(map, key)    the same; a missing key is added, with a zeroed value
 *   name_put(map, key, value)   for a struct of more than 16 bytes that holds references: *name_at(map, key) = value
 *   name_remove(map, key)   true if the map had the key
 *   name_count(map)      the number of entries
 *   name_next(map, i)    the index in map->entries->at of the first entry after index i; -1 if there is none
 * References to values are valid up to the next call that adds a key. Removals during a loop of name_next() are fine.
 *
 * unsigned long hash(K) and _Bool equal(K, K) are functions or macros; equal keys have equal hashes. Both may allocate
 * and collect, but must leave the map alone. The hash of a key must stay the same while the key is in the map. Objects
 * move, so an address is no hash; cairn_hash_object() gives an object's identity. The functions below are for objects
 * by identity, for texts and for integers. Their hashes have no secret: a server whose clients choose the keys defines
 * a hash with a random seed.
 *
 * CAIRN_WEAK_MAP(name, K, V, hash, equal): the same for keys that are references, and that the map does not keep alive.
 * An entry disappears after its key has become garbage, with a value that only the map or the value itself refers to
 * (docs/weak.md). Its name_count() counts the live entries in linear time.
 *
 * Any thread; threads that share a map must take turns. With -DCAIRN_PLAIN weak maps keep their keys.
 */
#ifndef CAIRN_MAP_H
#define CAIRN_MAP_H

#include <stdint.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/string.h>
#include <cairn/weak.h>

/* Distributes the bits of a word. */
static inline unsigned long cairn_hash_integer(unsigned long n)
{
  n *= 0x9e3779b97f4a7c15ul;
  return n ^ n >> 32;
}

static inline unsigned long cairn_hash_text(const char cairn_managed *text)
{
  unsigned long hash = 0xcbf29ce484222325ul;

  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 0x100000001b3ul;
  return cairn_hash_integer(hash);
}

static inline _Bool cairn_equal_texts(const char cairn_managed *a, const char cairn_managed *b)
{
  return strcmp(a, b) == 0;
}

/* By identity, for keys of any type of reference. */
#define cairn_hash_object(object) cairn_identity_hash((void cairn_managed *)(object))
#define cairn_equal_words(a, b) ((a) == (b))

/* An entry's hash is 0 before its first use, and 1 after its removal. */
enum { CAIRN_MAP_REMOVED = 1, CAIRN_MAP_FIRST_ROOM = 8 };

#define CAIRN_MAP(name, K, V, hash_of, equal) \
  CAIRN_MAP_TYPES_(name, K, V, , ) \
  CAIRN_MAP_FUNCTIONS_(name, name##_key_, name##_value_, hash_of, equal, CAIRN_MAP_STRONG_) \
  static inline __attribute__((unused)) long name##_count(struct name cairn_managed *map) \
  { \
    return map->live; \
  }

#define CAIRN_WEAK_MAP(name, K, V, hash_of, equal) \
  CAIRN_MAP_TYPES_(name, K, V, cairn_weak, cairn_ephemeron) \
  CAIRN_MAP_FUNCTIONS_(name, name##_key_, name##_value_, hash_of, equal, CAIRN_MAP_KEY_LIVES_) \
  static inline __attribute__((unused)) long name##_count(struct name cairn_managed *map) \
  { \
    return name##_count_live(map); \
  }

/* ---- implementation ---- */

#define CAIRN_MAP_TYPES_(name, K, V, weak, ephemeron) \
  typedef CAIRN_OBJECT_(K) name##_key_; \
  typedef CAIRN_OBJECT_(V) name##_value_; \
  struct name##_entry { \
    name##_key_ key weak; \
    name##_value_ value; \
    unsigned long hash; \
  }; \
  struct ephemeron name##_entries { \
    long room; /* a power of two */ \
    struct name##_entry at[]; \
  }; \
  struct name { \
    struct name##_entries cairn_managed *entries; \
    long used, live; /* entries that were ever used, entries that were not removed */ \
  };

/* Is the key of an entry in use? A collection sets weak keys to null. */
#define CAIRN_MAP_STRONG_(key) 1
#define CAIRN_MAP_KEY_LIVES_(key) ((key) != NULL)

#define CAIRN_MAP_FUNCTIONS_(name, K, V, hash_of, equal, lives) \
  static inline struct name##_entries cairn_managed *name##_make_entries(long room) \
  { \
    struct name##_entries cairn_managed *entries = cairn_new_flex(struct name##_entries, room, at); \
    entries->room = room; \
    return entries; \
  } \
  static inline __attribute__((unused)) struct name cairn_managed *name##_new(void) \
  { \
    struct name cairn_managed *map = cairn_new(struct name); \
    map->entries = name##_make_entries(CAIRN_MAP_FIRST_ROOM); \
    return map; \
  } \
  static inline unsigned long name##_hash(K key) \
  { \
    unsigned long hash = hash_of(key); \
    return hash > CAIRN_MAP_REMOVED ? hash : hash + 2; \
  } \
  /* The index of the key's entry, or of the free entry at the end of its chain. */ \
  static inline long name##_find(struct name##_entries cairn_managed *entries, K key, unsigned long hash) \
  { \
    unsigned long mask = (unsigned long)(entries->room - 1); \
    for (unsigned long at = hash;; at++) { \
      unsigned long found = entries->at[at & mask].hash; \
      if (found == 0) \
        return (long)(at & mask); \
      if (found == hash) { \
        K other = entries->at[at & mask].key; \
        if (lives(other) && equal(other, key)) \
          return (long)(at & mask); \
      } \
    } \
  } \
  static inline __attribute__((unused)) long name##_next(struct name cairn_managed *map, long at) \
  { \
    struct name##_entries cairn_managed *entries = map->entries; \
    for (at++; at < entries->room; at++) \
      if (entries->at[at].hash > CAIRN_MAP_REMOVED && lives(entries->at[at].key)) \
        return at; \
    return -1; \
  } \
  static inline __attribute__((unused)) long name##_count_live(struct name cairn_managed *map) \
  { \
    long count = 0; \
    for (long at = -1; (at = name##_next(map, at)) >= 0;) \
      count++; \
    return count; \
  } \
  /* Drops removed entries; at most three eighths of the new entries are in use. */ \
  static __attribute__((noinline)) void name##_renew(struct name cairn_managed *map) \
  { \
    struct name##_entries cairn_managed *old = map->entries; \
    long room = CAIRN_MAP_FIRST_ROOM, live = name##_count_live(map); \
    while (3 * room < 8 * (live + 1)) \
      room *= 2; \
    struct name##_entries cairn_managed *entries = name##_make_entries(room); \
    unsigned long mask = (unsigned long)(room - 1); \
    map->used = map->live = 0; \
    for (long i = 0; i < old->room; i++) { \
      unsigned long at = old->at[i].hash; \
      if (at <= CAIRN_MAP_REMOVED || !lives(old->at[i].key)) \
        continue; \
      while (entries->at[at & mask].hash != 0) \
        at++; \
      entries->at[at & mask] = old->at[i]; \
      map->used++; \
      map->live++; \
    } \
    map->entries = entries; \
  } \
  static inline __attribute__((unused)) V cairn_managed *name##_get(struct name cairn_managed *map, K key) \
  { \
    struct name##_entries cairn_managed *entries = map->entries; \
    long at = name##_find(entries, key, name##_hash(key)); \
    return entries->at[at].hash == 0 ? NULL : &entries->at[at].value; \
  } \
  static inline V cairn_managed *name##_at(struct name cairn_managed *map, K key) \
  { \
    unsigned long hash = name##_hash(key); \
    long at = name##_find(map->entries, key, hash); \
    if (map->entries->at[at].hash == 0) { \
      if (4 * (map->used + 1) > 3 * map->entries->room) { \
        name##_renew(map); \
        at = name##_find(map->entries, key, hash); \
      } \
      map->entries->at[at].hash = hash; \
      map->entries->at[at].key = key; \
      map->used++; \
      map->live++; \
    } \
    return &map->entries->at[at].value; \
  } \
  static inline __attribute__((unused)) void name##_put(struct name cairn_managed *map, K key, V value) \
  { \
    *name##_at(map, key) = value; \
  } \
  static inline __attribute__((unused)) _Bool name##_remove(struct name cairn_managed *map, K key) \
  { \
    struct name##_entries cairn_managed *entries = map->entries; \
    long at = name##_find(entries, key, name##_hash(key)); \
    if (entries->at[at].hash == 0) \
      return 0; \
    memset(&entries->at[at], 0, sizeof entries->at[at]); \
    entries->at[at].hash = CAIRN_MAP_REMOVED; \
    map->live--; \
    return 1; \
  }

#endif
