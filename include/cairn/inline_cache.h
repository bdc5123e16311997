/* SPDX-License-Identifier: Apache-2.0
 *
 * Inline caches in data: each place of a program that looks something up, such as a property of an object, keeps its
 * last answers in two lines of memory (docs/patching.md, "Inline caches").
 *
 *   CAIRN_INLINE_CACHE_GROUP(sites, 1)
 *
 *   struct cairn_inline_cache_values found;
 *   if (!cairn_inline_cache_find(&sites[0], (uintptr_t)shape, &found)) {
 *     found = look_up(shape, name);
 *     cairn_inline_cache_fill(&sites[0], (uintptr_t)shape, found);
 *   }
 *
 * An entry has a key of one word and two words of values. The program chooses their meaning: the key, other than 0, may
 * be the address of a shape or layout, or the number of a class; the values an offset, or the address of code. The
 * collector ignores keys and values.
 *
 * A cache is empty, monomorphic (one entry), polymorphic (up to four entries) or megamorphic: further entries are in a
 * hash table that all megamorphic caches share, by key and by the cache's name.
 *
 * Fills and clears stop no thread. A thread that looks up finds the values of one fill, or nothing: an entry never
 * mixes two fills. Threads look up without locks and in any phase, also in signal handlers. cairn_inline_cache_find()
 * and cairn_inline_cache_fill() are leaves for managed code, in units that include <cairn/cairn.h> before this header.
 *
 * When an image is unloaded, the runtime clears the entries with the address of one of its layouts as key or value.
 */
#ifndef CAIRN_INLINE_CACHE_H
#define CAIRN_INLINE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CAIRN_INLINE_CACHE_ENTRIES = 4 };

struct cairn_inline_cache_values {
  uintptr_t word[2];
};

struct cairn_inline_cache_entry {
  uintptr_t key; /* 0: unused */
  uintptr_t word[2];
};

/* A cache. The program sets `name` before the first fill and leaves the other members to the runtime; all are 0 at
 * first. Megamorphic caches with equal names share entries. */
struct cairn_inline_cache {
  uint64_t version; /* odd while an entry changes */
  uintptr_t name;
  struct cairn_inline_cache_entry entry[CAIRN_INLINE_CACHE_ENTRIES];
  uint32_t registered, megamorphic; /* 0 or 1 */
  uint64_t unused;
} __attribute__((aligned(64)));

/* Caches in one array, which the runtime clears together with others. The first two members are the program's. */
struct cairn_inline_cache_group {
  struct cairn_inline_cache *caches;
  size_t count;
  struct cairn_inline_cache_group *next, *previous; /* the runtime's */
};

enum cairn_inline_cache_stage {
  CAIRN_INLINE_CACHE_EMPTY,
  CAIRN_INLINE_CACHE_MONOMORPHIC,
  CAIRN_INLINE_CACHE_POLYMORPHIC,
  CAIRN_INLINE_CACHE_MEGAMORPHIC,
};

#ifdef CAIRN_CAIRN_H
#define CAIRN_INLINE_CACHE_LEAF cairn_leaf
#else
#define CAIRN_INLINE_CACHE_LEAF
#endif

#pragma GCC visibility push(default)

/* Registers the caches of a group, which must live until cairn_inline_caches_remove(). BOUNDS: the group has no caches,
 * or they are not aligned to 64 bytes; OVERLAP: the group is registered already; BUSY: a signal handler has interrupted
 * a function of this header. Any thread. */
enum cairn_status cairn_inline_caches_add(struct cairn_inline_cache_group *group);

/* Empties and forgets the caches. No thread uses them any more. UNKNOWN: the group is unregistered. BUSY as above. */
enum cairn_status cairn_inline_caches_remove(struct cairn_inline_cache_group *group);

/* Stores the values for a key: in place of the key's old values, in an unused entry, or in the shared table. BOUNDS:
 * the key is 0; UNKNOWN: the cache is unregistered; MEMORY: for the shared table; BUSY as above. After a failure the
 * cache is unchanged. */
