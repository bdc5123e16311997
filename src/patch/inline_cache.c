/* SPDX-License-Identifier: Apache-2.0
 *
 * Fills and clears inline caches. A change of a cache makes its version odd, changes an entry, and makes the version
 * even again; readers (cairn_inline_cache_find()) compare the version before and after. All changes happen under
 * CN_LOCK_PATCH. Its holder waits for nothing, so that leaves of managed code may take it; a forking thread holds it.
 * Owns the list of registered groups, under the lock. Any thread, in any phase.
 */
#include "patch/inline_cache.h"

#include <string.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/lock.h"

_Static_assert(sizeof(struct cairn_inline_cache) == 128, "a cache has two lines");

/* The head of a ring; its links are null before the first group. */
static struct cairn_inline_cache_group all_groups;

void cn_cache_begin_change(uint64_t *version)
{
  CN_ASSERT(*version % 2 == 0);
  __atomic_store_n(version, *version + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

void cn_cache_end_change(uint64_t *version)
{
  CN_ASSERT(*version % 2 == 1);
  __atomic_store_n(version, *version + 1, __ATOMIC_RELEASE);
}

static void set_entry(struct cairn_inline_cache *cache, unsigned index, uintptr_t key, const uintptr_t word[2])
{
  struct cairn_inline_cache_entry *entry = &cache->entry[index];

  cn_cache_begin_change(&cache->version);
  __atomic_store_n(&entry->key, key, __ATOMIC_RELAXED);
  __atomic_store_n(&entry->word[0], word[0], __ATOMIC_RELAXED);
  __atomic_store_n(&entry->word[1], word[1], __ATOMIC_RELAXED);
  cn_cache_end_change(&cache->version);
}

static void clear_entry(struct cairn_inline_cache *cache, unsigned index)
{
  static const uintptr_t nothing[2];

  set_entry(cache, index, 0, nothing);
}

/* ---- one cache ---- */

/* The entry with the key, or else the first unused one; CAIRN_INLINE_CACHE_ENTRIES: all belong to other keys. */
static unsigned find_entry(const struct cairn_inline_cache *cache, uintptr_t key)
{
  unsigned unused = CAIRN_INLINE_CACHE_ENTRIES;

  for (unsigned i = CAIRN_INLINE_CACHE_ENTRIES; i-- > 0;) {
    if (cache->entry[i].key == key)
      return i;
    if (cache->entry[i].key == 0)
      unused = i;
  }
  return unused;
}

static void set_megamorphic(struct cairn_inline_cache *cache, uint32_t megamorphic)
{
  cn_cache_begin_change(&cache->version);
  __atomic_store_n(&cache->megamorphic, megamorphic, __ATOMIC_RELAXED);
  cn_cache_end_change(&cache->version);
}

/* The shared table gets all entries of a megamorphic cache, because look-ups then skip most of the cache's own. */
static bool make_megamorphic(struct cairn_inline_cache *cache)
{
  for (unsigned i = 0; i < CAIRN_INLINE_CACHE_ENTRIES; i++)
    if (!cn_shared_cache_fill(cache->name, cache->entry[i].key, cache->entry[i].word))
      return false;
  set_megamorphic(cache, 1);
  return true;
}

static enum cairn_status fill_locked(struct cairn_inline_cache *cache, uintptr_t key, const uintptr_t word[2])
{
  unsigned index = find_entry(cache, key);

  if (!cache->registered)
    return CAIRN_E_UNKNOWN;
  if (index == CAIRN_INLINE_CACHE_ENTRIES && !cache->megamorphic && !make_megamorphic(cache))
    return CAIRN_E_MEMORY;
  if (index < CAIRN_INLINE_CACHE_ENTRIES)
    set_entry(cache, index, key, word);
  if (cache->megamorphic)
    cn_shared_cache_fill(cache->name, key, word); /* the table is there */
  return CAIRN_OK;
}

enum cairn_status cairn_inline_cache_fill(struct cairn_inline_cache *cache, uintptr_t key,
                                          struct cairn_inline_cache_values values)
{
  if (key == 0)
    return CAIRN_E_BOUNDS;
  if (!cn_lock_take(CN_LOCK_PATCH))
    return CAIRN_E_BUSY;
  enum cairn_status status = fill_locked(cache, key, values.word);
  cn_lock_release(CN_LOCK_PATCH);
  return status;
}

static bool has_name(const void *env, uintptr_t name, uintptr_t key, const uintptr_t word[2])
{
  (void)key;
  (void)word;
  return name == *(const uintptr_t *)env;
}

/* The table's entries go, too: the cache may become megamorphic again. */
static void clear_cache(struct cairn_inline_cache *cache)
{
  if (cache->megamorphic) {
    cn_shared_cache_clear(has_name, &cache->name);
    set_megamorphic(cache, 0);
  }
  for (unsigned i = 0; i < CAIRN_INLINE_CACHE_ENTRIES; i++)
    if (cache->entry[i].key != 0)
      clear_entry(cache, i);
}

enum cairn_status cairn_inline_cache_clear(struct cairn_inline_cache *cache)
{
  if (!cn_lock_take(CN_LOCK_PATCH))
    return CAIRN_E_BUSY;
  clear_cache(cache);
  cn_lock_release(CN_LOCK_PATCH);
  return cn_patched_caches_follow(false, NULL);
}

enum cairn_inline_cache_stage cairn_inline_cache_stage(const struct cairn_inline_cache *cache)
{
  unsigned used = 0;

  if (__atomic_load_n(&cache->megamorphic, __ATOMIC_RELAXED))
    return CAIRN_INLINE_CACHE_MEGAMORPHIC;
  for (unsigned i = 0; i < CAIRN_INLINE_CACHE_ENTRIES; i++)
    used += __atomic_load_n(&cache->entry[i].key, __ATOMIC_RELAXED) != 0;
  return used > 1    ? CAIRN_INLINE_CACHE_POLYMORPHIC
         : used == 1 ? CAIRN_INLINE_CACHE_MONOMORPHIC
                     : CAIRN_INLINE_CACHE_EMPTY;
}

/* ---- all caches ---- */

static void clear_group(const struct cairn_inline_cache_group *group, cn_cache_predicate *must_go, const void *env)
{
  for (size_t i = 0; i < group->count; i++)
    for (unsigned j = 0; j < CAIRN_INLINE_CACHE_ENTRIES; j++) {
      const struct cairn_inline_cache_entry *entry = &group->caches[i].entry[j];
      if (entry->key != 0 && must_go(env, group->caches[i].name, entry->key, entry->word))
        clear_entry(&group->caches[i], j);
    }
}

static enum cairn_status clear_all(cn_cache_predicate *must_go, const void *env, bool is_stopped,
                                   struct cairn_patch_failure *failure)
{
  if (!cn_lock_take(CN_LOCK_PATCH))
    return CAIRN_E_BUSY;
  for (struct cairn_inline_cache_group *group = all_groups.next; group != NULL && group != &all_groups;
       group = group->next)
    clear_group(group, must_go, env);
  cn_shared_cache_clear(must_go, env);
  cn_lock_release(CN_LOCK_PATCH);
  return cn_patched_caches_follow(is_stopped, failure);
}

static bool has_key(const void *env, uintptr_t name, uintptr_t key, const uintptr_t word[2])
{
  (void)name;
  (void)word;
  return key == *(const uintptr_t *)env;
}

enum cairn_status cairn_inline_caches_clear_key(uintptr_t key)
{
  return clear_all(has_key, &key, false, NULL);
}

struct range {
  uintptr_t start, end;
};

static bool touches_range(const void *env, uintptr_t name, uintptr_t key, const uintptr_t word[2])
{
  const struct range *range = env;
  uintptr_t size = range->end - range->start;

  (void)name;
  return key - range->start < size || word[0] - range->start < size || word[1] - range->start < size;
}

enum cairn_status cairn_inline_caches_clear_range(uintptr_t start, uintptr_t end)
{
  struct range range = {start, end};

  return start < end ? clear_all(touches_range, &range, false, NULL) : CAIRN_OK;
}

/* A failure without status OK is that of a patched cache (patched_cache.c); signals wait for the end of fills. */
void cn_inline_caches_forget_image(const struct cairn_image *image, bool is_stopped)
{
  struct range range = {(uintptr_t)image->layouts_start, (uintptr_t)image->layouts_stop};
  struct cairn_patch_failure failure = {0};

  if (range.start < range.end && clear_all(touches_range, &range, is_stopped, &failure) != CAIRN_OK)
    cairn_fatal("an image is unloaded whose layouts are in the code of inline caches: %s", failure.text);
}

/* ---- groups ---- */

static void set_registered(const struct cairn_inline_cache_group *group, uint32_t registered)
{
  for (size_t i = 0; i < group->count; i++)
    group->caches[i].registered = registered;
}

static void link_group(struct cairn_inline_cache_group *group)
{
  if (all_groups.next == NULL)
    all_groups.next = all_groups.previous = &all_groups;
  group->next = &all_groups;
  group->previous = all_groups.previous;
  group->previous->next = group;
  all_groups.previous = group;
}

static void unlink_group(struct cairn_inline_cache_group *group)
{
  group->previous->next = group->next;
  group->next->previous = group->previous;
  group->next = group->previous = NULL;
}

enum cairn_status cairn_inline_caches_add(struct cairn_inline_cache_group *group)
{
  if (group->count == 0 || (uintptr_t)group->caches % _Alignof(struct cairn_inline_cache) != 0)
    return CAIRN_E_BOUNDS;
  if (!cn_lock_take(CN_LOCK_PATCH))
    return CAIRN_E_BUSY;
  bool is_new = group->next == NULL && !group->caches[0].registered;
  if (is_new) {
    link_group(group);
    set_registered(group, 1);
  }
  cn_lock_release(CN_LOCK_PATCH);
  return is_new ? CAIRN_OK : CAIRN_E_OVERLAP;
}

enum cairn_status cairn_inline_caches_remove(struct cairn_inline_cache_group *group)
{
  if (!cn_lock_take(CN_LOCK_PATCH))
    return CAIRN_E_BUSY;
  bool is_known = group->next != NULL;
  if (is_known) {
    unlink_group(group);
    for (size_t i = 0; i < group->count; i++)
      clear_cache(&group->caches[i]);
    set_registered(group, 0);
  }
  cn_lock_release(CN_LOCK_PATCH);
  return is_known ? CAIRN_OK : CAIRN_E_UNKNOWN;
}
