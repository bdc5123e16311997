#include "map.h"
#include "memory.h"
#include <string.h>

static unsigned long hash_of(const char *key)
{
  unsigned long h = 5381;
  while (*key)
    h = h * 33 + (unsigned char)*key++;
  return h;
}

Map *map_new(size_t room)
{
  Map *map = (Map *)xmalloc(sizeof(Map));
  map->slots = xcalloc(room, sizeof(entry_t *));
  map->room = room;
  map->count = 0;
  return map;
}

static void grow(Map *map)
{
  size_t room = map->room * 2;
  entry_t **slots = xcalloc(room, sizeof *slots), *entry, *next;
  for (size_t i = 0; i < map->room; i++)
    for (entry = map->slots[i]; entry; entry = next) {
      next = entry->next;
      entry->next = slots[entry->hash % room];
      slots[entry->hash % room] = entry;
    }
  xfree(map->slots);
  map->slots = slots;
  map->room = room;
}

long *map_at(Map *map, const char *key)
{
  unsigned long hash = hash_of(key);
  entry_t *e;
  for (e = map->slots[hash % map->room]; e; e = e->next)
    if (e->hash == hash && strcmp(e->key, key) == 0)
      return &e->value;
  if (map->count == map->room)
    grow(map);
  e = xmalloc(sizeof(entry_t) + strlen(key) + 1);
  strcpy(e->key, key);
  e->hash = hash;
  e->value = 0;
  e->next = map->slots[hash % map->room];
  map->slots[hash % map->room] = e;
  map->count++;
  return &e->value;
}

int map_visit(const Map *map, visitor visit, void *env)
{
  for (size_t i = 0; i < map->room; i++)
    for (const entry_t *e = map->slots[i]; e; e = e->next)
      if (visit((entry_t *)e, env))
        return 1;
  return 0;
}

entry_t *map_sorted(Map *map, entry_t *out[], size_t room)
{
  size_t n = 0;
  for (size_t i = 0; i < map->room; i++)
    for (entry_t *e = map->slots[i]; e && n < room; e = e->next) {
      size_t k = n++;
      for (; k > 0 && strcmp(out[k - 1]->key, e->key) > 0; k--)
        out[k] = out[k - 1];
      out[k] = e;
    }
  return n ? out[0] : NULL;
}

void map_free(Map *map)
{
  for (size_t i = 0; i < map->room; i++)
    while (map->slots[i]) {
      entry_t *next = map->slots[i]->next;
      xfree(map->slots[i]);
      map->slots[i] = next;
    }
  xfree(map->slots);
  xfree(map);
}
