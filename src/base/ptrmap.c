/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the pointer map of the compile side: linear probing, at most half full. The caller owns the map, and one
 * thread at a time uses it. The file holds no state.
 */
#include "base/ptrmap.h"

#include <stdlib.h>
#include "base/check.h"

static size_t slot_of(const struct cn_ptrmap *map, const void *key)
{
  uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
  size_t i = (size_t)(hash >> 20) & (map->room - 1);

  while (map->entries[i].key && map->entries[i].key != key)
    i = (i + 1) & (map->room - 1);
  return i;
}

static void double_table(struct cn_ptrmap *map)
{
  struct cn_ptrmap old = *map;

  map->room = old.room ? 2 * old.room : 32;
  map->entries = cn_alloc(map->room * sizeof *map->entries);
  for (size_t i = 0; i < old.room; i++)
    if (old.entries[i].key)
      map->entries[slot_of(map, old.entries[i].key)] = old.entries[i];
  free(old.entries);
}

uint64_t *cn_ptrmap_find(const struct cn_ptrmap *map, const void *key)
{
  if (map->room == 0)
    return NULL;
  size_t i = slot_of(map, key);
  return map->entries[i].key ? &map->entries[i].value : NULL;
}

uint64_t *cn_ptrmap_add(struct cn_ptrmap *map, const void *key, bool *added)
{
  CN_CHECK(key != NULL);
  if (2 * (map->count + 1) > map->room)
    double_table(map);
  size_t i = slot_of(map, key);
  bool fresh = map->entries[i].key == NULL;
  if (fresh) {
    map->entries[i].key = key;
    map->count++;
  }
  if (added)
    *added = fresh;
  return &map->entries[i].value;
}

void cn_ptrmap_free(struct cn_ptrmap *map)
{
  free(map->entries);
  *map = (struct cn_ptrmap){0};
}
