/* SPDX-License-Identifier: Apache-2.0
 *
 * Inline caches in code (<cairn/patched_cache.h>). The entries are those of an inline cache in data, and the code of
 * all points with the cache's id follows the data: an update reads the entries, makes the code, and writes it, provided
 * that the data are the same at the moment of the write; else it begins again. Owns the list of caches and the number
 * of removals, under CN_LOCK_PATCH. Runs on any thread, in native code, or in a stop of the caller.
 */
#include <cairn/patched_cache.h>

#include <string.h>
#include "base/check.h"
#include "patch/batch.h"
#include "patch/inline_cache.h"
#include "patch/machine.h"
#include "patch/memory.h"
#include "runtime/core/defer.h"
#include "runtime/core/lock.h"

static struct cairn_patched_cache *all_caches;
static uint64_t cache_removals;

/* ---- updates ---- */

/* A cache, its entries at a version, and the patches of its points. */
struct cache_update {
  struct cairn_patched_cache *cache;
  uint64_t version;
  struct cn_cache_entries entries;
  struct cairn_patch *patch;
};

struct update_list {
  struct cache_update *at;
  size_t count, room;
  uint64_t removals;
  bool is_outdated;
};

enum { NEVER_PATCHED = 1 }; /* an odd version */
_Static_assert(CAIRN_PATCHED_CACHE_BYTES >= CAIRN_INLINE_CACHE_ENTRIES * 34 + 7, "the code of all entries fits");

static void read_entries(struct cache_update *update)
{
  const struct cairn_inline_cache *data = &update->cache->data;

  CN_ASSERT(data->version % 2 == 0);
  update->version = data->version;
  update->entries.count = 0;
  for (unsigned i = 0; i < CAIRN_INLINE_CACHE_ENTRIES && !data->megamorphic; i++)
    if (data->entry[i].key != 0)
      update->entries.entry[update->entries.count++] = data->entry[i];
}

/* List the cache `only`, or, if it is null, all caches whose data have changed. False: memory is exhausted. */
static bool list_caches(struct update_list *list, struct cairn_patched_cache *only)
{
  size_t count = only != NULL;

  for (const struct cairn_patched_cache *cache = all_caches; only == NULL && cache != NULL; cache = cache->next)
    count += cache->patched != cache->data.version;
  *list = (struct update_list){.room = count, .removals = cache_removals};
  list->at = count != 0 ? cn_patch_allocate(count * sizeof *list->at) : NULL;
  if (count != 0 && list->at == NULL)
    return false;
  struct cairn_patched_cache *cache = only != NULL ? only : all_caches;
  for (; cache != NULL; cache = only != NULL ? NULL : cache->next)
    if (only != NULL || cache->patched != cache->data.version) {
      struct cache_update *update = &list->at[list->count++];
      update->cache = cache;
      read_entries(update);
    }
  CN_ASSERT(list->count == count);
  return true;
}

static void free_list(struct update_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    cairn_patch_abandon(list->at[i].patch);
  if (cn_lock_take(CN_LOCK_PATCH)) {
    cn_patch_free(list->at, list->room * sizeof *list->at);
    cn_lock_release(CN_LOCK_PATCH);
  }
}

/* ---- code ---- */

/* Find the registers of the key and of the result. False: the point has another form. */
static bool find_registers(const struct cairn_point *point, struct cairn_point_value *key,
                           struct cairn_point_value *result)
{
  return point->kind == CAIRN_POINT_PATCHPOINT && point->has_result && point->arguments == 1 &&
         cairn_point_read_value(point, 0, result) == CAIRN_OK && cairn_point_read_value(point, 1, key) == CAIRN_OK &&
         result->place == CAIRN_POINT_REGISTER && result->bits == 64 && key->bits == 64 &&
         (key->place == CAIRN_POINT_REGISTER || key->place == CAIRN_POINT_CONSTANT);
}

