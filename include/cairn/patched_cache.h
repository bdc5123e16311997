/* SPDX-License-Identifier: Apache-2.0
 *
 * Inline caches in code: each place of a program that looks something up compares the key with the constants in its own
 * instructions, which the runtime patches (docs/patching.md, "Inline caches"). The entries are also in an inline cache
 * in data (<cairn/inline_cache.h>), where a look-up goes on that the code does not answer.
 *
 *   CAIRN_PATCHED_CACHE(count_cache, 17)                        17: the id of the points, a literal
 *
 *   uintptr_t found = cairn_patched_cache_find(count_cache, 17, (uintptr_t)shape);
 *   if (!found) {
 *     found = look_up(shape, name);
 *     cairn_patched_cache_fill(&count_cache, (uintptr_t)shape, found, NULL);
 *   }
 *
 * A key and a value are words other than 0. The code of a cache has up to CAIRN_INLINE_CACHE_ENTRIES entries; a
 * megamorphic cache has its entries in the shared table. All points with the cache's id, which inlining and unrolling
 * may copy, get the same entries in one batch. Clears of <cairn/inline_cache.h> reach these caches, too, as does the
 * removal of an image.
 *
 * cairn_patched_cache_find() is for managed C; the other functions run in native code, as those of <cairn/patch.h>.
 */
#ifndef CAIRN_PATCHED_CACHE_H
#define CAIRN_PATCHED_CACHE_H

#include <stdint.h>
#include <cairn/inline_cache.h>
#include <cairn/patch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a point, for all entries. */
#define CAIRN_PATCHED_CACHE_BYTES 144

/* A cache. The program sets `id`, and may set `data.name`, before cairn_patched_cache_add(), which gives a cache
 * without a name a unique one. */
struct cairn_patched_cache {
  struct cairn_inline_cache data;
  uint64_t id;
  /* The runtime's. */
  struct cairn_inline_cache_group group;
  uint64_t patched; /* the version of the data that the code has; odd: none */
  struct cairn_patched_cache *next;
};

#pragma GCC visibility push(default)

/* Registers a cache, and empties its points. The points are used only from now on: before, their results are undefined.
 * Code with points of this id that is loaded later must call cairn_patched_cache_renew() before it runs. OVERLAP: the
 * cache is registered already; SHAPE: a point with the id has another form than cairn_patched_cache_find(); ROOM;
 * otherwise as for cairn_patch_commit(). After a failure the cache is unregistered; *failure, unless it is null, has
 * the details. */
enum cairn_status cairn_patched_cache_add(struct cairn_patched_cache *cache, struct cairn_patch_failure *failure);
enum cairn_status cairn_patched_cache_renew(struct cairn_patched_cache *cache, struct cairn_patch_failure *failure);

/* Forgets the cache. No thread uses it any more; its points stay as they are. UNKNOWN: it is unregistered. */
enum cairn_status cairn_patched_cache_remove(struct cairn_patched_cache *cache);

/* Stores the value for a key, in data and in code. One stop of all threads, unless the cache is megamorphic or has the
 * entry. BOUNDS: the key or the value is 0; UNKNOWN: the cache is unregistered; otherwise as for cairn_patch_commit().
 * If only the patch fails, look-ups find the entry in the data. */
enum cairn_status cairn_patched_cache_fill(struct cairn_patched_cache *cache, uintptr_t key, uintptr_t value,
                                           struct cairn_patch_failure *failure);

/* The part of cairn_patched_cache_find() that follows the code. Any phase. */
CAIRN_INLINE_CACHE_LEAF uintptr_t cairn_patched_cache_find_data(const struct cairn_patched_cache *cache, uintptr_t key);

#pragma GCC visibility pop

__attribute__((always_inline)) static inline uintptr_t
cairn_patched_cache_find_rest_(const struct cairn_patched_cache *cache, uintptr_t key)
{
  struct cairn_inline_cache_values found;

  if (!__atomic_load_n(&cache->data.megamorphic, __ATOMIC_RELAXED))
    return cairn_patched_cache_find_data(cache, key);
  return cairn_inline_cache_find_shared(&cache->data, key, &found) ? found.word[0] : 0;
}

/* Finds the value of a key, which is not 0; 0: the cache lacks the key. `id` is a literal: the cache's. */
#ifdef CAIRN_PLAIN
#define cairn_patched_cache_find(cache, id, key) cairn_patched_cache_find_data(&(cache), key)
#else
uintptr_t cairn_patch_point_(uint64_t id, uint32_t bytes, void *target, uint32_t arguments,
                             ...) __asm__("cairn.patchpoint");
#define cairn_patched_cache_find(cache, id, key) \
  __extension__({ \
    uintptr_t key_ = (key), found_ = cairn_patch_point_(id, CAIRN_PATCHED_CACHE_BYTES, (void *)0, 1, key_); \
    if (__builtin_expect(found_ == 0, 0)) \
      found_ = cairn_patched_cache_find_rest_(&(cache), key_); \
    found_; \
  })
#endif

/* Defines a cache for the points with this id. Call cairn_patched_cache_add() first. */
#define CAIRN_PATCHED_CACHE(name, id_) static struct cairn_patched_cache name = {.id = (id_)};

#ifdef __cplusplus
}
#endif

#endif