CAIRN_INLINE_CACHE_LEAF enum cairn_status cairn_inline_cache_fill(struct cairn_inline_cache *cache, uintptr_t key,
                                                                  struct cairn_inline_cache_values values);

/* Empty the cache; remove the entries of a key from all caches; remove the entries with a key or a value in [start,
 * end) from all caches, for instance before code or data is unmapped. Threads that have found an entry before may still
 * use its values. The last two take time in proportion to the number of caches. BUSY as above. The code of patched
 * caches (<cairn/patched_cache.h>) follows; if that fails, the status is that of cairn_patch_commit(). */
enum cairn_status cairn_inline_cache_clear(struct cairn_inline_cache *cache);
enum cairn_status cairn_inline_caches_clear_key(uintptr_t key);
enum cairn_status cairn_inline_caches_clear_range(uintptr_t start, uintptr_t end);

/* The stage of the cache. */
enum cairn_inline_cache_stage cairn_inline_cache_stage(const struct cairn_inline_cache *cache);

/* The shared table's part of cairn_inline_cache_find(). */
CAIRN_INLINE_CACHE_LEAF bool cairn_inline_cache_find_shared(const struct cairn_inline_cache *cache, uintptr_t key,
                                                            struct cairn_inline_cache_values *values);

#pragma GCC visibility pop

/* True if the entry has the key, and the cache still has the version. */
static inline bool cairn_inline_cache_match_(const struct cairn_inline_cache *cache, unsigned index, uint64_t version,
                                             uintptr_t key, struct cairn_inline_cache_values *values)
{
  const struct cairn_inline_cache_entry *entry = &cache->entry[index];

  if (__atomic_load_n(&entry->key, __ATOMIC_RELAXED) != key)
    return false;
  values->word[0] = __atomic_load_n(&entry->word[0], __ATOMIC_RELAXED);
  values->word[1] = __atomic_load_n(&entry->word[1], __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return __atomic_load_n(&cache->version, __ATOMIC_RELAXED) == version;
}

/* A copy, so that *values may stay in registers. */
static inline bool cairn_inline_cache_find_far_(const struct cairn_inline_cache *cache, uintptr_t key,
                                                struct cairn_inline_cache_values *values)
{
  struct cairn_inline_cache_values found;

  if (!cairn_inline_cache_find_shared(cache, key, &found))
    return false;
  *values = found;
  return true;
}

/* Finds the values of `key`, which is not 0. Returns false if the cache lacks the key, or is changing; *values is
 * undefined then. Any thread, any phase, async-signal-safe. */
static inline bool cairn_inline_cache_find(const struct cairn_inline_cache *cache, uintptr_t key,
                                           struct cairn_inline_cache_values *values)
{
  uint64_t version = __atomic_load_n(&cache->version, __ATOMIC_ACQUIRE) & ~(uint64_t)1;

  if (__builtin_expect(cairn_inline_cache_match_(cache, 0, version, key, values), 1))
    return true;
  if (__atomic_load_n(&cache->megamorphic, __ATOMIC_RELAXED))
    return cairn_inline_cache_find_far_(cache, key, values);
  return cairn_inline_cache_match_(cache, 1, version, key, values) ||
         cairn_inline_cache_match_(cache, 2, version, key, values) ||
         cairn_inline_cache_match_(cache, 3, version, key, values);
}

/* Defines an array of `number` caches, registered while the file's image is loaded. */
#define CAIRN_INLINE_CACHE_GROUP(name_, number) \
  static struct cairn_inline_cache name_[number]; \
  static struct cairn_inline_cache_group name_##_group_ = {name_, number, 0, 0}; \
  __attribute__((constructor)) static void name_##_add_(void) \
  { \
    cairn_inline_caches_add(&name_##_group_); \
  } \
  __attribute__((destructor)) static void name_##_remove_(void) \
  { \
    cairn_inline_caches_remove(&name_##_group_); \
  }

#ifdef __cplusplus
}
#endif

#endif