static void add_point(struct cache_update *update, const struct cairn_point *point)
{
  struct cairn_patch_failure *failure = &update->patch->failure;
  unsigned char code[CAIRN_PATCHED_CACHE_BYTES];
  struct cairn_point_value key, result;

  if (!find_registers(point, &key, &result)) {
    cn_patch_fail(failure, CAIRN_E_SHAPE, point->address, "the point is no patched inline cache");
  } else if (point->length != sizeof code) {
    cn_patch_fail(failure, CAIRN_E_ROOM, point->address,
                  "a patched inline cache needs %zu bytes, and the region has %zu", sizeof code, (size_t)point->length);
  } else {
    enum cairn_status status = cn_machine_fill_cache(code, sizeof code, &update->entries, &key, result.reg);
    CN_CHECK(status == CAIRN_OK);
    cairn_patch_add(update->patch, point, code, sizeof code);
  }
}

/* Add the patches of all points with the id. False: memory is exhausted. */
static bool add_points(struct cache_update *update)
{
  uint64_t id = update->cache->id;
  size_t room = cairn_points_with_id(id, NULL, 0) + 1;

  update->patch = cairn_patch_begin();
  if (update->patch == NULL || !cn_lock_take(CN_LOCK_PATCH))
    return false;
  struct cairn_point *points = cn_patch_allocate(room * sizeof *points);
  cn_lock_release(CN_LOCK_PATCH);
  size_t count = points != NULL ? cairn_points_with_id(id, points, room) : 0;
  for (size_t i = 0; i < count && i < room; i++)
    add_point(update, &points[i]);
  if (cn_lock_take(CN_LOCK_PATCH)) {
    cn_patch_free(points, room * sizeof *points);
    cn_lock_release(CN_LOCK_PATCH);
  }
  return points != NULL;
}

/* Note the failure of the first cache that has one. */
static bool make_patches(struct update_list *list, struct cairn_patch_failure *failure)
{
  for (size_t i = 0; i < list->count && failure->status == CAIRN_OK; i++)
    if (!add_points(&list->at[i]))
      cn_patch_fail(failure, CAIRN_E_MEMORY, 0, NULL);
    else
      *failure = list->at[i].patch->failure;
  return failure->status == CAIRN_OK;
}

/* ---- the write ---- */

static struct update_list *list_of(const struct cn_write *write)
{
  return (struct update_list *)(uintptr_t)write->env;
}

static struct cairn_patch *patch_of(const void *env, size_t index)
{
  return ((const struct update_list *)env)->at[index].patch;
}

static bool is_current(const struct cn_write *write)
{
  struct update_list *list = list_of(write);

  CN_ASSERT(list->at != NULL);
  list->is_outdated = list->removals != cache_removals;
  for (size_t i = 0; i < list->count && !list->is_outdated; i++)
    list->is_outdated = list->at[i].version != list->at[i].cache->data.version;
  return !list->is_outdated;
}

static void note_patched(const struct cn_write *write)
{
  struct update_list *list = list_of(write);

  for (size_t i = 0; i < list->count; i++)
    __atomic_store_n(&list->at[i].cache->patched, list->at[i].version, __ATOMIC_RELAXED);
}

/* Update the cache, or all changed caches. False: data have changed meanwhile, and nothing is written. */
static bool try_update(struct cairn_patched_cache *only, bool is_stopped, struct cairn_patch_failure *failure)
{
  struct update_list list;

  if (!cn_lock_take(CN_LOCK_PATCH))
    return cn_patch_fail(failure, CAIRN_E_BUSY, 0, "the caller is a signal handler") != CAIRN_OK;
  bool listed = list_caches(&list, only);
  cn_lock_release(CN_LOCK_PATCH);
  if (!listed)
    return cn_patch_fail(failure, CAIRN_E_MEMORY, 0, NULL) != CAIRN_OK;
  const struct cn_write write = {.batch = patch_of,
                                 .env = &list,
                                 .count = list.count,
                                 .leaves_out = true,
                                 .is_stopped = is_stopped,
                                 .begin = is_current,
                                 .done = note_patched,
                                 .failure = failure};
  if (list.count != 0 && make_patches(&list, failure))
    cn_write_batches(&write);
  free_list(&list);
  return !list.is_outdated;
}

static enum cairn_status update(struct cairn_patched_cache *only, bool is_stopped, struct cairn_patch_failure *failure)
{
  struct cairn_patch_failure outcome = {0};

  cn_defer_signals();
  while (!try_update(only, is_stopped, &outcome) && outcome.status == CAIRN_OK)
    ;
  cn_undefer_signals();
  if (failure != NULL)
    *failure = outcome;
  return outcome.status;
}

enum cairn_status cn_patched_caches_follow(bool is_stopped, struct cairn_patch_failure *failure)
{
  if (__atomic_load_n(&all_caches, __ATOMIC_ACQUIRE) == NULL)
    return CAIRN_OK;
  return update(NULL, is_stopped, failure);
}

/* ---- caches ---- */

static enum cairn_status fail(struct cairn_patch_failure *failure, enum cairn_status status)
{
  struct cairn_patch_failure outcome = {0};

  cn_patch_fail(&outcome, status, 0, NULL);
  if (failure != NULL)
    *failure = outcome;
  return status;
}

/* Take the cache out of the list. False: it is not there. */
static bool unlink_cache(struct cairn_patched_cache *cache)
{
  struct cairn_patched_cache **at = &all_caches;

  while (*at != NULL && *at != cache)
    at = &(*at)->next;
  if (*at == NULL)
    return false;
  __atomic_store_n(at, cache->next, __ATOMIC_RELEASE);
  cache_removals++;
  return true;
}

enum cairn_status cairn_patched_cache_remove(struct cairn_patched_cache *cache)
{
  if (!cn_lock_take(CN_LOCK_PATCH))
    return CAIRN_E_BUSY;
  bool found = unlink_cache(cache);
  cn_lock_release(CN_LOCK_PATCH);
  return found ? cairn_inline_caches_remove(&cache->group) : CAIRN_E_UNKNOWN;
}

enum cairn_status cairn_patched_cache_add(struct cairn_patched_cache *cache, struct cairn_patch_failure *failure)
{
  if (cache->data.registered)
    return fail(failure, CAIRN_E_OVERLAP);
  cache->group = (struct cairn_inline_cache_group){.caches = &cache->data, .count = 1};
  cache->patched = NEVER_PATCHED;
  if (cache->data.name == 0)
    cache->data.name = (uintptr_t)cache;
  enum cairn_status status = cairn_inline_caches_add(&cache->group);
  if (status != CAIRN_OK)
    return fail(failure, status);
  if (!cn_lock_take(CN_LOCK_PATCH))
    CN_UNREACHABLE(); /* the thread took it before */
  cache->next = all_caches;
  __atomic_store_n(&all_caches, cache, __ATOMIC_RELEASE);
  cn_lock_release(CN_LOCK_PATCH);
  status = update(cache, false, failure);
  if (status != CAIRN_OK)
    cairn_patched_cache_remove(cache);
  return status;
}

enum cairn_status cairn_patched_cache_renew(struct cairn_patched_cache *cache, struct cairn_patch_failure *failure)
{
  return cache->data.registered ? update(cache, false, failure) : fail(failure, CAIRN_E_UNKNOWN);
}

static bool is_patched(const struct cairn_patched_cache *cache)
{
  return __atomic_load_n(&cache->patched, __ATOMIC_RELAXED) == __atomic_load_n(&cache->data.version, __ATOMIC_RELAXED);
}

enum cairn_status cairn_patched_cache_fill(struct cairn_patched_cache *cache, uintptr_t key, uintptr_t value,
                                           struct cairn_patch_failure *failure)
{
  if (key == 0 || value == 0)
    return fail(failure, CAIRN_E_BOUNDS);
  if (cairn_patched_cache_find_data(cache, key) != value) {
    enum cairn_status status =
        cairn_inline_cache_fill(&cache->data, key, (struct cairn_inline_cache_values){{value, 0}});
    if (status != CAIRN_OK)
      return fail(failure, status);
  }
  if (!is_patched(cache))
    return update(cache, false, failure);
  if (failure != NULL)
    *failure = (struct cairn_patch_failure){0};
  return CAIRN_OK;
}

uintptr_t cairn_patched_cache_find_data(const struct cairn_patched_cache *cache, uintptr_t key)
{
  struct cairn_inline_cache_values found;

  return cairn_inline_cache_find(&cache->data, key, &found) ? found.word[0] : 0;
}
